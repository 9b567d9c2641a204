/* Many readers, then a writer that was told by all of them, in instances near 0 and far from it. */
#include "support/test.h"

#include "gather.h"

static void run(twill *tw, int64_t readers, int64_t rounds, int64_t far)
{
    atomic_int wrong = 0;
    twill_array *a = test_integers(tw, 1);
    twill_graph *graph;
    OK(twill_gather_new(tw, a, readers, rounds, far, &wrong, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    twill_graph_free(graph);
    assert_int_equal(wrong, 0);
    assert_int_equal(test_get(a, 0), rounds);
    twill_array_free(a);
}

TEST(a_writer_comes_after_all_readers)
{
    static const int64_t far[] = {0, -7, INT64_C(1) << 45, -(INT64_C(1) << 60)};
    twill *tw = test_start(3, "lws");
    for (int i = 0; i < 4; i++) {
        run(tw, 1, 50, far[i]);
        run(tw, 100, 50, far[i]);
    }
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_writer_comes_after_all_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
