/* The PTG front end: parameterised task graphs, never unrolled.
 *
 * Reading order: graph.c makes and runs a graph, place.c knows where instances run, startup.c hands
 * out those that need nobody, bind.c gives a task its data and calls its body, release.c sends its
 * outputs on and collect.c delivers them, datatype.c knows which region of a tile a type names,
 * pending.c makes instances and lets inputs arrive, table.c keeps those that still wait, stuck.c
 * says what for. remote.h has what several ranks need besides. */
#ifndef TW_FRONT_PTG_H
#define TW_FRONT_PTG_H

#include "base/abi.h"
#include "data/buffers.h"
#include "engine/engine.h"
#include "engine/remote/tree.h"
#include "engine/use.h"
#include "front/ptg/table.h"

#include <twill/ptg.h>

enum {
    TW_TASK_READS_TILE = 2048, /* a flag of tasks: a flow that does not write took a tile */
    TW_TASK_BOUND = 4, /* another one, which others have for COMMUTE: its flows have their data */
    TW_PTG_FLOWS = 32,
    TW_PTG_PARAMETERS = 32,
    TW_PTG_NAMES = 128,
    TW_PTG_CLASSES = 1 << 10 /* their number is part of the id of an instance */
};

typedef struct tw_ptg tw_ptg;
typedef struct tw_ptg_landing tw_ptg_landing;

/* A class in a graph. */
typedef struct tw_ptg_class {
    twill_class chores; /* first: a task's class is this */
    const twill_ptg_class *cls;
    twill_ptg_chore cpu, team, lane[3]; /* what the chores call; of devices, by their kind */
    tw_ptg *ptg;
    int number;
    bool alone; /* no instance waits for more than what makes it */
    /* With one rank: who should run an instance, if that may be a rank that does not exist. */
    int64_t (*check)(const void *globals, const int64_t *p);
    /* As in `cls`, if that is not too old to have them. */
    bool (*critical)(const void *globals, const int64_t *p);
    int64_t (*team_size)(const void *globals, const int64_t *p);
    uint32_t written;         /* a bit for each flow that its bodies write */
    uint64_t id;              /* the part of ids that all instances share: see id.h */
    int bits;                 /* of a parameter in ids */
    size_t lines;             /* of a task */
    char names[TW_PTG_NAMES]; /* of its parameters, separated by blanks; for traces */
} tw_ptg_class;

/* What follows the header of a task. A pending instance is the task itself: the table needs no more
 * than a line of it, and its header is left alone until the last input has arrived. */
typedef struct tw_instance {
    _Atomic(twill_task *) next; /* in its bucket, if that is crowded */
    _Atomic int32_t left;       /* inputs to come, if the bucket has no room for that */
    int64_t words[];            /* parameters, then a value per flow: NULL until it arrives */
} tw_instance;

struct tw_ptg {
    const twill_ptg_graph *definition;
    twill_graph *graph;
    void *globals; /* inside of `owned` */
    void *owned;
    tw_ptg_class *classes;
    int rank, ranks;
    tw_table waiting;
    tw_depot depot;
    int workers;
    tw_buffer_cache *caches;                  /* one per worker, and the external one's */
    tw_value nothing;                         /* what arrives in a data flow without data */
    bool hinted;                              /* instances may prefer workers */
    bool critical;                            /* some may be critical, or want a team of a size */
    bool particular;                          /* one of these two */
    bool guards;                              /* some of its arrays are only read */
    bool buffers;                             /* it has no arrays: all its values are buffers */
    const struct tw_ptg_transport *transport; /* to other ranks */
    tw_lock storing_lock;
    twill_task *storing;      /* that wait for stores on other ranks: see store.c */
    tw_bcast tree;            /* by which values go to many ranks; TW_BCASTS: it depends */
    size_t lend;              /* bytes from which on values go by themselves: see loans.c */
    _Atomic int64_t loans;    /* that did so far */
    tw_ptg_landing *landings; /* and those that have come; the poller's */
    tw_use *use;              /* of the tiles of its arrays; made by the first run, used by all */
    /* what startup is at; under the context's startup lock */
    int started; /* classes that have handed out all */
    bool begun;  /* the current class has handed out some */
    bool any;    /* some class has some, on whatever rank */
    int64_t *cursor;
};

extern const tw_graph_ops tw_ptg_ops;

static inline tw_ptg_class *tw_ptg_class_of(const twill_task *t)
{
    return (tw_ptg_class *)(uintptr_t)t->cls;
}

static inline tw_instance *tw_ptg_instance(const twill_task *t)
{
    return (tw_instance *)(uintptr_t)t->slots;
}

static inline int64_t *tw_ptg_words(const twill_task *t)
{
    return tw_ptg_instance(t)->words;
}

/* Most instances have two parameters. */
static inline void tw_ptg_copy(int64_t *to, const int64_t *p, int n)
{
    if (tw_likely(n == 2)) {
        to[0] = p[0];
        to[1] = p[1];
    } else {
        for (int i = 0; i < n; i++)
            to[i] = p[i];
    }
}

/* Where a worker keeps buffers of the graph. */
static inline tw_buffer_cache *tw_ptg_cache(const tw_ptg *ptg, int worker)
{
    return &ptg->caches[worker];
}

/* Does a type say its size? One that does not is refused where it is used. */
static inline bool tw_ptg_is_sized(const twill_datatype *type)
{
    return TW_ABI_HAS(twill_datatype, type, repeats);
}

/* Does it name more than a region, or is it one to look at more closely? */
static inline bool tw_ptg_is_shaped(const twill_datatype *type)
{
    return !tw_ptg_is_sized(type) ||
           (type->row.first | type->row.count | type->row.step | type->col.first | type->col.count |
            type->col.step | type->displ | type->repeats) != 0;
}

