/* All routines that several ranks may run give the bits of one rank. */
#include "support/limit.h"
#include "support/ranks.h"
#include "support/routines.h"

typedef struct call {
    int64_t p, q;
    twill_type type;
    test_results one;
    atomic_int agreed; /* ranks */
} call;

static void run_one(twill *tw, void *arg)
{
    call *o = arg;
    test_routines(tw, 1, 1, o->type, &o->one);
}

static void run_many(twill *tw, void *arg)
{
    call *o = arg;
    test_results here;
    test_routines(tw, o->p, o->q, o->type, &here);
    test_same_results(&o->one, &here);
    atomic_fetch_add(&o->agreed, 1);
}

static const struct {
    int64_t p, q;
} grids[] = {{1, 1}, {1, 2}, {2, 1}, {3, 1}, {2, 2}, {1, 4}, {3, 2}, {3, 3}};

static void try_type(twill_type type)
{
    call o = {.type = type};
    limit_begin(NULL, 250, "routines on several ranks");
    test_on_ranks(&(test_ranks){.ranks = 1, .workers = 2}, run_one, &o);
    for (int g = 0; g < COUNT(grids); g++) {
        /* each type on half of the grids, all of them on every one */
        if (g % (test_slow() ? 4 : 2) != (int)type % (test_slow() ? 4 : 2))
            continue;
        o.p = grids[g].p;
        o.q = grids[g].q;
        atomic_store(&o.agreed, 0);
        test_ranks setup = {
            .ranks = (int)(o.p * o.q),
            .workers = 1 + g % 2,
            .network = {.seed = (uint64_t)g, .delay = (unsigned)g % 3, .reorder = true}};
        test_on_ranks(&setup, run_many, &o);
        assert_int_equal(atomic_load(&o.agreed), setup.ranks);
    }
    limit_end();
}

TEST(single_precision_gives_the_bits_of_one_rank)
{
    try_type(TWILL_FLOAT32);
}

TEST(double_precision_gives_the_bits_of_one_rank)
{
    try_type(TWILL_FLOAT64);
}

TEST(complex_numbers_give_the_bits_of_one_rank)
{
    try_type(TWILL_COMPLEX64);
}

TEST(double_complex_numbers_give_the_bits_of_one_rank)
{
    try_type(TWILL_COMPLEX128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_precision_gives_the_bits_of_one_rank),
        cmocka_unit_test(double_precision_gives_the_bits_of_one_rank),
        cmocka_unit_test(complex_numbers_give_the_bits_of_one_rank),
        cmocka_unit_test(double_complex_numbers_give_the_bits_of_one_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
