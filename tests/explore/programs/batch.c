/* Startup batches: a parameterised graph whose startup tasks are very short and release others.
 * Workers keep the startup tasks they get. Thieves that wait for what was left for others meanwhile
 * take what a worker has just seen in its own queue. Every task runs once. */
#include "_common.h"

enum { RUNS = 4, LETTERS = 5, CHILDREN = 2, LEAST = 130, MOST = 220 };
static atomic_int ran[MOST][1 + CHILDREN];
static atomic_int letters[RUNS * LETTERS];
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

static twill_outcome parent_body(twill_task *t, const void *g, const int64_t *p,
                                 const twill_flow *f)
{
    (void)t, (void)g, (void)f;
    atomic_fetch_add(&ran[p[0]][CHILDREN], 1);
    progress();
    return TWILL_DONE;
}

static twill_outcome child_body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)f;
    atomic_fetch_add(&ran[p[0]][p[1]], 1);
    progress();
    return TWILL_DONE;
}

static const twill_ptg_class parent = {
    .size = sizeof(twill_ptg_class),
    .name = "parent",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "c", .mode = TWILL_FLOW_CTL}},
    .inputs = no_inputs,
    .startup = startup,
    .release = release,
    .chores = {TWILL_CPU(parent_body)}};
static const twill_ptg_class child = {
    .size = sizeof(twill_ptg_class),
    .name = "child",
    .parameters = 2,
    .flows = 1,
    .single = true,
    .parameter = (const char *const[]){"i", "k"},
    .flow = (const twill_ptg_flow[]){{.name = "c", .mode = TWILL_FLOW_CTL}},
    .inputs = one_input,
    .chores = {TWILL_CPU(child_body)}};
static const twill_ptg_graph family = {.size = sizeof(twill_ptg_graph),
                                       .name = "family",
                                       .classes = 2,
                                       .cls = (const twill_ptg_class *const[]){&parent, &child}};

static twill_outcome letter_body(twill_task *t)
{
    atomic_fetch_add(&letters[twill_task_int(t, 0)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class letter = {
    .size = sizeof(twill_class), .name = "letter", .chores = {TWILL_CPU(letter_body)}};

int main(void)
{
    twill *tw = start();
    twill_graph *g, *other = begin(tw);
    int unused = 0;
    succeed(twill_ptg_new(tw, &family, &unused, sizeof unused, &g), "twill_ptg_new");
    for (int r = 0; r < RUNS; r++) {
        tasks = LEAST + draw(MOST - LEAST);
        memset(ran, 0, sizeof ran);
        for (int i = 0; i < LETTERS; i++)
            succeed(twill_insert(other, &letter, TWILL_INT(r * LETTERS + i),
                                 TWILL_WORKER(draw((unsigned)twill_workers(tw)))),
                    "twill_insert");
        succeed(twill_ptg_run(g), "twill_ptg_run");
        succeed(twill_wait(g), "twill_wait");
        each_once(ran[0], (int)tasks * (1 + CHILDREN));
    }
    succeed(twill_wait(other), "twill_wait");
    each_once(letters, RUNS * LETTERS);
    twill_stop(tw);
    return 0;
}
