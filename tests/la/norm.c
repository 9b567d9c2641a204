/* Norms: LAPACK's values, for every type, shape and tile size; the same bits whoever computes. */
#include "support/matrix.h"
#include "support/test.h"

#include "sched/sched.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const twill_norm_kind kinds[] = {TWILL_NORM_MAX, TWILL_NORM_ONE, TWILL_NORM_INF,
                                        TWILL_NORM_FRO};
static const twill_uplo triangles[] = {TWILL_LOWER, TWILL_UPPER};
static const twill_diag diagonals[] = {TWILL_NON_UNIT, TWILL_UNIT};

/* ---- LAPACK -------------------------------------------------------------------------------- */

typedef enum shape { GENERAL, TRIANGULAR, SYMMETRIC, HERMITIAN } shape;

/* Which norm of a matrix of m by n elements in packed memory. */
typedef struct question {
    shape shape;
    twill_norm_kind kind;
    twill_uplo uplo;
    twill_diag diag;
} question;

static void *symbol(twill *tw, twill_type type, shape s)
{
    static const char letter[] = {[TWILL_FLOAT32] = 's',
                                  [TWILL_FLOAT64] = 'd',
                                  [TWILL_COMPLEX64] = 'c',
                                  [TWILL_COMPLEX128] = 'z'};
    static const char *const names[] = {"lange_", "lantr_", "lansy_", "lanhe_"};
    bool is_complex = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
    char name[16];
    const tw_blas *blas;
    snprintf(name, sizeof name, "%c%s", letter[type],
             names[s == HERMITIAN && !is_complex ? SYMMETRIC : s]);
    OK(tw_blas_get(tw, &blas));
    void *found = blas->library.symbol(&blas->library, name);
    if (!found)
        fail_msg("the library has no %s", name);
    return found;
}

typedef double general_f64(const char *, const int *, const int *, const void *, const int *,
                           void *, size_t);
typedef float general_f32(const char *, const int *, const int *, const void *, const int *, void *,
                          size_t);
typedef double triangular_f64(const char *, const char *, const char *, const int *, const int *,
                              const void *, const int *, void *, size_t, size_t, size_t);
typedef float triangular_f32(const char *, const char *, const char *, const int *, const int *,
                             const void *, const int *, void *, size_t, size_t, size_t);
typedef double mirrored_f64(const char *, const char *, const int *, const void *, const int *,
                            void *, size_t, size_t);
typedef float mirrored_f32(const char *, const char *, const int *, const void *, const int *,
                           void *, size_t, size_t);

static double lapack(twill *tw, twill_type type, question q, const void *full, int64_t m64,
                     int64_t n64)
{
    char kind = (char)q.kind, uplo = (char)q.uplo, diag = (char)q.diag;
    int m = (int)m64, n = (int)n64, ld = m > 1 ? m : 1;
    void *work = calloc((size_t)(m + n + 1), sizeof(double)), *found = symbol(tw, type, q.shape);
    bool single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
    double value;
    assert_non_null(work);
    if (q.shape == GENERAL)
        value = single ? (*(general_f32 **)&found)(&kind, &m, &n, full, &ld, work, 1)
                       : (*(general_f64 **)&found)(&kind, &m, &n, full, &ld, work, 1);
    else if (q.shape == TRIANGULAR)
        value = single ? (*(triangular_f32 **)&found)(&kind, &uplo, &diag, &m, &n, full, &ld, work,
                                                      1, 1, 1)
                       : (*(triangular_f64 **)&found)(&kind, &uplo, &diag, &m, &n, full, &ld, work,
                                                      1, 1, 1);
    else
        value = single ? (*(mirrored_f32 **)&found)(&kind, &uplo, &n, full, &ld, work, 1, 1)
                       : (*(mirrored_f64 **)&found)(&kind, &uplo, &n, full, &ld, work, 1, 1);
    free(work);
    return value;
}

/* ---- Twill --------------------------------------------------------------------------------- */

static double ask(twill_array *a, question q)
{
    double value = -1.0;
    switch (q.shape) {
    case GENERAL:
        OK(twill_norm(q.kind, a, &value));
        break;
    case TRIANGULAR:
        OK(twill_norm_triangular(q.kind, q.uplo, q.diag, a, &value));
        break;
    case SYMMETRIC:
        OK(twill_norm_symmetric(q.kind, q.uplo, a, &value));
        break;
    default:
        OK(twill_norm_hermitian(q.kind, q.uplo, a, &value));
        break;
    }
    return value;
}

/* All questions that suit an m by n matrix, one after the other; false after the last. */
static bool next_question(int number, bool square, question *q)
{
    int k = number % 4, u = number / 4 % 2, d = number / 8 % 2, s = number / 16;
    *q = (question){(shape)s, kinds[k], triangles[u], diagonals[d]};
    return s <= (square ? HERMITIAN : TRIANGULAR);
}

