/* Recorded runs: what is kept, computed, reported, written and read again; a context that watches
 * itself and tells what it saw when it stops. */
#include "support/shortage.h"

#include <string.h>
#include <unistd.h>

enum { TASKS = 30, TILES = 4, TEXT = 20000 };

static twill_outcome work(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class even = {
    .size = sizeof(twill_class), .name = "even", .chores = {TWILL_CPU(work)}, .parameters = "i"};
static const twill_class odd = {
    .size = sizeof(twill_class), .name = "odd", .chores = {TWILL_CPU(work)}};

static twill_status insert(twill *tw, twill_array *a)
{
    static char text[TEXT];
    twill_graph *g = NULL;
    twill_status status;
    TRY(twill_stf_begin(tw, &g));
    for (int i = 0; i < TASKS; i++)
        TRY(twill_insert(g, i % 2 ? &odd : &even, TWILL_RW(twill_tile_at(a, i % TILES, 0)),
                         TWILL_INT(1), TWILL_R(twill_tile_at(a, (i + 1) % TILES, 0))));
    twill_describe(tw, text, sizeof text);
    TRY(twill_wait(g));
done:
    twill_graph_free(g);
    return status;
}

/* A report that there is no memory for is empty; else it says what it should. */
static void report(const twill_trace *t, atomic_int *wrong)
{
    static const twill_report parts[] = {TWILL_REPORT_STATS, TWILL_REPORT_IDLE, TWILL_REPORT_JSON};
    static char text[TEXT];
    for (int i = 0; i < COUNT(parts); i++) {
        size_t size = twill_trace_report(t, parts[i], text, sizeof text);
        *wrong += size != 0 && strlen(text) + 1 != size;
    }
    twill_trace_compare(t, t, true, text, sizeof text);
}

static twill_status save(const twill_trace *t)
{
    static const char *const paths[] = {"oom.html", "oom.json", "oom.tex", "oom.dot", "oom.twt"};
    twill_status status = TWILL_OK;
    for (int i = 0; i < COUNT(paths) && status == TWILL_OK; i++)
        status = twill_trace_save(t, paths[i]);
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    twill_array *a = NULL;
    twill_trace *t = NULL, *read = NULL;
    twill_stats stats = {.size = sizeof stats};
    twill_status status;
    TRY(shortage_integers(tw, TILES, &a));
    TRY(twill_trace_begin(tw));
    TRY(insert(tw, a));
    TRY(twill_trace_end(tw, &t));
    TRY(twill_trace_label(t, "a title", "a command"));
    TRY(twill_trace_stats(t, &stats));
    *wrong += stats.tasks != TASKS && stats.lost == 0;
    report(t, wrong);
    TRY(save(t));
    TRY(twill_trace_load("oom.twt", &read));
    TRY(twill_trace_stats(read, &stats));
    *wrong += stats.tasks != TASKS && stats.lost == 0;
done:
    twill_trace_free(t);
    twill_trace_free(read);
    if (status != TWILL_OK && twill_trace_end(tw, &t) == TWILL_OK) /* for the next one */
        twill_trace_free(t);
    if (!leave)
        twill_array_free(a);
    return status;
}

/* The context records itself. */
static twill_status watched(twill *tw, bool leave, atomic_int *wrong)
{
    twill_array *a = NULL;
    (void)leave;
    (void)wrong;
    twill_status status = shortage_integers(tw, TILES, &a);
    return status == TWILL_OK ? insert(tw, a) : status;
}

static void receive(void *arg, const char *text)
{
    (void)arg;
    (void)text;
}

TEST(recorded_runs)
{
    shortage_sweep(&(shortage){.name = "trace", .body = body, .setups = 2});
}

TEST(contexts_that_record_themselves)
{
    shortage_sweep(&(shortage){
        .name = "watched",
        .options = {.watchdog = 1000, .trace = "oom.twt", .stats = "on", .report = receive},
        .body = watched,
        .setups = 2});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_runs),
                                       cmocka_unit_test(contexts_that_record_themselves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
