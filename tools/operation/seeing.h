/* --trace and --stats, for every problem subcommand. */
#ifndef SEEING_H
#define SEEING_H

#include "operation/report.h"

/* Remember the command line, and check the file that --trace names. Returns the exit status, after
 * a complaint when it is not STATUS_OK. */
int seeing_open(problem *p, int argc, char **argv);

/* Around the part of a run that is timed, in it or not; without --trace and --stats they do
 * nothing. The trace goes into the result; the warm-up, run 0, is not looked at. */
twill_status seeing_begin(const problem *p, twill *tw, int64_t run);
twill_status seeing_end(const problem *p, twill *tw, result *r);

/* Add what was seen to the JSON object of the run. */
void seeing_json(json *j, const problem *p, const result *r);

/* For people: print the statistics. For all: write the file after the last run, and free the
 * trace. Returns the exit status. */
int seeing_close(const problem *p, result *r);

/* Print a report of the library. */
void seeing_print(const twill_trace *trace, twill_report report);

#endif
