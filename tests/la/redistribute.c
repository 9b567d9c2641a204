/* Matrices go from any distribution to any other, each element once and in few messages. */
#include "support/limit.h"
#include "support/ranks.h"

#include "engine/engine.h"
#include "engine/remote/remote.h"

#include <stdlib.h>

enum { M = 37, N = 29 };

/* ---- distributions ------------------------------------------------------------------------ */

static int64_t somewhere(const int64_t *block, void *arg)
{
    return (3 * block[0] + block[1] * block[1] + 1) % *(const int *)arg;
}

typedef twill_pattern distribution(int64_t m, int64_t n, int *ranks);

static twill_pattern on_the_last(int64_t m, int64_t n, int *ranks)
{
    twill_pattern p = twill_tiled(m, n, 10, 50); /* tiles that are wider than the matrix */
    p.first = *ranks - 1;
    return p;
}

static twill_pattern by_rows(int64_t m, int64_t n, int *ranks)
{
    return twill_block_cyclic(m, n, 3, 8, *ranks, 1);
}

static twill_pattern by_columns(int64_t m, int64_t n, int *ranks)
{
    twill_pattern p = twill_block_cyclic(m, n, 5, 2, 1, *ranks);
    p.source[1] = *ranks / 2;
    return p;
}

static twill_pattern on_a_grid(int64_t m, int64_t n, int *ranks)
{
    int64_t rows = *ranks % 2 ? 1 : 2;
    twill_pattern p = twill_block_cyclic(m, n, 4, 4, rows, *ranks / rows);
    p.source[0] = rows - 1;
    return p;
}

static twill_pattern in_supertiles(int64_t m, int64_t n, int *ranks)
{
    int64_t cols = *ranks % 3 ? 1 : 3;
    twill_pattern p = twill_block_cyclic(m, n, 3, 4, *ranks / cols, cols);
    p.super[0] = 2;
    p.super[1] = 3;
    return p;
}

static twill_pattern anywhere(int64_t m, int64_t n, int *ranks)
{
    return twill_placed(m, n, 7, 5, somewhere, ranks);
}

static distribution *const distributions[] = {on_the_last, by_rows,       by_columns,
                                              on_a_grid,   in_supertiles, anywhere};

/* ---- elements ------------------------------------------------------------------------------ */

static double element(int64_t i, int64_t j)
{
    return (double)(i * 1000 + j) + 0.5;
}

/* Those of this rank: with `set`, they become element(i, j); else they must be what `wanted` says.
 */
typedef double wanted(int64_t i, int64_t j);

static void each_element(twill_array *a, wanted *value, bool set)
{
    const twill_pattern *p = twill_array_pattern(a);
    for (int64_t l = 0; l < twill_pattern_blocks(p, 1); l++)
        for (int64_t k = 0; k < twill_pattern_blocks(p, 0); k++) {
            twill_view v = twill_view_tile(a, k, l);
            void *data;
            int64_t ld;
            if (twill_owner_at(a, k, l) != twill_rank(twill_array_context(a)))
                continue;
            OK(twill_map(v, set ? TWILL_WRITE : TWILL_READ, &data, &ld));
            for (int64_t j = 0; j < v.extent[1]; j++)
                for (int64_t i = 0; i < v.extent[0]; i++) {
                    double x = value(v.start[0] + i, v.start[1] + j);
                    void *at = (char *)data + (size_t)(i + j * ld) * twill_array_element(a);
                    bool single = twill_array_type(a) == TWILL_FLOAT32;
                    if (set && !single)
                        *(double *)at = x;
                    else if (!set)
                        assert_true((single ? (double)*(float *)at : *(double *)at) == x);
                }
            OK(twill_unmap(v, data));
        }
}

static twill_array *make(twill *tw, distribution *how, int *ranks, int64_t m, int64_t n,
                         twill_type type)
{
    twill_pattern p = how(m, n, ranks);
    twill_array *a;
    OK(twill_array_create(tw, &p, type, 0, &a));
    return a;
}

/* ---- copies -------------------------------------------------------------------------------- */

static double transposed(int64_t i, int64_t j)
{
    return element(j, i);
}

/* The middle of the matrix, moved up by 3 and left by 2. */
static double shifted(int64_t i, int64_t j)
{
    return i < 30 && j < 22 ? element(i + 3, j + 2) : 0.0;
}

