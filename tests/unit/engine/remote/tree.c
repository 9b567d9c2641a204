/* Trees: every node is reached once, from a node that has the message before, and who has nobody
 * below knows it. */
#include "support/test.h"

#include "engine/remote/tree.h"

enum { MOST = 40 };

/* Messages that node 0 sends, and how many hops the last one is away. */
static void measure(tw_bcast tree, int last, int *sent, int *depth)
{
    int hops[MOST + 1] = {0};
    *sent = *depth = 0;
    for (int node = 1; node <= last; node++) {
        int parent = tw_bcast_parent(tree, node);
        assert_true(parent >= 0 && parent < node);
        assert_false(tw_bcast_is_leaf(tree, parent, last));
        hops[node] = hops[parent] + 1;
        *sent += parent == 0;
        *depth = hops[node] > *depth ? hops[node] : *depth;
    }
}

static bool has_child(tw_bcast tree, int node, int last)
{
    for (int other = 1; other <= last; other++)
        if (tw_bcast_parent(tree, other) == node)
            return true;
    return false;
}

TEST(leaves_are_those_without_children)
{
    for (int tree = 0; tree < TW_BCASTS; tree++)
        for (int last = 1; last <= MOST; last++)
            for (int node = 0; node <= last; node++)
                assert_int_equal(tw_bcast_is_leaf((tw_bcast)tree, node, last),
                                 !has_child((tw_bcast)tree, node, last));
}

TEST(trees_are_as_wide_and_as_deep_as_their_names_say)
{
    for (int last = 1; last <= MOST; last++) {
        int sent, depth, log = 0;
        while (1 << log <= last)
            log++;
        measure(TW_BCAST_STAR, last, &sent, &depth);
        assert_int_equal(sent, last);
        assert_int_equal(depth, 1);
        measure(TW_BCAST_CHAIN, last, &sent, &depth);
        assert_int_equal(sent, 1);
        assert_int_equal(depth, last);
        measure(TW_BCAST_BINOMIAL, last, &sent, &depth);
        assert_int_equal(sent, log);
        assert_true(depth <= log);
    }
}

TEST(few_ranks_get_it_at_once)
{
    for (int ranks = 1; ranks <= 2; ranks++)
        for (size_t bytes = 1; bytes < (size_t)1 << 30; bytes *= 2)
            assert_int_equal(tw_bcast_choose(bytes, ranks), TW_BCAST_STAR);
    assert_int_equal(tw_bcast_choose(100, 8), TW_BCAST_STAR);
}

TEST(many_ranks_send_it_on)
{
    assert_int_equal(tw_bcast_choose(100, 9), TW_BCAST_BINOMIAL);
    assert_int_equal(tw_bcast_choose(1 << 16, 3), TW_BCAST_BINOMIAL);
    assert_int_equal(tw_bcast_choose(1 << 20, 3), TW_BCAST_CHAIN);
    assert_int_equal(tw_bcast_choose(1 << 20, 9), TW_BCAST_BINOMIAL);
}

TEST(trees_have_names)
{
    assert_int_equal(tw_bcast_named("star"), TW_BCAST_STAR);
    assert_int_equal(tw_bcast_named("chain"), TW_BCAST_CHAIN);
    assert_int_equal(tw_bcast_named("binomial"), TW_BCAST_BINOMIAL);
    assert_int_equal(tw_bcast_named("auto"), TW_BCASTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_are_those_without_children),
        cmocka_unit_test(trees_are_as_wide_and_as_deep_as_their_names_say),
        cmocka_unit_test(few_ranks_get_it_at_once),
        cmocka_unit_test(many_ranks_send_it_on),
        cmocka_unit_test(trees_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
