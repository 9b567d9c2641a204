/* The machine of a simulation: workers, their clock, what they do, and the critical set. */
#ifndef TW_SIMULATE_MACHINE_H
#define TW_SIMULATE_MACHINE_H

#include "device/capability.h"
#include "simulate/model.h"

#include <twill/critical.h>
#include <twill/sched.h>

/* A task as policies see it. */
typedef struct tw_virtual_task {
    twill_item item; /* first: policies return it */
    int64_t number, waits;
    double ready, begin, seconds; /* since when it waits for a worker; when it began; how long */
    int64_t by;                   /* the last that it waited for, or -1 */
    int worker, members;          /* who ran it, and how many together */
    double path;                  /* of the longest path that ends with it */
    int64_t path_tasks;
} tw_virtual_task;

typedef enum tw_virtual_state { TW_IDLE, TW_BUSY, TW_MEMBER, TW_RECRUIT } tw_virtual_state;

typedef struct tw_virtual_worker {
    tw_virtual_state state; /* TW_RECRUIT: has nothing to do, and waits for others to join */
    double end;             /* of what it does */
    tw_virtual_task *task;  /* of a member: only of the first */
    int *neighbours;
} tw_virtual_worker;

/* The set from then on. */
typedef struct tw_virtual_size {
    double time;
    int members, wanted;
} tw_virtual_size;

enum { TW_VIRTUAL_DEVICES = 16, TW_VIRTUAL_AHEAD = 8 };

/* Tasks run in the order in which they were taken. */
typedef struct tw_virtual_device {
    tw_virtual_task *task[TW_VIRTUAL_AHEAD]; /* the first one runs; data of the others comes */
    double ready[TW_VIRTUAL_AHEAD];          /* when their data is there */
    int n;
    double link;  /* when the last copy will be over */
    double freed; /* when the last task was over */
} tw_virtual_device;

typedef struct tw_machine {
    const twill_model *model;
    const twill_simulation *s;
    twill_mode mode;
    tw_layout layout;
    tw_virtual_task *tasks;
    tw_virtual_worker *worker;
    int *order; /* memory of all lists of neighbours */
    const twill_sched_ops *ops;
    twill_sched_env env;
    void *policy;
    twill_controller *controller; /* of mode adaptive */
    double now, reserved_since;
    int members, wanted;      /* of the set: it has, it should have */
    int running;              /* workers of the set that run a critical task */
    tw_virtual_task *head;    /* critical tasks that are ready, the highest first */
    int64_t done, path_begun; /* tasks; critical tasks that have begun */
    tw_virtual_size *sizes;   /* kept only if the run is recorded */
    int64_t nsizes, size_room;
    bool lost_sizes; /* there was no memory for one */
    twill_simulated cost;
    tw_virtual_device device[TW_VIRTUAL_DEVICES]; /* from 1 */
    uint32_t *valid;                              /* of each datum: bits of devices that have it */
    tw_capability *learned;
} tw_machine;

twill_status tw_machine_open(tw_machine *m, const twill_model *model, const twill_simulation *s,
                             twill_mode mode);
void tw_machine_close(tw_machine *m);

/* Until nothing happens any more. */
twill_status tw_machine_run(tw_machine *m);

/* record.c: the run that is over, as a trace. */
twill_status tw_machine_record(const tw_machine *m, twill_trace **trace);

/* Task `task` was run by a worker (0) or a device. */
void tw_machine_count(tw_machine *m, const tw_virtual_task *task, int device);

/* ---- device.c: executors besides the workers --------------------------------------------------
 */

bool tw_virtual_open(tw_machine *m);
void tw_virtual_close(tw_machine *m);

/* Who could run a task: bits as in twill_item. */
uint16_t tw_virtual_mask(const tw_machine *m, int64_t task);

/* What policies are told: see twill_sched_env. */
double tw_virtual_cost(const twill_sched_env *env, const twill_item *item, int device);
double tw_virtual_transfer(const twill_sched_env *env, const twill_item *item, int device);
bool tw_virtual_explore(const twill_sched_env *env, const twill_item *item, int device);
double tw_virtual_now(const twill_sched_env *env);

/* Bring the data of a task home, and to device `d`; seconds of the copies. */
double tw_virtual_bring(tw_machine *m, const tw_virtual_task *task, int d);

/* Devices that have room take tasks. */
void tw_virtual_take(tw_machine *m);

/* The device whose task is the next to end, and when; 0: none. */
int tw_virtual_next(const tw_machine *m, double *end);

/* That task, which is over. */
tw_virtual_task *tw_virtual_end(tw_machine *m, int d);

/* A task is over: what it has written is valid there alone, and how long it took is learned. */
void tw_virtual_learn(tw_machine *m, const tw_virtual_task *task, int d);

/* ---- set.c: the critical set ----------------------------------------------------------------- */

/* The size it should have from now on. */
void tw_set_resize(tw_machine *m, int wanted);

/* Worker w has nothing to do: does it belong to the set, or wait to? */
bool tw_set_takes(tw_machine *m, int w);

/* A critical task is ready, and is for the set, or for anybody while that is empty. */
void tw_set_push(tw_machine *m, tw_virtual_task *task);

/* One for worker w, which has nothing to do: only while the set is empty. */
tw_virtual_task *tw_set_pop(tw_machine *m, int w);

/* Begin the next one, if the set is free and there is one. */
void tw_set_begin(tw_machine *m);

/* It is over, and worker 0 has led the team. */
void tw_set_end(tw_machine *m, tw_virtual_task *task);

/* In mode adaptive, when so many members have run a critical task: how large should the set be? */
void tw_set_control(tw_machine *m, const tw_virtual_task *task, int members);

#endif
