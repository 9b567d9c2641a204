/* Executors of drivers, without the engine. */
#include "support/devices.h"

#include "support/test.h"

#include <sched.h>
#include <string.h>

int device_drivers(const tw_driver *drivers[2])
{
    static const char *const names[] = {"opencl", "cuda"};
    int n = 0;
    for (int i = 0; i < COUNT(names); i++)
        if (tw_driver_load(names[i], &drivers[n]) == TWILL_OK && drivers[n]->count() > 0)
            n++;
    return n;
}

tw_executor *device_executor(const tw_driver *driver, int lanes)
{
    const tw_device_settings settings = {.room = 64 << 20, .lanes = lanes};
    tw_executor *e = NULL;
    OK(driver->open(0, &settings, &e));
    return e;
}

/* ---- copies ------------------------------------------------------------------------------ */

typedef struct copying {
    tw_copy copy; /* first */
    int done;
    twill_status status;
} copying;

static int poller_of_tests;

static void copied(tw_copy *copy, twill_status status, void *poller)
{
    copying *c = (copying *)copy;
    assert_ptr_equal(poller, &poller_of_tests);
    c->done++;
    c->status = status;
}

twill_status device_move(tw_executor *e, void *to, int64_t ld_to, const void *from, int64_t ld_from,
                         int64_t m, int64_t n, size_t size)
{
    size_t offset;
    copying c = {.copy = {.to = to,
                          .from = from,
                          .ld_to = (size_t)ld_to * size,
                          .ld_from = (size_t)ld_from * size,
                          .rows = (size_t)m * size,
                          .cols = (size_t)n,
                          .into = e->locate(e, to, &offset) ? e->space : NULL,
                          .out_of = e->locate(e, from, &offset) ? e->space : NULL,
                          .done = copied}};
    e->space->start(e->space, &c.copy);
    assert_int_equal(c.done, 0);
    while (!c.done)
        if (!e->poll(e, &poller_of_tests))
            sched_yield();
    assert_int_equal(c.done, 1);
    return c.status;
}

tw_place device_store(tw_executor *e, const void *from, int64_t ld, int64_t m, int64_t n,
                      size_t size)
{
    tw_place place = {.at = e->space->alloc(e->space, (size_t)(m * n) * size), .ld = m};
    assert_non_null(place.at);
    OK(device_move(e, place.at, m, from, ld, m, n, size));
    return place;
}

void device_fetch(tw_executor *e, void *to, int64_t ld, tw_place from, int64_t m, int64_t n,
                  size_t size)
{
    OK(device_move(e, to, ld, from.at, from.ld, m, n, size));
}

void device_drop(tw_executor *e, tw_place place, int64_t m, int64_t n, size_t size)
{
    e->space->free(e->space, place.at, (size_t)(m * n) * size);
}

/* ---- launches ---------------------------------------------------------------------------- */

typedef struct outcome {
    int done;
    twill_status status;
    int32_t info[2];
} outcome;

static void launched(tw_launch *launch, twill_status status, void *poller)
{
    outcome *o = launch->owner;
    (void)poller;
    o->done++;
    o->status = status;
    memcpy(o->info, launch->info, sizeof o->info);
}

void device_begin(tw_executor *e, tw_launch *launch)
{
    *launch = (tw_launch){.done = launched};
    assert_true(e->begin(e, launch));
    assert_non_null(launch->lane);
}

twill_status device_end(tw_executor *e, tw_launch *launch, twill_status status, int32_t info[2])
{
    outcome o = {0};
    launch->owner = &o;
    e->end(e, launch);
    assert_int_equal(o.done, 0);
    while (!o.done)
        if (!e->poll(e, &poller_of_tests))
            sched_yield();
    assert_int_equal(o.done, 1);
    assert_true(launch->seconds >= 0);
    if (info)
        memcpy(info, o.info, sizeof o.info);
    return status == TWILL_OK ? o.status : status;
}
