/* Complaints on standard error, the nearest known name, and starting the library. */
#include "command/command.h"
#include "command/progress.h"

#include <limits.h>
#include <stdarg.h>
#include <string.h>

enum { LINE_SIZE = 2560 };

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

int context_start(const char *who, int64_t workers, const char *sched, twill **tw)
{
    twill_options options = {
        .size = sizeof(twill_options), .workers = (int)workers, .sched = sched};
    twill_status status = twill_start(tw, &options);
    if (status == TWILL_OK) {
        progress_begin(*tw, who);
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
    }
    return complain_library(who, status, named);
}

void context_stop(twill *tw)
{
    progress_end();
    twill_stop(tw);
}

const char *context_option(const twill *tw, const char *name)
{
    twill_option_info info = {.size = sizeof info};
    for (int i = 0; twill_option(tw, i, &info) == TWILL_OK; i++)
        if (strcmp(info.name, name) == 0)
            return info.value;
    return "";
}
