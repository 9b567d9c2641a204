/* A run without any task, and a task that waits for the end of the run: whoever ends the run while
 * it goes to sleep does not take the task with it. */
#include "_common.h"

enum { ROUNDS = 6 };
typedef struct globals {
    twill_array *a;
} globals;

static atomic_int ran;

static int64_t inputs(const void *g, const int64_t *p)
{
    (void)g, (void)p;
    return 1;
}

static twill_outcome body(twill_task *t, const void *g, const int64_t *p, const twill_flow *f)
{
    (void)t, (void)g, (void)p, (void)f;
    return TWILL_DONE;
}

static const twill_ptg_class cls = {.size = sizeof(twill_ptg_class),
                                    .name = "never",
                                    .parameters = 1,
                                    .parameter = (const char *const[]){"i"},
                                    .inputs = inputs,
                                    .chores = {TWILL_CPU(body)}};
static const twill_ptg_graph definition = {
    .size = sizeof(twill_ptg_graph),
    .name = "empty",
    .classes = 1,
    .cls = (const twill_ptg_class *const[]){&cls},
    .collections = 1,
    .collection = (const twill_ptg_collection[]){
        {.name = "a", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE}}};

static twill_outcome behind_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class behind = {
    .size = sizeof(twill_class), .name = "behind", .chores = {TWILL_CPU(behind_body)}};

int main(void)
{
    twill *tw = start();
    globals with = {integers(tw, 1)};
    twill_graph *g = begin(tw), *p;
    succeed(twill_ptg_new(tw, &definition, &with, sizeof with, &p), "twill_ptg_new");
    for (int r = 0; r < ROUNDS; r++) {
        nap_ns((long)draw(4000)); /* they search for some microseconds before they sleep */
        succeed(twill_ptg_run(p), "twill_ptg_run");
        succeed(twill_insert(g, &behind, TWILL_RW(twill_tile_at(with.a, 0, 0))), "twill_insert");
        succeed(twill_wait(g), "twill_wait");
        succeed(twill_wait(p), "twill_wait");
    }
    must(ran == ROUNDS, "a task did not run");
    twill_stop(tw);
    return 0;
}
