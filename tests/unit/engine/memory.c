/* Memory of graphs: it is freed early, or with the graph, and never twice. */
#include "engine/engine.h"
#include "support/test.h"

#include <string.h>

TEST(memory_is_aligned_and_apart)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    char *list[20];
    for (int i = 0; i < COUNT(list); i++) {
        list[i] = tw_graph_memory(g, (size_t)i * 37);
        assert_non_null(list[i]);
        assert_int_equal((uintptr_t)list[i] % 64, 0);
        memset(list[i], i, (size_t)i * 37);
    }
    for (int i = 0; i < COUNT(list); i++)
        for (int k = 0; k < i * 37; k++)
            assert_int_equal(list[i][k], i);
    /* from both ends and the middle; the rest goes with the graph */
    tw_graph_memory_free(g, list[0]);
    tw_graph_memory_free(g, list[19]);
    tw_graph_memory_free(g, list[7]);
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(a_graph_that_takes_the_place_of_another_has_none_of_its_memory)
{
    twill *tw = test_start(1, NULL);
    for (int i = 0; i < 3; i++) {
        twill_graph *g;
        OK(twill_stf_begin(tw, &g));
        assert_null(g->memory);
        assert_non_null(tw_graph_memory(g, 100));
        twill_graph_free(g);
    }
    twill_stop(tw);
}

TEST(memory_from_before_the_graph_goes_with_it)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    void *kept = tw_memory_new(100), *dropped = tw_memory_new(100);
    assert_non_null(kept);
    assert_non_null(dropped);
    memset(kept, 1, 100);
    tw_memory_free(dropped);
    OK(twill_stf_begin(tw, &g));
    tw_graph_keep(g, kept);
    assert_non_null(tw_graph_memory(g, 10));
    twill_graph_free(g);
    twill_stop(tw);
}

TEST(too_much_memory_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_graph *g;
    OK(twill_stf_begin(tw, &g));
    assert_null(tw_graph_memory(g, SIZE_MAX - 10));
    twill_graph_free(g);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_aligned_and_apart),
        cmocka_unit_test(a_graph_that_takes_the_place_of_another_has_none_of_its_memory),
        cmocka_unit_test(memory_from_before_the_graph_goes_with_it),
        cmocka_unit_test(too_much_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
