/* The table of options and its three sources. */
#include "base/options.h"

#include "base/abi.h"
#include "base/nearest.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

typedef struct row {
    const char *name, *variable, *fallback, *help;
    double lowest, highest; /* of a number; equal for text */
    bool whole;             /* a whole number */
} row;

static const row table[TW_OPTIONS] = {
    [TW_OPT_WORKERS] = {"workers", "TWILL_WORKERS", "0",
                        "workers, the waiting thread included; 0: one per core in the mask", 0,
                        1024, true},
    [TW_OPT_SCHED] = {"sched", "TWILL_SCHED", "lws", "scheduler: lws, prio, eager, rand, serial", 0,
                      0, false},
    [TW_OPT_SCHED_SEED] = {"sched_seed", "TWILL_SCHED_SEED", "1", "seed of the rand scheduler", 0,
                           9007199254740992.0, true},
    [TW_OPT_BIND] = {"bind", "TWILL_BIND", "on", "bind workers to cores: on, off", 0, 0, false},
    [TW_OPT_TOPOLOGY] = {"topology", "TWILL_TOPOLOGY", "",
                         "hwloc synthetic description or XML file instead of this machine", 0, 0,
                         false},
    [TW_OPT_WINDOW] = {"window", "TWILL_WINDOW", "0",
                       "most tasks in flight per inserted graph; 0: 512 per worker", 0, 1e9, true},
    [TW_OPT_SPIN_US] = {"spin_us", "TWILL_SPIN_US", "20",
                        "microseconds an idle worker searches before it sleeps", 0, 1e7, true},
    [TW_OPT_PATIENCE_US] = {"patience_us", "TWILL_PATIENCE_US", "200",
                            "microseconds a team gathers before it runs with whoever came", 0, 1e9,
                            true},
    [TW_OPT_WATCHDOG] = {"watchdog", "TWILL_WATCHDOG", "0",
                         "seconds without progress before a stall is reported; 0: off", 0, 1e9,
                         false},
    [TW_OPT_BLAS] =
        {"blas", "TWILL_BLAS", "auto",
         "BLAS provider: auto, openblas, blis, mkl, reference, or the full path of a library", 0, 0,
         false},
    [TW_OPT_LAPACK] = {"lapack", "TWILL_LAPACK", "auto",
                       "LAPACK for a BLAS that has none: auto, reference, openblas, mkl, or a full "
                       "path",
                       0, 0, false},
    [TW_OPT_KERNELS] = {"kernels", "TWILL_KERNELS", "auto",
                        "kernel set of the provider: auto, or a name such as Haswell", 0, 0, false},
    [TW_OPT_TUNE] = {"tune", "TWILL_TUNE", "auto",
                     "file with what 'twill tune' measured: auto, off, or a full path", 0, 0,
                     false},
    [TW_OPT_TRACE] = {"trace", "TWILL_TRACE", "",
                      "file for a trace of the whole run: .html, .json, .tex, .dot or .twt", 0, 0,
                      false},
    [TW_OPT_TRACE_MIB] = {"trace_mib", "TWILL_TRACE_MIB", "1024",
                          "most MiB for a trace; then the oldest part of it is given up", 1, 1e6,
                          true},
    [TW_OPT_STATS] = {"stats", "TWILL_STATS", "off",
                      "report statistics of the whole run at its end: on, off", 0, 0, false},
    [TW_OPT_SHADOW] = {"shadow", "TWILL_SHADOW", "off",
                       "share of tasks that run on copies of their data, to test bodies; off", 0, 0,
                       false},
    [TW_OPT_MPI] =
        {"mpi", "TWILL_MPI", "auto",
         "contexts of an MPI program share arrays and graphs: auto, on, off, or the full "
         "path of a module",
         0, 0, false},
    [TW_OPT_BROADCAST] = {"broadcast", "TWILL_BROADCAST", "auto",
                          "how a value gets to many ranks: auto, star, chain, binomial", 0, 0,
                          false},
    [TW_OPT_LEND] = {"lend", "TWILL_LEND", "8192",
                     "bytes from which on values go to other ranks without a copy", 1, 1e15, true},
};

/* The program's value as text in `buffer`, or NULL when it gave none. */
static const char *given_text(const twill_options *o, tw_option which, char *buffer, size_t size)
{
    int64_t number = 0;
    switch (which) {
    case TW_OPT_SCHED:
        return o->sched;
    case TW_OPT_SCHED_SEED:
        return o->sched_seed;
    case TW_OPT_BIND:
        return o->bind;
    case TW_OPT_TOPOLOGY:
        return o->topology;
    case TW_OPT_BLAS:
        return o->blas;
    case TW_OPT_LAPACK:
        return o->lapack;
    case TW_OPT_KERNELS:
        return o->kernels;
    case TW_OPT_TUNE:
        return o->tune;
    case TW_OPT_TRACE:
        return o->trace;
    case TW_OPT_STATS:
        return o->stats;
    case TW_OPT_SHADOW:
        return o->shadow;
    case TW_OPT_MPI:
        return o->mpi;
    case TW_OPT_BROADCAST:
        return o->broadcast;
    case TW_OPT_WATCHDOG:
        snprintf(buffer, size, "%g", o->watchdog);
        return o->watchdog == 0.0 ? NULL : buffer;
    case TW_OPT_WORKERS:
        number = o->workers;
        break;
    case TW_OPT_WINDOW:
        number = o->window;
        break;
    case TW_OPT_SPIN_US:
        number = o->spin_us;
        break;
    case TW_OPT_PATIENCE_US:
        number = o->patience_us;
        break;
    case TW_OPT_TRACE_MIB:
        number = o->trace_mib;
        break;
    case TW_OPT_LEND:
        number = o->lend;
        break;
    case TW_OPTIONS:
        break;
    }
    snprintf(buffer, size, "%lld", (long long)number);
    return number ? buffer : NULL;
}

