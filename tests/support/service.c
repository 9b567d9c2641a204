/* A service that completes tasks after so many polls. */
#include "support/service.h"

#include <stdlib.h>

typedef struct test_delayed {
    struct test_delayed *next;
    twill_task *task;
    int64_t polls;
} test_delayed;

static twill_outcome hand_over(twill_task *t)
{
    test_service *s = *(test_service *const *)twill_task_data(t, 0);
    test_delayed *d = malloc(sizeof *d);
    if (!d)
        return twill_task_fail(t, "no memory");
    *d = (test_delayed){.task = t, .polls = twill_task_int(t, 1)};
    tw_service_expect(&s->service, 1); /* before it can be finished */
    tw_lock_take(&s->lock);
    d->next = s->list;
    s->list = d;
    tw_unlock(&s->lock);
    atomic_fetch_add(&s->handed, 1);
    return TWILL_ASYNC;
}

const twill_class test_delayed_class = {
    .size = sizeof(twill_class), .name = "delayed", .chores = {TWILL_CPU(hand_over)}};

/* Take those out of the list whose last poll this is. */
static test_delayed *take_due(test_service *s)
{
    test_delayed *due = NULL;
    tw_lock_take(&s->lock);
    for (test_delayed **link = &s->list; *link;) {
        test_delayed *d = *link;
        if (--d->polls > 0) {
            link = &d->next;
            continue;
        }
        *link = d->next;
        d->next = due;
        due = d;
    }
    tw_unlock(&s->lock);
    return due;
}

static void complete(test_service *s, tw_worker *w, twill_task *t)
{
    int64_t *integer = twill_task_array(t, 2) ? twill_task_data(t, 2) : NULL;
    if (integer)
        *integer += 1;
    tw_task_done(w, t, false);
    if (!tw_self(w->tw) && w->index == w->tw->workers)
        atomic_fetch_add(&s->by_helper, 1);
    atomic_fetch_add(&s->done, 1);
    tw_service_settle(&s->service, w, 1);
}

static bool poll(tw_service *service, tw_worker *w)
{
    test_service *s = (test_service *)service;
    if (atomic_fetch_add(&s->inside, 1) > 0)
        atomic_fetch_add(&s->crowded, 1);
    atomic_fetch_add(&s->polls, 1);
    if (tw_self(w->tw) == w)
        atomic_fetch_add(&s->by_workers, 1);
    test_delayed *due = atomic_load(&s->closed) ? NULL : take_due(s);
    bool happened = due;
    while (due) {
        test_delayed *d = due;
        due = d->next;
        complete(s, w, d->task);
        free(d);
    }
    atomic_fetch_sub(&s->inside, 1);
    return happened;
}

void test_service_add(test_service *s, twill *tw)
{
    *s = (test_service){.service = {.name = "delays", .things = "tasks", .poll = poll}};
    OK(tw_service_add(tw, &s->service));
}
