/* Options: one table says name, default and meaning; the program's struct comes first, then the
 * TWILL_* variable, then the default. A variable that looks like a mistyped one is refused; other
 * unknown ones are ignored, and told about: module systems set TWILL_ROOT and the like. */
#ifndef TW_BASE_OPTIONS_H
#define TW_BASE_OPTIONS_H

#include <twill/context.h>

typedef enum tw_option {
    TW_OPT_WORKERS,
    TW_OPT_SCHED,
    TW_OPT_SCHED_SEED,
    TW_OPT_BIND,
    TW_OPT_TOPOLOGY,
    TW_OPT_WINDOW,
    TW_OPT_SPIN_US,
    TW_OPT_PATIENCE_US,
    TW_OPT_WATCHDOG,
    TW_OPT_BLAS,
    TW_OPT_LAPACK,
    TW_OPT_KERNELS,
    TW_OPT_TUNE,
    TW_OPT_TRACE,
    TW_OPT_TRACE_MIB,
    TW_OPT_STATS,
    TW_OPT_SHADOW,
    TW_OPT_MPI,
    TW_OPT_BROADCAST,
    TW_OPT_LEND,
    TW_OPT_MODE,
    TW_OPT_PRESCRIBED,
    TW_OPT_RESERVED,
    TW_OPT_DEVICES,
    TW_OPTIONS
} tw_option;

typedef struct tw_options {
    char *text[TW_OPTIONS]; /* value in force */
    const char *origin[TW_OPTIONS];
    double number[TW_OPTIONS]; /* the same as a number where it is one */
    char **ignored;            /* variables that are no options: names, each with an end */
    int ignored_count;
} tw_options;

/* Gather the options; TWILL_ERR_OPTION names what is wrong and what is allowed. */
twill_status tw_options_open(tw_options *options, const twill_options *given);
void tw_options_close(tw_options *options);

/* Replace a value by what it came to ("0" workers by their number), keeping its origin. */
twill_status tw_options_resolve(tw_options *options, tw_option which, const char *text);

/* Number i of the options, and after them of the variables that are ignored. */
twill_status tw_options_info(const tw_options *options, int i, twill_option_info *info);

/* The sentence about the variables that are ignored; false when there are none. */
bool tw_options_ignored(const tw_options *options, char *text, size_t size);

#endif
