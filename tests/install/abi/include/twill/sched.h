/* Schedulers: where ready tasks wait and who takes which. Everything a user needs to write one.
 *
 * A scheduler is a table of functions. It sees items, never tasks, and is called from many
 * threads at once, but never twice at once with the same number. Worker numbers run from 0 to
 * workers-1; pushes may also come from number `workers`, the external record, which stands for
 * threads that are not workers and never pops. Nor does worker 0 while no thread waits. Devices pop
 * from policies that know them: device d, from 1 to `devices`, as number workers + d, whenever it
 * has room for one more task. Others see only items for workers, and stand behind one that does.
 * examples/own_scheduler.c is a complete one.
 *
 * Threads: as said; `open` and `close` are called by the thread that starts and stops the context,
 * and the functions of twill_sched_env may be called inside any function of the policy. */
#ifndef TWILL_SCHED_H
#define TWILL_SCHED_H

#include <twill/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a policy queues. The engine owns it; between push and pop `next` is the policy's. Its layout
 * is fixed for one TWILL_ABI. */
typedef struct twill_item {
    struct twill_item *next;
    int32_t priority; /* higher runs earlier; 0 is ordinary */
    int16_t worker;   /* preferred worker, or -1 */
    uint16_t devices; /* mask of executors that can run it; bit 0 is the CPU */
} twill_item;

/* What a policy is told when it is opened. Valid until its close returns. Twill sets `size`. */
typedef struct twill_sched_env {
    size_t size;
    int workers;   /* number of workers */
    uint64_t seed; /* TWILL_SCHED_SEED */
    /* Other workers of worker w, nearest first by hwloc distance: workers-1 numbers. */
    const int *(*neighbours)(const struct twill_sched_env *env, int w);
    /* Call when worker w took n items queued by worker `victim`; for traces and tests. */
    void (*stolen)(const struct twill_sched_env *env, int w, int victim, int n);
    /* Call when others can pop n more items than the pushes have said: those that a worker has
     * taken from another and queued again, or one that it had kept for itself. Sleepers are woken
     * for them. Hold no lock meanwhile. */
    void (*visible)(const struct twill_sched_env *env, int n);
    /* Expected seconds of an item on an executor, or 0 when nothing is known. */
    double (*cost)(const struct twill_sched_env *env, const twill_item *item, int device);
    void *engine; /* not for the policy */
    int devices;  /* executors besides the workers: bits 1 to `devices` of an item's mask */
    int reserved; /* 0 */
    /* The following are there when there are devices. Seconds until the data of an item could be
     * where a device works, by its bytes, the links, and where it is now; device 0 is the host. */
    double (*transfer)(const struct twill_sched_env *env, const twill_item *item, int device);
    /* Is an item to run on this device just to learn how long that takes? Says so once for each. */
    bool (*explore)(const struct twill_sched_env *env, const twill_item *item, int device);
    double (*now)(const struct twill_sched_env *env); /* seconds of a clock */
} twill_sched_env;

/* Fairness: see pop. */
enum { TWILL_SCHED_FAIR = 4096 };

typedef struct twill_sched_ops {
    size_t size;       /* sizeof(twill_sched_ops) */
    const char *name;  /* what --sched and TWILL_SCHED say */
    const char *about; /* one line for `twill info` */

    twill_status (*open)(const twill_sched_env *env, void **state);
    void (*close)(void *state);

    /* Queue the n items linked by `next`. With `soon`, worker w pops right after, so one item may
     * be kept where only w finds it, until that pop and not longer: whatever w gets, its task may
     * take long. Returns how many of the n others can pop. */
    int (*push)(void *state, int w, twill_item *list, int n, bool soon);

    /* An item for worker w, or NULL when it finds none. It does not wait.
     *
     * Everything comes out. When all workers pop again and again, all that was pushed does. When
     * only one does, and for each item that it gets pushes another one, with or without `soon`, an
     * item that others have queued, or external threads, or it itself before, still comes out:
     * after at most TWILL_SCHED_FAIR pops for each worker that there is and each item that is
     * queued; unless items with a higher priority keep coming.
     *
     * NULL may be returned for items that are left to another worker for a while, if `queued`
     * counts them: workers pop again, and none of them sleeps, as long as it says that there are
     * some. */
    twill_item *(*pop)(void *state, int w);

    /* Optional: how many items others than a worker that keeps one could pop, roughly, counting no
     * further than there are workers. 0 only when there is none. */
    int (*queued)(void *state);

    /* Optional: does worker w have items of its own? If not, and a graph still has tasks to begin
     * with, w begins some before it takes what others have. */
    bool (*has_own)(void *state, int w);

    /* Optional. True: a task runs inside its insertion, in program order, or, when another task
     * inserts it, after that one; and the context has one worker. */
    bool immediate;
    /* The policy knows devices: it gives item to whom the item's `devices` has a bit for, and
     * counts in `queued`, and in what `push` returns, those that workers may pop. */
    bool devices;
    bool reserved[6]; /* false */
} twill_sched_ops;

#ifdef __cplusplus
}
#endif
#endif
