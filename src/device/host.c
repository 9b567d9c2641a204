/* The host driver: devices that are none, on main memory.
 *
 * For tests of bodies and of the library: what real devices do at their own time, threads do here
 * (number 0: one for the lanes, one for copies), or whoever polls (number 1: a few steps of a lane
 * or a copy that chance chooses). Bodies enqueue calls (twill_queue_call). */
#include "base/lock.h"
#include "base/mix.h"
#include "base/status.h"
#include "device/drivers.h"

#include <twill/device.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LANES = 64, NAME = 32 };

/* A call, or (NULL) the end of what a launch is. */
typedef struct job {
    struct job *next;
    void (*call)(void *arg);
    struct lane *lane;
    _Alignas(16) char arg[];
} job;

typedef struct lane {
    struct host *device;
    tw_launch *launch; /* NULL: it is free; the poller's */
    job *first, *last; /* under the device's mutex */
    job *end;          /* made when the lane is taken, so that ending needs no memory */
    int32_t info[2];
} lane;

typedef struct host {
    tw_executor executor; /* first: what others see */
    tw_space space;
    char name[NAME];
    bool threads;
    uint64_t random;       /* the poller's */
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t cond;
    bool stopping;
    tw_copy *copies, *copied; /* to be made; made */
    tw_launch *ended;
    int next_lane; /* that has its turn */
    pthread_t worker[2];
    lane lanes[MOST_LANES];
} host;

/* ---- work: with the mutex, which is left for it -------------------------------------------- */

static job *take_job(host *h)
{
    for (int i = 0; i < h->executor.lanes; i++) {
        lane *l = &h->lanes[(h->next_lane + i) % h->executor.lanes];
        job *j = l->first;
        if (!j)
            continue;
        l->first = j->next;
        h->next_lane = (h->next_lane + i + 1) % h->executor.lanes;
        return j;
    }
    return NULL;
}

/* Do the next job of the lane whose turn it is; false when there is none. One thread at a time. */
static bool step_lane(host *h)
{
    job *j = take_job(h);
    if (!j)
        return false;
    if (!j->call) {
        j->lane->launch->next = h->ended;
        h->ended = j->lane->launch;
        return true;
    }
    pthread_mutex_unlock(&h->mutex);
    j->call(j->arg);
    free(j);
    pthread_mutex_lock(&h->mutex);
    return true;
}

static bool step_copy(host *h)
{
    tw_copy *copy = h->copies;
    if (!copy)
        return false;
    h->copies = copy->next;
    pthread_mutex_unlock(&h->mutex);
    tw_host.copy_2d(&tw_host, copy->to, copy->ld_to, copy->from, copy->ld_from, copy->rows,
                    copy->cols);
    pthread_mutex_lock(&h->mutex);
    copy->next = h->copied;
    h->copied = copy;
    return true;
}

static void work(host *h, bool (*step)(host *h))
{
    pthread_mutex_lock(&h->mutex);
    while (!h->stopping)
        if (!step(h))
            pthread_cond_wait(&h->cond, &h->mutex);
    pthread_mutex_unlock(&h->mutex);
}

static void *work_lanes(void *arg)
{
    work(arg, step_lane);
    return NULL;
}

static void *work_copies(void *arg)
{
    work(arg, step_copy);
    return NULL;
}

/* ---- lanes -------------------------------------------------------------------------------- */

static host *host_of(tw_executor *e)
{
    return (host *)(void *)e;
}

static void enqueue(lane *l, job *j)
{
    host *h = l->device;
    pthread_mutex_lock(&h->mutex);
    j->next = NULL;
    *(l->first ? &l->last->next : &l->first) = j;
    l->last = j;
    pthread_cond_broadcast(&h->cond);
    pthread_mutex_unlock(&h->mutex);
}

twill_status twill_queue_call(void *queue, void (*call)(void *arg), const void *arg, size_t size)
{
    lane *l = queue;
    job *j = l && call ? malloc(sizeof *j + size) : NULL;
    if (!l || !call)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_queue_call: an argument is NULL");
    if (!j)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a call on a device");
    j->call = call;
    j->lane = l;
    if (size)
        memcpy(j->arg, arg, size);
    enqueue(l, j);
    return TWILL_OK;
}

static bool begin(tw_executor *e, tw_launch *launch)
{
    host *h = host_of(e);
    for (int i = 0; i < e->lanes; i++) {
        lane *l = &h->lanes[i];
        if (l->launch)
            continue;
        l->launch = launch;
        launch->lane = l;
        launch->info = l->info;
        launch->seconds = 0;
        l->info[0] = l->info[1] = 0;
        return true;
    }
    return false;
}

static void end(tw_executor *e, tw_launch *launch)
{
    (void)e;
    lane *l = launch->lane;
    enqueue(l, l->end);
}

/* ---- copies and polling --------------------------------------------------------------------- */

static host *host_of_space(tw_space *space)
{
    return (host *)(void *)((char *)space - offsetof(host, space));
}

static void start(tw_space *space, tw_copy *copy)
{
    host *h = host_of_space(space);
    pthread_mutex_lock(&h->mutex);
    copy->next = h->copies;
    h->copies = copy;
    pthread_cond_broadcast(&h->cond);
    pthread_mutex_unlock(&h->mutex);
}

