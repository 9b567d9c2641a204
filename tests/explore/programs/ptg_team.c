/* A parameterised graph is canceled while a team of its tasks begins: either all members run the
 * body, which has barriers, or none does. */
#include "_common.h"

enum { INSTANCES = 3 };
static twill_graph *g;

static int64_t inputs(const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    return 0;
}

static bool startup(const void *globals, int64_t *p, bool first)
{
    (void)globals;
    p[0] = first ? 0 : p[0] + 1;
    return p[0] < INSTANCES;
}

static twill_outcome body(twill_task *t, twill_team *team, const void *globals, const int64_t *p,
                          const twill_flow *f)
{
    (void)t, (void)globals, (void)p, (void)f;
    twill_team_barrier(team);
    progress();
    return TWILL_DONE;
}

static const twill_ptg_class cls = {.size = sizeof(twill_ptg_class),
                                    .name = "team",
                                    .parameters = 1,
                                    .parameter = (const char *const[]){"i"},
                                    .inputs = inputs,
                                    .startup = startup,
                                    .chores = {TWILL_TEAM(body, 0)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "teams",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&cls}};

static void *cancel(void *arg)
{
    nap_ns((long)draw(20000));
    twill_cancel(g);
    return arg;
}

int main(void)
{
    int unused = 0;
    twill *tw = start_with((twill_options){.patience_us = 1 + draw(20)});
    succeed(twill_ptg_new(tw, &definition, &unused, sizeof unused, &g), "twill_ptg_new");
    pthread_t other = thread(cancel, NULL);
    twill_status status = twill_ptg_run(g);
    must(status == TWILL_OK || status == TWILL_ERR_CANCELED, "twill_ptg_run");
    status = twill_wait(g);
    must(status == TWILL_OK || status == TWILL_ERR_CANCELED, "twill_wait");
    pthread_join(other, NULL);
    twill_stop(tw);
    return 0;
}
