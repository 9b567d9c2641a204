/* SUMMA: small integers, so that all sums are exact, of every type, in any tiles and patterns. */
#include "support/arrays.h"

#include <complex.h>
#include <stdlib.h>

enum { RANKS = 4 };

/* What a matrix is made of: element (i, j) is a number that depends on i and j. */
typedef struct recipe {
    twill_type type;
    int64_t a, b;
} recipe;

static double complex number(const recipe *r, int64_t i, int64_t j)
{
    double re = (double)((r->a * i + r->b * j) % 7 - 3), im = (double)((i + r->a * j) % 5 - 2);
    return r->type == TWILL_COMPLEX64 || r->type == TWILL_COMPLEX128 ? CMPLX(re, im) : re;
}

static void store(void *element, twill_type type, double complex x)
{
    switch (type) {
    case TWILL_FLOAT32:
        *(float *)element = (float)creal(x);
        break;
    case TWILL_FLOAT64:
        *(double *)element = creal(x);
        break;
    case TWILL_COMPLEX64:
        *(float complex *)element = (float complex)x;
        break;
    default:
        *(double complex *)element = x;
    }
}

static void make(void *element, const int64_t *index, void *arg)
{
    const recipe *r = arg;
    store(element, r->type, number(r, index[0], index[1]));
}

static twill_array *some_matrix(twill *tw, uint64_t *seed, const recipe *r, int64_t m, int64_t n)
{
    int64_t ranks = twill_ranks(tw), p = test_pick(seed, 1, ranks);
    int64_t mb = test_pick(seed, 1, m + 2), nb = test_pick(seed, 1, n + 2);
    twill_pattern pattern = twill_block_cyclic(m, n, mb, nb, p, ranks / p);
    twill_array *a;
    if (test_pick(seed, 0, 3) == 0)
        pattern = twill_pattern_shifted(2, (int64_t[]){m, n}, (int64_t[]){mb, nb}, ranks);
    OK(twill_array_create(tw, &pattern, r->type, 0, &a));
    OK(twill_generate(twill_view_all(a), make, (void *)(uintptr_t)r));
    return a;
}

typedef struct wanted {
    recipe a, b, c;
    int64_t inner;
    double alpha, beta;
    _Atomic int64_t wrong;
} wanted;

static double complex load(const void *element, twill_type type)
{
    return type == TWILL_FLOAT32     ? *(const float *)element
           : type == TWILL_FLOAT64   ? *(const double *)element
           : type == TWILL_COMPLEX64 ? *(const float complex *)element
                                     : *(const double complex *)element;
}

static bool differs(const void *element, const int64_t *index, const wanted *w)
{
    double complex sum = 0;
    for (int64_t k = 0; k < w->inner; k++)
        sum += number(&w->a, index[0], k) * number(&w->b, k, index[1]);
    sum = w->alpha * sum + w->beta * number(&w->c, index[0], index[1]);
    return load(element, w->c.type) != sum;
}

static void look(const twill_box *box, void *arg)
{
    wanted *w = arg;
    size_t size = twill_type_size(w->c.type);
    for (int64_t j = 0; j < box->extent[1]; j++)
        for (int64_t i = 0; i < box->extent[0]; i++) {
            int64_t index[] = {box->index[0] + i, box->index[1] + j};
            int64_t at = i * box->step[0] + j * box->step[1];
            w->wrong += differs((char *)box->data + (size_t)at * size, index, w);
        }
}

static void products(twill *tw, void *arg)
{
    static const twill_type types[] = {TWILL_FLOAT32, TWILL_FLOAT64, TWILL_COMPLEX64,
                                       TWILL_COMPLEX128};
    uint64_t seed = 31;
    (void)arg;
    for (int i = 0; i < (twill_ranks(tw) > 1 ? 8 : 60); i++) {
        twill_type type = types[i % 4];
        int64_t most = i % 8 == 7 ? 500 : 30;
        int64_t m = test_pick(&seed, 1, 30), n = test_pick(&seed, 1, 30);
        int64_t k = test_pick(&seed, 0, most);
        wanted w = {{type, 3, 5}, {type, 2, 11}, {type, 4, 1}, k, 2, i % 3 - 1, 0};
        twill_array *a = some_matrix(tw, &seed, &w.a, m, k), *b, *c;
        b = some_matrix(tw, &seed, &w.b, k, n);
        c = some_matrix(tw, &seed, &w.c, m, n);
        OK(twill_summa(twill_real(w.alpha), a, b, twill_real(w.beta), c));
        OK(twill_for_each_box(twill_view_all(c), TWILL_READ, look, &w));
        assert_int_equal(w.wrong, 0);
        twill_array_free(a);
        twill_array_free(b);
        twill_array_free(c);
    }
}

TEST(products_are_exact)
{
    for (int ranks = 1; ranks <= RANKS; ranks++) {
        test_ranks r = {.ranks = ranks, .workers = 2};
        test_on_ranks(&r, products, NULL);
    }
}

TEST(what_does_not_fit_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 4, 6, 2);
    twill_array *b = test_matrix(tw, TWILL_FLOAT64, 5, 3, 2);
    twill_array *f = test_matrix(tw, TWILL_FLOAT32, 6, 4, 2);
    twill_array *g = test_matrix(tw, TWILL_FLOAT64, 6, 4, 2);
    twill_array *c = test_matrix(tw, TWILL_FLOAT64, 4, 4, 2);
    twill_scalar one = twill_real(1);
    REFUSED(twill_summa(one, a, b, one, c), TWILL_ERR_ARGUMENT, "4 by 6, B 5 by 3 and C 4 by 4");
    REFUSED(twill_summa(one, a, f, one, c), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_summa(one, a, NULL, one, c), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_summa(one, c, c, one, c), TWILL_ERR_ARGUMENT, "");
    OK(twill_summa(one, a, g, one, c));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