static void copy_all(twill *tw, int *ranks, distribution *from, distribution *to)
{
    twill_array *a = make(tw, from, ranks, M, N, TWILL_FLOAT64);
    twill_array *b = make(tw, to, ranks, M, N, TWILL_FLOAT64);
    twill_array *c = make(tw, to, ranks, N, M, TWILL_FLOAT64);
    twill_array *d = make(tw, to, ranks, M, N, TWILL_FLOAT64);
    twill_array *e = make(tw, to, ranks, M, N, TWILL_FLOAT32);
    each_element(a, element, true);
    OK(twill_copy(a, b));
    each_element(b, element, false);
    OK(twill_transpose(TWILL_TRANS, a, c));
    each_element(c, transposed, false);
    OK(twill_copy_view(twill_view_sub(twill_view_all(a), 3, 2, 30, 22),
                       twill_view_sub(twill_view_all(d), 0, 0, 30, 22)));
    each_element(d, shifted, false);
    OK(twill_copy(a, e));
    each_element(e, element, false);
    OK(twill_copy(e, d)); /* and back */
    each_element(d, element, false);
    twill_array *all[] = {a, b, c, d, e};
    for (int i = 0; i < COUNT(all); i++)
        twill_array_free(all[i]);
}

static void all_pairs(twill *tw, void *arg)
{
    int *ranks = arg;
    for (int i = 0; i < COUNT(distributions); i++)
        for (int j = 0; j < COUNT(distributions); j++)
            if (getenv("TW_ALL") || *ranks == 2 || (i + 2 * j + *ranks) % 4 == 0)
                copy_all(tw, ranks, distributions[i], distributions[j]);
}

/* All pairs on two ranks, and each of them on some others; `make soak` does all of them. */
TEST(any_distribution_becomes_any_other)
{
    limit_begin(NULL, (double)limit_number("TW_LIMIT", 250), "matrices that change their ranks");
    for (int ranks = 1; ranks <= 6; ranks++) {
        if (test_slow() && ranks % 3 != 0)
            continue;
        test_ranks setup = {.ranks = ranks,
                            .workers = 1,
                            .network = {.seed = (uint64_t)ranks, .delay = 1, .reorder = true}};
        test_on_ranks(&setup, all_pairs, &ranks);
    }
    limit_end();
}

/* ---- submatrices and triangles ------------------------------------------------------------- */

static double lower_part(int64_t i, int64_t j)
{
    return i >= j ? element(i, j) : 0.0;
}

static double lower_or_box(int64_t i, int64_t j)
{
    return i >= j || (i >= 5 && i < 19 && j >= 9 && j < 19) ? element(i, j) : 0.0;
}

static void parts(twill *tw, void *arg)
{
    int *ranks = arg;
    twill_array *a = make(tw, on_a_grid, ranks, M, M, TWILL_FLOAT64), *low, *sub, *other;
    twill_array *b = make(tw, by_rows, ranks, M, M, TWILL_FLOAT64);
    twill_array *c = make(tw, in_supertiles, ranks, 20, 10, TWILL_FLOAT64);
    each_element(a, element, true);
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, M, 6, TWILL_LOWER, &low));
    OK(twill_copy_uplo(TWILL_LOWER, a, low));
    OK(twill_copy_uplo(TWILL_LOWER, low, b));
    each_element(b, lower_part, false);
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), 4, 8, 20, 12), &sub));
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(c), 6, 0, 14, 10), &other));
    OK(twill_copy_view(twill_view_sub(twill_view_all(sub), 1, 1, 14, 10), twill_view_all(other)));
    OK(twill_copy_view(twill_view_sub(twill_view_all(c), 6, 0, 14, 10),
                       twill_view_sub(twill_view_all(b), 5, 9, 14, 10)));
    each_element(b, lower_or_box, false); /* back where they were in A */
    twill_array *all[] = {a, b, c, low, sub, other};
    for (int i = 0; i < COUNT(all); i++)
        twill_array_free(all[i]);
}

TEST(parts_of_matrices_travel)
{
    for (int ranks = 1; ranks <= 6; ranks += 2)
        test_on_ranks(&(test_ranks){.ranks = ranks, .workers = 2}, parts, &ranks);
}

/* ---- what is refused ----------------------------------------------------------------------- */

