/* Twill's own products against plain loops: every transpose and triangle, sizes around those of
 * blocks and of what is packed at a time, inside a task and outside. */
#include "la/kernel/multiply.h"

#include "la/kernel/blocks.h"
#include "support/matrix.h"
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 7;

typedef struct problem {
    twill_type type;
    char part, ta, tb; /* part: 'G', or the triangle of a rank-k update */
    int m, n, k, lda, ldb, ldc;
    double alpha, beta;
    void *a, *b, *c;
} problem;

static int larger(int x, int y)
{
    return x > y ? x : y;
}

static void *random_block(twill_type type, int ld, int cols)
{
    void *a = calloc((size_t)ld * (size_t)cols + 1, sizeof(double));
    for (int at = 0; at < ld * cols; at++)
        test_store(a, type, at, (double)test_random(&seed, 1 << 20) / (1 << 20) - 0.5);
    return a;
}

static double entry(const problem *p, const void *x, char trans, int ld, int i, int j)
{
    return creal(test_load(x, p->type, trans == 'N' ? i + j * ld : j + i * ld));
}

static bool is_wanted(const problem *p, int i, int j)
{
    return i < p->m && (p->part == 'G' || (p->part == 'L' ? i >= j : i <= j));
}

static double expected(const problem *p, const void *before, int i, int j)
{
    double sum = 0, old = creal(test_load(before, p->type, i + j * p->ldc));
    if (!is_wanted(p, i, j))
        return old;
    for (int k = 0; k < p->k; k++)
        sum += entry(p, p->a, p->ta, p->lda, i, k) * entry(p, p->b, p->tb, p->ldb, k, j);
    return (p->alpha == 0 ? 0 : p->alpha * sum) + (p->beta == 0 ? 0 : p->beta * old);
}

static void call(const problem *p)
{
    bool single = p->type == TWILL_FLOAT32;
    float alpha = (float)p->alpha, beta = (float)p->beta;
    const void *x = single ? (const void *)&alpha : &p->alpha;
    const void *y = single ? (const void *)&beta : &p->beta;
    if (p->part == 'G')
        tw_multiply_of(single)->gemm(&p->ta, &p->tb, &p->m, &p->n, &p->k, x, p->a, &p->lda, p->b,
                                     &p->ldb, y, p->c, &p->ldc, 1, 1);
    else
        tw_multiply_of(single)->syrk(&p->part, &p->ta, &p->n, &p->k, x, p->a, &p->lda, y, p->c,
                                     &p->ldc, 1, 1);
}

static void compare(const problem *p, const void *before)
{
    double tolerance = (p->type == TWILL_FLOAT32 ? 1e-6 : 2e-15) * (p->k + 4);
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->ldc; i++) {
            double got = creal(test_load(p->c, p->type, i + j * p->ldc));
            double want = expected(p, before, i, j);
            if (is_wanted(p, i, j) ? !(fabs(got - want) <= tolerance)
                                   : memcmp(&got, &want, sizeof got) != 0)
                fail_msg("%c %c%c %d %d %d at (%d, %d): %g, not %g", p->part, p->ta, p->tb, p->m,
                         p->n, p->k, i, j, got, want);
        }
}

static void check(problem p)
{
    p.lda = larger(1, (p.ta == 'N' ? p.m : p.k) + (int)test_random(&seed, 3));
    p.ldb = larger(1, (p.tb == 'N' ? p.k : p.n) + (int)test_random(&seed, 3));
    p.ldc = larger(1, p.m + (int)test_random(&seed, 3));
    p.a = random_block(p.type, p.lda, p.ta == 'N' ? p.k : p.m);
    p.b = random_block(p.type, p.ldb, p.tb == 'N' ? p.n : p.k);
    p.c = random_block(p.type, p.ldc, p.n);
    if (p.part != 'G') {
        free(p.b);
        p.b = p.a;
        p.ldb = p.lda;
        p.tb = p.ta == 'N' ? 'T' : 'N';
    }
    if (p.beta == 0) /* what is there may not be looked at */
        for (int at = 0; at < p.ldc * p.n; at++)
            if (is_wanted(&p, at % p.ldc, at / p.ldc))
                test_store(p.c, p.type, at, NAN);
    size_t bytes = (size_t)p.ldc * (size_t)p.n * sizeof(double);
    void *before = malloc(bytes + 1);
    memcpy(before, p.c, bytes);
    call(&p);
    compare(&p, before);
    if (p.b != p.a)
        free(p.b);
    free(p.a), free(p.c), free(before);
}

static const int sizes[] = {0, 1, 7, 8, 9, 23, 24, 25, 47, 48, 50, 96, 131};
static const double alphas[] = {1, -1, 0.7, 0}, betas[] = {1, 0, -1, 0.3};

static int any_size(void)
{
    return sizes[test_random(&seed, COUNT(sizes))];
}

