/* Traces of several ranks, made by hand: messages, what they explain, and merging. */
#include "support/trace.h"

#include "trace/output/report.h"
#include "trace/output/write.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_point {
    double time;
    int row, kind, peer;
    uint32_t id, task; /* task from 1 */
} test_point;

static void set_points(twill_trace *t, const test_point *points, int n)
{
    free(t->point_time), free(t->point_amount), free(t->point_row), free(t->point_kind);
    free(t->point_peer), free(t->point_id), free(t->point_task);
    assert_true(tw_trace_room(t, &t->npoints, n));
    for (int i = 0; i < n; i++) {
        t->point_time[i] = points[i].time;
        t->point_amount[i] = 64;
        t->point_row[i] = (uint16_t)points[i].row;
        t->point_kind[i] = (uint8_t)points[i].kind;
        t->point_peer[i] = points[i].peer;
        t->point_id[i] = points[i].id;
        t->point_task[i] = points[i].task;
    }
}

/* Rank 0 runs a task and sends its result, rank 1 gets it 200 ns later, and runs two. */
static const test_task tasks[] = {{0, 100, 0, 0, 0, TW_BY_PROGRAM, 0},
                                  {310, 400, 300, 1, 1, 0, 0},
                                  {400, 500, 300, 1, 1, 0, 0},
                                  TASKS_END};
static const test_edge edges[] = {{0, 1}, {0, 2}, EDGES_END};
static const test_state states[] = {
    {100, 500, 0, TW_STATE_SLEEP}, {0, 310, 1, TW_STATE_SEARCH}, STATES_END};
static const test_point points[] = {{100, 0, TW_POINT_SEND, 1, 7, 1},
                                    {300, 1, TW_POINT_RECEIVE, 0, 7, 0},
                                    {100, 0, TW_POINT_SEND, 1, 8, 1}}; /* nobody has received it */

static twill_trace *sample(void)
{
    twill_trace *t = test_trace(&(test_run){500, 2, 2, tasks, edges, states});
    t->row_rank[1] = 1;
    t->message[1] = t->message[2] = 2;
    set_points(t, points, 3);
    return t;
}

/* Seconds of a cause, in ns. */
static double waited(const twill_trace *t, const char *cause)
{
    double sum = 0;
    for (int i = 0; i < t->analysis->ncauses; i++)
        if (!strcmp(t->analysis->cause[i].cause, cause))
            sum += 1e9 * t->analysis->cause[i].seconds;
    return sum;
}

static bool near(double x, double y)
{
    return x > y - 1e-6 && x < y + 1e-6;
}

TEST(ends_of_messages_find_each_other)
{
    twill_trace *t = sample();
    twill_stats s = {.size = sizeof s};
    twill_rank_stats r = {.size = sizeof r};
    OK(tw_analyse(t));
    assert_int_equal(t->analysis->nmessages, 1);
    assert_int_equal(t->analysis->messages[0].sent, 0);
    assert_int_equal(t->analysis->messages[0].received, 1);
    OK(twill_trace_stats(t, &s));
    assert_int_equal(s.ranks, 2);
    assert_int_equal(s.messages, 2);
    assert_true(s.message_bytes == 128);
    OK(twill_trace_rank(t, 1, &r));
    assert_int_equal(r.rank, 1);
    assert_int_equal(r.workers, 1);
    assert_int_equal(r.tasks, 2);
    assert_int_equal(r.sent, 0);
    assert_int_equal(r.received, 1);
    assert_true(near(1e9 * r.busy, 190));
    REFUSED(twill_trace_rank(t, 2, &r), TWILL_ERR_ARGUMENT, "no rank 2");
    twill_trace_free(t);
}

TEST(idle_time_of_a_rank_is_explained_by_its_own_tasks_and_messages)
{
    twill_trace *t = sample();
    OK(tw_analyse(t));
    assert_true(near(waited(t, "chain"), 100));   /* rank 1, while the sender ran */
    assert_true(near(waited(t, "message"), 200)); /* and while the message was on its way; */
    assert_true(near(waited(t, "reach"), 10));    /* it could have begun a little earlier */
    assert_true(near(waited(t, "end"), 400));     /* rank 0 has no more tasks, though 1 has */
    assert_true(near(waited(t, "wake-up"), 0));
    twill_trace_free(t);
}

TEST(a_message_of_nobody_knows_whom_is_waited_for_all_the_time)
{
    twill_trace *t = sample();
    t->by[1] = t->by[2] = TW_BY_UNKNOWN;
    OK(tw_analyse(t));
    assert_true(near(waited(t, "message"), 300));
    assert_true(near(waited(t, "chain"), 0));
    twill_trace_free(t);
}

