/* What the subcommands share: their entry in the table, exit statuses, complaints, names. */
#ifndef COMMAND_H
#define COMMAND_H

#include "common/nearest.h"

#include <stdio.h>
#include <twill/twill.h>

/* One subcommand; `main.c` lists them. */
typedef struct command {
    const char *name;
    const char *about;                 /* one line for `twill help` */
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    int (*help)(int argc, char **argv);
} command;

extern const command array_command;
extern const command bench_command;
extern const command graph_command;
extern const command info_command;
extern const command simulate_command;
extern const command trace_command;
extern const command tune_command;

/* Exit statuses. */
enum {
    STATUS_OK,     /* all runs passed, or were not checked */
    STATUS_FAILED, /* a check failed, or the numerics did */
    STATUS_USAGE,  /* bad usage or input */
    STATUS_SYSTEM  /* memory, device, operating system */
};

/* Print one line "twill WHO: ..." on standard error; WHO may be NULL. */
void complain(const char *who, const char *format, ...) TWILL_PRINTF(2, 3);

/* Print the library's sentence for its last failure, after `cause` (an option and its value, may
 * be NULL), and return the exit status that belongs to it. */
int complain_library(const char *who, twill_status status, const char *cause);

/* A search for the name nearest to a mistyped word, however far it is; see common/nearest.h. */
tw_nearest_search nearest_to(const char *word);

/* Start a context with the values of --workers (0: not given) and --sched (NULL: not given), and
 * watch its progress. Returns the exit status, after a complaint when it is not STATUS_OK. */
int context_start(const char *who, int64_t workers, const char *sched, twill **tw);

/* The same without MPI, whatever its options say. */
int context_alone(const char *who, int64_t workers, twill **tw);

/* The same for what several ranks may do together: all of them under mpirun. From then on ranks
 * other than 0 print no complaints but their own. `devices` is the value of --devices, or NULL. */
int context_join(const char *who, int64_t workers, const char *sched, const char *devices,
                 twill **tw);
void context_stop(twill *tw);

/* The value in force of one of the library's options, "" when it has no such option. */
const char *context_option(const twill *tw, const char *name);

#endif
