/* Opening devices, and the service that polls them. */
#include "base/abi.h"
#include "device/drivers.h"
#include "engine/device/executors.h"
#include "engine/device/rates.h"

#include <twill/device.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the service ---------------------------------------------------------------------------- */

static tw_executors *executors_of(tw_service *s)
{
    return (tw_executors *)(void *)s; /* it is the first member */
}

static bool poll_device(tw_executor_record *e, tw_worker *w)
{
    bool some = e->executor->poll(e->executor, w);
    some |= tw_executor_let_go(e, w);
    some |= tw_executor_take(e, w);
    return some | tw_executor_launch(e, w);
}

static bool poll(tw_service *s, tw_worker *w)
{
    tw_executors *all = executors_of(s);
    /* before they look: what is pushed from now on is announced again; acquire: it is there */
    bool asked = atomic_exchange_explicit(&all->asked, false, memory_order_acq_rel);
    bool some = tw_replicas_poll(&s->tw->data.replicas, w);
    for (int i = 1; i <= all->n; i++)
        some |= poll_device(all->executor[i], w);
    if (asked)
        tw_service_settle(s, w, 1);
    return some;
}

static void expect_copies(tw_replicas *all, int copies, void *poller)
{
    twill *tw = (twill *)(void *)((char *)all - offsetof(twill, data.replicas));
    if (copies > 0)
        tw_service_expect(&tw->executors->service, copies);
    else
        tw_service_settle(&tw->executors->service, poller, -copies);
}

/* ---- opening -------------------------------------------------------------------------------- */

static void add_device(twill *tw, tw_device *device)
{
    device->number = tw_replicas_add(&tw->data.replicas, device->space);
    tw->device[device->number] = device;
    for (int i = 0; i <= tw->workers; i++)
        tw->worker[i].task_flags = TW_TASK_PREPARE;
}

static void close_device(tw_device *device)
{
    tw_executor_record *e = (tw_executor_record *)(void *)device;
    e->executor->close(e->executor);
    free(e->flights);
    free(e->name);
    free(e);
}

static tw_executor_record *new_record(const tw_device_entry *entry, int lanes)
{
    tw_executor_record *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    e->name = malloc(sizeof entry->kind + 32);
    e->flights = calloc((size_t)lanes, sizeof *e->flights);
    if (!e->name || !e->flights) {
        free(e->name);
        free(e->flights);
        free(e);
        return NULL;
    }
    for (int i = 0; i < lanes; i++) {
        e->flights[i].next = e->free;
        e->flights[i].executor = e;
        e->free = &e->flights[i];
    }
    return e;
}

/* Enough that lanes never wait for the data of the next tasks. */
static int most_tasks(int lanes)
{
    return 2 * lanes + 1;
}

/* Can data come from each of the devices to each other one? */
static bool is_reached(const twill *tw, const tw_space *space)
{
    for (int i = 1; i <= tw->executors->n; i++) {
        const tw_space *other = tw->executors->executor[i]->executor->space;
        if (!space->reaches || !space->reaches(space, other) || !other->reaches ||
            !other->reaches(other, space))
            return false;
    }
    return true;
}

static twill_status add_executor(twill *tw, const tw_driver *driver, const tw_device_entry *entry,
                                 int index, int copy, tw_executor *executor)
{
    tw_executors *all = tw->executors;
    if (!is_reached(tw, executor->space)) {
        executor->close(executor);
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "option devices (TWILL_DEVICES): %s:%d and %s cannot copy from one another: "
                       "leave one out, or open them in two contexts",
                       driver->name, index, all->executor[1]->name);
    }
    tw_executor_record *e = new_record(entry, executor->lanes);
    if (!e) {
        executor->close(executor);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for device %s", executor->name);
    }
    if (entry->times > 1)
        snprintf(e->name, sizeof entry->kind + 32, "%s:%d.%d", driver->name, index, copy + 1);
    else
        snprintf(e->name, sizeof entry->kind + 32, "%s:%d", driver->name, index);
    e->executor = executor;
    e->kind = driver->kind;
    e->slow = entry->slow;
    e->fail = entry->fail;
    e->random = (uint64_t)all->n;
    e->most = most_tasks(executor->lanes);
    e->device = (tw_device){.name = e->name, .space = executor->space, .close = close_device};
    add_device(tw, &e->device);
    e->number = e->device.number;
    all->executor[++all->n] = e;
    all->kinds[e->kind] |= (uint16_t)(1u << e->number);
    return TWILL_OK;
}

static twill_status open_one(twill *tw, const tw_driver *driver, const tw_device_entry *entry,
                             int index)
{
    twill_status status = TWILL_OK;
    for (int copy = 0; copy < entry->times && status == TWILL_OK; copy++) {
        tw_executor *executor;
        if (tw->executors->n == TW_DEVICES)
            return tw_fail(TWILL_ERR_OPTION,
                           "option devices (TWILL_DEVICES): a context has at most %d devices",
                           TW_DEVICES);
        status = driver->open(index, &entry->settings, &executor);
        if (status == TWILL_OK)
            status = add_executor(tw, driver, entry, index, copy, executor);
    }
    return status;
}

