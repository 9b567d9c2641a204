/* Tasks: classes, arguments, and what a body may ask and say.
 *
 * Threads: questions about a task are for its body, and for whoever completes it when that returned
 * TWILL_ASYNC, until twill_task_done; the members of a team may all ask. Classes and reductions are
 * read by many threads at once, so nobody may change them while a graph uses them. */
#ifndef TWILL_TASK_H
#define TWILL_TASK_H

#include <twill/array.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct twill_graph twill_graph;
typedef struct twill_task twill_task;
typedef struct twill_team twill_team;

/* What a body returns. Bodies never wait. An exception of C++ must not leave one: nobody above it
 * catches it, and the program ends; catch it, and return twill_task_fail. The same is true of all
 * functions that Twill calls. */
typedef enum twill_outcome {
    TWILL_DONE,  /* finished */
    TWILL_ASYNC, /* will finish later: somebody calls twill_task_done, or a nested graph ends */
    TWILL_AGAIN, /* could not run now: run it again later; nothing was done */
    TWILL_ERROR  /* failed; call twill_task_fail first to say why */
} twill_outcome;

/* What a trace says about a task: a few integers that tell it from others of its class, and what
 * it costs. Twill sets `size` before it calls `describe`. */
enum { TWILL_PARAMETERS = 6 };
typedef struct twill_about {
    size_t size;
    int parameters; /* how many of the following there are */
    int64_t parameter[TWILL_PARAMETERS];
    double flops; /* operations; 0: unknown */
    double bytes; /* that must move to and from memory; unless given, those of its data */
} twill_about;

/* Where a body runs. Twill passes over kinds that the context has no executor for, and kinds that
 * it does not know. Those from TWILL_CHORE_CUDA on are for devices: see twill/device.h. */
typedef enum twill_chore_kind {
    TWILL_CHORE_END,
    TWILL_CHORE_CPU,  /* on one worker */
    TWILL_CHORE_TEAM, /* on several at once, each calls it */
    TWILL_CHORE_CUDA,
    TWILL_CHORE_OPENCL,
    TWILL_CHORE_HOST /* devices that are none, for tests */
} twill_chore_kind;

/* A body ("chore"); made by the macros below. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_chore {
    twill_chore_kind kind;
    int team_size; /* workers wanted for a team; 0 means all */
    union {
        twill_outcome (*cpu)(twill_task *task);
        twill_outcome (*team)(twill_task *task, twill_team *team);
        twill_outcome (*cuda)(twill_task *task, void *stream);
        twill_outcome (*opencl)(twill_task *task, void *queue);
        twill_outcome (*host)(twill_task *task, void *queue);
    } body;
    void *reserved[2]; /* NULL */
} twill_chore;

enum { TWILL_CHORES = 6 };

/* Entries of `chores`, of this struct and of twill_ptg_class. In C++ before C++20 all but TWILL_CPU
 * need designated initialisers, which most compilers have. */
#define TWILL_CPU(f)               \
    {                              \
        TWILL_CHORE_CPU, 0, {(f)}, \
        {                          \
            NULL, NULL             \
        }                          \
    }
#define TWILL_TEAM(f, workers)                      \
    {                                               \
        TWILL_CHORE_TEAM, (workers), {.team = (f)}, \
        {                                           \
            NULL, NULL                              \
        }                                           \
    }
#define TWILL_CUDA(f)                       \
    {                                       \
        TWILL_CHORE_CUDA, 0, {.cuda = (f)}, \
        {                                   \
            NULL, NULL                      \
        }                                   \
    }
#define TWILL_HOST(f)                       \
    {                                       \
        TWILL_CHORE_HOST, 0, {.host = (f)}, \
        {                                   \
            NULL, NULL                      \
        }                                   \
    }
#define TWILL_OPENCL(f)                         \
    {                                           \
        TWILL_CHORE_OPENCL, 0, {.opencl = (f)}, \
        {                                       \
            NULL, NULL                          \
        }                                       \
    }

/* A task class: a name and its bodies, in the order of preference: the first that can run here
 * does. A team cannot where there is one worker, unless there is nothing else. Where there are
 * devices, the scheduler chooses between them and the workers. Define it `static
 * const`; it must outlive the graphs that use it. There is nothing to register. */
typedef struct twill_class {
    size_t size; /* sizeof(twill_class) */
    const char *name;
    twill_chore chores[TWILL_CHORES]; /* {TWILL_CPU(f)}; the rest is zero, which ends the list */

    /* For traces, and called only while one is recorded, just before the body. Without `describe`
     * the parameters are the TWILL_INT arguments and the cost is that of TWILL_COST; it finds the
     * cost already there. */
    const char *parameters; /* their names, separated by blanks: "m n k" */
    void (*describe)(const twill_task *task, twill_about *about);
} twill_class;

/* How contributions to a tile are combined (TWILL_REDUCE). Both see column-major bytes. It must
 * outlive the graphs that use it. */
