/* The table of options and its three sources. */
#include "base/options.h"

#include "base/abi.h"
#include "base/status.h"
#include "common/nearest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "TWILL_"

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
    [TW_OPT_SCHED] = {"sched", "TWILL_SCHED", "lws",
                      "scheduler: lws, prio, eager, rand, cw, dmda, serial", 0, 0, false},
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
    [TW_OPT_MODE] = {"mode", "TWILL_MODE", "regular",
                     "who runs critical tasks: regular, fixed, adaptive, prescribed", 0, 0, false},
    [TW_OPT_PRESCRIBED] = {"prescribed", "TWILL_PRESCRIBED", "",
                           "workers for each critical task in mode prescribed: 2,2,3", 0, 0, false},
    [TW_OPT_RESERVED] = {"reserved", "TWILL_RESERVED", "0",
                         "workers for critical tasks in mode fixed; 1 unless it is said", 0, 1024,
                         true},
    [TW_OPT_DEVICES] = {"devices", "TWILL_DEVICES", "auto",
                        "who runs tasks: auto, all, or a list such as cpu,cuda:0,opencl:1*2", 0, 0,
                        false},
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
    case TW_OPT_MODE:
        return o->mode;
    case TW_OPT_PRESCRIBED:
        return o->prescribed;
    case TW_OPT_DEVICES:
        return o->devices;
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
    case TW_OPT_RESERVED:
        number = o->reserved;
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
    [TW_OPT_MODE] = "regular, fixed, adaptive, prescribed",
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

/* Folders that module systems name; the rest of their names is like no option. */
static const char *const folders[] = {"BIN", "BINDIR", NULL};

/* The variable that was meant by this end of a name, or NULL: two letters in five may be wrong. */
static const char *find_meant(const char *end)
{
    tw_nearest_search search = {.word = end,
                                .limit = (int)(2 * strlen(end) / 5),
                                .how = TW_NEAREST_ANY_CASE | TW_NEAREST_SWAPS};
    for (const char *const *f = folders; *f; f++)
        if (!strcmp(end, *f))
            return NULL;
    for (int i = 0; i < TW_OPTIONS; i++)
        (void)tw_nearest_offer(&search, table[i].variable + strlen(PREFIX));
    return search.best;
}

static bool is_known(const char *name)
{
    bool known = false;
    for (int i = 0; i < TW_OPTIONS; i++)
        known = known || !strcmp(name, table[i].variable);
    return known;
}

static twill_status ignore(tw_options *options, const char *name)
{
    size_t n = (size_t)options->ignored_count + 1;
    char **list = realloc(options->ignored, n * sizeof *list), *copy = strdup(name);
    if (list)
        options->ignored = list;
    if (!list || !copy) {
        free(copy);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the variable %s", name);
    }
    options->ignored[options->ignored_count++] = copy;
    return TWILL_OK;
}

/* A variable that is nearly one of ours is a mistyped one: it would be ignored in silence. */
static twill_status look_at_variable(tw_options *options, const char *name)
{
    if (is_known(name))
        return TWILL_OK;
    const char *meant = find_meant(name + strlen(PREFIX));
    return meant ? tw_fail(TWILL_ERR_OPTION,
                           "environment variable %s is not known; did you mean " PREFIX "%s?", name,
                           meant)
                 : ignore(options, name);
}

static twill_status look_at_variables(tw_options *options)
{
    twill_status status = TWILL_OK;
    for (char **e = environ; e && *e && status == TWILL_OK; e++) {
        const char *equals = strchr(*e, '=');
        char name[64];
        if (strncmp(*e, PREFIX, strlen(PREFIX)) || !equals)
            continue;
        snprintf(name, sizeof name, "%.*s", (int)(equals - *e), *e);
        status = look_at_variable(options, name);
    }
    return status;
}

bool tw_options_ignored(const tw_options *options, char *text, size_t size)
{
    int n = options->ignored_count;
    if (n > 0)
        snprintf(text, size, "environment variable %s%s is no option of Twill and is ignored\n",
                 options->ignored[0], n > 1 ? ", like others," : "");
    return n > 0;
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
    twill_status status = look_at_variables(options);
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
    for (int i = 0; i < options->ignored_count; i++)
        free(options->ignored[i]);
    free(options->ignored);
    memset(options, 0, sizeof *options);
}

twill_status tw_options_resolve(tw_options *options, tw_option which, const char *text)
{
    twill_status status = set(options, which, text);
    return status == TWILL_OK ? parse(options, which) : status;
}

twill_status tw_options_info(const tw_options *options, int i, twill_option_info *info)
{
    if (i < 0 || i >= TW_OPTIONS + options->ignored_count)
        return tw_fail(TWILL_ERR_ARGUMENT, "there is no option number %d", i);
    if (i >= TW_OPTIONS) {
        const twill_option_info ignored = {.size = sizeof ignored,
                                           .name = "",
                                           .variable = options->ignored[i - TW_OPTIONS],
                                           .value = "",
                                           .origin = "ignored",
                                           .help = "no option of Twill"};
        return TW_ABI_OUT(twill_option_info, help, info, &ignored);
    }
    const twill_option_info known = {.size = sizeof known,
                                     .name = table[i].name,
                                     .variable = table[i].variable,
                                     .value = options->text[i],
                                     .origin = options->origin[i],
                                     .help = table[i].help};
    return TW_ABI_OUT(twill_option_info, help, info, &known);
}
