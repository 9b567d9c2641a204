/* Services: tasks end when a service has been polled, whether workers are idle, asleep or busy, and
 * whether the program waits. A bodiless expectation comes and goes beside them. */
#include "_common.h"

#include "engine/engine.h"

enum { TASKS = 4 };

typedef struct delays {
    tw_service service; /* first */
    _Atomic(twill_task *) left[TASKS];
    atomic_int done, polling, spare;
} delays;

static delays d;
static atomic_int ran[TASKS], after[TASKS];
static bool finished[TASKS];

static bool poll(tw_service *s, tw_worker *w)
{
    bool happened = false;
    must(atomic_fetch_add(&d.polling, 1) == 0, "two threads poll one service");
    for (int i = 0; i < TASKS; i++) {
        twill_task *t = atomic_exchange(&d.left[i], NULL);
        if (!t)
            continue;
        happened = true;
        finished[i] = true;
        tw_task_done(w, t, false);
        tw_service_settle(s, w, 1);
        atomic_fetch_add(&d.done, 1);
        progress();
    }
    if (atomic_exchange(&d.spare, 0)) {
        tw_service_settle(s, w, 1);
        happened = true;
    }
    atomic_fetch_sub(&d.polling, 1);
    return happened;
}

static twill_outcome async_body(twill_task *t)
{
    int i = (int)twill_task_int(t, 1);
    atomic_fetch_add(&ran[i], 1);
    tw_service_expect(&d.service, 1);
    atomic_store(&d.left[i], t);
    nap_ns(i % 2 ? 0 : 2000000);
    progress();
    return TWILL_ASYNC;
}

static twill_outcome after_body(twill_task *t)
{
    int i = (int)twill_task_int(t, 1);
    must(finished[i], "a task ran before what it depends on was complete");
    atomic_fetch_add(&after[i], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};
static const twill_class later = {
    .size = sizeof(twill_class), .name = "later", .chores = {TWILL_CPU(after_body)}};

int main(void)
{
    twill *tw = start();
    twill_array *a = integers(tw, TASKS);
    twill_graph *g = begin(tw);
    d.service = (tw_service){.name = "delays", .things = "tasks", .poll = poll};
    d.service.nap_ns = draw(2) ? 0 : 100000;
    atomic_init(&d.service.interval_ticks, draw(2) * 1000);
    succeed(tw_service_add(tw, &d.service), "tw_service_add");
    for (int i = 0; i < TASKS; i++) {
        twill_tile *tile = twill_tile_at(a, i, 0);
        succeed(twill_insert(g, &async, TWILL_RW(tile), TWILL_INT(i)), "twill_insert");
        succeed(twill_insert(g, &later, TWILL_R(tile), TWILL_INT(i)), "twill_insert");
        nap_ns((long)draw(3) * 3000);
    }
    if (draw(2)) {
        tw_service_expect(&d.service, 1);
        atomic_store(&d.spare, 1);
    }
    if (draw(2) && (twill_workers(tw) > 1)) /* nobody waits: workers, or the helper, do it */
        while (atomic_load(&d.done) < TASKS)
            nap_ns(1000000);
    succeed(twill_wait(g), "twill_wait");
    each_once(ran, TASKS);
    each_once(after, TASKS);
    if (draw(2))
        tw_service_remove(&d.service);
    twill_stop(tw);
    return 0;
}