TEST(reports_and_files_of_several_ranks)
{
    twill_trace *t = sample(), *again = NULL;
    char text[8192];
    size_t n;
    OK(tw_analyse(t));
    twill_trace_report(t, TWILL_REPORT_STATS, text, sizeof text);
    assert_non_null(strstr(text, "messages    2 between 2 ranks"));
    twill_trace_report(t, TWILL_REPORT_JSON, text, sizeof text);
    assert_non_null(strstr(text, "\"ranks\":[{\"rank\":0,"));
    assert_non_null(strstr(text, "\"received_bytes\":64"));
    unsigned char *bytes = test_file(t, &n);
    OK(tw_file_parse(bytes, n, "the file", &again));
    assert_int_equal(again->analysis->nmessages, 1);
    assert_true(near(waited(again, "message"), 200));
    twill_trace_free(again);
    twill_trace_free(t);
    free(bytes);
}

/* Whatever a file says of ranks and messages: it is refused, or it can be written in other forms.
 */
TEST(no_byte_that_is_changed_does_harm)
{
    twill_trace *t = sample();
    FILE *nowhere = fopen("/dev/null", "w");
    size_t n;
    unsigned char *bytes = test_file(t, &n);
    assert_non_null(nowhere);
    for (size_t k = 0; k < n; k++)
        for (int bit = 0; bit < 8; bit++) {
            twill_trace *again = NULL;
            bytes[k] ^= (unsigned char)(1 << bit);
            if (tw_file_parse(bytes, n, "the file", &again) == TWILL_OK) {
                tw_write_chrome(nowhere, again);
                tw_write_stats(nowhere, again);
                tw_write_stats_json(nowhere, again);
                twill_trace_free(again);
            }
            bytes[k] ^= (unsigned char)(1 << bit);
        }
    fclose(nowhere);
    twill_trace_free(t);
    free(bytes);
}

/* ---- merging ------------------------------------------------------------------------------- */

static const test_task first_tasks[] = {
    {0, 100, 0, 0, 0, TW_BY_PROGRAM, 0}, {600, 700, 600, 0, 1, TW_BY_PROGRAM, 0}, TASKS_END};
static const test_task second_tasks[] = {{50, 150, 40, 0, 0, TW_BY_UNKNOWN, 0}, TASKS_END};
static const test_edge no_edges[] = {EDGES_END};
static const test_state no_states[] = {STATES_END};

static void make_parts(twill_trace *parts[3])
{
    parts[0] = test_trace(&(test_run){700, 1, 2, first_tasks, no_edges, no_states});
    parts[1] = NULL; /* recorded nothing */
    parts[2] = test_trace(&(test_run){150, 1, 1, second_tasks, no_edges, no_states});
    OK(tw_trace_set_rank(parts[0], 0));
    OK(tw_trace_set_rank(parts[2], 2));
    parts[0]->origin = 5;
    parts[2]->origin = 5 + 260e-9;
    set_points(parts[0], (test_point[]){{100, 0, TW_POINT_SEND, 2, 1, 1}}, 1);
    set_points(parts[2], (test_point[]){{40, 0, TW_POINT_RECEIVE, 0, 1, 0}}, 1);
    parts[2]->message[0] = 1;
}

TEST(merged_traces_have_one_clock_and_edges_along_messages)
{
    twill_trace *parts[3], *t = NULL;
    make_parts(parts);
    OK(tw_trace_merge(parts, 3, &t));
    OK(tw_trace_check(t, "the whole"));
    OK(tw_analyse(t));
    assert_int_equal(t->nrows, 2);
    assert_string_equal(tw_row_name(t, 1), "rank 2, worker 0");
    assert_int_equal(t->row_rank[1], 2);
    assert_int_equal(t->nclasses, 2); /* "class 0" of both is one */
    assert_int_equal(t->ntasks, 3);
    assert_true(near(t->start[1], 310) && near(t->end[1], 410) && near(t->ready[1], 300));
    assert_int_equal(t->row[1], 1);
    assert_int_equal(t->cls[1], 0);
    assert_int_equal(t->by[1], 0); /* the task of rank 0 that sent the message */
    assert_int_equal(t->nedges, 1);
    assert_int_equal(t->edge_from[0], 0);
    assert_int_equal(t->edge_to[0], 1);
    assert_int_equal(t->analysis->nmessages, 1);
    assert_true(near(t->span, 700));
    assert_int_equal(t->nstates, 2); /* rank 2 before its first task and after its last */
    twill_trace_free(t);
    twill_trace_free(parts[0]);
    twill_trace_free(parts[2]);
}

TEST(nothing_can_be_merged_from_nothing)
{
    twill_trace *none[2] = {NULL, NULL}, *t = NULL;
    REFUSED(tw_trace_merge(none, 2, &t), TWILL_ERR_STATE, "no rank has recorded");
    assert_null(t);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(ends_of_messages_find_each_other),
        cmocka_unit_test(idle_time_of_a_rank_is_explained_by_its_own_tasks_and_messages),
        cmocka_unit_test(a_message_of_nobody_knows_whom_is_waited_for_all_the_time),
        cmocka_unit_test(reports_and_files_of_several_ranks),
        cmocka_unit_test(no_byte_that_is_changed_does_harm),
        cmocka_unit_test(merged_traces_have_one_clock_and_edges_along_messages),
        cmocka_unit_test(nothing_can_be_merged_from_nothing),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
