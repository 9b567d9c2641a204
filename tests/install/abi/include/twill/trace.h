/* Traces: what ran where and when, what it says about a run, and files to look at.
 *
 * Threads: a trace belongs to one thread at a time, which may be any; several may read it at once
 * (statistics, reports, twill_trace_save), as long as none labels or frees it. */
#ifndef TWILL_TRACE_H
#define TWILL_TRACE_H

#include <twill/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A recorded run. It belongs to the program and does not need its context any more. */
typedef struct twill_trace twill_trace;

/* Record everything that the context does from now on, in memory: at most the megabytes that
 * option trace_mib says; then the oldest is given up, and counted. Any thread outside tasks.
 * TWILL_ERR_STATE: it is being recorded already, perhaps because of TWILL_TRACE. */
TWILL_API twill_status twill_trace_begin(twill *tw);

/* End that, and take the trace; free it with twill_trace_free. Wait for the graphs first: a task
 * that still runs counts as if it ended now. TWILL_ERR_STATE: nothing is being recorded. */
TWILL_API twill_status twill_trace_end(twill *tw, twill_trace **trace);

/* Traces of all ranks as one: on rank 0 `*trace` becomes the trace of all ranks, with their times
 * on one clock and the messages between them; on the others it is freed, and NULL. Collective:
 * every rank calls it, outside tasks, with what twill_trace_end gave it, or with NULL if it has
 * none. The calls above are not: each rank records for itself. On one rank nothing changes. All
 * ranks get the same status; unless it is TWILL_OK, their traces stay as they are.
 * TWILL_ERR_MEMORY, TWILL_ERR_STATE in a task. */
TWILL_API twill_status twill_trace_gather(twill *tw, twill_trace **trace);

/* NULL is allowed. */
TWILL_API void twill_trace_free(twill_trace *trace);

/* What the run was, for titles: a few words, and a command line. NULL leaves it as it is. */
TWILL_API twill_status twill_trace_label(twill_trace *trace, const char *title,
                                         const char *command);

/* Write a file. Its ending says which: .html (a page to look at), .json (Perfetto, Chrome), .tex
 * (TikZ), .dot (Graphviz), .twt (everything, for twill_trace_load). TWILL_ERR_ARGUMENT for other
 * endings, TWILL_ERR_SYSTEM when it cannot be written. */
TWILL_API twill_status twill_trace_save(const twill_trace *trace, const char *path);

/* Could twill_trace_save write there? TWILL_ERR_ARGUMENT: it does not know the ending, or the
 * folder is not there or not for writing. */
TWILL_API twill_status twill_trace_check_path(const char *path);

/* Read a .twt file. TWILL_ERR_ARGUMENT says what is wrong with it, whatever is wrong with it. */
TWILL_API twill_status twill_trace_load(const char *path, twill_trace **trace);

/* ---- statistics -------------------------------------------------------------------------- */

/* The run as a whole. Times are seconds; those of workers are summed over them, so that
 * busy + idle + overhead = workers * seconds. */
typedef struct twill_stats {
    size_t size;    /* sizeof(twill_stats) */
    double seconds; /* from the first task that became ready to the end of the last */
    int64_t tasks, edges;
    int workers, classes, causes; /* how many of the following structs there are */
    int64_t lost;                 /* records that did not fit into the memory */
    double busy;                  /* in bodies of tasks */
    double idle;                  /* nothing to do */
    double overhead;              /* the rest: Twill itself, and the program on worker 0 */
    double utilisation;           /* busy / (workers * seconds) */
    double flops, bytes;          /* of all tasks that say so */
    double critical_seconds;      /* the chain of tasks that ended last, each enabled by the one */
    double critical_waited;       /* before it: the tasks alone, and their time in queues */
    int64_t critical_tasks;
    double longest_seconds; /* the longest path through all that tasks waited for */
    int64_t longest_tasks;
    double bound_work;    /* no run is shorter: busy / workers, */
    double bound_path;    /* nor shorter than the longest path */
    double efficiency;    /* the larger bound / seconds */
    int ranks;            /* how many ranks there are, see twill_trace_rank */
    int reserved;         /* 0 */
    int64_t messages;     /* that they sent to each other, */
    double message_bytes; /* and the data in them */
} twill_stats;
TWILL_API twill_status twill_trace_stats(const twill_trace *trace, twill_stats *stats);

/* One worker: busy + idle + overhead = seconds. `program` is the part of overhead that the
 * program's own thread spent outside Twill's worker loop: inserting, or with something else. */
typedef struct twill_worker_stats {
    size_t size; /* sizeof(twill_worker_stats) */
    const char *name;
    double busy, idle, overhead, program;
    int64_t tasks, steals, stolen;
} twill_worker_stats;

/* Worker number i, from 0; TWILL_ERR_ARGUMENT past the last one. Strings live with the trace. */
TWILL_API twill_status twill_trace_worker(const twill_trace *trace, int i,
                                          twill_worker_stats *stats);

/* One class of tasks. `seconds` is without the tasks that ran inside others. */
typedef struct twill_class_stats {
    size_t size; /* sizeof(twill_class_stats) */
    const char *name;
    int64_t count;
    double seconds, mean, least, most, deviation; /* of one task */
    double gflops;                                /* while it ran, per worker; 0: unknown */
    double intensity;                             /* flops per byte; 0: unknown */
    double ceiling;      /* GFLOP/s that the core or its memory allows; 0: unknown */
    const char *verdict; /* "compute-bound", "memory-bound", "from cache" or "unknown" */
} twill_class_stats;
TWILL_API twill_status twill_trace_class(const twill_trace *trace, int i, twill_class_stats *stats);

/* One rank; times are summed over its workers. Of a trace that was not gathered
 * (twill_trace_gather), ranks other than its own have no workers. */
typedef struct twill_rank_stats {
    size_t size; /* sizeof(twill_rank_stats) */
    int rank, workers;
    double busy, idle, overhead;
    int64_t tasks;
    int64_t sent, received;            /* messages between tasks of different ranks, */
    double sent_bytes, received_bytes; /* and the data in them */
} twill_rank_stats;
TWILL_API twill_status twill_trace_rank(const twill_trace *trace, int i, twill_rank_stats *stats);

/* What idle time waited for: number i of a list that begins with the largest. All seconds add up
 * to the idle time, all shares to 1. */
typedef struct twill_idle_cause {
    size_t size;       /* sizeof(twill_idle_cause) */
    const char *cause; /* chain, join, priority, insertion, wake-up, reach, oversubscribed,
                          transfer, message, end, other */
    double seconds, share;
    const char *detail; /* which tasks, in words */
    const char *advice; /* what one could do about it, and the tasks of the longest gap */
} twill_idle_cause;
TWILL_API twill_status twill_trace_idle(const twill_trace *trace, int i, twill_idle_cause *cause);

/* ---- reports ----------------------------------------------------------------------------- */

typedef enum twill_report {
    TWILL_REPORT_STATS, /* tables for people */
    TWILL_REPORT_IDLE,  /* a table of what idle time waited for */
    TWILL_REPORT_JSON   /* both as one JSON object on one line */
} twill_report;

/* Write a report into `text` (at most `size` bytes, always terminated). Returns the bytes the whole
 * report needs, the end included. */
TWILL_API size_t twill_trace_report(const twill_trace *trace, twill_report report, char *text,
                                    size_t size);

/* The same for what changed from one run to the other: tables, or JSON. */
TWILL_API size_t twill_trace_compare(const twill_trace *before, const twill_trace *after, bool json,
                                     char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
