/* pthread_create and its relatives. */
#include "know.h"
#include "run.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>

enum { KEYS = 32 };
static struct {
    pthread_key_t key;
    void (*destroy)(void *);
} keys[KEYS];
static int nkeys;

/* As the C library does: destructors of values that are set, again while they set new ones. */
static void destroy_values(void)
{
    bool again = true;
    for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        again = false;
        for (int i = 0; i < nkeys; i++) {
            void *value = pthread_getspecific(keys[i].key);
            if (!value)
                continue;
            pthread_setspecific(keys[i].key, NULL);
            if (keys[i].destroy) {
                keys[i].destroy(value);
                again = true;
            }
        }
    }
}

int explore_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    int rc = pthread_key_create(key, NULL);
    if (rc == 0 && nkeys < KEYS) {
        keys[nkeys].key = *key;
        keys[nkeys++].destroy = destroy;
    }
    return rc;
}

int explore_key_delete(pthread_key_t key)
{
    for (int i = 0; i < nkeys; i++)
        if (keys[i].key == key)
            keys[i] = keys[--nkeys];
    return pthread_key_delete(key);
}

/* A record that nobody can ask for any more, else a new one. Its clock goes on. */
ex_thread *ex_new_thread(void)
{
    int i = 0;
    while (i < EX_THREADS && ex_threads[i].state != EX_UNUSED)
        i++;
    if (i == EX_THREADS)
        ex_report(EX_BROKEN, "too many threads at a time (the explorer has 16)");
    ex_thread *t = &ex_threads[i];
    uint32_t time = t->know.hb.at[i];
    *t = (ex_thread){.id = i,
                     .patience = EX_FAIR_STEPS,
                     .priority = EX_CHANGES + (int64_t)(ex_draw() % 1000000)};
    t->know.hb.at[i] = t->know.view.at[i] = time + 1;
    if (i >= ex.threads)
        ex.threads = i + 1;
    ex_wake(t);
    return t;
}

static _Noreturn void finish(ex_thread *me, void *value)
{
    destroy_values();
    me->value = value;
    ex_know_tick(me);
    ex_end_thread(me);
}

static void entry(void)
{
    ex_thread *me = ex.self;
    finish(me, me->body(me->arg));
}

int explore_thread_create(pthread_t *id, const pthread_attr_t *attr, void *(*body)(void *),
                          void *arg)
{
    ex_thread *me = ex.self, *t = ex_new_thread();
    int detach = PTHREAD_CREATE_JOINABLE;
    if (attr)
        pthread_attr_getdetachstate(attr, &detach);
    t->detached = detach == PTHREAD_CREATE_DETACHED;
    t->body = body;
    t->arg = arg;
    ex_know_join(&t->know, &me->know);
    ex_know_tick(me);
    ex_fiber_begin(&t->fiber, t->id, entry);
    *id = (pthread_t)t->fiber.local;
    ex_point("create", t, EX_HERE);
    return 0;
}

static ex_thread *find(pthread_t id)
{
    for (int i = 0; i < ex.threads; i++)
        if (ex_threads[i].state != EX_UNUSED && ex_threads[i].fiber.local == (uintptr_t)id)
            return &ex_threads[i];
    return NULL;
}

int explore_thread_join(pthread_t id, void **value)
{
    ex_thread *t = find(id);
    if (!t)
        return ESRCH;
    ex_point("join", t, EX_HERE);
    while (t->state != EX_DONE)
        ex_block(EX_ON_JOIN, t, 0);
    ex_know_join(&ex.self->know, &t->know);
    if (value)
        *value = t->value;
    t->state = EX_UNUSED;
    return 0;
}

int explore_thread_detach(pthread_t id)
{
    ex_thread *t = find(id);
    if (!t)
        return ESRCH;
    t->detached = true;
    if (t->state == EX_DONE)
        t->state = EX_UNUSED;
    return 0;
}

_Noreturn void explore_thread_exit(void *value)
{
    finish(ex.self, value);
}

int explore_thread_cancel(pthread_t id)
{
    (void)id;
    ex_report(EX_BROKEN, "the explorer does not know pthread_cancel");
}
