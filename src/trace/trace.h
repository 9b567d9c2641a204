/* A finished trace: what ran where and when, as columns of numbers. Everything else (statistics,
 * why-idle, all writers) is made from it, and a .twt file holds it whole. */
#ifndef TW_TRACE_TRACE_H
#define TW_TRACE_TRACE_H

#include "base/status.h"

#include <twill/trace.h>

enum { TW_TRACE_PARAMETERS = 6 };

/* Who made a task ready, when no task did. */
enum { TW_BY_PROGRAM = -1, TW_BY_UNKNOWN = -2 };

/* What a worker does when it runs no task. The rest of its time is overhead. */
typedef enum tw_state {
    TW_STATE_SLEEP,    /* nothing to do, asleep */
    TW_STATE_SEARCH,   /* nothing to do, looking for it */
    TW_STATE_PROGRAM,  /* worker 0: its thread is in the program, inserting or elsewhere */
    TW_STATE_TEAM,     /* works in another worker's task */
    TW_STATE_AGAIN,    /* a body that could not do its work yet */
    TW_STATE_TRANSFER, /* data on its way */
    TW_STATES
} tw_state;
extern const char *const tw_state_names[TW_STATES];

/* Things that take no time. */
typedef enum tw_point { TW_POINT_STEAL, TW_POINT_SEND, TW_POINT_RECEIVE, TW_POINTS } tw_point;
extern const char *const tw_point_names[TW_POINTS];

typedef enum tw_row_kind { TW_ROW_WORKER, TW_ROW_DEVICE, TW_ROW_COMM, TW_ROW_KINDS } tw_row_kind;
extern const char *const tw_row_kind_names[TW_ROW_KINDS];

/* Texts of a trace, in this order; then the names of rows, of classes, of their parameters, and of
 * graphs. */
enum { TW_TEXT_TITLE, TW_TEXT_COMMAND, TW_TEXT_DATE, TW_TEXT_HOST, TW_TEXTS };

struct twill_trace {
    double span; /* ns from the first task that became ready, or message, to the end of the last */
    double peak; /* GFLOP/s of one core, double precision; 0: unknown */
    double bandwidth; /* GB/s between one core and memory; 0: unknown */
    double origin;    /* when it began, in seconds of the rank's clock; files do not have it */
    uint64_t lost;    /* records that the buffers could not keep */
    int64_t ntexts, nrows, nclasses, ngraphs;
    char **text;

    int64_t nrow; /* one entry per row */
    uint8_t *row_kind;
    int32_t *row_rank;
    int32_t *row_cores; /* that the workers of its rank have together; 0: unknown */

    int64_t ntasks; /* in the order in which they began; times in ns since the beginning */
    double *start, *end, *ready;
    int32_t *by; /* the task whose end made it ready, or TW_BY_... */
    int32_t *priority;
    float *flops, *bytes;
    uint16_t *row, *cls, *graph;
    uint8_t *nparameters;
    uint8_t *critical; /* 1: on the critical path */
    uint16_t *team;    /* workers that ran it together; 0 and 1: one */
    int64_t *parameter[TW_TRACE_PARAMETERS];
    uint32_t *message; /* the point at which came what made it ready, from 1; 0: no message did */

    int64_t nedges; /* what tasks waited for: `to` needed `from` to end */
    uint32_t *edge_from, *edge_to;

    int64_t nstates;
    double *state_start, *state_end;
    uint16_t *state_row;
    uint8_t *state_kind;
    uint32_t *state_task;   /* of a team: the task, from 1; 0: nobody knows */
    uint16_t *state_member; /* and which member of it this is */

    int64_t npoints;
    double *point_time, *point_amount; /* tasks stolen; bytes of a message */
    uint16_t *point_row;
    uint8_t *point_kind;
    int32_t *point_peer; /* worker, rank */
    uint32_t *point_id; /* of a message: the sender's number, which says which receive is its end */
    uint32_t *point_task; /* of a send: the task that sent it, from 1; 0: nobody knows */

