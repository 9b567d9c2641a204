/* Traces made by hand, and files in memory. */
#ifndef TEST_SUPPORT_TRACE_H
#define TEST_SUPPORT_TRACE_H

#include "support/test.h"

#include "trace/analysis/analysis.h"
#include "trace/output/file.h"

/* One task; times in ns, in the order in which they begin. `by` as in trace.h. */
typedef struct test_task {
    double start, end, ready;
    int row, cls, by, priority;
} test_task;

typedef struct test_edge {
    uint32_t from, to; /* in the order of `to`, then of `from` */
} test_edge;

typedef struct test_state {
    double start, end;
    int row, kind;
} test_state;

/* Lists end with an entry whose end is below its start (tasks, states) or that goes from 0 to 0. */
typedef struct test_run {
    double span;
    int rows, classes;
    const test_task *tasks;
    const test_edge *edges;
    const test_state *states;
} test_run;

/* The trace of such a run, not analysed. Rows are "worker I", classes "class I". */
twill_trace *test_trace(const test_run *run);

/* Its file: *n bytes, to be freed. */
unsigned char *test_file(const twill_trace *t, size_t *n);

/* How lists end. */
#define TASKS_END            \
    {                        \
        .start = 1, .end = 0 \
    }
#define STATES_END           \
    {                        \
        .start = 1, .end = 0 \
    }
#define EDGES_END          \
    {                      \
        .from = 0, .to = 0 \
    }

#endif