/* What of a tile a datatype names, if it is a region. */
static inline tw_region tw_ptg_region(const twill_datatype *type)
{
    static const tw_region regions[] = {[TWILL_REGION_FULL] = TW_FULL,
                                        [TWILL_REGION_LOWER] = TW_LOWER_PART,
                                        [TWILL_REGION_UPPER] = TW_UPPER_PART,
                                        [TWILL_REGION_STRICTLY_LOWER] = TW_BELOW,
                                        [TWILL_REGION_STRICTLY_UPPER] = TW_ABOVE};
    return !type ? TW_FULL : tw_ptg_is_shaped(type) ? TW_MASKED : regions[type->region];
}

/* Where the values of a task are. */
static inline tw_value **tw_ptg_values(const twill_task *t)
{
    return (tw_value **)(tw_ptg_words(t) + tw_ptg_class_of(t)->cls->parameters);
}

/* ---- graph.c ----------------------------------------------------------------------------- */

/* How the graph uses a tile: an or of twill_access, over all collections that have it. */
int tw_ptg_access(const tw_ptg *ptg, const twill_tile *tile);

/* ---- startup.c --------------------------------------------------------------------------- */

bool tw_ptg_startup(twill_graph *g, tw_worker *w, tw_startup_batch *out);
void tw_ptg_make_batch(twill_graph *g, tw_worker *w, tw_startup_batch *out);

/* ---- place.c ----------------------------------------------------------------------------- */

/* Fail the graph: no rank runs this instance. False. */
bool tw_ptg_refuse_place(const tw_ptg_class *c, const int64_t *p);

/* With one rank: fail the graph if the instance is placed on another; false then. */
static inline bool tw_ptg_check_place(const tw_ptg_class *c, const int64_t *p)
{
    return tw_likely(!c->check) || c->check(c->ptg->globals, p) == 0 || tw_ptg_refuse_place(c, p);
}

/* ---- pending.c --------------------------------------------------------------------------- */

/* A new instance, ready to run or to wait; NULL after failing the graph. */
twill_task *tw_ptg_make(tw_worker *w, tw_ptg_class *c, const int64_t *p);

/* Let go of the values that a task holds. */
void tw_ptg_drop_values(tw_worker *w, twill_task *t);

/* What a flow sends to one instance. */
typedef struct tw_activation {
    tw_ptg_class *cls;
    tw_bucket *bucket; /* this and the next if the instance may have to wait */
    uint64_t id;
    int flow;
    int at; /* of its parameters among those of other activations */
} tw_activation;

/* A value (or NULL for control) arrives at instance `p`. The task, if that was its last input. */
twill_task *tw_pending_arrive(tw_worker *w, const tw_activation *a, const int64_t *p, tw_value *v);

/* Forget those that wait: the graph has failed. */
void tw_pending_clear(tw_ptg *ptg, tw_worker *w);

/* ---- only with several ranks ------------------------------------------------------------- */

/* An instance that has all that tasks send, and hence may see what they have stored: ask for the
 * tiles of other ranks that it takes, and let it wait for them. The task, if there are none
 * (fetch.c). */
twill_task *tw_pending_fetch(tw_worker *w, twill_task *t, const int64_t *p);

/* Such a tile arrives. The task, if that was the last one (pending.c). */
twill_task *tw_pending_tile(tw_worker *w, tw_ptg_class *c, const int64_t *p, int flow, tw_value *v);

/* ---- datatype.c -------------------------------------------------------------------------- */

/* Why something could not be done, where it is not a mistake of the program's. */
extern const char tw_ptg_no_memory[];

/* The status that goes with such a sentence. */
static inline twill_status tw_ptg_status(const char *why, twill_status mistake)
{
    return why == tw_ptg_no_memory ? TWILL_ERR_MEMORY : mistake;
}

/* What of such a value a datatype names: an area that the caller drops. NULL, or why there is none.
 */
const char *tw_ptg_shape(const twill_datatype *type, const tw_value *v, tw_area *area);

static inline const char *tw_ptg_area(const twill_datatype *type, const tw_value *v, tw_area *area)
{
    *area = tw_area_of(tw_ptg_region(type));
    return tw_unlikely(area->region == TW_MASKED) ? tw_ptg_shape(type, v, area) : NULL;
}

/* Why one that says no size is refused. */
extern const char tw_ptg_no_size[];

/* Ours of the program's; all zero, hence refused, when it says no size. */
void tw_ptg_copy_type(twill_datatype *to, const twill_datatype *type);
bool tw_ptg_same_type(const twill_datatype *a, const twill_datatype *b);

/* ---- bind.c, release.c, stuck.c ---------------------------------------------------------- */

/* Give a task its data; false when there is none, or the graph has failed. */
bool tw_ptg_bind(twill_task *t);
int tw_ptg_list_values(twill_task *t, tw_staged *list);
tw_value *tw_ptg_reads(const twill_task *t, int flow, atomic_int **readers);

/* The chores of a class call the bodies of its definition, in the same order. */
void tw_ptg_take_chores(tw_ptg_class *c);

void tw_ptg_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready);

/* Write "NAME(p=1, q=2)". */
void tw_ptg_write(const twill_ptg_class *cls, const int64_t *p, char *text, size_t size);
void tw_ptg_describe(const twill_task *t, char *text, size_t size);

/* Fail the graph with a sentence about an instance: its name, then this. */
void tw_ptg_fail_instance(const tw_ptg_class *c, const int64_t *p, const char *what);

/* Fail the graph with a sentence that names what waits and for what. */
void tw_ptg_stuck(tw_ptg *ptg);

/* No instance can start: fail the graph if there are any. */
void tw_ptg_none_starts(tw_ptg *ptg);

#endif
