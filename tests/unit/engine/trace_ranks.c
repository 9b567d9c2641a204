/* Traces of several ranks as one: whatever their clocks say, with the messages between them. */
#include "support/ranks.h"

#include "engine/remote/gather.h"
#include "trace/analysis/analysis.h"
#include "trace/output/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 3, STEPS = 20, TILE = 8, MANY = 30000 };

/* A clock is read in the middle of the quickest of many answers; on a busy machine that is not very
 * quick. */
static const double exact = 20e6; /* ns */

static twill_outcome touch(twill_task *t)
{
    double *to = twill_task_data(t, 0);
    const double *from = twill_task_data(t, 1);
    to[0] += from[0];
    return TWILL_DONE;
}

static const twill_class step = {
    .size = sizeof(twill_class), .name = "step", .chores = {TWILL_CPU(touch)}};

static twill_outcome nothing(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(nothing)}};

/* Tiles of all ranks in a row, each of which reads the one before, again and again. */
static void go_round(twill *tw)
{
    twill_array *a;
    twill_graph *g;
    int ranks = twill_ranks(tw);
    twill_pattern p = twill_block_cyclic(TILE, (int64_t)TILE * ranks, TILE, TILE, 1, ranks);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < STEPS; i++)
        for (int r = 0; r < ranks; r++)
            OK(twill_insert(g, &step, TWILL_RW(twill_tile_at(a, 0, r)),
                            TWILL_R(twill_tile_at(a, 0, (r + 1) % ranks))));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

static twill_trace *record(twill *tw, void (*work)(twill *tw))
{
    twill_trace *t = NULL;
    OK(twill_trace_begin(tw));
    work(tw);
    OK(twill_trace_end(tw, &t));
    return t;
}

static int64_t count_class(const twill_trace *t, const char *name)
{
    for (int64_t i = 0; i < t->nclasses; i++)
        if (!strcmp(t->analysis->classes[i].name, name))
            return t->analysis->classes[i].count;
    return 0;
}

static int rank_of(const twill_trace *t, int64_t task)
{
    return t->row_rank[t->row[task]];
}

static void check_rows(const twill_trace *t, int ranks, int workers)
{
    char name[64];
    assert_int_equal(t->nrows, ranks * workers);
    for (int i = 0; i < t->nrows; i++) {
        snprintf(name, sizeof name, "rank %d, worker %d", i / workers, i % workers);
        assert_string_equal(tw_row_name(t, i), name);
        assert_int_equal(t->row_rank[i], i / workers);
    }
}

/* Each message has two ends, on two ranks, and is not received long before it was sent. */
static void check_messages(const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    int64_t received = 0;
    for (int r = 0; r < a->total.ranks; r++)
        received += a->ranks[r].received;
    assert_true(a->nmessages > 0);
    assert_int_equal(a->nmessages, a->total.messages);
    assert_int_equal(a->nmessages, received);
    for (int64_t i = 0; i < a->nmessages; i++) {
        uint32_t from = a->messages[i].sent, to = a->messages[i].received;
        assert_int_equal(t->point_peer[from], t->row_rank[t->point_row[to]]);
        assert_int_equal(t->point_peer[to], t->row_rank[t->point_row[from]]);
        assert_true(t->point_amount[from] == t->point_amount[to]);
        assert_true(t->point_time[to] > t->point_time[from] - exact);
    }
}

/* Tasks wait for tasks of other ranks. */
static int64_t count_crossing(const twill_trace *t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < t->ntasks; i++)
        n += t->by[i] >= 0 && rank_of(t, i) != rank_of(t, t->by[i]);
    return n;
}

static void check_causes(const twill_trace *t)
{
    double sum = 0;
    for (int i = 0; i < t->analysis->ncauses; i++)
        sum += t->analysis->cause[i].seconds;
    assert_true(fabs(sum - t->analysis->total.idle) <= 1e-6 * sum + 1e-9);
}

static void check_whole(const twill_trace *t, int workers)
{
    assert_int_equal(t->analysis->total.ranks, RANKS);
    assert_int_equal(count_class(t, "step"), RANKS * STEPS);
    assert_true(t->span < 60e9);
    check_rows(t, RANKS, workers);
    check_messages(t);
    check_causes(t);
    assert_true(count_crossing(t) > 0);
    OK(tw_trace_check(t, "the trace of all ranks"));
}

static void gather_one(twill *tw, void *arg)
{
    const double *ahead = arg;
    if (ahead && twill_rank(tw) > 0)
        tw_gather_set_ahead(tw, ahead[twill_rank(tw)]);
    twill_trace *t = record(tw, go_round);
    OK(twill_trace_gather(tw, &t));
    if (twill_rank(tw) == 0)
        check_whole(t, twill_workers(tw));
    else
        assert_null(t);
    twill_trace_free(t);
}

