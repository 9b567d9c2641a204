/* Parameterised task graphs (PTG): what the output of twillc and the run time say to one another.
 *
 * A PTG is a few functions per task class that compute, from the parameters of one instance, which
 * inputs it has and who needs its outputs. Nothing is unrolled: an instance exists from the arrival
 * of its first input to its end. Programs call the constructor that twillc writes, twill_ptg_run
 * and twill_wait; the rest of this page is for twillc, and for those who write such functions by
 * hand (examples/09_ptg_by_hand.c does).
 *
 * Threads: twill_ptg_new and twill_ptg_run are for any thread outside tasks, twill_ptg_run for one
 * at a time per graph. The functions of a class are called by many workers at once, and call
 * twill_ptg_* only with what they were given, before they return. Definitions are read by all of
 * them, so nobody may change them while there is a graph of them.
 */
#ifndef TWILL_PTG_H
#define TWILL_PTG_H

#include <twill/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- for programs ------------------------------------------------------------------------ */

/* Run a graph once: it waits for earlier users of its arrays, as later ones wait for it. Then
 * twill_wait. TWILL_ERR_STATE while a run is under way. May be run again after twill_wait. */
TWILL_API twill_status twill_ptg_run(twill_graph *graph);

/* Which region of a tile travels: all of it, a triangle with the diagonal, or one without. */
typedef enum twill_region {
    TWILL_REGION_FULL,
    TWILL_REGION_LOWER,
    TWILL_REGION_UPPER,
    TWILL_REGION_STRICTLY_LOWER,
    TWILL_REGION_STRICTLY_UPPER
} twill_region;

/* Some rows or columns of a tile: `count` of them from `first` on, every `step`-th; first < 0
 * counts from the end, so that -1 is the last; count 0 means up to the end, step 0 means 1. */
typedef struct twill_lines {
    int64_t first, count, step;
} twill_lines;

/* The shape of data on a dependency: the driver defines it, the JDF file names it. What a task gets
 * has a meaning in that region only, and the task must leave the rest alone: others may be at work
 * there. When the task gives it to memory, that region changes and the rest stays. The region is
 * what the region, the rows and the columns have in common, and what of it a tile does not have is
 * left out. Nothing is packed: an element is where it is in the whole tile, whatever the region.
 * All zero is the whole tile; {.row = {.first = -1}} is its last row, {.col = {.step = 2}} every
 * second column; `.size = sizeof(twill_datatype)` comes first in all of them. A task that meets a
 * type without it fails. */
typedef struct twill_datatype {
    size_t size; /* sizeof(twill_datatype) */
    twill_region region;
    int64_t rows, cols;   /* of a NEW buffer; 0: those of the tile */
    size_t element;       /* bytes; 0: those of the tile */
    twill_lines row, col; /* which rows and which columns; all zero: all of them */
    int64_t displ;        /* bytes by which the region is moved, as in twill_datatype_at */
    int64_t repeats;      /* how many more of it follow; -1: not even one */
} twill_datatype;

/* What `[type=T count=count displ=displ]` says, in `*made`, whose size is set; returns `made`. The
 * region begins `displ` bytes later, in a tile whose columns follow one another without a gap,
 * whatever its leading dimension; there are `count` of them, each right behind the last element of
 * the one before. `type` may be NULL: the tile. When one of the two says no size, what this returns
 * is refused where it is used. Any thread. */
TWILL_API const twill_datatype *twill_datatype_at(twill_datatype *made, const twill_datatype *type,
                                                  int64_t count, int64_t displ);

/* What `[layout=L count=count displ=displ]` says: `count` elements that follow one another, column
 * after column. Of `layout`, which may be NULL, only the element's size counts. */
TWILL_API const twill_datatype *twill_datatype_run(twill_datatype *made,
                                                   const twill_datatype *layout, int64_t count,
                                                   int64_t displ);

/* Most instances that waited for inputs at one time during the last run. They are counted now and
 * then, while others come and go: never too few, and too many by some hundred per worker. */
TWILL_API int64_t twill_ptg_most_pending(const twill_graph *graph);

/* ---- for twillc: inside a body ----------------------------------------------------------- */

/* What a body sees of a flow; all zero when there is no data (NULL). Its layout is fixed for one
 * TWILL_ABI. */
typedef struct twill_flow {
    void *data;
    int64_t ld, rows, cols; /* elements */
} twill_flow;

/* ---- for twillc: what a class is --------------------------------------------------------- */

