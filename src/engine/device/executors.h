/* Devices of drivers, at work: they take tasks from the scheduler as workers do, but no thread is
 * one. Whoever polls the service "devices" lets each take tasks while it has room for more, stages
 * their data in its memory, calls their bodies, which enqueue on a lane, and completes those that
 * the lane has done. A task is of the device from when it takes it until it is completed.
 *
 * Tasks that a device has taken, and copies, are what the service expects. Tasks that it might take
 * are announced by whoever pushes them. */
#ifndef TW_ENGINE_DEVICE_EXECUTORS_H
#define TW_ENGINE_DEVICE_EXECUTORS_H

#include "device/list.h"
#include "engine/engine.h"
#include "engine/prepare.h"

/* A task on a lane. */
typedef struct tw_flight {
    tw_launch launch;       /* first */
    struct tw_flight *next; /* free, or held back */
    struct tw_executor_record *executor;
    twill_task *task;
    twill_outcome outcome;
    twill_outcome (*then)(twill_task *task);
    twill_status status;
    int info;          /* of the launch: the lane may be another's before `then` is called */
    double begun, due; /* seconds; when a slow device lets go of it */
    void *scratch;     /* of the device, for scratch arguments, or NULL */
    size_t scratch_size;
} tw_flight;

/* A device. What is not atomic or under the lock is for whoever polls. */
typedef struct tw_executor_record {
    tw_device device; /* first: what replicas and reports know */
    tw_executor *executor;
    twill_chore_kind kind;
    char *name;
    double slow, fail;
    uint64_t random;
    int number;             /* of the device, from 1 */
    int taken, most;        /* tasks that it has; and may have */
    int flying;             /* of these, on lanes */
    tw_flight *free, *held; /* held back by `slow` */
    tw_flight *flights;
    tw_lock lock;
    tw_ready staged; /* whose data is there, under the lock */
    atomic_bool failed;
    double rested; /* when it last had done a task */
    _Atomic int64_t tasks;
} tw_executor_record;

typedef struct tw_executors {
    tw_service service;                   /* polls them, and copies between all spaces */
    int n;                                /* numbers 1 to n */
    bool cpu;                             /* cores run what devices could run */
    uint16_t kinds[TWILL_CHORE_HOST + 1]; /* masks of devices that have not failed */
    atomic_bool asked;                    /* there may be tasks for devices to take */
    tw_executor_record *executor[TW_SPACES];
    struct tw_rates *rates; /* what is learned of them; NULL: nothing */
} tw_executors;

/* ---- open.c: see prepare.h ------------------------------------------------------------------ */

/* ---- take.c --------------------------------------------------------------------------------- */

/* The mask of the executors that have a body for the task. */
uint16_t tw_executors_of(const twill *tw, const twill_task *t);

/* There may be tasks to take. */
void tw_executors_ask(twill *tw);

/* Let the device take tasks, as many as it has room for. True when it took some. */
bool tw_executor_take(tw_executor_record *e, tw_worker *w);

/* The task, of a graph that has failed, does not run. Whoever polls is not on its way to another
 * task of the graph: if this was the last one, nobody else would say so. */
void tw_executor_skip(tw_worker *w, twill_task *t);

/* The device cannot have the task: another executor runs it, or nobody (why, without a full stop).
 */
void tw_executor_return(tw_executor_record *e, tw_worker *w, twill_task *t, twill_status status,
                        const char *why);

/* ---- launch.c ------------------------------------------------------------------------------- */

/* Put tasks that are staged on lanes that are free. */
bool tw_executor_launch(tw_executor_record *e, tw_worker *w);

/* End what is over and was held back. */
bool tw_executor_let_go(tw_executor_record *e, tw_worker *w);

/* The task is of the device no more. */
void tw_executor_settle(tw_executor_record *e, tw_worker *w);

/* Where the task is on a lane, or NULL. */
tw_flight *tw_task_flight(const twill_task *t);

#endif