static void *take_memory(const tw_space *space, size_t bytes)
{
    (void)space;
    return tw_host.alloc(&tw_host, bytes);
}

static void give_memory(const tw_space *space, void *memory, size_t bytes)
{
    (void)space;
    tw_host.free(&tw_host, memory, bytes);
}

/* Main memory, all of them. */
static bool reaches(const tw_space *space, const tw_space *from)
{
    return space->start == from->start;
}

/* A few steps, or none, of what chance says. */
static void stumble(host *h)
{
    uint64_t chance = tw_mix(++h->random);
    h->next_lane = (int)(chance >> 8) & (MOST_LANES - 1);
    h->next_lane %= h->executor.lanes;
    for (uint64_t n = chance % 4; n > 0; n--)
        if (chance >> (16 + n) & 1)
            step_lane(h);
        else
            step_copy(h);
}

static bool poll(tw_executor *e, void *poller)
{
    host *h = host_of(e);
    pthread_mutex_lock(&h->mutex);
    if (!h->threads)
        stumble(h);
    tw_copy *copy = h->copied, *next_copy;
    tw_launch *launch = h->ended, *next_launch;
    h->copied = NULL;
    h->ended = NULL;
    pthread_mutex_unlock(&h->mutex);
    bool some = copy || launch;
    for (; copy; copy = next_copy) {
        next_copy = copy->next; /* before: it is gone when it is done */
        copy->done(copy, TWILL_OK, poller);
    }
    for (; launch; launch = next_launch) {
        next_launch = launch->next;
        ((lane *)launch->lane)->launch = NULL;
        launch->done(launch, TWILL_OK, poller);
    }
    return some;
}

static void *locate(tw_executor *e, const void *address, size_t *offset)
{
    (void)e;
    *offset = 0;
    return (void *)(uintptr_t)address;
}

/* ---- opening and closing ------------------------------------------------------------------ */

static void stop(host *h, int threads)
{
    pthread_mutex_lock(&h->mutex);
    h->stopping = true;
    pthread_cond_broadcast(&h->cond);
    pthread_mutex_unlock(&h->mutex);
    for (int i = 0; i < threads; i++)
        pthread_join(h->worker[i], NULL);
}

static void discard(host *h)
{
    for (int i = 0; i < MOST_LANES; i++)
        free(h->lanes[i].end);
    pthread_cond_destroy(&h->cond);
    pthread_mutex_destroy(&h->mutex);
    free(h);
}

static void host_close(tw_executor *e)
{
    host *h = host_of(e);
    if (h->threads)
        stop(h, 2);
    discard(h);
}

static twill_status start_threads(host *h)
{
    if (pthread_create(&h->worker[0], NULL, work_lanes, h))
        return tw_fail(TWILL_ERR_SYSTEM, "the system refuses a thread for device %s", h->name);
    if (pthread_create(&h->worker[1], NULL, work_copies, h)) {
        stop(h, 1);
        return tw_fail(TWILL_ERR_SYSTEM, "the system refuses a thread for device %s", h->name);
    }
    return TWILL_OK;
}

static bool open_lanes(host *h)
{
    bool open = true;
    for (int i = 0; i < h->executor.lanes && open; i++) {
        lane *l = &h->lanes[i];
        l->device = h;
        l->end = calloc(1, sizeof *l->end);
        open = l->end;
        if (open)
            l->end->lane = l;
    }
    return open;
}

static size_t free_memory(void)
{
    long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? (size_t)pages * (size_t)bytes / 2 : (size_t)1 << 30;
}

static twill_status host_open(int index, const tw_device_settings *settings, tw_executor **e)
{
    host *h = calloc(1, sizeof *h);
    if (!h)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for device host:%d", index);
    snprintf(h->name, sizeof h->name, "host:%d", index);
    h->threads = index == 0;
    h->random = tw_mix((uint64_t)settings->lanes);
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->cond, NULL);
    h->space = (tw_space){.name = "host",
                          .alloc = take_memory,
                          .free = give_memory,
                          .copy_2d = tw_host.copy_2d,
                          .room = settings->room ? settings->room : free_memory(),
                          .start = start,
                          .reaches = reaches};
    h->executor = (tw_executor){.name = h->name,
                                .about = index ? "main memory, worked on when polled"
                                               : "main memory, threads",
                                .place = "",
                                .numa = -1,
                                .is_cpu = true,
                                .lanes = settings->lanes ? settings->lanes : 2,
                                .space = &h->space,
                                .begin = begin,
                                .end = end,
                                .poll = poll,
                                .locate = locate,
                                .close = host_close};
    twill_status status =
        open_lanes(h) ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for device %s", h->name);
    if (status == TWILL_OK && h->threads)
        status = start_threads(h);
    if (status == TWILL_OK)
        *e = &h->executor;
    else
        discard(h);
    return status;
}

static int count(void)
{
    return 2;
}

static bool is_cpu(int index)
{
    (void)index;
    return true;
}

const tw_driver tw_host_driver = {.version = TW_DRIVERS,
                                  .name = "host",
                                  .kind = TWILL_CHORE_HOST,
                                  .count = count,
                                  .is_cpu = is_cpu,
                                  .open = host_open};
