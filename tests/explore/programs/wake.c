/* Idle and wake: two long tasks are inserted while the workers go to sleep. With two workers free
 * each begins before the other has ended, by the virtual clock. */
#include "_common.h"

enum { ROUNDS = 4, LONG_NS = 30000000 };
static atomic_int over, begun, ended, apart;

static twill_outcome brief(twill_task *t)
{
    (void)t;
    atomic_store(&over, 1);
    progress();
    return TWILL_DONE;
}

static twill_outcome lengthy(twill_task *t)
{
    (void)t;
    if (atomic_load(&ended))
        atomic_store(&apart, 1);
    atomic_fetch_add(&begun, 1);
    nap_ns(LONG_NS);
    atomic_fetch_add(&ended, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class brief_class = {.name = "brief", .cpu = brief};
static const twill_class long_class = {.name = "long", .cpu = lengthy};

int main(void)
{
    twill *tw = start_with((twill_options){.spin_us = 20});
    twill_graph *g = begin(tw);
    bool two_are_free = twill_workers(tw) > 2; /* this thread does not work */
    nap_ns(5000000);
    for (int r = 0; r < ROUNDS; r++) {
        over = begun = ended = 0;
        succeed(twill_insert(g, &brief_class, TWILL_INT(0)), "twill_insert");
        while (!over && twill_workers(tw) > 1)
            nap_ns(200);
        nap_ns((long)draw(30000)); /* they search for 20 us before they sleep */
        for (int i = 0; i < 2; i++)
            succeed(twill_insert(g, &long_class, TWILL_INT(i)), "twill_insert");
        while (ended < 2 && twill_workers(tw) > 1)
            nap_ns(10000000);
        if (apart && two_are_free)
            wrong("the second task began when the first was over, others asleep");
    }
    succeed(twill_wait(g), "twill_wait");
    must(ended == 2, "a task did not run");
    twill_stop(tw);
    return 0;
}