typedef struct twill_reduction {
    size_t size; /* sizeof(twill_reduction) */
    const char *name;
    void (*zero)(void *into, int64_t rows, int64_t cols, int64_t ld); /* set the neutral element */
    void (*combine)(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols); /* into = into (+) from */
} twill_reduction;

/* ---- arguments of an insertion ----------------------------------------------------------- */

typedef enum twill_arg_kind {
    TWILL_ARG_END,
    TWILL_ARG_READ,
    TWILL_ARG_WRITE,
    TWILL_ARG_READ_WRITE,
    TWILL_ARG_COMMUTE,
    TWILL_ARG_REDUCE,
    TWILL_ARG_VALUE,
    TWILL_ARG_SCRATCH,
    TWILL_ARG_INT,
    TWILL_ARG_REAL,
    /* hints, which are not arguments of the body */
    TWILL_ARG_PRIORITY,
    TWILL_ARG_NAME,
    TWILL_ARG_WORKER,
    TWILL_ARG_CPU_ONLY,
    TWILL_ARG_COST,
    TWILL_ARG_CRITICAL,
    TWILL_ARG_TEAM_SIZE
} twill_arg_kind;

/* One argument or hint; made by the macros below. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_arg {
    twill_arg_kind kind;
    union {
        twill_tile *tile;
        const void *data;
        int64_t integer;
        double real;
    } u;
    union {
        const twill_reduction *reduction;
        size_t size;
        double bytes;
    } v;
} twill_arg;

static inline twill_arg twill_arg_tile(twill_arg_kind kind, twill_tile *tile)
{
    twill_arg arg;
    arg.kind = kind;
    arg.u.tile = tile;
    arg.v.size = 0;
    return arg;
}

static inline twill_arg twill_arg_reduce(twill_tile *tile, const twill_reduction *reduction)
{
    twill_arg arg = twill_arg_tile(TWILL_ARG_REDUCE, tile);
    arg.v.reduction = reduction;
    return arg;
}

static inline twill_arg twill_arg_data(twill_arg_kind kind, const void *data, size_t size)
{
    twill_arg arg;
    arg.kind = kind;
    arg.u.data = data;
    arg.v.size = size;
    return arg;
}

static inline twill_arg twill_arg_integer(twill_arg_kind kind, int64_t i)
{
    twill_arg arg;
    arg.kind = kind;
    arg.u.integer = i;
    arg.v.size = 0;
    return arg;
}

static inline twill_arg twill_arg_real(twill_arg_kind kind, double x, double bytes)
{
    twill_arg arg;
    arg.kind = kind;
    arg.u.real = x;
    arg.v.bytes = bytes;
    return arg;
}

/* Data: a tile and how the body uses it. */
#define TWILL_R(tile) twill_arg_tile(TWILL_ARG_READ, (tile))
#define TWILL_W(tile) twill_arg_tile(TWILL_ARG_WRITE, (tile))
#define TWILL_RW(tile) twill_arg_tile(TWILL_ARG_READ_WRITE, (tile))
/* Read and written, one task at a time, in any order among neighbouring COMMUTE tasks. */
#define TWILL_COMMUTE(tile) twill_arg_tile(TWILL_ARG_COMMUTE, (tile))
/* The body adds its contribution to a partial result; Twill combines the partial results into the
 * tile in a fixed order before anybody else sees it (contribution i goes to partial i mod 8). On
 * several ranks, before another task sees it, and at twill_wait; not at twill_map. */
#define TWILL_REDUCE(tile, reduction) twill_arg_reduce((tile), (reduction))

/* Values: copied at insertion. TWILL_VALUE takes any lvalue, TWILL_COPY a pointer and a size. */
#define TWILL_INT(i) twill_arg_integer(TWILL_ARG_INT, (i))
#define TWILL_REAL(x) twill_arg_real(TWILL_ARG_REAL, (x), 0.0)
#define TWILL_VALUE(x) twill_arg_data(TWILL_ARG_VALUE, &(x), sizeof(x))
#define TWILL_COPY(data, size) twill_arg_data(TWILL_ARG_VALUE, (data), (size))
/* Memory until the task is done, on a 64-byte boundary, content unspecified; a team shares it. A
 * body that returns TWILL_AGAIN gets other memory the next time. */
#define TWILL_SCRATCH(size) twill_arg_data(TWILL_ARG_SCRATCH, NULL, (size))

/* Hints. */
#define TWILL_PRIORITY(p)                                                                       \
    twill_arg_integer(TWILL_ARG_PRIORITY, (p))                     /* higher earlier, default 0 \
                                                                    */
#define TWILL_NAME(text) twill_arg_data(TWILL_ARG_NAME, (text), 0) /* must outlive the task */
#define TWILL_WORKER(w) twill_arg_integer(TWILL_ARG_WORKER, (w))   /* runs there if it can */
#define TWILL_CPU_ONLY twill_arg_integer(TWILL_ARG_CPU_ONLY, 1)    /* never on an accelerator */
#define TWILL_COST(flops, bytes) twill_arg_real(TWILL_ARG_COST, (flops), (bytes))
#define TWILL_CRITICAL twill_arg_integer(TWILL_ARG_CRITICAL, 1) /* see twill/critical.h */
#define TWILL_TEAM_SIZE(n) \
    twill_arg_integer(TWILL_ARG_TEAM_SIZE, (n)) /* most workers of its team */
