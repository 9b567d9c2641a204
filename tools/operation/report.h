/* What a run of a problem subcommand reports, to a person and to a program. */
#ifndef REPORT_H
#define REPORT_H

#include "command/json.h"
#include "operation/problem.h"

/* One run. */
typedef struct result {
    int64_t run;           /* from 1 */
    double seconds, flops; /* NaN flops: nobody counts them */
    bool checked;
    bool comparable; /* there is a residual: checked, and the result is what was asked for */
    double residual;
    int64_t info;
    uint64_t digest;
    int64_t tasks, skipped;
    double rss_mib, messages, bytes; /* memory, and what was sent: after report_gather of the
                                        largest rank */
    twill_trace *trace;              /* of --trace and --stats, or NULL */
    twill_account account;           /* of --stats; of this rank */
} result;

/* A residual below this passes. */
enum { RESIDUAL_THRESHOLD = 30 };

/* STATUS_OK, or STATUS_FAILED when the numerics or the check failed. */
int report_status(const result *r);

/* Find the largest memory, the most that a rank has sent, and the tasks of all. Collective. */
twill_status report_gather(twill *tw, result *r);

/* Open the JSON object of a run and put in what all operations have; add what this one has. */
void report_open(json *j, const problem *p, const twill *tw, const result *r);

/* The aligned line, with the meaning of a nonzero info after it (a format with one %lld). */
void report_line(const problem *p, const twill *tw, const result *r, const char *info_means);

#endif
