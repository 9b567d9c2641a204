/* LU over random shapes, tile sizes, types, layouts, workers, schedulers and ways to find pivots.
 * TW_LU says how many (60). */
#include "support/lu.h"
#include "support/test.h"

#include "sched/sched.h"

#include <stdlib.h>

static uint64_t seed = 2024;

static int64_t below(uint64_t n)
{
    return (int64_t)test_random(&seed, n);
}

static void check_one(int number)
{
    int schedulers = 0;
    while (tw_schedulers[schedulers])
        schedulers++;
    const test_type *type = &test_types[below(4)];
    int64_t m = below(140), n = below(140), nb = 1 + below(150);
    int workers = 1 + (int)below(4), sched = (int)below((uint64_t)schedulers);
    twill_la_options options = {.method = (twill_method)below(3), .lookahead = (int)below(4)};
    twill *tw = test_start(workers, tw_schedulers[sched]->name);
    test_dense a = test_dense_make(tw, type->type, m, n, nb, below(2));
    twill_array *ipiv;
    twill_graph *g;
    OK(twill_fill_random(a.array, (uint64_t)number));
    void *before = test_unpack(a.array);
    OK(twill_pivots_create(a.array, &ipiv));
    OK(twill_stf_begin(tw, &g));
    OK(twill_getrf_insert(g, a.array, ipiv, &options));
    OK(twill_wait(g));
    void *after = test_unpack(a.array);
    int64_t *pivots = test_pivots(ipiv);
    double ratio = test_lu_residual(type, before, after, pivots, m, n);
    if (!(ratio < 30))
        fail_msg("number %d: %s %d by %d, nb %d, method %d, %d workers, %s: residual %g", number,
                 type->name, (int)m, (int)n, (int)nb, options.method, workers,
                 tw_schedulers[sched]->name, ratio);
    free(before);
    free(after);
    free(pivots);
    twill_graph_free(g);
    twill_array_free(ipiv);
    test_dense_free(&a);
    twill_stop(tw);
}

TEST(random_factorizations_are_right)
{
    const char *wanted = getenv("TW_LU");
    int count = wanted ? atoi(wanted) : test_slow() ? 15 : 60;
    for (int i = 0; i < count; i++)
        check_one(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_factorizations_are_right)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