static void compare(twill *tw, const test_type *type, twill_array *a)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t m = p->extent[0], n = p->extent[1];
    void *full = test_unpack(a);
    question q;
    for (int number = 0; next_question(number, m == n, &q); number++) {
        double wanted = lapack(tw, type->type, q, full, m, n), got = ask(a, q);
        double within = 4.0 * (double)(m + n + 1) * type->eps * wanted;
        if (!(fabs(got - wanted) <= within))
            fail_msg("%s %lld x %lld, tiles %lld x %lld, shape %d, %c%c%c: %.17g, LAPACK %.17g",
                     type->name, (long long)m, (long long)n, (long long)p->block[0],
                     (long long)p->block[1], (int)q.shape, q.kind, q.uplo, q.diag, got, wanted);
    }
    free(full);
}

TEST(norms_are_lapacks)
{
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0},   {1, 1},   {1, 17},
                                        {9, 1}, {8, 8}, {37, 37}, {23, 41}, {41, 23}};
    static const int64_t tiles[][2] = {{8, 8}, {5, 9}, {64, 64}, {1, 3}};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(shapes); s++)
            for (int k = 0; k < COUNT(tiles); k++) {
                twill_array *a;
                twill_pattern p = twill_tiled(shapes[s][0], shapes[s][1], tiles[k][0], tiles[k][1]);
                OK(twill_array_create(tw, &p, test_types[t].type, 0, &a));
                OK(twill_fill_random(a, 5));
                compare(tw, &test_types[t], a);
                twill_array_free(a);
            }
    twill_stop(tw);
}

TEST(wrapped_memory_has_norms_too)
{
    enum { M = 300, N = 70, LD = 311 };
    twill *tw = test_start(2, NULL);
    double *memory = malloc(sizeof *memory * LD * N);
    assert_non_null(memory);
    for (int i = 0; i < LD * N; i++)
        memory[i] = i % LD < M ? sin(i) : NAN; /* what is between the columns is not read */
    twill_pattern p = twill_tiled(M, N, 290, 32);
    twill_array *a;
    OK(twill_array_wrap(tw, &p, TWILL_FLOAT64, 0, memory, LD, &a));
    compare(tw, &test_types[1], a);
    twill_stop(tw);
    free(memory);
}

/* ---- what is not read ----------------------------------------------------------------------- */

static void mark(twill_array *a, twill_uplo part, double complex other, double complex diagonal)
{
    OK(twill_set(part, twill_complex(creal(other), cimag(other)),
                 twill_complex(creal(diagonal), cimag(diagonal)), a));
}

TEST(only_the_triangle_is_read)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_COMPLEX128, 30, 30, 7);
    twill_array *b = test_matrix(tw, TWILL_COMPLEX128, 30, 30, 7);
    for (int u = 0; u < 2; u++) {
        question q;
        OK(twill_fill_random(a, 9));
        mark(b, TWILL_GENERAL, NAN, NAN);
        OK(twill_copy_uplo(triangles[u], a, b));
        for (int number = 0; next_question(number, true, &q); number++)
            if (q.shape != GENERAL && q.uplo == triangles[u])
                assert_true(ask(a, q) == ask(b, q));
        /* the diagonal of a unit triangle, the imaginary part of a Hermitian one */
        mark(b, triangles[u], 1.0, NAN);
        q = (question){TRIANGULAR, TWILL_NORM_ONE, triangles[u], TWILL_UNIT};
        assert_true(ask(b, q) == 30.0);
        mark(b, triangles[u], 1.0, test_number(-2.0, NAN));
        q.shape = HERMITIAN;
        assert_true(ask(b, q) == 31.0);
        q.shape = SYMMETRIC;
        assert_true(isnan(ask(b, q)));
    }
    twill_stop(tw);
}

/* ---- extremes ------------------------------------------------------------------------------- */

static void put(twill_array *a, int64_t i, int64_t j, double complex x)
{
    twill_view v = twill_view_sub(twill_view_all(a), i, j, 1, 1);
    void *data;
    int64_t ld;
    OK(twill_map(v, TWILL_WRITE, &data, &ld));
    test_store(data, twill_array_type(a), 0, x);
    OK(twill_unmap(v, data));
}

TEST(one_nan_anywhere_makes_every_norm_nan)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int at = 0; at < 400; at += 57) {
            int64_t i = at / 20, j = at % 20;
            twill_array *a = test_matrix(tw, test_types[t].type, 20, 20, 6);
            question q;
            OK(twill_fill_random(a, 1));
            put(a, 3, 4, INFINITY);
            put(a, i, j, NAN);
            for (int number = 0; next_question(number, true, &q); number++) {
                bool inside = q.shape == GENERAL || test_inside(q.uplo, i, j);
                bool read = inside && !(q.shape == TRIANGULAR && q.diag == TWILL_UNIT && i == j);
                assert_true(!isnan(ask(a, q)) == !read);
            }
            twill_array_free(a);
        }
    twill_stop(tw);
}

