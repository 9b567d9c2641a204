/* All routines that several ranks may run give the bits of one rank. */
#include "support/limit.h"
#include "support/ranks.h"
#include "support/routines.h"

#include <stdlib.h>

typedef struct call {
    test_deal deal;
    test_results one;
    atomic_int agreed; /* ranks */
} call;

static void run_one(twill *tw, void *arg)
{
    call *o = arg;
    test_deal one = o->deal;
    one.p = one.q = 1;
    one.owners = TEST_CYCLIC;
    test_routines(tw, &one, &o->one);
}

static void run_many(twill *tw, void *arg)
{
    call *o = arg;
    test_results here;
    test_routines(tw, &o->deal, &here);
    test_same_results(&o->one, &here);
    atomic_fetch_add(&o->agreed, 1);
}

static const struct {
    int64_t p, q;
} grids[] = {{1, 2}, {2, 1}, {3, 1}, {2, 2}, {1, 4}, {3, 2},
             {1, 1}, {1, 3}, {4, 1}, {2, 3}, {3, 3}};

static void compare(call *o, int g)
{
    o->deal.p = grids[g].p;
    o->deal.q = grids[g].q;
    atomic_store(&o->agreed, 0);
    test_ranks setup = {
        .ranks = (int)(o->deal.p * o->deal.q),
        .workers = 1 + g % 2,
        .network = {.seed = (uint64_t)g, .delay = (unsigned)g % 3, .reorder = true}};
    test_on_ranks(&setup, run_many, o);
    assert_int_equal(atomic_load(&o->agreed), setup.ranks);
}

/* Is this one of those that are tried? `make soak` tries all of them. */
static bool is_chosen(int number, int every)
{
    return getenv("TW_ALL") || number % (test_slow() ? 2 * every : every) == 0;
}

/* One type, and some of the first grids. */
static void try_grids(test_deal deal, int count, int every, int number)
{
    call *o = calloc(1, sizeof *o);
    bool alone = false;
    for (int g = 0; g < count; g++) {
        if (!is_chosen(g + number, every))
            continue;
        o->deal = deal;
        if (!alone)
            test_on_ranks(&(test_ranks){.ranks = 1, .workers = 2}, run_one, o);
        alone = true;
        compare(o, g);
    }
    free(o);
}

static void try_types(test_deal deal, int grids_tried, int every, int number)
{
    int count = getenv("TW_ALL") ? COUNT(grids) : grids_tried;
    limit_begin(NULL, (double)limit_number("TW_LIMIT", 250), "routines on several ranks");
    for (deal.type = TWILL_FLOAT32; deal.type <= TWILL_COMPLEX128; deal.type++)
        try_grids(deal, count, every, number + (int)deal.type);
    limit_end();
}

TEST(any_grid_gives_the_bits_of_one_rank)
{
    try_types(test_usual_deal(TWILL_FLOAT64, 1, 1), 6, 7, 0);
}

TEST(supertiles_give_the_bits_of_one_rank)
{
    test_deal deal = test_usual_deal(TWILL_FLOAT64, 1, 1);
    deal.owners = TEST_SUPERTILES;
    try_types(deal, 4, 9, 4); /* 2 by 2 in doubles */
}

TEST(owner_functions_give_the_bits_of_one_rank)
{
    test_deal deal = test_usual_deal(TWILL_FLOAT64, 1, 1);
    deal.owners = TEST_FUNCTION;
    try_types(deal, 4, 9, 5); /* 3 by 1 in doubles */
}

/* More ranks than tiles, ranks without any, and matrices without elements. */
TEST(small_and_odd_sizes_give_the_bits_of_one_rank)
{
    static const int64_t sizes[][3] = {{0, 0, 8}, {1, 1, 8}, {5, 3, 8}, {8, 8, 8}, {3, 17, 8}};
    for (int s = 0; s < COUNT(sizes); s++) {
        test_deal deal = {.m = sizes[s][0], .n = sizes[s][1], .nb = sizes[s][2]};
        deal.owners = (test_owners)(s % 3);
        try_types(deal, 7, 27, 2 * s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_grid_gives_the_bits_of_one_rank),
        cmocka_unit_test(supertiles_give_the_bits_of_one_rank),
        cmocka_unit_test(owner_functions_give_the_bits_of_one_rank),
        cmocka_unit_test(small_and_odd_sizes_give_the_bits_of_one_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
