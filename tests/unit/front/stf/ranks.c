/* Insertion on several ranks of one process: ranks that do not insert the same learn of it, sums
 * have the bits of one rank, and memory for tiles of others is bounded. */
#include "support/ranks.h"
#include "support/limit.h"

#include "base/mix.h"
#include "front/stf/ranks.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 120, TILES = 12, ROWS = 3 };

/* ---- tasks and arrays ----------------------------------------------------------------------- */

static twill_outcome set_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome copy_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) = *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};

/* So many numbers, over all ranks in turn. */
static twill_array *numbers(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    int ranks = twill_ranks(tw);
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){n}, (int64_t[]){1}, (int64_t[]){ranks});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static void set(twill_graph *g, twill_array *a, int64_t i, int64_t x)
{
    (void)twill_insert(g, &set_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(x));
}

static void copy(twill_graph *g, twill_array *a, int64_t from, int64_t to)
{
    (void)twill_insert(g, &copy_class, TWILL_R(twill_tile_at(a, from, 0)),
                       TWILL_W(twill_tile_at(a, to, 0)));
}

/* The number, at its owner; what the map says otherwise. */
static int64_t look(twill_array *a, int64_t i)
{
    void *data;
    int64_t ld, x = -1;
    twill_view v = twill_view_tile(a, i, 0);
    if (twill_map(v, TWILL_READ, &data, &ld) != TWILL_OK)
        return -1;
    x = *(int64_t *)data;
    OK(twill_unmap(v, data));
    return x;
}

static test_ranks ranks_of(int ranks, int seed)
{
    return (test_ranks){
        .ranks = ranks,
        .workers = 1 + seed % 2,
        .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed % 4, .reorder = seed % 2}};
}

/* ---- ranks that do not insert the same ------------------------------------------------------ */

/* What the last rank does otherwise, and what all ranks hear. */
typedef struct difference {
    const char *name;
    void (*insert)(twill_graph *g, twill_array *a, bool other);
    const char *says;
} difference;

static void other_class(twill_graph *g, twill_array *a, bool other)
{
    set(g, a, 0, 1);
    if (other)
        set(g, a, 1, 2);
    else
        copy(g, a, 0, 1);
    set(g, a, 2, 3);
}

static void other_tile(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 100; i++)
        set(g, a, i == 57 && other ? 3 : i % TILES, i);
}

static void other_number(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 1000; i++)
        set(g, a, i % TILES, i - (i == 700 && other));
}

static void more(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 10 + other; i++)
        set(g, a, i % TILES, i);
}

static void fewer(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 10 - other; i++)
        copy(g, a, i % TILES, (i + 1) % TILES);
}

static void none(twill_graph *g, twill_array *a, bool other)
{
    if (!other)
        copy(g, a, 0, 1);
}

/* Nobody sends what the others wait for. */
static void never_sent(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    copy(g, a, other ? 0 : last, other ? last : 0);
}

/* Each looks at a tile, which waits for another rank, before it would come to wait. */
static void looked_at(twill_graph *g, twill_array *a, bool other)
{
    never_sent(g, a, other);
    int last = twill_ranks(twill_array_context(a)) - 1, rank = twill_rank(twill_array_context(a));
    if (rank == 0 || rank == last)
        (void)look(a, rank);
}

/* The same for the last rank alone: others wait for the graph, after more insertions. */
static void looked_at_late(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    set(g, a, 0, 5);
    copy(g, a, other ? 0 : 1, last);
    if (other)
        (void)look(a, last);
    for (int i = 0; i < 5; i++)
        set(g, a, i, i);
}

/* More than are kept one by one. */
static void many(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < TW_STEPS + 1000; i++)
        set(g, a, i % TILES, i - (i == 33000 && other));
}

/* The window is full of tasks that wait for the first. */
static void windowful(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    copy(g, a, other ? 0 : last, other ? last : 0);
    for (int64_t i = 0; i < g->tw->window + 1000; i++)
        copy(g, a, other ? last : 0, other ? last + last + 1 : last + 1);
}

