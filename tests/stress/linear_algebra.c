/* Random calls of linear algebra: routine, type, letters, sizes, tile sizes, inner blocks, trees,
 * pivoting, storage, scale of the entries, schedulers and workers. Residuals are those of LAPACK's
 * tests; the bits are the same in another context, with other options that are about order only.
 *
 * TW_CASES cases with the numbers TW_SEED, TW_SEED + 1, ... are run. A failure tells the case;
 * TW_SEED=that TW_CASES=1 runs it alone. TW_LARGEST replaces the size of matrices that are large;
 * with another one, the cases of all numbers are others. */
#include "support/limit.h"
#include "support/sweep.h"
#include "support/test.h"

#include <string.h>

enum { PER_CONTEXT = 50, SECONDS = 60 };

/* May it be done without a graph, by other kernels, unless it is inserted? */
static bool may_be_direct(const sweep_case *c)
{
    sweep_storage s = c->storage[0];
    return s == SWEEP_CHOSEN || s == SWEEP_WRAPPED || s == SWEEP_WRAPPED_PART;
}

/* The same case for another order of tasks: its bits do not depend on that. */
static sweep_case reordered(const sweep_case *c)
{
    const twill_la_options *o = &c->options;
    sweep_case other = *c;
    other.options.no_priority = !o->no_priority;
    other.options.lookahead = (o->lookahead + 1) % 4;
    if (!c->routine->two_ways && !may_be_direct(c) && o->ib == 0 && o->tree == TWILL_TREE_AUTO &&
        o->method == TWILL_METHOD_AUTO)
        other.inserted = !c->inserted;
    return other;
}

static void check(twill *tw, twill *tw2, uint64_t number, double *worst)
{
    char text[400];
    sweep_case c = sweep_draw(number), other = reordered(&c);
    sweep_describe(&c, text, sizeof text);
    limit_begin(tw, SECONDS, "%s", text);
    uint64_t bits = sweep_run(tw, &c, true, worst);
    limit_begin(tw2, SECONDS, "%s, elsewhere", text);
    if (sweep_run(tw2, &other, false, worst) != bits)
        fail_msg("the bits depend on the order of tasks");
}

TEST(random_calls_are_right_and_repeatable)
{
    static const char *const schedulers[] = {"lws", "prio", "eager", "rand", "serial"};
    uint64_t first = (uint64_t)limit_number("TW_SEED", 1);
    uint64_t end = first + (uint64_t)limit_number("TW_CASES", test_slow() ? 200 : 1000);
    double worst = 0.0;
    for (uint64_t seed = first; seed < end;) {
        uint64_t number = seed / PER_CONTEXT;
        limit_begin(NULL, SECONDS, "starting, case %llu", (unsigned long long)seed);
        twill *tw = test_start((int)(1 + number / 5 % 4), schedulers[number % 5]);
        twill *tw2 = test_start((int)(1 + number % 4), schedulers[(number / 5 + 1) % 5]);
        for (; seed < end && seed / PER_CONTEXT == number; seed++)
            check(tw, tw2, seed, &worst);
        limit_begin(tw, SECONDS, "stopping after case %llu", (unsigned long long)seed - 1);
        twill_stop(tw);
        twill_stop(tw2);
        limit_end();
    }
    print_message("worst ratio %.2f\n", worst);
    assert_true(worst > 0.0 || end - first < PER_CONTEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(random_calls_are_right_and_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