static twill_status open_entry(twill *tw, const tw_device_entry *entry)
{
    const tw_driver *driver;
    twill_status status = tw_driver_find(entry->kind, &driver);
    if (status != TWILL_OK)
        return status;
    int count = driver->count();
    if (count == 0 || entry->index >= count)
        return tw_fail(TWILL_ERR_OPTION,
                       "option devices (TWILL_DEVICES): there is no device %s:%d; of that kind "
                       "there are %d",
                       entry->kind, entry->index < 0 ? 0 : entry->index, count);
    if (entry->index >= 0)
        return open_one(tw, driver, entry, entry->index);
    for (int i = 0; i < count && status == TWILL_OK; i++)
        status = open_one(tw, driver, entry, i);
    return status;
}

/* Is the device one that another driver has opened already? */
static bool is_open(const twill *tw, const tw_executor *executor)
{
    for (int i = 1; *executor->place && i <= tw->executors->n; i++)
        if (!strcmp(tw->executors->executor[i]->executor->place, executor->place))
            return true;
    return false;
}

/* What can be opened is; the rest is left out. */
static void open_driver(twill *tw, const char *name, bool with_cpus)
{
    tw_device_entry entry = {.times = 1, .slow = 1};
    const tw_driver *driver;
    if (tw_driver_find(name, &driver) != TWILL_OK)
        return;
    snprintf(entry.kind, sizeof entry.kind, "%s", name);
    for (int i = 0; i < driver->count() && tw->executors->n < TW_DEVICES; i++) {
        tw_executor *executor;
        if ((!with_cpus && driver->is_cpu(i)) ||
            driver->open(i, &entry.settings, &executor) != TWILL_OK)
            continue;
        if (is_open(tw, executor))
            executor->close(executor);
        else
            (void)add_executor(tw, driver, &entry, i, 0, executor);
    }
}

static twill_status open_list(twill *tw, const tw_device_list *list)
{
    twill_status status = TWILL_OK;
    if (list->automatic && (list->with_cpus || tw_driver_plausible()))
        for (const char *const *name = tw_driver_names; *name; name++)
            if (strcmp(*name, tw_host_driver.name) != 0)
                open_driver(tw, *name, list->with_cpus);
    for (int i = 0; i < list->n && status == TWILL_OK; i++)
        status = open_entry(tw, &list->entry[i]);
    return status;
}

static twill_status open_shadow(twill *tw)
{
    const char *shadow = tw->options.text[TW_OPT_SHADOW];
    tw_device *device = NULL;
    if (!strcmp(shadow, "off"))
        return TWILL_OK;
    twill_status status = tw_shadow_open(shadow, &device);
    if (status == TWILL_OK)
        add_device(tw, device);
    return status;
}

twill_status tw_devices_open(twill *tw)
{
    tw_device_list list;
    tw_replicas_open(&tw->data.replicas, expect_copies);
    twill_status status = tw_device_list_read(tw->options.text[TW_OPT_DEVICES], &list);
    if (status != TWILL_OK)
        return status;
    tw->executors = calloc(1, sizeof *tw->executors);
    if (!tw->executors)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for devices");
    tw->executors->service =
        (tw_service){.name = "devices", .things = "tasks and copies", .poll = poll};
    tw->executors->cpu = list.cpu || tw->sched->immediate;
    status = open_list(tw, &list);
    if (status == TWILL_OK)
        status = open_shadow(tw);
    tw->accelerated = tw->executors->n > 0 && !tw->sched->immediate;
    if (tw->accelerated && status == TWILL_OK)
        tw_rates_open(tw);
    for (int i = 1; i <= tw->executors->n; i++)
        if (tw->executors->executor[i]->executor->is_cpu) { /* as tw_share_cores, before workers */
            atomic_store_explicit(&tw->oversubscribed, true, memory_order_relaxed);
            atomic_store_explicit(&tw->bind, false, memory_order_relaxed);
        }
    return status;
}

twill_status tw_devices_begin(twill *tw)
{
    if (tw->data.replicas.spaces == 1)
        return TWILL_OK;
    return tw_service_add(tw, &tw->executors->service);
}

void tw_devices_close(twill *tw)
{
    tw_rates_close(tw);
    for (int i = 1; i < TW_SPACES; i++)
        if (tw->device[i])
            tw->device[i]->close(tw->device[i]);
    free(tw->executors);
}

/* ---- questions ------------------------------------------------------------------------------ */

int twill_devices(const twill *tw)
{
    return tw->executors->n;
}

twill_status twill_device_get(const twill *tw, int device, twill_device_info *info)
{
    if (!tw || !info || device < 1 || device > tw->executors->n)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_device_get: there is no device %d; there are %d",
                       device, tw ? tw->executors->n : 0);
    tw_executor_record *e = tw->executors->executor[device];
    tw_replicas *all = &((twill *)tw)->data.replicas;
    tw_lock_take(&all->lock);
    tw_residents in = all->in[e->number];
    tw_unlock(&all->lock);
    const twill_device_info known = {.size = sizeof known,
                                     .name = e->name,
                                     .about = e->executor->about,
                                     .place = e->executor->place,
                                     .numa = e->executor->numa,
                                     .lanes = e->executor->lanes,
                                     .room = (int64_t)e->device.space->room,
                                     .used = (int64_t)in.used,
                                     .tasks = atomic_load_explicit(&e->tasks, memory_order_relaxed),
                                     .bytes_in = in.bytes_in,
                                     .bytes_out = in.bytes_out,
                                     .failed =
                                         atomic_load_explicit(&e->failed, memory_order_relaxed)};
    return TW_ABI_OUT(twill_device_info, reserved, info, &known);
}
