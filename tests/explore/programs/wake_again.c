/* A task that asks for another try while two long tasks begin: with a third worker free, it need
 * not wait for one of them, by the virtual clock. */
#include "_common.h"

enum { ROUNDS = 4, LONG_NS = 30000000 };
static atomic_int tries, ended, over, late;

static twill_outcome again_body(twill_task *t)
{
    (void)t;
    progress();
    if (atomic_fetch_add(&tries, 1) == 0)
        return TWILL_AGAIN;
    if (atomic_load(&ended))
        atomic_store(&late, 1);
    atomic_store(&over, 1);
    return TWILL_DONE;
}

static twill_outcome long_body(twill_task *t)
{
    (void)t;
    nap_ns(LONG_NS);
    atomic_fetch_add(&ended, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class again = {
    .size = sizeof(twill_class), .name = "again", .chores = {TWILL_CPU(again_body)}};
static const twill_class lengthy = {
    .size = sizeof(twill_class), .name = "long", .chores = {TWILL_CPU(long_body)}};

int main(void)
{
    twill *tw = start_with((twill_options){.spin_us = 20});
    twill_graph *g = begin(tw);
    bool three_are_free = twill_workers(tw) > 3; /* this thread does not work */
    for (int r = 0; r < ROUNDS; r++) {
        tries = ended = over = 0;
        nap_ns((long)draw(30000)); /* they search for 20 us before they sleep */
        for (int i = 0, first = (int)draw(3); i < 3; i++)
            succeed(twill_insert(g, i == first ? &again : &lengthy, TWILL_INT(i)), "twill_insert");
        while ((ended < 2 || !over) && twill_workers(tw) > 1)
            nap_ns(10000000);
        if (late && three_are_free)
            wrong("the second try began when a long task was over, others asleep");
    }
    succeed(twill_wait(g), "twill_wait");
    must(ended == 2 && over, "a task did not run");
    twill_stop(tw);
    return 0;
}
