/* Reduction trees: every tile is eliminated once, when it is a triangle, by one that is there. */
#include "support/test.h"

#include "la/qr/qr_tree.h"

#include <stdlib.h>

typedef enum state { WHOLE, TRIANGLE, GONE } state;

typedef struct play {
    int64_t mt;
    int64_t *seen; /* of each row, panels in which it was eliminated */
    state *rows;   /* in this panel */
} play;

/* A step that cannot be done fails the test. */
static void do_step(play *p, const tw_elimination *s)
{
    assert_true(s->panel <= s->top && s->other < p->mt);
    if (s->kind == TW_STEP_PANEL) {
        assert_true(s->top <= s->other && (s->other - s->top) % s->stride == 0);
        for (int64_t i = s->top; i <= s->other; i += s->stride) {
            assert_int_equal(p->rows[i], WHOLE);
            /* it has been through all panels before this one */
            assert_int_equal(p->seen[i], s->panel);
            p->rows[i] = i == s->top ? TRIANGLE : GONE;
        }
    } else {
        assert_true(s->top < s->other && s->stride == s->other - s->top);
        assert_int_equal(p->rows[s->top], TRIANGLE);
        assert_int_equal(p->rows[s->other], TRIANGLE);
        p->rows[s->other] = GONE;
    }
}

/* One panel: from `first` on; returns the step behind it. */
static int64_t play_panel(play *p, const tw_tree *t, int64_t panel, int64_t first)
{
    for (int64_t i = 0; i < p->mt; i++)
        p->rows[i] = i < panel ? GONE : WHOLE;
    int64_t step = first;
    for (; step < t->count && t->steps[step].panel == panel; step++)
        do_step(p, &t->steps[step]);
    for (int64_t i = panel; i < p->mt; i++) {
        assert_int_equal(p->rows[i], i == panel ? TRIANGLE : GONE);
        p->seen[i]++;
    }
    return step;
}

/* Domains are numbered without gaps but for short branches, and steps that are not merges of
 * branches stay in one. */
static void check_branches(const tw_tree *t, int64_t mt)
{
    for (int64_t i = 0; i < mt; i++) {
        int64_t d = tw_tree_domain(t, i);
        assert_true(d >= 0 && d < t->domains && d % t->branches == i % t->branches);
    }
    for (int64_t i = 0; i < t->count; i++) {
        const tw_elimination *s = &t->steps[i];
        bool inside = (s->other - s->top) % t->branches == 0;
        assert_true(inside || (s->kind == TW_STEP_MERGE && s->other < s->panel + t->branches));
        if (s->kind == TW_STEP_PANEL)
            assert_int_equal(tw_tree_domain(t, s->top), tw_tree_domain(t, s->other));
    }
}

static void check(twill_tree tree, int64_t mt, int64_t kt, int64_t branches)
{
    tw_tree t;
    play p = {mt, calloc((size_t)mt + 1, sizeof(int64_t)), calloc((size_t)mt + 1, sizeof(state))};
    int64_t step = 0;
    assert_true(p.seen && p.rows);
    OK(tw_tree_make(tree, mt, kt, branches, &t));
    assert_int_equal(t.tree, tree);
    assert_int_equal(t.branches, mt < 1 ? 1 : branches < mt ? branches : mt);
    check_branches(&t, mt);
    for (int64_t panel = 0; panel < kt; panel++)
        step = play_panel(&p, &t, panel, step);
    assert_int_equal(step, t.count);
    tw_tree_free(&t);
    free(p.seen);
    free(p.rows);
}

TEST(every_tile_is_eliminated_once_by_one_that_is_there)
{
    static const int64_t rows[] = {1, 2, 3, 4, 7, 8, 9, 16, 17, 40, 100};
    static const int64_t branches[] = {1, 2, 3, 4, 9};
    for (int tree = TWILL_TREE_FLAT; tree <= TWILL_TREE_FIBONACCI; tree++)
        for (int i = 0; i < COUNT(rows); i++)
            for (int64_t kt = 0; kt <= rows[i] && kt < 20; kt++)
                for (int b = 0; b < COUNT(branches); b++)
                    check((twill_tree)tree, rows[i], kt, branches[b]);
    check(TWILL_TREE_FLAT, 3000, 3, 1);
    check(TWILL_TREE_FLAT, 3000, 3, 2);
    check(TWILL_TREE_GREEDY, 0, 0, 1);
    check(TWILL_TREE_BINARY, 0, 0, 3);
}

/* Rounds that a tree needs when any number of merges can be done at once, each row in one. */
static int64_t rounds(twill_tree tree, int64_t mt, int64_t kt)
{
    tw_tree t;
    int64_t *ready = calloc((size_t)mt, sizeof *ready), last = 0;
    assert_non_null(ready);
    OK(tw_tree_make(tree, mt, kt, 1, &t));
    for (int64_t i = 0; i < t.count; i++) {
        const tw_elimination *s = &t.steps[i];
        if (s->kind == TW_STEP_PANEL)
            continue;
        int64_t end = 1 + (ready[s->top] > ready[s->other] ? ready[s->top] : ready[s->other]);
        ready[s->top] = ready[s->other] = end;
        last = end > last ? end : last;
    }
    tw_tree_free(&t);
    free(ready);
    return last;
}

TEST(greedy_and_fibonacci_take_as_few_rounds_as_they_should)
{
    /* one panel: half of the rows in each round; groups of 1, 2, 3, ... */
    assert_int_equal(rounds(TWILL_TREE_GREEDY, 16, 1), 4);
    assert_int_equal(rounds(TWILL_TREE_GREEDY, 15, 1), 4);
    assert_int_equal(rounds(TWILL_TREE_FIBONACCI, 16, 1), 5);
    assert_int_equal(rounds(TWILL_TREE_FIBONACCI, 11, 1), 4);
    /* several panels: Fibonacci is two rounds behind for each, greedy never worse */
    assert_true(rounds(TWILL_TREE_GREEDY, 15, 6) <= rounds(TWILL_TREE_FIBONACCI, 15, 6));
    assert_true(rounds(TWILL_TREE_FIBONACCI, 15, 6) <= 5 + 2 * 5);
}

TEST(the_shape_alone_chooses_the_tree)
{
    assert_int_equal(tw_tree_choose(TWILL_TREE_AUTO, 20, 20, 1), TWILL_TREE_FLAT);
    assert_int_equal(tw_tree_choose(TWILL_TREE_AUTO, 100, 1, 1), TWILL_TREE_BINARY);
    assert_int_equal(tw_tree_choose(TWILL_TREE_AUTO, 1, 1, 1), TWILL_TREE_FLAT);
    assert_int_equal(tw_tree_choose(TWILL_TREE_GREEDY, 100, 1, 1), TWILL_TREE_GREEDY);
    /* a branch must be tall itself */
    assert_int_equal(tw_tree_choose(TWILL_TREE_AUTO, 100, 8, 1), TWILL_TREE_BINARY);
    assert_int_equal(tw_tree_choose(TWILL_TREE_AUTO, 100, 8, 4), TWILL_TREE_FLAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_tile_is_eliminated_once_by_one_that_is_there),
        cmocka_unit_test(greedy_and_fibonacci_take_as_few_rounds_as_they_should),
        cmocka_unit_test(the_shape_alone_chooses_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
