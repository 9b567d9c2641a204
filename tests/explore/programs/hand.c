/* A parameterised graph whose startup tasks are very short and release others: workers keep what
 * they are handed out, and thieves empty their queues. Run several times: a thief that searched in
 * vain before a run began may be late enough to take what a worker has just seen in its own queue.
 * Every task runs. */
#include <stdatomic.h>
#include <stdio.h>
#include <twill/ptg.h>
#include <twill/twill.h>

#include "explore.h"

enum { RUNS = 8, CHILDREN = 2, WORKERS = 3 };
static atomic_int ran;
static int64_t tasks; /* more than are handed out at a time: 64 */

static int64_t no_inputs(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 0;
}

static int64_t one_input(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 1;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < tasks;
}

static void release(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    twill_ptg_output(out, 0);
    for (int64_t k = 0; k < CHILDREN; k++)
        twill_ptg_send(out, 1, 0, (const int64_t[]){p[0], k});
}

static twill_outcome body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)p, (void)f;
    atomic_fetch_add(&ran, 1);
    explore_progress();
    return TWILL_DONE;
}

static const twill_ptg_class parent = {.name = "parent",
                                       .parameters = 1,
                                       .flows = 1,
                                       .parameter = (const char *const[]){"i"},
                                       .flow = (const twill_ptg_flow[]){{"c", TWILL_FLOW_CTL}},
                                       .inputs = no_inputs,
                                       .startup = startup,
                                       .release = release,
                                       .cpu = body};
static const twill_ptg_class child = {.name = "child",
                                      .parameters = 2,
                                      .flows = 1,
                                      .single = true,
                                      .parameter = (const char *const[]){"i", "k"},
                                      .flow = (const twill_ptg_flow[]){{"c", TWILL_FLOW_CTL}},
                                      .inputs = one_input,
                                      .cpu = body};
static const twill_ptg_graph family = {
    .name = "family", .classes = 2, .cls = (const twill_ptg_class *const[]){&parent, &child}};

int main(void)
{
    twill *tw;
    twill_graph *g;
    int unused = 0;
    if (twill_start(&tw, &(twill_options){.workers = WORKERS, .bind = "off"}) ||
        twill_ptg_new(tw, &family, &unused, sizeof unused, &g))
        explore_wrong("cannot start");
    for (int r = 0; r < RUNS; r++) {
        tasks = 130 + explore_random(100);
        ran = 0;
        if (twill_ptg_run(g) || twill_wait(g))
            explore_wrong("cannot run");
        if (ran != tasks * (1 + CHILDREN))
            explore_wrong("not every task ran");
    }
    twill_stop(tw);
    return 0;
}
