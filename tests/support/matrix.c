/* Matrices as complex numbers, and LAPACK to compare with. */
#include "support/matrix.h"

#include "support/test.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

const test_type test_types[4] = {
    {TWILL_FLOAT32, "FLOAT32", FLT_EPSILON / 2, "spotrf2_"},
    {TWILL_FLOAT64, "FLOAT64", DBL_EPSILON / 2, "dpotrf2_"},
    {TWILL_COMPLEX64, "COMPLEX64", FLT_EPSILON / 2, "cpotrf2_"},
    {TWILL_COMPLEX128, "COMPLEX128", DBL_EPSILON / 2, "zpotrf2_"},
};

double complex test_number(double re, double im)
{
    double complex x;
    memcpy(&x, (double[2]){re, im}, sizeof x);
    return x;
}

double complex test_load(const void *data, twill_type type, int64_t at)
{
    switch (type) {
    case TWILL_FLOAT32:
        return ((const float *)data)[at];
    case TWILL_COMPLEX64:
        return ((const float complex *)data)[at];
    case TWILL_COMPLEX128:
        return ((const double complex *)data)[at];
    default:
        return ((const double *)data)[at];
    }
}

void test_store(void *data, twill_type type, int64_t at, double complex x)
{
    switch (type) {
    case TWILL_FLOAT32:
        ((float *)data)[at] = (float)creal(x);
        break;
    case TWILL_COMPLEX64:
        ((float complex *)data)[at] = (float complex)x;
        break;
    case TWILL_COMPLEX128:
        ((double complex *)data)[at] = x;
        break;
    default:
        ((double *)data)[at] = creal(x);
        break;
    }
}

bool test_inside(twill_uplo uplo, int64_t i, int64_t j)
{
    return uplo == TWILL_LOWER ? i >= j : i <= j;
}

static void copy_columns(char *to, int64_t ld_to, const char *from, int64_t ld_from,
                         const twill_array *a)
{
    const twill_pattern *p = twill_array_pattern(a);
    size_t element = twill_array_element(a);
    for (int64_t j = 0; j < p->extent[1]; j++)
        memcpy(to + (size_t)(j * ld_to) * element, from + (size_t)(j * ld_from) * element,
               (size_t)p->extent[0] * element);
}

void *test_unpack(twill_array *a)
{
    const twill_pattern *p = twill_array_pattern(a);
    void *data, *full = malloc((size_t)(p->extent[0] * p->extent[1] + 1) * twill_array_element(a));
    int64_t ld;
    assert_non_null(full);
    OK(twill_map(twill_view_all(a), TWILL_READ, &data, &ld));
    copy_columns(full, p->extent[0], data, ld, a);
    OK(twill_unmap(twill_view_all(a), data));
    return full;
}

void test_pack(twill_array *a, const void *full)
{
    void *data;
    int64_t ld;
    OK(twill_map(twill_view_all(a), TWILL_WRITE, &data, &ld));
    copy_columns(data, ld, full, twill_array_pattern(a)->extent[0], a);
    OK(twill_unmap(twill_view_all(a), data));
}

int test_lapack(twill *tw, const test_type *type, twill_uplo uplo, void *full, int64_t n)
{
    const tw_blas *blas;
    char triangle = (char)uplo;
    int order = (int)n, ld = n > 1 ? (int)n : 1, info = 0;
    OK(tw_blas_get(tw, &blas));
    tw_potrf *potrf;
    *(void **)&potrf = blas->library.symbol(&blas->library, type->reference);
    if (!potrf)
        potrf = blas->kernels[type->type].potrf;
    potrf(&triangle, &order, full, &ld, &info, 1);
    return info;
}