/* Options that name a file, and the words that may stand for one. */
static const char *const places[TW_OPTIONS] = {
    [TW_OPT_BLAS] = "auto, openblas, blis, mkl, reference",
    [TW_OPT_LAPACK] = "auto, reference, openblas, mkl",
    [TW_OPT_TUNE] = "auto, off",
    [TW_OPT_MPI] = "auto, on, off",
};

/* Options that are one of some words. */
static const char *const words[TW_OPTIONS] = {
    [TW_OPT_BROADCAST] = "auto, star, chain, binomial",
};

static bool is_one_of(const char *list, const char *text)
{
    size_t length = strlen(text);
    for (const char *at = list; length && (at = strstr(at, text)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

static twill_status parse(tw_options *options, tw_option which)
{
    const row *r = &table[which];
    const char *text = options->text[which];
    bool is_switch = which == TW_OPT_BIND || which == TW_OPT_STATS;
    if (is_switch && strcmp(text, "on") && strcmp(text, "off"))
        return tw_fail(TWILL_ERR_OPTION, "option %s (%s): '%s' is neither on nor off", r->name,
                       r->variable, text);
    if (words[which] && !is_one_of(words[which], text))
        return tw_fail(TWILL_ERR_OPTION, "option %s (%s): '%s' is not one of %s", r->name,
                       r->variable, text, words[which]);
    if (places[which] && !strchr(text, '/') && !is_one_of(places[which], text))
        return tw_fail(TWILL_ERR_OPTION, "option %s (%s): '%s' is not one of %s or a full path",
                       r->name, r->variable, text, places[which]);
    if (r->lowest == r->highest)
        return TWILL_OK;
    char *end;
    double x = strtod(text, &end);
    if (end == text || *end || isnan(x) || x < r->lowest || x > r->highest ||
        (r->whole && x != floor(x)))
        return tw_fail(TWILL_ERR_OPTION, "option %s (%s): '%s' is not a %snumber from %g to %g",
                       r->name, r->variable, text, r->whole ? "whole " : "", r->lowest, r->highest);
    options->number[which] = x;
    return TWILL_OK;
}

/* A variable that looks like ours and is not is a misspelt one: it would be ignored in silence. */
static twill_status refuse_unknown_variables(void)
{
    const char *names[TW_OPTIONS];
    for (int i = 0; i < TW_OPTIONS; i++)
        names[i] = table[i].variable;
    for (char **e = environ; e && *e; e++) {
        const char *equals = strchr(*e, '=');
        if (strncmp(*e, "TWILL_", 6) || !equals)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(equals - *e), *e);
        bool known = false;
        for (int i = 0; i < TW_OPTIONS; i++)
            known |= !strcmp(name, names[i]);
        if (known)
            continue;
        int near = tw_nearest(name, names, TW_OPTIONS);
        return tw_fail(TWILL_ERR_OPTION, "environment variable %s is not known%s%s%s", name,
                       near >= 0 ? "; did you mean " : "; 'twill info' lists them",
                       near >= 0 ? names[near] : "", near >= 0 ? "?" : "");
    }
    return TWILL_OK;
}

static twill_status set(tw_options *options, tw_option which, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for option %s", table[which].name);
    free(options->text[which]);
    options->text[which] = copy;
    return TWILL_OK;
}

static twill_status choose(tw_options *options, tw_option which, const twill_options *given)
{
    char buffer[32];
    const char *text = given ? given_text(given, which, buffer, sizeof buffer) : NULL;
    options->origin[which] = "program";
    if (!text) {
        text = getenv(table[which].variable);
        options->origin[which] = "environment";
    }
    if (!text) {
        text = table[which].fallback;
        options->origin[which] = "default";
    }
    twill_status status = set(options, which, text);
    return status == TWILL_OK ? parse(options, which) : status;
}

twill_status tw_options_open(tw_options *options, const twill_options *given)
{
    memset(options, 0, sizeof *options);
    twill_status status = refuse_unknown_variables();
    for (int i = 0; i < TW_OPTIONS && status == TWILL_OK; i++)
        status = choose(options, (tw_option)i, given);
    if (status != TWILL_OK)
        tw_options_close(options);
    return status;
}

void tw_options_close(tw_options *options)
{
    for (int i = 0; i < TW_OPTIONS; i++)
        free(options->text[i]);
    memset(options, 0, sizeof *options);
}

twill_status tw_options_resolve(tw_options *options, tw_option which, const char *text)
{
    twill_status status = set(options, which, text);
    return status == TWILL_OK ? parse(options, which) : status;
}

twill_status tw_options_info(const tw_options *options, int i, twill_option_info *info)
{
    if (i < 0 || i >= TW_OPTIONS)
        return tw_fail(TWILL_ERR_ARGUMENT, "there is no option number %d", i);
    const twill_option_info known = {.size = sizeof known,
                                     .name = table[i].name,
                                     .variable = table[i].variable,
                                     .value = options->text[i],
                                     .origin = options->origin[i],
                                     .help = table[i].help};
    return TW_ABI_OUT(twill_option_info, help, info, &known);
}