TEST(traces_of_all_ranks_become_one)
{
    for (int workers = 1; workers <= 2; workers++)
        test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = workers}, gather_one, NULL);
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1, .network = {.seed = 3, .delay = 5}},
                  gather_one, NULL);
}

TEST(clocks_need_not_agree)
{
    double ahead[RANKS] = {0, 1000, -3600.25};
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, gather_one, ahead);
}

static void gather_often(twill *tw, void *arg)
{
    (void)arg;
    for (int i = 0; i < 5; i++)
        gather_one(tw, NULL);
}

TEST(gathering_can_be_repeated)
{
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, gather_often, NULL);
}

/* Many tasks that know nothing of other ranks: more than one piece each. */
static void be_busy(twill *tw)
{
    twill_graph *g;
    twill_array *a;
    twill_pattern p = twill_block_cyclic(TILE, (int64_t)TILE * RANKS, TILE, TILE, 1, RANKS);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < MANY; i++)
        OK(twill_insert(g, &plain, TWILL_RW(twill_tile_at(a, 0, i % RANKS))));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

static void gather_large(twill *tw, void *arg)
{
    (void)arg;
    twill_trace *t = record(tw, be_busy);
    OK(twill_trace_gather(tw, &t));
    if (twill_rank(tw) == 0) {
        assert_int_equal(count_class(t, "plain"), MANY);
        assert_int_equal(t->analysis->nmessages, 0);
        OK(tw_trace_check(t, "the large trace"));
    }
    twill_trace_free(t);
}

TEST(large_traces_come_in_pieces)
{
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, gather_large, NULL);
}

static void gather_some(twill *tw, void *arg)
{
    (void)arg;
    twill_trace *t = record(tw, go_round);
    if (twill_rank(tw) != 1) {
        twill_trace_free(t);
        t = NULL;
    }
    OK(twill_trace_gather(tw, &t)); /* only rank 1 has one */
    if (twill_rank(tw) == 0) {
        assert_int_equal(t->nrows, 1);
        assert_string_equal(tw_row_name(t, 0), "rank 1, worker 0");
        assert_int_equal(t->analysis->nmessages, 0);
    }
    twill_trace_free(t);
    t = NULL;
    REFUSED(twill_trace_gather(tw, &t), TWILL_ERR_STATE, "no rank has recorded");
    assert_null(t);
}

TEST(ranks_may_have_none)
{
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, gather_some, NULL);
}

/* One rank stops, others gather. */
static void gather_without(twill *tw, void *arg)
{
    int who = *(const int *)arg;
    twill_trace *t = record(tw, go_round);
    if (twill_rank(tw) != who) {
        REFUSED(twill_trace_gather(tw, &t), TWILL_ERR_STATE, "has stopped");
        assert_non_null(t); /* it stays as it is */
    }
    twill_trace_free(t);
}

TEST(nobody_waits_for_a_rank_that_has_stopped)
{
    for (int who = 0; who < RANKS; who++)
        for (int seed = 0; seed < 3; seed++)
            test_on_ranks(
                &(test_ranks){.ranks = RANKS,
                              .workers = 1,
                              .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed * 2}},
                gather_without, &who);
}

static twill *here;
static twill_status inside;

static twill_outcome try_inside(twill_task *t)
{
    twill_trace *none = NULL;
    (void)t;
    inside = twill_trace_gather(here, &none);
    return TWILL_DONE;
}

static const twill_class trying = {
    .size = sizeof(twill_class), .name = "trying", .chores = {TWILL_CPU(try_inside)}};

TEST(one_rank_and_tasks)
{
    twill *tw = test_start(1, NULL);
    twill_trace *t = record(tw, go_round), *same = t;
    twill_graph *g;
    OK(twill_trace_gather(tw, &t));
    assert_ptr_equal(t, same);
    assert_string_equal(tw_row_name(t, 0), "worker 0");
    assert_int_equal(t->analysis->total.messages, 0);
    REFUSED(twill_trace_gather(NULL, &t), TWILL_ERR_ARGUMENT, "NULL");
    OK(twill_stf_begin(tw, &g));
    here = tw;
    OK(twill_insert(g, &trying));
    OK(twill_wait(g));
    assert_int_equal(inside, TWILL_ERR_STATE);
    twill_trace_free(t);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(traces_of_all_ranks_become_one),
        cmocka_unit_test(clocks_need_not_agree),
        cmocka_unit_test(gathering_can_be_repeated),
        cmocka_unit_test(large_traces_come_in_pieces),
        cmocka_unit_test(ranks_may_have_none),
        cmocka_unit_test(nobody_waits_for_a_rank_that_has_stopped),
        cmocka_unit_test(one_rank_and_tasks),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