/* Flow 'f' of the task that is being described: where the runtime keeps track. Opaque. */
typedef struct twill_ptg_inputs twill_ptg_inputs;
typedef struct twill_ptg_outputs twill_ptg_outputs;
typedef struct twill_ptg_sources twill_ptg_sources;

typedef enum twill_flow_mode {
    TWILL_FLOW_CTL = 0,
    TWILL_FLOW_READ = 1,
    TWILL_FLOW_WRITE = 2,
    TWILL_FLOW_READ_WRITE = 3
} twill_flow_mode;

/* An element of an array: its size is fixed for one TWILL_ABI. */
typedef struct twill_ptg_flow {
    const char *name;
    twill_flow_mode mode;
    int reserved;   /* 0 */
    void *spare[2]; /* NULL */
} twill_ptg_flow;

/* A body of a class: as twill_chore, and made by the same macros. `flow` has as many entries as the
 * class has flows. */
typedef struct twill_ptg_chore {
    twill_chore_kind kind;
    int team_size;
    union {
        twill_outcome (*cpu)(twill_task *task, const void *globals, const int64_t *p,
                             const twill_flow *flow);
        twill_outcome (*team)(twill_task *task, twill_team *team, const void *globals,
                              const int64_t *p, const twill_flow *flow);
        twill_outcome (*cuda)(twill_task *task, void *stream, const void *globals, const int64_t *p,
                              const twill_flow *flow);
        twill_outcome (*opencl)(twill_task *task, void *queue, const void *globals,
                                const int64_t *p, const twill_flow *flow);
        twill_outcome (*host)(twill_task *task, void *queue, const void *globals, const int64_t *p,
                              const twill_flow *flow);
    } body;
    void *reserved[2]; /* NULL */
} twill_ptg_chore;

/* A task class. `globals` is what the graph was made with, `p` the instance's parameters in the
 * order of NAME(p, q, ...). Functions that may be NULL say so. */
typedef struct twill_ptg_class {
    size_t size; /* sizeof(twill_ptg_class) */
    const char *name;
    int parameters, flows;
    const char *const *parameter; /* names */
    const twill_ptg_flow *flow;

    /* No instance has more than one input from other tasks; false is a safe answer, true is faster.
     */
    bool single;

    /* `rank` is the owner of a tile: where there is one rank it need not be asked. False is a safe
     * answer. */
    bool by_tile;

    /* A bit for each flow that `release` does not mention: the task lets go of it before it tells
     * others that it is done, so that they find it free. 0 is a safe answer. */
    uint32_t ends;

    /* Inputs that come from other tasks: those a new instance waits for. -1: no such instance. */
    int64_t (*inputs)(const void *globals, const int64_t *p);

    /* Instances that need no other task: set p to the first (`first`), or to the one after p;
     * false when there are no more. `p` has one entry more than there are parameters, 0 at first,
     * which is the function's own. NULL: there is none. */
    bool (*startup)(const void *globals, int64_t *p, bool first);

    /* Call twill_ptg_memory or twill_ptg_fresh for each flow whose data comes from there. Flows
     * that get nothing from anywhere have no data. NULL: no flow does. */
    void (*bind)(twill_ptg_inputs *in, const void *globals, const int64_t *p);

    /* For each flow with outputs: twill_ptg_output, then twill_ptg_send and twill_ptg_store for
     * each that applies. NULL: no outputs. */
    void (*release)(twill_ptg_outputs *out, const void *globals, const int64_t *p);

    /* Call twill_ptg_source for each input that comes from a task. For reports; NULL: none does. */
    void (*sources)(twill_ptg_sources *from, const void *globals, const int64_t *p);

    twill_ptg_chore chores[TWILL_CHORES]; /* as those of twill_class */

    int64_t (*priority)(const void *globals, const int64_t *p); /* NULL: 0 */
    double (*flops)(const void *globals, const int64_t *p);     /* NULL: unknown */

    /* Who runs it: the same answer on every rank, -1 if nobody does. NULL: rank 0. */
    int64_t (*rank)(const void *globals, const int64_t *p);

    /* All instances, one after the other as `startup` does it. Asked when no class has one to start
     * with: a graph that has tasks and runs none is stuck. NULL: those of `startup` are all. */
    bool (*instances)(const void *globals, int64_t *p, bool first);

    /* The worker that it prefers, -1: any. Asked in contexts with a collection that has preferences
     * (twill_array_collection). NULL: any. */
    int64_t (*worker)(const void *globals, const int64_t *p);

    /* Is it on the critical path (twill/critical.h)? NULL: none is. A class of such instances has a
     * body for one worker first, and behind it one for the team. */
    bool (*critical)(const void *globals, const int64_t *p);

    /* How many workers its team should have at most; less than 1: all that there are. NULL: as many
     * as the chore says. */
    int64_t (*team_size)(const void *globals, const int64_t *p);
} twill_ptg_class;