#define TWILL_END twill_arg_integer(TWILL_ARG_END, 0)

/* ---- inside a body ----------------------------------------------------------------------- */
/* Arguments are numbered from 0 in the order given, hints not counted. */

/* Bytes of a data, value or scratch argument; NULL when there is no such argument. */
TWILL_API void *twill_task_data(const twill_task *task, int arg);

/* Leading dimension, rows and columns of a data argument (of a 1- or 2-d array), in elements. */
TWILL_API int64_t twill_task_ld(const twill_task *task, int arg);
TWILL_API int64_t twill_task_rows(const twill_task *task, int arg);
TWILL_API int64_t twill_task_cols(const twill_task *task, int arg);

/* Tile coordinates of a data argument of a 1- or 2-d array; -1 when it has none. Of a part of a
 * matrix (twill_matrix_sub), coordinates and array are those of the whole. */
TWILL_API void twill_task_tile(const twill_task *task, int arg, int64_t *i, int64_t *j);

/* Array that a data argument belongs to; NULL for a partial result of TWILL_REDUCE. */
TWILL_API twill_array *twill_task_array(const twill_task *task, int arg);

/* The number given by TWILL_INT or TWILL_REAL; 0 when the argument is of another kind. */
TWILL_API int64_t twill_task_int(const twill_task *task, int arg);
TWILL_API double twill_task_real(const twill_task *task, int arg);

/* Name of the task (TWILL_NAME, else its class), its graph, and the worker that runs it (of a team,
 * its leader). */
TWILL_API const char *twill_task_name(const twill_task *task);
TWILL_API twill_graph *twill_task_graph(const twill_task *task);
TWILL_API int twill_task_worker(const twill_task *task);

/* Say why the body fails, and return the result: `return twill_task_fail(task, "...", ...)`. The
 * graph is canceled; its first failure sticks and twill_wait reports it with the task's name. */
TWILL_API twill_outcome twill_task_fail(twill_task *task, const char *format, ...)
    TWILL_PRINTF(2, 3);

/* Numerical failure: info is LAPACK's, counted in the whole matrix. The graph is canceled, keeps
 * the smallest info and twill_wait returns TWILL_ERR_NUMERICAL. Returns TWILL_ERROR. */
TWILL_API twill_outcome twill_task_numerical(twill_task *task, int64_t info);

/* Complete a task whose body returned TWILL_ASYNC. Any thread, once. A status other than TWILL_OK
 * cancels the graph as a failing body does. */
TWILL_API void twill_task_done(twill_task *task, twill_status status);

/* Open a finer graph inside a body. Insert into it, then `return twill_nest_end(graph)`: the task
 * completes when the nested graph does, and fails if it fails; a failure inside is at once one of
 * the graphs around it. A task has one nested graph, and fails if its body returns anything else
 * but TWILL_ASYNC (another thread may call twill_nest_end then). The nested tasks must not use
 * tiles that the task itself (or one around it) holds in a conflicting way: wrap the bytes as a
 * finer array instead. Twill frees the graph. */
TWILL_API twill_status twill_nest(twill_task *task, twill_graph **graph);
TWILL_API twill_outcome twill_nest_end(twill_graph *graph);

/* In a team body: how many run it together, which of them this is, and a barrier for all of them.
 * The size may be smaller than wanted, so cut the work by tile, never by member. The outcome of
 * the task is the worst any member returns; TWILL_ASYNC and TWILL_AGAIN are not for teams. */
TWILL_API int twill_team_size(const twill_team *team);
TWILL_API int twill_team_rank(const twill_team *team);
TWILL_API void twill_team_barrier(twill_team *team);

/* For a body that is OpenMP, or calls a BLAS with threads: it gets the cores of its team. All
 * members call twill_team_lend, which is a barrier, too. Rank 0 gets the number of threads to ask
 * for, the size of the team, and may run wherever a member may; so may threads that it starts.
 * Others get 0, and go on to twill_team_return, where they sleep until rank 0 calls it, who is then
 * bound as before. Whoever leaves the body without that call makes it by leaving.
 *
 * Threads that were started before, those of OpenMP after its first region, stay where they were:
 * each calls twill_team_borrow, with the team of rank 0, when its work begins. That is the only
 * call which a thread that is no member may make, and it must be over before rank 0 returns the
 * cores. OpenMP: say num_threads, leave OMP_PROC_BIND and OMP_PLACES unset, and set OMP_WAIT_POLICY
 * to passive, or else its threads spin on these cores when they are done. BLAS: start its threads
 * before the context, or while cores are lent, and set how many (OpenBLAS: for the whole process).
 */
TWILL_API int twill_team_lend(twill_team *team);
TWILL_API void twill_team_borrow(const twill_team *team);
TWILL_API void twill_team_return(twill_team *team);

#ifdef __cplusplus
}
#endif
#endif
