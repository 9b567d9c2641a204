/* Tasks: one line of header, then a slot of half a line per argument. */
#ifndef TW_ENGINE_TASK_H
#define TW_ENGINE_TASK_H

#include "data/array.h"

#include <twill/graph.h>

/* One argument. For data, `access` is its place in the tile's chain. An argument that names a tile
 * which another argument of the task names too has no tile and no epoch, only the number of the
 * first. */
typedef struct tw_slot {
    union {
        tw_access access;
        struct {
            uintptr_t first;    /* the argument that names the same tile */
            tw_epoch *no_epoch; /* NULL */
        } repeated;
        struct {
            void *no_access;
            size_t scratch; /* bytes */
        };
    };
    union {
        twill_tile *tile;
        void *data;
        int64_t integer;
        double real;
    } u;
    uint8_t kind; /* twill_arg_kind */
    uint8_t mode; /* tw_mode of a data argument */
    bool token;   /* COMMUTE: holds the token */
    uint32_t index;
} tw_slot;

enum {
    TW_TASK_USE = 1,       /* not a task to run: see engine/use.h */
    TW_TASK_POISONED = 2,  /* reads what a failed task should have written */
    TW_TASK_COMMUTES = 4,  /* has COMMUTE arguments */
    TW_TASK_SCRATCH = 8,   /* has scratch arguments */
    TW_TASK_LARGE = 16,    /* from malloc, not from a pool */
    TW_TASK_CRITICAL = 32, /* for the critical set: see critical/critical.h */
    TW_TASK_SIZED = 64,    /* `team` says how many are wanted for its team */
    TW_TASK_NESTS = 128,   /* its body has opened a nested graph */
    TW_TASK_AGAIN = 256,   /* its body has asked for another try */
    TW_TASK_PHASE = 512,   /* the phase it was inserted in: see tw_tally */
    TW_TASK_FAILED = 1024, /* its body has said why it fails */
    /* 2048 is the front end's own */
    TW_TASK_PREPARE = 4096,  /* something is to be done before its body: see prepare.c */
    TW_TASK_STAGED = 8192,   /* its data is, or will be, in the memory that it runs in */
    TW_TASK_PROXY = 16384,   /* of a use of a whole array, in the chain of a tile: whole.c */
    TW_TASK_COUNTED = 32768, /* a proxy that the use waits for */
    TW_TASK_SPECIAL = TW_TASK_SCRATCH | TW_TASK_CRITICAL
};

typedef enum tw_task_state {
    TW_TASK_FREE,
    TW_TASK_WAITING,
    TW_TASK_READY,
    TW_TASK_STAGING, /* its data is on its way */
    TW_TASK_RUNNING  /* a body that returned TWILL_ASYNC included */
} tw_task_state;

struct tw_use;

struct twill_task {
    twill_item item; /* first: what schedulers queue is the task */
    twill_graph *graph;
    union {
        const twill_class *cls;
        struct tw_use *use; /* TW_TASK_USE */
    };
    atomic_int wait; /* inputs not granted yet */
    uint32_t nslots;
    _Atomic uint16_t flags;
    _Atomic uint8_t state; /* tw_task_state; for reports */
    uint8_t lines;         /* size in lines of 64 bytes: which pool it is from */
    int16_t runner;
    int16_t team;     /* TW_TASK_SIZED */
    const char *name; /* or NULL: the class's */
    struct {
        float flops, bytes;
    } cost;
    tw_slot slots[];
};

_Static_assert(offsetof(twill_task, slots) == TW_LINE, "the header is a line");

static inline uint16_t tw_task_flags(const twill_task *t)
{
    return atomic_load_explicit(&t->flags, memory_order_relaxed);
}

static inline int tw_task_phase(const twill_task *t)
{
    return (tw_task_flags(t) & TW_TASK_PHASE) != 0;
}

static inline twill_task *tw_access_task(tw_access *access)
{
    tw_slot *slot = (tw_slot *)access;
    return (twill_task *)((char *)(slot - slot->index) - offsetof(twill_task, slots));
}

static inline bool tw_slot_is_data(const tw_slot *slot)
{
    return slot->kind >= TWILL_ARG_READ && slot->kind <= TWILL_ARG_REDUCE;
}

static inline void tw_task_set_state(twill_task *t, tw_task_state state)
{
    /* release: reports that see the state see what came before it */
    atomic_store_explicit(&t->state, state, memory_order_release);
}

/* A list of tasks that became ready, in the order in which they did. */
typedef struct tw_ready {
    twill_item *head, *tail;
    int n;
} tw_ready;

static inline void tw_ready_add(tw_ready *ready, twill_task *t)
{
    t->item.next = NULL;
    if (ready->head)
        ready->tail->next = &t->item;
    else
        ready->head = &t->item;
    ready->tail = &t->item;
    ready->n++;
}

#endif