static void check_some(twill_type type)
{
    for (int i = 0; i < 400; i++) {
        int n = any_size();
        problem p = {.type = type,
                     .part = "GGLU"[test_random(&seed, 4)],
                     .ta = "NTC"[test_random(&seed, 3)],
                     .tb = "NTC"[test_random(&seed, 3)],
                     .m = n,
                     .n = n,
                     .k = any_size(),
                     .alpha = alphas[test_random(&seed, 4)],
                     .beta = betas[test_random(&seed, 4)]};
        if (p.part == 'G')
            p.m = any_size();
        check(p);
    }
}

TEST(products_are_those_of_plain_loops)
{
    if (!tw_multiply_of(false))
        skip();
    check_some(TWILL_FLOAT64);
    check_some(TWILL_FLOAT32);
}

/* More than is packed at a time, in each direction. */
TEST(large_products_are_put_together)
{
    if (!tw_multiply_of(false))
        skip();
    for (int type = TWILL_FLOAT32; type <= TWILL_FLOAT64; type++)
        for (int t = 0; t < 4; t++) {
            char ta = "NT"[t % 2], tb = "NT"[t / 2];
            check((problem){type, 'G', ta, tb, 30, 1100, 9, .alpha = 1, .beta = 1});
            check((problem){type, 'G', ta, tb, 700, 20, 400, .alpha = 1, .beta = 0.5});
            check((problem){type, 'G', ta, tb, 20, 30, 1000, .alpha = -1, .beta = 1});
            check((problem){type, "LU"[t % 2], ta, 'N', 400, 400, 50, .alpha = -1, .beta = 1});
        }
}

/* Whatever the type and the size, somebody multiplies. */
TEST(blocks_of_every_type_are_multiplied)
{
    enum { N = 110 };
    twill *tw = test_start(1, NULL);
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        for (int n = 10; n <= N; n += N - 10) {
            const tw_kernels *k = &blas->kernels[type];
            void *a = calloc(N * N, 16), *b = calloc(N * N, 16), *c = calloc(N * N, 16);
            for (int at = 0; at < n * n; at++) {
                test_store(a, type, at, 2);
                test_store(b, type, at, 3);
            }
            tw_block_gemm(k, 'N', 'C', n, n, n, k->one, a, n, b, n, k->zero, c, n);
            tw_block_herk(k, 'L', 'N', n, n, k->minus_one, a, n, k->one, c, n);
            for (int at = 0; at < n * n; at++)
                assert_true(creal(test_load(c, type, at)) == (at % n >= at / n ? 2 : 6) * n);
            free(a), free(b), free(c);
        }
    twill_stop(tw);
}

/* Tiles at once have the bits of tiles one by one. */
static void check_grid(twill_type type, char ta, char tb, int inner)
{
    enum { ROWS = 3, COLS = 2 };
    static const int heights[ROWS] = {50, 50, 19}, widths[COLS] = {41, 9};
    bool single = type == TWILL_FLOAT32;
    float alphaf = 0.7f;
    double alpha = 0.7;
    const void *x = single ? (const void *)&alphaf : &alpha,
               *one = single ? (const void *)&(float){1} : &(double){1};
    tw_tile_view a[ROWS], b[COLS], c[ROWS * COLS];
    void *expected[ROWS * COLS];
    for (int i = 0; i < ROWS; i++) {
        int rows = ta == 'N' ? heights[i] : inner, cols = ta == 'N' ? inner : heights[i];
        a[i] = (tw_tile_view){random_block(type, rows + 1, cols), rows, cols, rows + 1};
    }
    for (int j = 0; j < COLS; j++) {
        int rows = tb == 'N' ? inner : widths[j], cols = tb == 'N' ? widths[j] : inner;
        b[j] = (tw_tile_view){random_block(type, rows + 2, cols), rows, cols, rows + 2};
    }
    for (int at = 0; at < ROWS * COLS; at++) {
        int m = heights[at % ROWS], n = widths[at / ROWS];
        const tw_tile_view *l = &a[at % ROWS], *r = &b[at / ROWS];
        size_t bytes = (size_t)m * (size_t)n * sizeof(double);
        c[at] = (tw_tile_view){random_block(type, m, n), m, n, m};
        expected[at] = memcpy(malloc(bytes), c[at].data, bytes);
        tw_multiply_of(single)->gemm(&ta, &tb, &m, &n, &inner, x, l->data, &l->ld, r->data, &r->ld,
                                     one, expected[at], &m, 1, 1);
    }
    tw_multiply_of(single)->grid(&(tw_grid){ROWS, COLS, ta, tb, x, a, b, c});
    for (int at = 0; at < ROWS * COLS; at++) {
        size_t element = single ? sizeof(float) : sizeof(double);
        assert_memory_equal(c[at].data, expected[at],
                            (size_t)c[at].rows * (size_t)c[at].cols * element);
        free(c[at].data), free(expected[at]);
    }
    for (int i = 0; i < ROWS; i++)
        free(a[i].data);
    for (int j = 0; j < COLS; j++)
        free(b[j].data);
}

