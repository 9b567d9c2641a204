/* Complaints on standard error, the nearest known name, and starting the library. */
#include "command/command.h"
#include "command/progress.h"
#include "command/system.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { LINE_SIZE = 2560 };

/* Ranks do the same and meet the same errors: rank 0 prints, the others only what is theirs. */
static bool is_silent;
static bool is_joined; /* there are others */
static bool has_failed;
static char unsaid[LINE_SIZE]; /* the first complaint that was left to rank 0, with its newline */

void complain(const char *who, const char *format, ...)
{
    char line[LINE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    /* Values come from the command line and files: a line stays one line whatever they hold. */
    for (char *c = line; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (is_silent && !*unsaid)
        snprintf(unsaid, sizeof unsaid, "twill%s%s: rank %d: %.*s\n", who ? " " : "",
                 who ? who : "", system_launched_rank(), LINE_SIZE / 2, line);
    if (is_silent || (system_launched_rank() > 0 && !is_joined))
        return;
    progress_hide();
    fprintf(stderr, "twill%s%s: %s\n", who ? " " : "", who ? who : "", line);
}

static int exit_status(twill_status status)
{
    switch (status) {
    case TWILL_OK:
        return STATUS_OK;
    case TWILL_ERR_ARGUMENT:
    case TWILL_ERR_OPTION:
        return STATUS_USAGE;
    case TWILL_ERR_NUMERICAL:
        return STATUS_FAILED;
    default:
        return STATUS_SYSTEM;
    }
}

int complain_library(const char *who, twill_status status, const char *cause)
{
    const char *text = twill_message();
    if (!*text)
        text = twill_status_name(status);
    has_failed = true;
    if (cause)
        complain(who, "%s: %s", cause, text);
    else
        complain(who, "%s", text);
    return exit_status(status);
}

tw_nearest_search nearest_to(const char *word)
{
    return (tw_nearest_search){.word = word, .limit = INT_MAX, .how = TW_NEAREST_SWAPS};
}

/* People do not ask for it; they forget to bind. */
static void warn_of_sharing(const char *who, twill *tw)
{
    twill_rank_info place = {.size = sizeof place};
    for (int r = 0; r < twill_ranks(tw); r++) {
        if (twill_rank_place(tw, r, &place) != TWILL_OK || place.sharing < 2)
            continue;
        complain(who,
                 "warning: %d ranks on %s share cores %s; give each its own (mpirun --map-by "
                 "slot:PE=N --bind-to core), or start fewer",
                 place.sharing, place.host, place.cpus);
        return;
    }
}

static int start(const char *who, int64_t workers, const char *sched, const char *devices,
                 const char *mpi, twill **tw)
{
    twill_options options = {.size = sizeof(twill_options),
                             .workers = (int)workers,
                             .sched = sched,
                             .devices = devices,
                             .mpi = mpi};
    twill_status status = twill_start(tw, &options);
    if (status == TWILL_OK) {
        is_joined = twill_ranks(*tw) > 1;
        is_silent = twill_rank(*tw) > 0;
        if (!is_silent) {
            warn_of_sharing(who, *tw);
            progress_begin(*tw, who);
        }
        return STATUS_OK;
    }
    char cause[128];
    const char *named = NULL;
    if (sched && strstr(twill_message(), sched)) {
        snprintf(cause, sizeof cause, "--sched %s", sched);
        named = cause;
    } else if (workers > 0 && strstr(twill_message(), "worker")) {
        snprintf(cause, sizeof cause, "--workers %lld", (long long)workers);
        named = cause;
    } else if (devices && strstr(twill_message(), "TWILL_DEVICES")) {
        snprintf(cause, sizeof cause, "--devices %s", devices);
        named = cause;
    }
    return complain_library(who, status, named);
}

int context_start(const char *who, int64_t workers, const char *sched, twill **tw)
{
    int status = context_join(who, workers, sched, NULL, tw);
    if (status != STATUS_OK || twill_ranks(*tw) == 1)
        return status;
    if (twill_rank(*tw) == 0)
        complain(who, "there are %d ranks, and this is for one: start it without mpirun",
                 twill_ranks(*tw));
    context_stop(*tw);
    return STATUS_SYSTEM;
}

int context_join(const char *who, int64_t workers, const char *sched, const char *devices,
                 twill **tw)
{
    return start(who, workers, sched, devices, NULL, tw);
}

int context_alone(const char *who, int64_t workers, twill **tw)
{
    return start(who, workers, NULL, NULL, "off", tw);
}

/* The other ranks have not met the error of this one, and wait for it. */
static void on_stranded(int signal)
{
    (void)signal;
    ssize_t written = write(STDERR_FILENO, unsaid, strlen(unsaid));
    (void)written;
    _exit(STATUS_SYSTEM);
}

/* Ranks that have met the same error stop together, at once. If this one is alone with it, they
 * would wait for each other for ever: it leaves, and the launcher ends the others. */
void context_stop(twill *tw)
{
    enum { SECONDS = 10 };
    progress_end();
    bool guarded = is_joined && has_failed;
    if (guarded) {
        signal(SIGALRM, on_stranded);
        alarm(SECONDS);
    }
    twill_stop(tw);
    if (guarded)
        alarm(0);
    is_joined = false;
}

const char *context_option(const twill *tw, const char *name)
{
    twill_option_info info = {.size = sizeof info};
    for (int i = 0; twill_option(tw, i, &info) == TWILL_OK; i++)
        if (strcmp(info.name, name) == 0)
            return info.value;
    return "";
}
