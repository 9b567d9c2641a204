/* Stopping the world.
 *
 * A report looks at tasks, chains and arrays of all workers, which change and go away all the time.
 * So it lets every thread stop before its next step in the engine. A thread is in the engine unless
 * it runs a body, sleeps, waits here, or is in the program's own code; it says so in the record of
 * the worker it acts as. Coming back it says "inside" first and looks for a request afterwards; the
 * report requests first and looks who is inside afterwards, with a fence between that costs the
 * workers nothing (base/fence.h). So at least one of them sees the other. */
#include "engine/engine.h"

void tw_world_open(tw_world *world)
{
    pthread_mutex_init(&world->stopper, NULL);
    pthread_mutex_init(&world->mutex, NULL);
    pthread_cond_init(&world->cond, NULL);
}

void tw_world_close(tw_world *world)
{
    pthread_mutex_destroy(&world->stopper);
    pthread_mutex_destroy(&world->mutex);
    pthread_cond_destroy(&world->cond);
}

/* A thread that is canceled in between would leave the world as it is: not before it goes on. */
void tw_world_stop(twill *tw)
{
    assert(!tw_self(tw) || !tw_is_inside(tw_self(tw)));
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    pthread_mutex_lock(&tw->world.stopper);
    tw->world.cancelable = cancelable;
    pthread_mutex_lock(&tw->world.mutex);
    tw->world.stopped = true;
    pthread_mutex_unlock(&tw->world.mutex);
    for (int i = 0; i <= tw->workers; i++)
        atomic_fetch_or_explicit(&tw->worker[i].requests, TW_REQUEST_STOP, memory_order_relaxed);
    tw_fence_heavy(tw->membarrier); /* pairs with the light one in tw_return */
    for (int i = 0; i <= tw->workers; i++)
        /* acquire pairs with the release in tw_leave */
        while (atomic_load_explicit(&tw->worker[i].inside, memory_order_acquire))
            sched_yield();
}

/* All who were held are inside again before the next one can stop them: they get ahead however
 * often reports are asked for. */
void tw_world_start(twill *tw)
{
    tw_world *world = &tw->world;
    for (int i = 0; i <= tw->workers; i++)
        /* release pairs with the acquire in tw_return */
        atomic_fetch_and_explicit(&tw->worker[i].requests, (uint8_t)~TW_REQUEST_STOP,
                                  memory_order_release);
    pthread_mutex_lock(&world->mutex);
    world->stopped = false;
    pthread_cond_broadcast(&world->cond);
    while (world->held)
        pthread_cond_wait(&world->cond, &world->mutex);
    pthread_mutex_unlock(&world->mutex);
    int cancelable = world->cancelable;
    pthread_mutex_unlock(&world->stopper);
    pthread_setcancelstate(cancelable, NULL);
}

void tw_safepoint(tw_worker *w)
{
    tw_world *world = &w->tw->world;
    if (!w->tw->membarrier)
        tw_fence();
    if (!(atomic_load_explicit(&w->requests, memory_order_acquire) & TW_REQUEST_STOP))
        return;
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    tw_leave(w);
    pthread_mutex_lock(&world->mutex);
    world->held++;
    while (world->stopped)
        pthread_cond_wait(&world->cond, &world->mutex);
    atomic_store_explicit(&w->inside, true, memory_order_relaxed);
    if (--world->held == 0)
        pthread_cond_broadcast(&world->cond);
    pthread_mutex_unlock(&world->mutex);
    pthread_setcancelstate(cancelable, NULL);
}