static const difference differences[] = {
    {"class", other_class, "number 2 since the last wait is copy at tile (0, 0) of array 1 on"},
    {"tile", other_tile,
     "number 58 since the last wait is set at tile (9, 0) of array 1 on rank 0, "
     "and set at tile (3, 0) of array 1 on rank"},
    {"number", other_number,
     "number 701 since the last wait is set at tile (4, 0) of array 1 on "
     "rank 0, and set at tile (4, 0) of array 1 with other arguments on"},
    {"more", more, "number 11 since the last wait is missing on rank 0, and set at tile (10, 0)"},
    {"fewer", fewer, "and missing on rank"},
    {"none", none, "number 1 since the last wait is copy"},
    {"never sent", never_sent, "number 1 since the last wait is copy"},
    {"looked at", looked_at, "number 1 since the last wait is copy"},
    {"looked at late", looked_at_late, "number 2 since the last wait is copy"},
    {"many", many, "the first difference is among numbers 33001 to 33002"},
    {"window", windowful, "number 1 since the last wait is copy"},
};

static void differ(twill *tw, void *arg)
{
    const difference *d = arg;
    bool other = twill_rank(tw) == twill_ranks(tw) - 1;
    twill_array *a = numbers(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    set(g, a, 0, 1);
    OK(twill_wait(g));
    d->insert(g, a, other);
    REFUSED(twill_wait(g), TWILL_ERR_STATE, d->says);
    /* nothing is left of it */
    copy(g, a, 0, 1);
    for (int64_t i = 0; i < TILES; i++)
        set(g, a, i, i);
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(ranks_that_insert_something_else_are_told)
{
    for (int i = 0; i < COUNT(differences); i++)
        for (int ranks = 2; ranks <= 4; ranks += 2) {
            test_ranks setup = ranks_of(ranks, i);
            limit_begin(NULL, LIMIT, "%s, %d ranks", differences[i].name, ranks);
            test_on_ranks(&setup, differ, (void *)(uintptr_t)&differences[i]);
            limit_end();
        }
}

/* What is not compared: values, hints, and other arrays. */
static void insert_alike(twill *tw, void *arg)
{
    (void)arg;
    int64_t rank = twill_rank(tw);
    twill_array *before = rank == 1 ? numbers(tw, 3) : NULL, *a = numbers(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < TILES; i++)
        OK(twill_insert(g, &set_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(i),
                        TWILL_VALUE(rank), TWILL_PRIORITY(rank), TWILL_NAME(rank ? "x" : "y")));
    twill_array_free(before);
    OK(twill_wait(g));
    OK(twill_wait(g)); /* of nothing */
    twill_graph_free(g);
}

TEST(values_and_hints_may_differ)
{
    test_ranks setup = ranks_of(3, 1);
    limit_begin(NULL, LIMIT, "values");
    test_on_ranks(&setup, insert_alike, NULL);
    limit_end();
}

/* A rank frees the graph, and others go on with it. */
static void leave_early(twill *tw, void *arg)
{
    int who = *(const int *)arg;
    twill_array *a = numbers(tw, TILES);
    twill_graph *g, *next;
    OK(twill_stf_begin(tw, &g));
    set(g, a, 0, 1);
    OK(twill_wait(g));
    if (twill_rank(tw) != who) {
        for (int64_t run = 0; run < 2; run++) {
            for (int64_t i = 0; i < TILES; i++)
                copy(g, a, i, (i + 1) % TILES);
            REFUSED(twill_wait(g), TWILL_ERR_STATE, "has freed the graph");
        }
    }
    twill_graph_free(g);
    OK(twill_stf_begin(tw, &next)); /* another one is as good as ever */
    for (int64_t i = 0; i < TILES; i++)
        set(next, a, i, i);
    copy(next, a, 0, 1);
    OK(twill_wait(next));
    twill_graph_free(next);
}

TEST(ranks_learn_that_one_has_freed_the_graph)
{
    for (int who = 0; who < 3; who++)
        for (int seed = 0; seed < 3; seed++) {
            test_ranks setup = ranks_of(3, seed);
            limit_begin(NULL, LIMIT, "rank %d leaves", who);
            test_on_ranks(&setup, leave_early, &who);
            limit_end();
        }
}

/* ---- reductions ----------------------------------------------------------------------------- */

static void zero_sum(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    for (int64_t j = 0; j < cols; j++)
        memset((double *)into + j * ld, 0, (size_t)rows * sizeof(double));
}

static void add_sum(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld_into] += ((const double *)from)[i + j * ld_from];
}

static const twill_reduction plus = {
    .size = sizeof(twill_reduction), .name = "plus", .zero = zero_sum, .combine = add_sum};

/* Adds a tile, times a number: no two orders give the same bits. */
static twill_outcome add_body(twill_task *t)
{
    double *into = twill_task_data(t, 1);
    const double *from = twill_task_data(t, 0);
    for (int64_t i = 0; i < ROWS; i++)
        into[i] += from[i] * (double)(INT64_C(1) << twill_task_int(t, 2) % 40) / 3;
    return TWILL_DONE;
}

static twill_outcome fill_body(twill_task *t)
{
    double *into = twill_task_data(t, 0);
    for (int64_t i = 0; i < ROWS; i++)
        into[i] = (double)(int64_t)tw_mix((uint64_t)(twill_task_int(t, 1) * ROWS + i));
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};
static const twill_class fill_class = {
    .size = sizeof(twill_class), .name = "fill", .chores = {TWILL_CPU(fill_body)}};

static twill_array *vectors(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * ROWS}, (int64_t[]){ROWS}, (int64_t[]){twill_ranks(tw)});
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

