/* Schedulers: where ready tasks wait and who takes which. Everything a user needs to write one.
 *
 * A scheduler is a table of functions. It sees items, never tasks, and is called from many
 * threads at once. Worker numbers run from 0 to workers-1; pushes may also come from number
 * `workers`, the guest, which stands for threads that are not workers and never pops.
 * examples/own_scheduler.c is a complete one. */
#ifndef TWILL_SCHED_H
#define TWILL_SCHED_H

#include <twill/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a policy queues. The engine owns it; between push and pop `next` is the policy's. */
typedef struct twill_item {
    struct twill_item *next;
    int32_t priority; /* higher runs earlier; 0 is ordinary */
    int16_t worker;   /* preferred worker, or -1 */
    uint16_t devices; /* mask of executors that can run it; bit 0 is the CPU */
} twill_item;

/* What a policy is told when it is opened. Valid until its close returns. */
typedef struct twill_sched_env {
    int workers;   /* number of workers */
    uint64_t seed; /* TWILL_SCHED_SEED */
    /* Other workers of worker w, nearest first by hwloc distance: workers-1 numbers. */
    const int *(*neighbours)(const struct twill_sched_env *env, int w);
    /* Call when worker w took n items queued by worker `victim`; for traces and tests. */
    void (*stolen)(const struct twill_sched_env *env, int w, int victim, int n);
    /* Expected seconds of an item on an executor, or 0 when nothing is known. */
    double (*cost)(const struct twill_sched_env *env, const twill_item *item, int device);
    void *engine; /* not for the policy */
} twill_sched_env;

typedef struct twill_sched_ops {
    const char *name;  /* what --sched and TWILL_SCHED say */
    const char *about; /* one line for `twill info` */

    twill_status (*open)(const twill_sched_env *env, void **state);
    void (*close)(void *state);

    /* Queue the n items linked by `next`. With `soon`, worker w pops right after, so one item
     * may be kept where only w finds it. Returns how many of them other workers can pop. */
    int (*push)(void *state, int w, twill_item *list, int n, bool soon);

    /* An item for worker w, or NULL when it finds none. An item must not be withheld from all
     * workers for ever: when all of them pop again and again, everything pushed comes out. */
    twill_item *(*pop)(void *state, int w);

    /* Optional: roughly how many items other workers could pop now. */
    int (*queued)(void *state);

    /* Optional: does worker w have items of its own? If not, and a graph still has tasks to begin
     * with, w begins some before it takes what others have. */
    bool (*has_own)(void *state, int w);

    /* Optional. True: a task runs inside its insertion, in program order, and the context has
     * one worker. */
    bool immediate;
} twill_sched_ops;

#ifdef __cplusplus
}
#endif
#endif
