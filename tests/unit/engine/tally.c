/* Counts of a graph: what they cost does not grow with the number of workers. */
#include "support/test.h"

#include "engine/engine.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORKERS = 1023 };

static const tw_graph_ops ops = {.name = "test"};

/* A graph inside a task, one worker's record, and no more of a context than these need. */
typedef struct fixture {
    twill *tw;
    tw_worker *w;
    twill_graph outer, *g;
    twill_task *parent;
} fixture;

static void *zeroed(size_t size)
{
    size = (size + TW_LINE - 1) / TW_LINE * TW_LINE;
    void *memory = aligned_alloc(TW_LINE, size);
    assert_non_null(memory);
    return memset(memory, 0, size);
}

static void open_all(fixture *f, int worker)
{
    f->tw = zeroed(sizeof *f->tw);
    f->tw->workers = WORKERS;
    f->w = zeroed(sizeof *f->w);
    f->w->tw = f->tw;
    f->w->index = worker;
    tw_lock_take(&f->w->acting); /* the test acts as it */
    tw_return(f->w);
    f->outer = (twill_graph){.tw = f->tw, .ops = &ops, .root = &f->outer};
    f->parent = zeroed(sizeof *f->parent);
    f->parent->graph = &f->outer;
    OK(tw_graph_make(f->tw, &ops, NULL, f->parent, &f->g));
}

static void close_all(fixture *f)
{
    tw_graph_discard(f->g, f->w);
    tw_graph_free_record(f->g);
    free(f->parent);
    free(f->w);
    free(f->tw);
}

/* Let whoever touches tallies other than those on the page of this one crash. */
static void protect(const twill_graph *g, int worker, int mode)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)g->tally + page - 1) / page * page;
    uintptr_t end = (uintptr_t)(g->tally + WORKERS + 1) / page * page;
    uintptr_t kept = (uintptr_t)&g->tally[worker] / page * page;
    for (uintptr_t at = first; at < end; at += page)
        if (at != kept && at != kept - page && at != kept + page)
            assert_int_equal(mprotect((void *)at, page, mode), 0);
}

/* A nested graph that one of 1,024 workers has touched: making it again, counting and comparing
 * looks at the tallies of that worker and of a few beside it. */
TEST(only_workers_that_touched_a_graph_are_asked)
{
    fixture f;
    open_all(&f, 700);
    protect(f.g, f.w->index, PROT_NONE);
    for (int round = 0; round < 3; round++) {
        tw_graph_added(f.g, f.w, 0, 5);
        assert_false(tw_graph_idle(f.g));
        assert_int_equal(tw_graph_in_flight(f.g), 5);
        tw_graph_retired(f.g, f.w, 0, 5);
        assert_true(tw_graph_idle(f.g));
        tw_graph_discard(f.g, f.w);
        OK(tw_graph_make(f.tw, &ops, NULL, f.parent, &f.g));
        assert_true(tw_graph_idle(f.g));
    }
    protect(f.g, f.w->index, PROT_READ | PROT_WRITE);
    close_all(&f);
}

/* Tasks of one phase are done while others are added in the next. */
TEST(a_phase_drains_while_the_next_one_fills)
{
    fixture f;
    open_all(&f, 3);
    tw_graph_added(f.g, f.w, 0, 2);
    assert_int_equal(tw_graph_next_phase(f.g), 0); /* wait for phase 0; insertions go to 1 */
    assert_int_equal(tw_insertion_phase(f.w, f.g), 1);
    tw_graph_added(f.g, f.w, 1, 4);
    assert_int_equal(tw_graph_next_phase(f.g), -1); /* the one before has tasks */
    tw_graph_retired(f.g, f.w, 0, 1);
    assert_false(tw_graph_drained(f.g, 0));
    tw_graph_retired(f.g, f.w, 0, 1);
    assert_true(tw_graph_drained(f.g, 0));
    assert_false(tw_graph_idle(f.g));
    assert_int_equal(tw_graph_next_phase(f.g), 1);
    tw_graph_retired(f.g, f.w, 1, 4);
    assert_true(tw_graph_idle(f.g));
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_workers_that_touched_a_graph_are_asked),
        cmocka_unit_test(a_phase_drains_while_the_next_one_fills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