/* The sums on one rank, which those on others must equal. */
typedef struct sums {
    double wanted[TILES][ROWS];
    bool known;
} sums;

static void compare(twill_array *a, sums *s)
{
    for (int64_t i = 0; i < TILES; i++) {
        void *data;
        int64_t ld;
        if (twill_owner_at(a, i, 0) != twill_rank(twill_array_context(a)))
            continue;
        OK(twill_map(twill_view_tile(a, i, 0), TWILL_READ, &data, &ld));
        if (!s->known)
            memcpy(s->wanted[i], data, sizeof s->wanted[i]);
        assert_memory_equal(s->wanted[i], data, sizeof s->wanted[i]);
        OK(twill_unmap(twill_view_tile(a, i, 0), data));
    }
}

/* Tile 0 gets a sum of all, in the middle of it read and written; another one a sum that is left to
 * the wait; and tile 1 one without other tiles. */
static void reduce(twill *tw, void *arg)
{
    twill_array *a = vectors(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < TILES; i++)
        OK(twill_insert(g, &fill_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(i)));
    for (int64_t k = 0; k < 50; k++) {
        twill_tile *from = twill_tile_at(a, 2 + 7 * k % (TILES - 2), 0);
        OK(twill_insert(g, &add_class, TWILL_R(from),
                        TWILL_REDUCE(twill_tile_at(a, k < 30 ? 0 : 1, 0), &plus), TWILL_INT(k)));
        if (k == 20)
            OK(twill_insert(g, &add_class, TWILL_R(twill_tile_at(a, 0, 0)),
                            TWILL_RW(twill_tile_at(a, 3, 0)), TWILL_INT(1)));
    }
    for (int64_t k = 0; k < 5; k++)
        OK(twill_insert(g, &fill_class, TWILL_REDUCE(twill_tile_at(a, 4, 0), &plus), TWILL_INT(k)));
    OK(twill_wait(g));
    compare(a, arg);
    twill_graph_free(g);
    twill_array_free(a);
}

/* A context that is no rank. */
static sums sums_of_one(void)
{
    sums s = {.known = false};
    twill *tw = test_start(2, NULL);
    reduce(tw, &s);
    twill_stop(tw);
    s.known = true;
    return s;
}

