/* The helper thread: polls services when all workers are in bodies that take long.
 *
 * It exists while there are services. It polls a service that expects something and that nobody has
 * polled for LATE_US, and sleeps as long. Bodies that are shorter than that leave it nothing to do,
 * and those that are longer wait no more than one of their own lengths for a message; looking
 * around that often costs less than a hundredth of a core, and nothing while nothing is expected.
 *
 * A service that is attentive is polled as well while nothing is expected: copies of other ranks
 * come at any time. After one of them more may follow, so it looks again soon, and then less and
 * less often.
 *
 * It acts as the external worker, like a thread of the program that completes a task: it queues
 * what it makes ready and runs none of it. */
#include "engine/engine.h"

enum { LATE_US = 500, SOON_US = 50, QUIET_ROUNDS = 20 };

static bool is_stopped(const tw_services *services)
{
    return atomic_load_explicit(&services->stop, memory_order_relaxed);
}

/* Not as the primary worker, even if it is free: a thread that wants to wait would find it taken
 * and nap. */
static bool poll_late(twill *tw, uint64_t ticks)
{
    tw_worker *w = &tw->worker[tw->workers];
    tw_lock_take(&w->acting);
    tw_return(w);
    bool happened = tw_poll_late(w, ticks);
    tw_exit(w);
    return happened;
}

static bool patrol(twill *tw, int late_us)
{
    uint64_t ticks = (uint64_t)late_us * tw->us_ticks;
    bool happened = false;
    while (poll_late(tw, ticks) && !is_stopped(&tw->services)) {
        ticks = 0; /* where something happens, more may follow */
        happened = true;
    }
    return happened;
}

/* How long until it looks again. Workers poll what is expected: then it is only there for long
 * bodies. */
static int next_pause(const twill *tw, bool happened, int pause_us)
{
    if (tw_is_expecting(tw))
        return LATE_US;
    return happened ? SOON_US : 2 * pause_us < LATE_US ? 2 * pause_us : LATE_US;
}

/* Nothing has been expected for some rounds. */
static void sleep_until_called(twill *tw)
{
    tw_services *services = &tw->services;
    atomic_store_explicit(&services->asleep, true, memory_order_relaxed);
    tw_fence(); /* pairs with the one in tw_helper_call: announce, then look */
    if (!tw_is_expecting(tw) && !is_stopped(services))
        tw_park(&services->parker);
    atomic_store_explicit(&services->asleep, false, memory_order_relaxed);
}

static void *help(void *arg)
{
    twill *tw = arg;
    int quiet = 0, pause_us = LATE_US;
    while (!is_stopped(&tw->services)) {
        bool attends = atomic_load_explicit(&tw->services.attend, memory_order_relaxed);
        quiet = tw_is_expecting(tw) || attends ? 0 : quiet + 1;
        if (quiet > QUIET_ROUNDS) {
            sleep_until_called(tw);
            quiet = 0;
        }
        tw_park_for(&tw->services.parker, pause_us * 1e-6);
        bool happened = (tw_is_expecting(tw) || attends) && patrol(tw, pause_us);
        pause_us = next_pause(tw, happened, pause_us);
    }
    return NULL;
}

bool tw_helper_start(twill *tw)
{
    tw_services *services = &tw->services;
    atomic_store_explicit(&services->stop, false, memory_order_relaxed);
    services->helping = pthread_create(&services->helper, NULL, help, tw) == 0;
    return services->helping;
}

void tw_helper_stop(twill *tw)
{
    tw_services *services = &tw->services;
    if (!services->helping)
        return;
    atomic_store_explicit(&services->stop, true, memory_order_relaxed);
    tw_unpark(&services->parker);
    pthread_join(services->helper, NULL);
    services->helping = false;
}

void tw_helper_call(twill *tw)
{
    tw_fence(); /* pairs with the one in sleep_until_called */
    if (atomic_load_explicit(&tw->services.asleep, memory_order_relaxed))
        tw_unpark(&tw->services.parker);
}
