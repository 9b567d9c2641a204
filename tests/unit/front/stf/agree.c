/* Insertion on several ranks of one process: ranks that do not insert the same learn of it. */
#include "support/limit.h"
#include "support/numbers.h"

#include "front/stf/ranks.h"

enum { LIMIT = 120, TILES = 12 };

/* What the last rank does otherwise, and what all ranks hear. */
typedef struct difference {
    const char *name;
    void (*insert)(twill_graph *g, twill_array *a, bool other);
    const char *says;
} difference;

static void other_class(twill_graph *g, twill_array *a, bool other)
{
    test_set(g, a, 0, 1);
    if (other)
        test_set(g, a, 1, 2);
    else
        test_copy(g, a, 0, 1);
    test_set(g, a, 2, 3);
}

static void other_tile(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 100; i++)
        test_set(g, a, i == 57 && other ? 3 : i % TILES, i);
}

static void other_number(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 1000; i++)
        test_set(g, a, i % TILES, i - (i == 700 && other));
}

static void more(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 10 + other; i++)
        test_set(g, a, i % TILES, i);
}

static void fewer(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < 10 - other; i++)
        test_copy(g, a, i % TILES, (i + 1) % TILES);
}

static void none(twill_graph *g, twill_array *a, bool other)
{
    if (!other)
        test_copy(g, a, 0, 1);
}

/* Nobody sends what the others wait for. */
static void never_sent(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    test_copy(g, a, other ? 0 : last, other ? last : 0);
}

/* Each looks at a tile, which waits for another rank, before it would come to wait. */
static void looked_at(twill_graph *g, twill_array *a, bool other)
{
    never_sent(g, a, other);
    int last = twill_ranks(twill_array_context(a)) - 1, rank = twill_rank(twill_array_context(a));
    if (rank == 0 || rank == last)
        (void)test_look(a, rank);
}

/* The same for the last rank alone: others wait for the graph, after more insertions. */
static void looked_at_late(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    test_set(g, a, 0, 5);
    test_copy(g, a, other ? 0 : 1, last);
    if (other)
        (void)test_look(a, last);
    for (int i = 0; i < 5; i++)
        test_set(g, a, i, i);
}

/* More than are kept one by one. */
static void many(twill_graph *g, twill_array *a, bool other)
{
    for (int64_t i = 0; i < TW_STEPS + 1000; i++)
        test_set(g, a, i % TILES, i - (i == 33000 && other));
}

/* The window is full of tasks that wait for the first. */
static void windowful(twill_graph *g, twill_array *a, bool other)
{
    int last = twill_ranks(twill_array_context(a)) - 1;
    test_copy(g, a, other ? 0 : last, other ? last : 0);
    for (int64_t i = 0; i < g->tw->window + 1000; i++)
        test_copy(g, a, other ? last : 0, other ? last + last + 1 : last + 1);
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
    twill_array *a = test_numbers(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    test_set(g, a, 0, 1);
    OK(twill_wait(g));
    d->insert(g, a, other);
    REFUSED(twill_wait(g), TWILL_ERR_STATE, d->says);
    /* nothing is left of it */
    test_copy(g, a, 0, 1);
    for (int64_t i = 0; i < TILES; i++)
        test_set(g, a, i, i);
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(ranks_that_insert_something_else_are_told)
{
    for (int i = 0; i < COUNT(differences); i++)
        for (int ranks = 2; ranks <= 4; ranks += 2) {
            test_ranks setup = test_some_ranks(ranks, i);
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
    twill_array *before = rank == 1 ? test_numbers(tw, 3) : NULL, *a = test_numbers(tw, TILES);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    for (int64_t i = 0; i < TILES; i++)
        OK(twill_insert(g, &test_set_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(i),
                        TWILL_VALUE(rank), TWILL_PRIORITY(rank), TWILL_NAME(rank ? "x" : "y")));
    twill_array_free(before);
    OK(twill_wait(g));
    OK(twill_wait(g)); /* of nothing */
    twill_graph_free(g);
}

TEST(values_and_hints_may_differ)
{
    test_ranks setup = test_some_ranks(3, 1);
    limit_begin(NULL, LIMIT, "values");
    test_on_ranks(&setup, insert_alike, NULL);
    limit_end();
}

/* A rank frees the graph, and others go on with it. */
static void leave_early(twill *tw, void *arg)
{
    int who = *(const int *)arg;
    twill_array *a = test_numbers(tw, TILES);
    twill_graph *g, *next;
    OK(twill_stf_begin(tw, &g));
    test_set(g, a, 0, 1);
    OK(twill_wait(g));
    if (twill_rank(tw) != who) {
        for (int64_t run = 0; run < 2; run++) {
            for (int64_t i = 0; i < TILES; i++)
                test_copy(g, a, i, (i + 1) % TILES);
            REFUSED(twill_wait(g), TWILL_ERR_STATE, "has freed the graph");
        }
    }
    twill_graph_free(g);
    OK(twill_stf_begin(tw, &next)); /* another one is as good as ever */
    for (int64_t i = 0; i < TILES; i++)
        test_set(next, a, i, i);
    test_copy(next, a, 0, 1);
    OK(twill_wait(next));
    twill_graph_free(next);
}

TEST(ranks_learn_that_one_has_freed_the_graph)
{
    for (int who = 0; who < 3; who++)
        for (int seed = 0; seed < 3; seed++) {
            test_ranks setup = test_some_ranks(3, seed);
            limit_begin(NULL, LIMIT, "rank %d leaves", who);
            test_on_ranks(&setup, leave_early, &who);
            limit_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_that_insert_something_else_are_told),
        cmocka_unit_test(values_and_hints_may_differ),
        cmocka_unit_test(ranks_learn_that_one_has_freed_the_graph),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
