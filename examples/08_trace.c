/* See what a program did: record it, ask where the time went, and leave a page to look at. */
#include <stdio.h>
#include <twill/twill.h>

static twill_outcome spin_body(twill_task *t)
{
    double x = 1;
    for (int64_t i = 0; i < twill_task_int(t, 0); i++)
        x = x * 0.999 + 0.001;
    return x > 0 ? TWILL_DONE : twill_task_fail(t, "this cannot be");
}

/* Names of the TWILL_INT arguments, for the page. */
static const twill_class spin = {.size = sizeof(twill_class),
                                 .name = "spin",
                                 .chores = {TWILL_CPU(spin_body)},
                                 .parameters = "rounds step"};

static int fail(void)
{
    fprintf(stderr, "%s\n", twill_message());
    return 1;
}

int main(void)
{
    twill *tw;
    twill_graph *g;
    twill_trace *trace;
    twill_stats stats = {.size = sizeof(twill_stats)};
    twill_idle_cause cause = {.size = sizeof(twill_idle_cause)};
    if (twill_start(&tw, NULL) != TWILL_OK || twill_stf_begin(tw, &g) != TWILL_OK ||
        twill_trace_begin(tw) != TWILL_OK)
        return fail();
    twill_array *a;
    twill_pattern one = twill_tiled(1, 1, 1, 1);
    if (twill_array_create(tw, &one, TWILL_FLOAT64, 0, &a) != TWILL_OK)
        return fail();
    for (int i = 0; i < 50; i++) /* each needs the one before it: a chain */
        twill_insert(g, &spin, TWILL_INT(20000), TWILL_INT(i), TWILL_RW(twill_tile_at(a, 0, 0)),
                     TWILL_COST(2 * 20000.0, 0));
    twill_status status = twill_wait(g);
    if (twill_trace_end(tw, &trace) != TWILL_OK)
        return fail();

    twill_trace_stats(trace, &stats);
    printf("%lld tasks in %.3f ms, %.0f%% busy\n", (long long)stats.tasks, 1e3 * stats.seconds,
           100 * stats.utilisation);
    if (twill_trace_idle(trace, 0, &cause) == TWILL_OK)
        printf("%.0f%% of the idle time: %s (%s)\n", 100 * cause.share, cause.detail, cause.cause);
    twill_trace_label(trace, "a chain of spins", "08_trace");
    if (twill_trace_save(trace, "08_trace.html") == TWILL_OK)
        printf("look at 08_trace.html\n");
    twill_trace_free(trace);
    twill_stop(tw);
    return status == TWILL_OK && stats.tasks == 50 && stats.critical_tasks <= 50 ? 0 : 1;
}