/* An array that the graph touches: where its pointer is in `globals`, and how it is used. An
 * element of an array: its size is fixed for one TWILL_ABI. */
typedef struct twill_ptg_collection {
    const char *name;
    size_t offset;
    twill_access access;
    int reserved; /* 0 */
    void *spare;  /* NULL */
} twill_ptg_collection;

typedef struct twill_ptg_graph {
    size_t size; /* sizeof(twill_ptg_graph) */
    const char *name;
    int classes, collections;
    const twill_ptg_class *const *cls;
    const twill_ptg_collection *collection;
} twill_ptg_graph;

/* Make a graph; `globals` is copied, `definition` must outlive the graph. What constructors call.
 */
TWILL_API twill_status twill_ptg_new(twill *tw, const twill_ptg_graph *definition,
                                     const void *globals, size_t size, twill_graph **graph);

/* How the ranks of a context form a grid, as square as their number allows and not higher than
 * wide; rank row + col * rows is at (row, col), and the caller is at the last two. What GRIDrows,
 * GRIDcols, rowRANK and colRANK are in files that do not declare them, and how matrices are dealt
 * whose makers leave it to Twill. NULL: one rank. */
typedef struct twill_ptg_grid {
    int64_t rows, cols, row, col;
} twill_ptg_grid;
TWILL_API twill_ptg_grid twill_ptg_grid_of(const twill *tw);

/* ---- for twillc: what the functions of a class call --------------------------------------
 *
 * Those that end in _typed also say which region travels if the other end is on another rank:
 * `remote`, in place of `type`. It has no effect within a rank. */

/* In `bind`: flow `flow` starts from a tile of memory, from a region of one, or from a fresh buffer
 * of a type. A NULL tile (the indices leave the array) fails the task. `type` NULL: the whole tile;
 * `like` gives its shape to fresh buffers and may be NULL when the type has one. */
TWILL_API void twill_ptg_memory(twill_ptg_inputs *in, int flow, twill_tile *tile);
TWILL_API void twill_ptg_memory_region(twill_ptg_inputs *in, int flow, twill_tile *tile,
                                       const twill_datatype *type);
TWILL_API void twill_ptg_memory_typed(twill_ptg_inputs *in, int flow, twill_tile *tile,
                                      const twill_datatype *type, const twill_datatype *remote);
TWILL_API void twill_ptg_fresh(twill_ptg_inputs *in, int flow, const twill_datatype *type,
                               twill_array *like);

/* In `bind`: of what another task has sent to flow `flow`, only this region is taken. */
TWILL_API void twill_ptg_take_region(twill_ptg_inputs *in, int flow, const twill_datatype *type);

/* In `release`: what follows goes out of flow `flow`. */
TWILL_API void twill_ptg_output(twill_ptg_outputs *out, int flow);

/* The flow, or a region of it, goes to flow `to` of instance `p` of class number `cls`. */
TWILL_API void twill_ptg_send(twill_ptg_outputs *out, int cls, int to, const int64_t *p);
TWILL_API void twill_ptg_send_region(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                                     const twill_datatype *type);
TWILL_API void twill_ptg_send_typed(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                                    const twill_datatype *type, const twill_datatype *remote);

/* The flow goes to memory; `type` NULL: all of it. */
TWILL_API void twill_ptg_store(twill_ptg_outputs *out, twill_tile *tile,
                               const twill_datatype *type);
TWILL_API void twill_ptg_store_typed(twill_ptg_outputs *out, twill_tile *tile,
                                     const twill_datatype *type, const twill_datatype *remote);

/* In `sources`: input `flow` comes from flow `theirs` of instance `p` of class number `cls`. */
TWILL_API void twill_ptg_source(twill_ptg_sources *from, int flow, int cls, int theirs,
                                const int64_t *p);

/* In any function of a class: an expression has no value, such as a quotient by 0. The graph of
 * these globals fails with the sentence `why`, which says where. NULL, in constructors: the caller
 * has the sentence in twill_message. Returns 0, for what goes on. */
TWILL_API int64_t twill_ptg_no_value(const void *globals, const char *why);

/* The parameters of a PTG task, inside its body or a nested graph's; NULL for other tasks. */
TWILL_API const int64_t *twill_ptg_parameters(const twill_task *task);

#ifdef __cplusplus
}
#endif
#endif
