/* Mutexes, conditions, once, barriers and semaphores. Their state is kept here; the objects of the
 * C library stay as they were initialised. */
#include "location.h"
#include "race.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* The point, and a use of the object's memory. */
static ex_location *at(const char *what, const volatile void *object, void *pc)
{
    ex_point(what, object, pc);
    ex_access(object, 1, EX_ATOMIC, pc);
    return ex_location_make(object);
}

static void acquire(ex_location *l)
{
    while (l->owner)
        ex_block(EX_ON_MUTEX, (void *)l->address, 0);
    l->owner = ex.self;
    ex_acquire(ex.self, l->lock);
}

static void release(ex_location *l)
{
    l->owner = NULL;
    ex_release(ex.self, &l->lock);
    ex_wake_some(EX_ON_MUTEX, (void *)l->address, EX_THREADS);
}

/* ---- mutexes ------------------------------------------------------------------------------ */

int explore_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    at("init", m, EX_HERE)->owner = NULL;
    return pthread_mutex_init(m, attr);
}

int explore_mutex_destroy(pthread_mutex_t *m)
{
    if (at("destroy", m, EX_HERE)->owner)
        ex_report(EX_WRONG, "a mutex that is held is destroyed");
    return pthread_mutex_destroy(m);
}

int explore_mutex_lock(pthread_mutex_t *m)
{
    ex_location *l = at("lock", m, EX_HERE);
    if (l->owner == ex.self && m->__data.__kind == PTHREAD_MUTEX_RECURSIVE)
        l->count++;
    else
        acquire(l);
    return 0;
}

int explore_mutex_trylock(pthread_mutex_t *m)
{
    ex_location *l = at("trylock", m, EX_HERE);
    if (l->owner)
        return EBUSY;
    acquire(l);
    return 0;
}

int explore_mutex_unlock(pthread_mutex_t *m)
{
    ex_location *l = ex_location_make(m);
    if (l->owner != ex.self)
        ex_report(EX_WRONG, "a mutex is unlocked by a thread that does not hold it");
    ex_access(m, 1, EX_ATOMIC, EX_HERE); /* not later: the next owner may destroy it */
    if (l->count > 0)
        l->count--;
    else
        release(l);
    ex_point("unlock", m, EX_HERE);
    return 0;
}

/* ---- conditions --------------------------------------------------------------------------- */

static int await(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
    if (deadline && deadline <= ex_now())
        return ETIMEDOUT;
    if (ex_one_in(ex.spurious))
        return 0;
    ex_location *l = ex_location_make(m);
    release(l);
    ex_block(EX_ON_SIGNAL, c, deadline);
    int rc = ex.self->timed_out ? ETIMEDOUT : 0;
    acquire(l);
    return rc;
}

int explore_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    at("wait", c, EX_HERE);
    return await(c, m, 0);
}

/* All clocks show the same virtual time. */
int explore_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until)
{
    at("timedwait", c, EX_HERE);
    return await(c, m, ex_ns(until));
}

int explore_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                           const struct timespec *until)
{
    (void)clock;
    at("clockwait", c, EX_HERE);
    return await(c, m, ex_ns(until));
}

int explore_cond_signal(pthread_cond_t *c)
{
    at("signal", c, EX_HERE);
    ex_wake_some(EX_ON_SIGNAL, c, 1);
    return 0;
}

int explore_cond_broadcast(pthread_cond_t *c)
{
    at("broadcast", c, EX_HERE);
    ex_wake_some(EX_ON_SIGNAL, c, EX_THREADS);
    return 0;
}

/* ---- once, barriers, semaphores ------------------------------------------------------------- */

int explore_once(pthread_once_t *once, void (*f)(void))
{
    ex_location *l = at("once", once, EX_HERE);
    acquire(l);
    if (!l->count) {
        f();
        l->count = 1;
    }
    release(l);
    return 0;
}

int explore_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attr, unsigned n)
{
    (void)attr;
    ex_location *l = at("barrier", b, EX_HERE);
    l->count = 0;
    l->floor = n;
    return 0;
}

int explore_barrier_destroy(pthread_barrier_t *b)
{
    at("destroy", b, EX_HERE);
    return 0;
}

int explore_barrier_wait(pthread_barrier_t *b)
{
    ex_location *l = at("barrier", b, EX_HERE);
    ex_thread *me = ex.self;
    if (l->lock)
        ex_know_join(&me->know, &l->lock->know);
    ex_release(me, &l->lock);
    bool last = ++l->count == (int)l->floor;
    if (last) {
        l->count = 0;
        ex_wake_some(EX_ON_SIGNAL, b, EX_THREADS);
    } else {
        ex_block(EX_ON_SIGNAL, b, 0);
    }
    ex_acquire(me, l->lock);
    return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int explore_sem_init(sem_t *s, int shared, unsigned value)
{
    (void)shared;
    at("sem_init", s, EX_HERE)->count = (int)value;
    return 0;
}

int explore_sem_destroy(sem_t *s)
{
    at("destroy", s, EX_HERE);
    return 0;
}

static int take(ex_location *l, sem_t *s, bool wait, uint64_t deadline)
{
    while (!l->count) {
        bool late = deadline && deadline <= ex_now();
        if (!wait || late) {
            errno = late ? ETIMEDOUT : EAGAIN;
            return -1;
        }
        ex_block(EX_ON_SIGNAL, s, deadline);
    }
    l->count--;
    ex_acquire(ex.self, l->lock);
    return 0;
}

int explore_sem_wait(sem_t *s)
{
    return take(at("sem_wait", s, EX_HERE), s, true, 0);
}

int explore_sem_trywait(sem_t *s)
{
    return take(at("sem_trywait", s, EX_HERE), s, false, 0);
}

int explore_sem_timedwait(sem_t *s, const struct timespec *until)
{
    return take(at("sem_timedwait", s, EX_HERE), s, true, ex_ns(until));
}

int explore_sem_post(sem_t *s)
{
    ex_location *l = at("sem_post", s, EX_HERE);
    l->count++;
    if (l->lock) /* several may have posted */
        ex_know_join(&ex.self->know, &l->lock->know);
    ex_release(ex.self, &l->lock);
    ex_wake_some(EX_ON_SIGNAL, s, 1);
    return 0;
}