    struct tw_analysis *analysis; /* what it all says: see analysis.h */

    int64_t nset; /* the critical set, from then on: */
    double *set_time;
    uint16_t *set_row;                  /* its first worker, */
    uint16_t *set_members, *set_wanted; /* how many it has, and should have */

    int64_t nmemory; /* bytes of the arrays of the context, from then on */
    double *memory_time, *memory_bytes;
};

static inline const char *tw_row_name(const twill_trace *t, int64_t row)
{
    return t->text[TW_TEXTS + row];
}

static inline const char *tw_class_name(const twill_trace *t, int64_t cls)
{
    return t->text[TW_TEXTS + t->nrows + cls];
}

/* Names of the parameters, separated by blanks. */
static inline const char *tw_class_parameters(const twill_trace *t, int64_t cls)
{
    return t->text[TW_TEXTS + t->nrows + t->nclasses + cls];
}

static inline const char *tw_graph_name(const twill_trace *t, int64_t graph)
{
    return t->text[TW_TEXTS + t->nrows + 2 * t->nclasses + graph];
}

/* "gemm(m=3, n=2, k=1)" into `text`; returns it. */
const char *tw_task_label(const twill_trace *t, int64_t task, char *text, size_t size);

/* Name of parameter i of a class into `text`: "m", or "p2" when the class names none. */
const char *tw_parameter_name(const twill_trace *t, int64_t cls, int i, char *text, size_t size);

/* ---- columns (columns.c) ------------------------------------------------------------------- */

typedef enum tw_type { TW_U8, TW_U16, TW_U32, TW_I32, TW_I64, TW_F32, TW_F64, TW_TYPES } tw_type;
extern const char *const tw_type_names[TW_TYPES];
extern const size_t tw_type_sizes[TW_TYPES];

/* One column of the above: where its pointer and its length are in a twill_trace. Zeros stand for
 * an optional one that an older file lacks. */
typedef struct tw_column {
    const char *name;
    tw_type type;
    size_t data, length;
    bool optional;
} tw_column;
extern const tw_column tw_columns[];
extern const int tw_ncolumns;

static inline void **tw_column_data(const twill_trace *t, const tw_column *c)
{
    return (void **)((char *)t + c->data);
}

static inline int64_t tw_column_length(const twill_trace *t, const tw_column *c)
{
    return *(const int64_t *)((const char *)t + c->length);
}

/* An empty trace with room for the given texts, all "". */
twill_trace *tw_trace_make(int64_t nrows, int64_t nclasses, int64_t ngraphs);

/* Allocate every column of the trace whose length is `*length`, which is set to n. False: no
 * memory. */
bool tw_trace_room(twill_trace *t, int64_t *length, int64_t n);

twill_status tw_trace_set_text(twill_trace *t, int64_t i, const char *text);

/* All of it is of this rank, as the names of its rows say from now on. */
twill_status tw_trace_set_rank(twill_trace *t, int rank);

/* Its workers have so many cores. */
void tw_trace_set_cores(twill_trace *t, int cores);

/* How many ranks there are, as far as rows tell. */
int tw_trace_ranks(const twill_trace *t);

/* ---- several ranks ------------------------------------------------------------------------- */

/* A message as both ends saw it: the numbers of the two points. */
typedef struct tw_message {
    uint32_t sent, received;
} tw_message;

/* messages.c: those whose ends are both in the trace, in the order in which they were sent; *n of
 * them. NULL: no memory. */
tw_message *tw_messages_match(const twill_trace *t, int64_t *n);

/* merge.c: traces of n ranks as one. Their `origin` is in seconds of one clock; entries may be
 * NULL. What a task waited for may then be a task of another rank. */
twill_status tw_trace_merge(twill_trace *const *parts, int n, twill_trace **trace);

#endif