TEST(sums_have_the_same_bits_on_any_number_of_ranks)
{
    sums s = sums_of_one();
    for (int ranks = 1; ranks <= 6; ranks++)
        for (int seed = 0; seed < (ranks == 1 ? 1 : 3); seed++) {
            test_ranks setup = ranks_of(ranks, seed);
            limit_begin(NULL, LIMIT, "sums on %d ranks", ranks);
            test_on_ranks(&setup, reduce, &s);
            limit_end();
        }
}

/* A contribution fails: all learn of it, and the next sum is as it should be. */
static void fail_and_reduce(twill *tw, void *arg)
{
    twill_array *a = vectors(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t k = 0; k < 20; k++)
        (void)twill_insert(g, k == 11 ? &test_planted : &add_class,
                           TWILL_R(twill_tile_at(a, k % TILES, 0)),
                           TWILL_REDUCE(twill_tile_at(a, 0, 0), &plus), TWILL_INT(k));
    REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
    twill_graph_free(g);
    twill_array_free(a);
    reduce(tw, arg);
}

TEST(a_failed_contribution_leaves_nothing_behind)
{
    sums s = sums_of_one();
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = ranks_of(3, seed);
        limit_begin(NULL, LIMIT, "a sum that fails");
        test_on_ranks(&setup, fail_and_reduce, &s);
        limit_end();
    }
}

/* ---- two graphs, many arrays ---------------------------------------------------------------- */

/* What one graph writes, another one does not take from an old copy. */
static void two_graphs(twill *tw, void *arg)
{
    twill_array *a = numbers(tw, 6);
    twill_graph *g, *h;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &h));
    for (int64_t round = 1; round <= 20; round++) {
        set(g, a, 0, round);
        copy(h, a, 0, 1);
        copy(g, a, 0, 2);
        copy(h, a, 2, 3);
    }
    OK(twill_wait(g));
    OK(twill_wait(h));
    for (int64_t i = 0; i < 4; i++)
        if (twill_owner_at(a, i, 0) == twill_rank(tw))
            assert_int_equal(look(a, i), 20);
    twill_graph_free(g);
    twill_graph_free(h);
}

TEST(graphs_side_by_side_see_what_the_other_wrote)
{
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = ranks_of(2 + seed, seed);
        limit_begin(NULL, LIMIT, "two graphs");
        test_on_ranks(&setup, two_graphs, NULL);
        limit_end();
    }
}

/* An array that is freed before the wait, and another one perhaps in its place. */
static void one_after_another(twill *tw, void *arg)
{
    twill_array *last = numbers(tw, 4);
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    for (int64_t k = 0; k < 20; k++) {
        twill_array *a = numbers(tw, 4);
        set(g, a, 0, k);
        for (int64_t i = 1; i < 4; i++)
            copy(g, a, 0, i);
        OK(twill_insert(g, &copy_class, TWILL_R(twill_tile_at(a, 3, 0)),
                        TWILL_W(twill_tile_at(last, 0, 0))));
        twill_array_free(a);
    }
    OK(twill_wait(g));
    if (twill_rank(tw) == 0)
        assert_int_equal(look(last, 0), 19);
    twill_graph_free(g);
}

TEST(copies_end_with_their_array)
{
    test_ranks setup = ranks_of(4, 1);
    limit_begin(NULL, LIMIT, "arrays one after another");
    test_on_ranks(&setup, one_after_another, NULL);
    limit_end();
}

/* ---- memory --------------------------------------------------------------------------------- */

enum { BIG = 3000, MOST = 3 }; /* numbers in a tile, which is lent; copies of tiles of each rank */

typedef struct peak {
    tw_data *data;
    atomic_llong most;
} peak;

