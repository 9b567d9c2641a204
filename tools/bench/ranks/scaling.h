/* What the parts of `bench scaling` share: points, and how they are measured and shown. */
#ifndef SCALING_H
#define SCALING_H

#include "bench/bench.h"
#include "bench/peers.h"
#include "bench/ranks/launch.h"

enum { SCALING_TWILL, SCALING_SCALAPACK, SCALING_SYSTEMS };
/* A case has at most three points for each number of a list. */
enum { SCALING_LIST = 32, SCALING_POINTS = 3 * SCALING_LIST, SCALING_RUNS = 100, SCALING_OP = 24 };

/* One system with one problem on so many ranks, and what it reached. */
typedef struct scaling_point {
    int system;
    char op[SCALING_OP]; /* a routine, or "tasks" and a case of bench tasks */
    int64_t n, nb;       /* nb 0: what the system is best with, or chooses */
    int ranks, workers;  /* ranks 0: one, without mpirun */
    int64_t grid[2];     /* 0: what the system is best with */
    int first;           /* the point that it is compared with; its own number: none */

    bool valid;
    double runs[SCALING_RUNS];     /* GFLOP/s, or nanoseconds per task */
    double value, ratio;           /* medians; ratio: of speeds, NAN without one to compare with */
    int64_t used_nb, used_grid[2]; /* 0: unknown */
    int64_t messages, bytes;       /* of the rank that has most; -1: unknown */
} scaling_point;

/* What the command line says. */
typedef struct scaling_values {
    const char *cases, *ops, *sizes, *tiles, *ranks, *plot, *mpirun;
    int64_t workers, pairs, tasks, limit;
    bool json, no_peers;
} scaling_values;

typedef struct scaling_list {
    int64_t at[SCALING_LIST];
    int count; /* 0: not given */
} scaling_list;

struct scaling_case;

typedef struct scaling {
    const char *command; /* who complains */
    const scaling_values *v;
    scaling_list sizes, tiles, ranks;
    twill *tw;
    peers peers;
    launcher launcher;
    char self[PATH_MAX];
    bool with_scalapack;
    char scalapack[PATH_MAX], blas[PATH_MAX]; /* its program, and the folder of its BLAS */
    const char *kernels;                      /* that it is fastest with; NULL: not known yet */
    double peak;                              /* GFLOP/s of products on all cores */
    double done, all;                         /* pairs of cases and routines */
    char said[2 * LAUNCH_WHY];                /* the last reason that was told */

    const struct scaling_case *c; /* now */
    scaling_point points[SCALING_POINTS];
    int count;
} scaling;

/* One case: a figure, or rows that are compared. */
typedef struct scaling_case {
    const char *name, *about;
    const char *sizes;                        /* orders, unless others are given */
    void (*make)(scaling *s, const char *op); /* add the points */
    double (*place)(const scaling_point *p);  /* along the axis; NULL: not drawn */
    const char *axis;                         /* its label */
    void (*note)(const scaling_point *p, char *text, size_t size); /* below it; NULL: nothing */
} scaling_case;

/* Case number i, from 0; NULL past the last one. */
const scaling_case *scaling_case_at(int i);

/* Cores that a point keeps busy, and whether it has more workers than there are cores. */
int scaling_cores(const scaling *s, const scaling_point *p);
bool scaling_is_crowded(const scaling *s, const scaling_point *p);

/* As square as can be, and not higher than wide. */
void scaling_usual_grid(int ranks, int64_t grid[2]);

/* Does a point measure tasks, in nanoseconds, rather than a routine? */
bool scaling_is_tasks(const scaling_point *p);

/* Measure all points, in turn, again and again. Those that fail are left out, after a complaint. */
void scaling_measure(scaling *s);

/* Print the points that are valid: a table, or objects. */
void scaling_print_header(const scaling *s);
void scaling_print(const scaling *s);
const char *scaling_system(int system);

/* The figure of a case and a routine. Returns the exit status. */
int scaling_try_plot(const scaling *s, const char *op);
int scaling_plot(const scaling *s, const char *op);

#endif
