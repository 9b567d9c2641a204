/* Random programs: what they are made of, how they are made, run and checked.
 *
 * A program has lanes, each run by a thread of its own. A lane owns arrays that nobody else
 * touches, and works on them step by step: it inserts tasks, waits, maps, runs explicit graphs.
 * All lanes also add to the shared arrays, some by COMMUTE and some by REDUCE alone. So the result
 * is that of a plain sequential execution, which every lane does on a model beside the real thing.
 *
 * Every body also marks the tiles it holds, so that two that must not overlap are seen when they
 * do, whatever they leave in the data. */
#ifndef TEST_SUPPORT_PROGRAM_H
#define TEST_SUPPORT_PROGRAM_H

#include "support/foreign.h"
#include "support/test.h"

#include <pthread.h>

enum { PROG_ARGS = 5, PROG_LANES = 3, PROG_GRAPHS = 4, PROG_FINE = 16, PROG_EDGES = 24 };

/* A tile, a mapped view or a piece of the model: element (i, j) is at data[i + j * ld]. */
typedef struct prog_block {
    int64_t *data;
    int64_t ld, rows, cols;
} prog_block;

typedef enum prog_how {
    PROG_PLAIN,
    PROG_AGAIN, /* returns TWILL_AGAIN some times first */
    PROG_ASYNC, /* a foreign thread does the work */
    PROG_TEAM,
    PROG_NEST, /* opens a nested graph over finer tiles of its first argument */
    PROG_SPAWN /* inserts more tasks into a graph of the program */
} prog_how;

typedef struct prog_arg {
    int tile; /* of the program or, when `fine`, of what the parent has wrapped */
    bool fine;
    twill_arg_kind kind;
} prog_arg;

typedef struct program program;

typedef struct prog_task {
    program *program;
    prog_arg arg[PROG_ARGS];
    int nargs;
    prog_how how;
    uint64_t salt;
    int priority, worker, spin, again, graph, team;
    bool scratch;
    int64_t fine_rows, fine_cols; /* PROG_NEST: size of the finer tiles */
    struct prog_task *child;      /* PROG_NEST, PROG_SPAWN */
    int nchildren;
    struct prog_task *parent; /* that wrapped the fine tiles, or NULL */
    /* while it runs */
    twill_array *fine;
    atomic_int held[PROG_FINE]; /* like prog_tile.held, of the finer tiles */
    atomic_int tries;
    atomic_uint members;
} prog_task;

typedef struct prog_array {
    int lane; /* -1: shared */
    bool wrapped, reduces;
    int64_t rows, cols, block_rows, block_cols;
    int64_t *memory; /* wrapped */
    int64_t ld;
    int64_t *model; /* rows by cols; of a shared array, what the last lane to end left */
    int first, ntiles;
    twill_array *array;
} prog_array;

typedef struct prog_tile {
    int array;
    int64_t i, j, rows, cols;
    twill_tile *tile;
    atomic_int held; /* readers inside, or -1 */
    bool spawns;     /* left to a task that inserts tasks */
} prog_tile;

typedef struct prog_dag {
    prog_task *node;
    int n, nedges, runs;
    int from[PROG_EDGES], to[PROG_EDGES];
    bool stays; /* the lane goes on while the last run is under way */
    twill_graph *graph;
    struct prog_dag *next; /* of the lane */
} prog_dag;

typedef enum prog_kind {
    PROG_INSERT,
    PROG_WAIT,
    PROG_WAIT_TILE,
    PROG_MAP,
    PROG_DAG,
    PROG_REOPEN /* free the lane's own graph and begin another */
} prog_kind;

typedef struct prog_step {
    prog_kind kind;
    int graph, tile, array, hold; /* hold: insertions while the view is mapped */
    twill_access mode;
    int64_t i, j, rows, cols;
    uint64_t salt;
    prog_task *task;
    prog_dag *dag;
} prog_step;

typedef struct prog_lane {
    program *program;
    int number;
    prog_step *step;
    int nsteps;
    int64_t *delta[2]; /* what this lane added to the shared arrays */
    prog_dag *dags;
    pthread_t thread;
} prog_lane;

struct program {
    uint64_t seed;
    twill *tw;
    foreign *foreign;
    prog_array *array;
    int narrays;
    prog_tile *tile;
    int ntiles;
    prog_lane lane[PROG_LANES];
    int nlanes;
    twill_graph *graph[PROG_GRAPHS]; /* one for each lane, the others for all */
    int ngraphs;
    void *memory; /* everything above */
    /* while it runs */
    pthread_mutex_t mutex;
    twill_array **fine; /* wrapped by bodies, freed at the end */
    int nfine, fine_room;
    atomic_bool failed;
    char why[1000];
};

/* Make a program; it needs a context only when it runs. */
program *prog_make(uint64_t seed);
void prog_free(program *p);

/* Write it to the standard output. */
void prog_print(const program *p);

/* Memory that goes with the program. */
void *prog_alloc(program *p, size_t size);

/* The work of a PROG_ASYNC task, for foreign_start. */
twill_status prog_perform_foreign(twill_task *task);

/* Run it and compare everything with the model: NULL, or what is wrong (it lives with p). */
const char *prog_run(program *p, twill *tw, foreign *f);

/* Write down what goes wrong. Any thread. */
void prog_wrong(program *p, const char *format, ...) TWILL_PRINTF(2, 3);

/* ---- inside (program_work.c, program_body.c) ------------------------------------------------ */

static inline int64_t *prog_at(const prog_block *b, int64_t element)
{
    return &b->data[element % b->rows + element / b->rows * b->ld];
}

/* What a task reads, as one number; and what it does to its tiles. `rank` of `size` members does
 * its share of every tile. */
uint64_t prog_digest(const prog_task *t, const prog_block *blocks);
void prog_update(const prog_task *t, const prog_block *blocks, uint64_t digest, int rank, int size);

/* The whole task, children included, on the model of a lane. */
void prog_model(const prog_lane *lane, const prog_task *t);

/* Tile number k of the finer tiles of a block. */
prog_block prog_fine(const prog_task *parent, const prog_block *whole, int k);
int prog_nfine(const prog_task *parent, int64_t rows, int64_t cols);

/* Arguments of the task for twill_insert_args or twill_dag_add_args, and its class. */
enum { PROG_ALL_ARGS = PROG_ARGS + 8 };
const twill_class *prog_arguments(prog_task **t, twill_arg *args);

/* Make the marks by which overlapping bodies are seen, and take them away. */
void prog_hold(prog_task *t);
void prog_let_go(prog_task *t);

void prog_spin(int spins);

#endif