TEST(views_that_do_not_fit_are_refused)
{
    twill *tw = test_start(1, NULL);
    int one = 1;
    twill_array *a = make(tw, by_rows, &one, M, N, TWILL_FLOAT64), *low, *sub;
    twill_view all = twill_view_all(a), top = twill_view_sub(all, 0, 0, 5, N);
    OK(twill_matrix_create_triangle(tw, TWILL_FLOAT64, M, 6, TWILL_LOWER, &low));
    OK(twill_matrix_sub(twill_view_sub(all, 3, 0, 6, 8), &sub));
    REFUSED(twill_copy_view(all, top), TWILL_ERR_ARGUMENT, "37 and 5 rows");
    REFUSED(twill_copy_view(top, twill_view_sub(all, 2, 0, 5, N)), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_copy_view(twill_view_sub(all, 4, 4, 3, 3),
                            twill_view_sub(twill_view_all(sub), 0, 4, 3, 3)),
            TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_copy_view(top, twill_view_sub(twill_view_all(low), 0, 0, 5, N)),
            TWILL_ERR_ARGUMENT, "triangle");
    REFUSED(twill_copy_view(top, (twill_view){0}), TWILL_ERR_ARGUMENT, "has no array");
    REFUSED(twill_copy_view(top, twill_view_sub(all, 40, 0, 5, N)), TWILL_ERR_ARGUMENT, "leaves");
    twill_array_free(sub);
    twill_array_free(low);
    twill_array_free(a);
    twill_stop(tw);
}

/* ---- what travels -------------------------------------------------------------------------- */

typedef struct traffic {
    distribution *from, *to;
    int64_t n, ranks;
    atomic_llong messages, bytes, moved; /* moved: elements that change their rank */
} traffic;

static twill_pattern fine(int64_t m, int64_t n, int *ranks)
{
    return twill_block_cyclic(m, n, 4, 4, 1, *ranks);
}

static twill_pattern coarse(int64_t m, int64_t n, int *ranks)
{
    return twill_block_cyclic(m, n, 15, 30, *ranks, 1);
}

static void measure(twill *tw, void *arg)
{
    traffic *t = arg;
    int ranks = (int)t->ranks, rank = twill_rank(tw);
    twill_array *a = make(tw, t->from, &ranks, t->n, t->n, TWILL_FLOAT64);
    twill_array *b = make(tw, t->to, &ranks, t->n, t->n, TWILL_FLOAT64);
    int64_t messages[2], bytes[2];
    tw_remote_count(tw, &messages[0], &bytes[0]);
    OK(twill_copy(a, b));
    tw_remote_count(tw, &messages[1], &bytes[1]);
    const twill_pattern *p = twill_array_pattern(a), *q = twill_array_pattern(b);
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i < t->n; i++) {
            const int64_t at[2] = {i, j};
            bool mine = twill_pattern_find(p, at).rank == rank;
            atomic_fetch_add(&t->moved, mine && twill_pattern_find(q, at).rank != rank);
        }
    atomic_fetch_add(&t->messages, messages[1] - messages[0]);
    atomic_fetch_add(&t->bytes, bytes[1] - bytes[0]);
    twill_array_free(a);
    twill_array_free(b);
}

/* 225 tiles of 4 by 4 over 4 ranks become 8 of 15 by 30, or the other way round: without packing
 * there would be a message for each small tile, or four copies of each large one. */
TEST(each_element_travels_once_and_in_few_messages)
{
    for (int k = 0; k < 2; k++) {
        traffic t = {.from = k ? coarse : fine, .to = k ? fine : coarse, .n = 60, .ranks = 4};
        test_on_ranks(&(test_ranks){.ranks = 4, .workers = 1}, measure, &t);
        long long messages = atomic_load(&t.messages), bytes = atomic_load(&t.bytes);
        long long moved = atomic_load(&t.moved);
        assert_true(moved > 2000);
        assert_true(bytes >= 8 * moved && bytes <= 8 * moved + 64 * messages);
        assert_int_equal(messages, 4 * 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_distribution_becomes_any_other),
        cmocka_unit_test(parts_of_matrices_travel),
        cmocka_unit_test(views_that_do_not_fit_are_refused),
        cmocka_unit_test(each_element_travels_once_and_in_few_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