TEST(infinity_is_not_nan)
{
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++) {
        twill_array *a = test_matrix(tw, test_types[t].type, 20, 10, 6);
        OK(twill_fill_random(a, 1));
        put(a, 7, 4, -INFINITY);
        for (int k = 0; k < COUNT(kinds); k++)
            assert_true(ask(a, (question){.kind = kinds[k]}) == INFINITY);
        twill_array_free(a);
    }
    twill_stop(tw);
}

TEST(the_frobenius_norm_neither_overflows_nor_vanishes)
{
    static const double sizes[] = {1e300, 1e-300, 1e160, 1e-160, 5e-324, 1.0};
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 40, 50, 16);
    twill_array *c = test_matrix(tw, TWILL_COMPLEX128, 40, 50, 16);
    question fro = {.kind = TWILL_NORM_FRO};
    for (int s = 0; s < COUNT(sizes); s++) {
        double x = sizes[s], root = sqrt(2000.0);
        mark(a, TWILL_GENERAL, x, x);
        mark(c, TWILL_GENERAL, test_number(0, -x), test_number(0, x));
        double within = fmax(300.0 * DBL_EPSILON * x * root, 5e-324);
        assert_true(fabs(ask(a, fro) - x * root) <= within);
        assert_true(fabs(ask(c, fro) - x * root) <= within);
        /* beside something much larger it does not matter */
        put(a, 39, 49, 1e302);
        if (s > 0)
            assert_true(ask(a, fro) == 1e302);
    }
    mark(a, TWILL_GENERAL, 1e-170, 1e-170);
    put(a, 0, 0, 1e-150);
    assert_true(fabs(ask(a, fro) / 1e-150 - 1.0) < 1e-15);
    mark(a, TWILL_GENERAL, 1e155, 1e155);
    put(a, 0, 0, 1e146);
    assert_true(fabs(ask(a, fro) / (1e155 * sqrt(1999.0)) - 1.0) < 1e-13);
    twill_stop(tw);
}

/* ---- determinism ---------------------------------------------------------------------------- */

TEST(the_bits_do_not_depend_on_workers_or_schedulers)
{
    double wanted[64];
    for (int workers = 1; workers <= 8; workers++)
        for (int s = 0; tw_schedulers[s]; s++) {
            twill *tw = test_start(workers, tw_schedulers[s]->name);
            twill_array *a = test_matrix(tw, TWILL_COMPLEX128, 90, 90, 13);
            question q;
            OK(twill_fill_random(a, 77));
            for (int number = 0; next_question(number, true, &q); number++) {
                double value = ask(a, q);
                if (workers == 1 && s == 0)
                    wanted[number] = value;
                assert_true(value == wanted[number]);
            }
            twill_stop(tw);
        }
}

/* ---- what is refused ------------------------------------------------------------------------ */

TEST(what_is_no_norm_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8), *bytes;
    twill_pattern p = twill_tiled(20, 20, 8, 8);
    double x = 7.0;
    OK(twill_array_create(tw, &p, TWILL_BYTES, 8, &bytes));
    REFUSED(twill_norm((twill_norm_kind)'X', a, &x), TWILL_ERR_ARGUMENT, "argument 1");
    REFUSED(twill_norm(TWILL_NORM_ONE, NULL, &x), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_norm(TWILL_NORM_ONE, bytes, &x), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_norm_triangular(TWILL_NORM_ONE, TWILL_GENERAL, TWILL_UNIT, a, &x),
            TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_norm_triangular(TWILL_NORM_ONE, TWILL_LOWER, (twill_diag)'X', a, &x),
            TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_norm_symmetric(TWILL_NORM_ONE, TWILL_LOWER, a, &x), TWILL_ERR_ARGUMENT, "square");
    REFUSED(twill_norm_hermitian((twill_norm_kind)0, TWILL_LOWER, a, &x), TWILL_ERR_ARGUMENT,
            "argument 1");
    assert_true(x == 7.0);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_are_lapacks),
        cmocka_unit_test(wrapped_memory_has_norms_too),
        cmocka_unit_test(only_the_triangle_is_read),
        cmocka_unit_test(one_nan_anywhere_makes_every_norm_nan),
        cmocka_unit_test(infinity_is_not_nan),
        cmocka_unit_test(the_frobenius_norm_neither_overflows_nor_vanishes),
        cmocka_unit_test(the_bits_do_not_depend_on_workers_or_schedulers),
        cmocka_unit_test(what_is_no_norm_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