TEST(tiles_at_once_are_as_one_by_one)
{
    if (!tw_multiply_of(false))
        skip();
    for (int type = TWILL_FLOAT32; type <= TWILL_FLOAT64; type++)
        for (int t = 0; t < 4; t++) {
            check_grid(type, "NT"[t % 2], "NT"[t / 2], 30);
            check_grid(type, "NT"[t % 2], "NT"[t / 2], 401); /* in two parts, of unequal size */
        }
}

static void *aligned_block(size_t bytes)
{
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

/* A product of packed factors and the same one by one call. */
static void check_packed(twill_type type, char part, char ta, char tb, int m, int n, int inner)
{
    bool single = type == TWILL_FLOAT32;
    const tw_multiply *own = tw_multiply_of(single);
    size_t element = single ? sizeof(float) : sizeof(double);
    const void *x = single ? (const void *)&(float){-0.7f} : &(double){-0.7},
               *one = single ? (const void *)&(float){1} : &(double){1};
    int lda = (ta == 'N' ? m : inner) + 1, ldb = (tb == 'N' ? inner : n) + 2, ldc = m + 3;
    size_t left = (size_t)((m + own->left.width - 1) / own->left.width * own->left.width);
    size_t right = (size_t)((n + own->right.width - 1) / own->right.width * own->right.width);
    void *a = random_block(type, lda, ta == 'N' ? inner : m);
    void *b = part == 'G' ? random_block(type, ldb, tb == 'N' ? n : inner) : a;
    void *c = random_block(type, ldc, n);
    void *packed_a = aligned_block(left * (size_t)inner * element);
    void *packed_b = aligned_block(right * (size_t)inner * element);
    size_t bytes = (size_t)ldc * (size_t)n * element;
    void *expected = memcpy(malloc(bytes), c, bytes);
    if (part == 'G')
        own->gemm(&ta, &tb, &m, &n, &inner, x, a, &lda, b, &ldb, one, expected, &ldc, 1, 1);
    else
        own->syrk(&part, &ta, &n, &inner, x, a, &lda, one, expected, &ldc, 1, 1);
    own->left.pack(ta, m, inner, a, lda, packed_a);
    own->right.pack(tb, n, inner, b, part == 'G' ? ldb : lda, packed_b);
    own->packed(part, m, n, inner, x, packed_a, packed_b, c, ldc);
    assert_memory_equal(c, expected, bytes);
    if (b != a)
        free(b);
    free(a), free(c), free(packed_a), free(packed_b), free(expected);
}

TEST(factors_packed_before_give_the_same_bits)
{
    if (!tw_multiply_of(false))
        skip();
    for (int type = TWILL_FLOAT32; type <= TWILL_FLOAT64; type++)
        for (int t = 0; t < 4; t++) {
            char ta = "NT"[t % 2], tb = "NT"[t / 2];
            check_packed(type, 'G', ta, tb, 50, 30, 20);
            check_packed(type, 'G', ta, tb, 25, 131, 401); /* in two parts, of unequal size */
            check_packed(type, "LU"[t / 2], ta, ta == 'N' ? 'T' : 'N', 75, 75, 401);
        }
}

/* On the one worker there is: the thread that waits. */
static twill_outcome body(twill_task *t)
{
    (void)t;
    check_some(TWILL_FLOAT64);
    return TWILL_DONE;
}

/* A worker keeps the memory of one call for the next. */
TEST(tasks_multiply_in_the_memory_of_their_worker)
{
    if (!tw_multiply_of(false))
        skip();
    static const twill_class class = {
        .size = sizeof(twill_class), .name = "multiply", .chores = {TWILL_CPU(body)}};
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &class));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(numbers_that_are_none_stay_in_their_row_and_column)
{
    if (!tw_multiply_of(false))
        skip();
    enum { N = 25 };
    double a[N * N], b[N * N], c[N * N], one = 1;
    int n = N;
    for (int i = 0; i < N * N; i++)
        a[i] = b[i] = c[i] = 1;
    a[3] = INFINITY;
    b[7 * N] = NAN;
    tw_multiply_of(false)->gemm("N", "N", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n, 1, 1);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            assert_int_equal(j == 7 ? isnan(c[i + j * N]) : isinf(c[i + j * N]), j == 7 || i == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_plain_loops),
        cmocka_unit_test(large_products_are_put_together),
        cmocka_unit_test(blocks_of_every_type_are_multiplied),
        cmocka_unit_test(tiles_at_once_are_as_one_by_one),
        cmocka_unit_test(factors_packed_before_give_the_same_bits),
        cmocka_unit_test(tasks_multiply_in_the_memory_of_their_worker),
        cmocka_unit_test(numbers_that_are_none_stay_in_their_row_and_column)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