/* Adds one tile to another, and looks how much memory there is. */
static twill_outcome sum_body(twill_task *t)
{
    peak *p = *(peak **)twill_task_data(t, 2);
    const int64_t *from = twill_task_data(t, 0);
    int64_t *into = twill_task_data(t, 1);
    long long now = tw_data_bytes(p->data), before = atomic_load(&p->most);
    while (now > before && !atomic_compare_exchange_weak(&p->most, &before, now))
        ;
    for (int64_t i = 0; i < BIG; i++)
        into[i] += from[i] + 1;
    return TWILL_DONE;
}

static const twill_class sum_class = {
    .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(sum_body)}};

/* Every tile is added to every other one, and some of them by ranks that own neither. */
static void add_all(twill *tw, void *arg)
{
    int64_t ranks = twill_ranks(tw), n = 6 * ranks, share = 6 * BIG * (int64_t)sizeof(int64_t);
    twill_array *a = NULL;
    twill_graph *g;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * BIG}, (int64_t[]){BIG}, (int64_t[]){ranks});
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    peak seen = {&tw->data, 0}, *where = &seen;
    int64_t *model = calloc((size_t)n, sizeof *model);
    OK(twill_stf_begin(tw, &g));
    ((tw_stf_ranks *)g->front)->most = MOST;
    for (int64_t round = 0; round < 2; round++) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                if (i == j)
                    continue;
                OK(twill_insert(g, &sum_class, TWILL_R(twill_tile_at(a, j, 0)),
                                TWILL_RW(twill_tile_at(a, i, 0)), TWILL_VALUE(where)));
                model[i] += model[j] + 1;
            }
        OK(twill_wait(g));
        assert_int_equal(tw_data_bytes(&tw->data), share);
    }
    for (int64_t i = twill_rank(tw); i < n; i += ranks)
        assert_int_equal(look(a, i), model[i]);
    assert_in_range(seen.most, share, share + (ranks - 1) * MOST * share / 6);
    twill_graph_free(g);
    free(model);
}

TEST(memory_for_tiles_of_other_ranks_is_bounded)
{
    for (int seed = 0; seed < 4; seed++) {
        test_ranks setup = ranks_of(2 + seed % 2, seed);
        limit_begin(NULL, LIMIT, "memory");
        test_on_ranks(&setup, add_all, NULL);
        limit_end();
    }
}

/* A task fails while large tiles are on their way, and the array is freed at once. */
static void fail_lent(twill *tw, void *arg)
{
    int64_t ranks = twill_ranks(tw), n = 4 * ranks;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * BIG}, (int64_t[]){BIG}, (int64_t[]){ranks});
    peak seen = {&tw->data, 0}, *where = &seen;
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    for (int64_t round = 0; round < 6; round++) {
        twill_array *a = NULL;
        OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
        for (int64_t k = 0; k < n * n; k++)
            (void)twill_insert(
                g, k == n * round ? &test_planted : &sum_class, TWILL_R(twill_tile_at(a, k % n, 0)),
                TWILL_RW(twill_tile_at(a, (k / n + 1 + k % n) % n, 0)), TWILL_VALUE(where));
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "planted");
        twill_array_free(a);
    }
    twill_graph_free(g);
}

TEST(failures_end_what_is_lent)
{
    for (int seed = 0; seed < 6; seed++) {
        test_ranks setup = ranks_of(2 + seed % 3, seed);
        limit_begin(NULL, LIMIT, "lent tiles of a graph that fails");
        test_on_ranks(&setup, fail_lent, NULL);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_insert_something_else_are_told),
        cmocka_unit_test(values_and_hints_may_differ),
        cmocka_unit_test(ranks_learn_that_one_has_freed_the_graph),
        cmocka_unit_test(sums_have_the_same_bits_on_any_number_of_ranks),
        cmocka_unit_test(a_failed_contribution_leaves_nothing_behind),
        cmocka_unit_test(graphs_side_by_side_see_what_the_other_wrote),
        cmocka_unit_test(copies_end_with_their_array),
        cmocka_unit_test(memory_for_tiles_of_other_ranks_is_bounded),
        cmocka_unit_test(failures_end_what_is_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
