/* The table of a parameterised graph: many instances wait for the second of two inputs, more than
 * the table has buckets at first, so that it grows while others look things up. Every instance runs
 * once, after both inputs. */
#include "_common.h"

enum { FAN = 32, MOST_SOURCES = 16 };
enum { FIRST, SECOND, SINK };
static atomic_int first_ran[MOST_SOURCES], second_ran[MOST_SOURCES], sinks[MOST_SOURCES * FAN];
static int sources; /* of each half */
static int needs;   /* firsts that a second waits for: all, or one */

static int64_t inputs_of_first(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 0;
}

static int64_t inputs_of_second(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return needs;
}

static int64_t inputs_of_sink(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 2;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < sources;
}

static void send_to_sinks(twill_ptg_outputs *out, const int64_t *p, int flow)
{
    for (int64_t k = 0; k < FAN; k++)
        twill_ptg_send(out, SINK, flow, (const int64_t[]){p[0] * FAN + k});
}

static void release_first(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    twill_ptg_output(out, 0);
    send_to_sinks(out, p, 0);
    for (int64_t i = 0; i < sources; i++)
        if (needs > 1 || i == sources - 1 - p[0])
            twill_ptg_send(out, SECOND, 0, &i);
}

static void release_second(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    twill_ptg_output(out, 0);
    send_to_sinks(out, p, 1);
}

static twill_outcome first_body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)f;
    atomic_fetch_add(&first_ran[p[0]], 1);
    return TWILL_DONE;
}

static twill_outcome second_body(twill_task *t, const void *g, const int64_t *p,
                                 const twill_flow *f)
{
    (void)t, (void)g, (void)f;
    atomic_fetch_add(&second_ran[p[0]], 1);
    progress();
    return TWILL_DONE;
}

static twill_outcome sink_body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)f;
    must(first_ran[p[0] / FAN] && second_ran[p[0] / FAN], "an instance ran before its inputs");
    atomic_fetch_add(&sinks[p[0]], 1);
    progress();
    return TWILL_DONE;
}

#define PARAMETER                                                                        \
    .size = sizeof(twill_ptg_class), .parameters = 1, .parameter = (const char *const[]) \
    {                                                                                    \
        "i"                                                                              \
    }
static const twill_ptg_flow flows[] = {{.name = "a", .mode = TWILL_FLOW_CTL},
                                       {.name = "b", .mode = TWILL_FLOW_CTL}};
static const twill_ptg_class first = {PARAMETER,
                                      .name = "first",
                                      .flows = 1,
                                      .flow = flows,
                                      .inputs = inputs_of_first,
                                      .startup = startup,
                                      .release = release_first,
                                      .chores = {TWILL_CPU(first_body)}};
static const twill_ptg_class second = {PARAMETER,
                                       .name = "second",
                                       .flows = 1,
                                       .flow = flows,
                                       .inputs = inputs_of_second,
                                       .release = release_second,
                                       .chores = {TWILL_CPU(second_body)}};
static const twill_ptg_class sink = {
    PARAMETER,     .name = "sink",           .flows = 2,
    .flow = flows, .inputs = inputs_of_sink, .chores = {TWILL_CPU(sink_body)}};
static const twill_ptg_graph definition = {
    .size = sizeof(twill_ptg_graph),
    .name = "table",
    .classes = 3,
    .cls = (const twill_ptg_class *const[]){&first, &second, &sink}};

int main(void)
{
    twill *tw = start();
    twill_graph *g;
    int unused = 0;
    sources = 2 * twill_workers(tw) < MOST_SOURCES ? 2 * twill_workers(tw) : MOST_SOURCES;
    needs = draw(2) ? sources : 1;
    succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &g), "twill_ptg_new");
    succeed(twill_ptg_run(g), "twill_ptg_run");
    succeed(twill_wait(g), "twill_wait");
    each_once(first_ran, sources);
    each_once(second_ran, sources);
    each_once(sinks, sources * FAN);
    twill_stop(tw);
    return 0;
}
