/* Indefinite factorizations by LAPACK and by plain loops. */
#include "support/indefinite.h"

#include "support/test.h"

#include <stdlib.h>

typedef void lapack_sytrf(const char *uplo, const int *n, void *a, const int *lda, int *ipiv,
                          void *work, const int *lwork, int *info, size_t);

int indefinite_lapack(twill *tw, const indefinite *p, void *full, int *ipiv)
{
    twill_type type = twill_array_type(p->a);
    int n = (int)twill_array_pattern(p->a)->extent[0];
    bool complex_type = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    lapack_sytrf *sytrf;
    *(void **)&sytrf = dense_lapack(tw, type, p->hermitian && complex_type ? "hetrf" : "sytrf");
    assert_non_null(sytrf);
    int lwork = 64 * (n + 1), ld = n > 1 ? n : 1, info = 0;
    void *work = malloc((size_t)lwork * twill_type_size(type));
    char uplo = (char)p->uplo;
    sytrf(&uplo, &n, full, &ld, ipiv, work, &lwork, &info, 1);
    free(work);
    return info;
}

/* D as a matrix. */
static dense read_d(const indefinite *p, int64_t n)
{
    dense d = dense_zeros(n, n), e = dense_read(p->e, DENSE_GENERAL, p->uplo);
    dense a = dense_read(p->a, DENSE_GENERAL, p->uplo);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = p->uplo == TWILL_LOWER ? i + 1 : i - 1;
        d.at[i + i * n] = a.at[i + i * n];
        if (e.at[i] == 0.0)
            continue;
        d.at[row + i * n] = e.at[i];
        d.at[i + row * n] = p->hermitian ? conj(e.at[i]) : e.at[i];
    }
    dense_free(e);
    dense_free(a);
    return d;
}

static void swap_both(dense a, int64_t i, int64_t j)
{
    dense_swap_rows(a, i, j);
    for (int64_t k = 0; k < a.rows; k++) {
        double complex x = a.at[k + i * a.rows];
        a.at[k + i * a.rows] = a.at[k + j * a.rows];
        a.at[k + j * a.rows] = x;
    }
}

/* A := P^T A P, by LAPACK's pivots. */
static void permute(const indefinite *p, dense a)
{
    int64_t n = a.rows;
    int64_t *ipiv = test_unpack(p->ipiv);
    bool lower = p->uplo == TWILL_LOWER;
    for (int64_t s = 0; s < n; s++) {
        int64_t i = lower ? s : n - 1 - s;
        bool two = ipiv[i] < 0;
        int64_t own = two ? (lower ? i + 1 : i - 1) : i, other = llabs(ipiv[i]) - 1;
        if (own != other)
            swap_both(a, own, other);
        s += two;
    }
    free(ipiv);
}

double indefinite_ratio(const indefinite *p, dense a, double eps)
{
    int64_t n = a.rows;
    double norm = dense_norm(a);
    dense l = dense_read(p->a, DENSE_UNIT_TRIANGLE, p->uplo), d = read_d(p, n);
    dense ld = dense_zeros(n, n);
    dense_multiply(1.0, 'N', l, 'N', d, ld);
    permute(p, a);
    dense_multiply(-1.0, 'N', ld, p->hermitian ? 'C' : 'T', l, a);
    double difference = dense_norm(a);
    dense_free(l);
    dense_free(d);
    dense_free(ld);
    return dense_ratio(difference, (double)n * norm * eps);
}
