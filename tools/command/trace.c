/* twill trace: what a recorded run says, in words, in other files, or beside another run. */
#include "command/options.h"
#include "command/pair.h"
#include "operation/seeing.h"

#include <stdlib.h>
#include <string.h>

typedef struct values {
    bool stats, why_idle, json;
    const char *to, *compare;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_FLAG("stats", "time, workers, classes, paths and bounds", AT(stats)),
    OPTION_IS_FLAG("why-idle", "what idle time waited for", AT(why_idle)),
    OPTION_IS_TEXT("to", "FILE",
                   "write it as .html, .json, .tex, .dot or .twt; with --compare both runs side by "
                   "side, .html",
                   AT(to)),
    OPTION_IS_TEXT("compare", "FILE", "what changed from the first run to this one", AT(compare)),
    OPTION_IS_FLAG("json", "one JSON object, and nothing else", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "trace",
    .operand = "FILE",
    .about =
        "Read a trace (.twt) and say what is in it; without options, statistics and idle time.",
    .tables = {own_options}};

static int load(const char *path, twill_trace **trace)
{
    twill_status status = twill_trace_load(path, trace);
    return status == TWILL_OK ? STATUS_OK : complain_library("trace", status, NULL);
}

static int compare(const values *v, const twill_trace *before)
{
    twill_trace *after;
    int status = load(v->compare, &after);
    if (status == STATUS_OK && v->to) {
        status = pair_write(before, after, v->to);
        if (status == STATUS_OK && !v->json)
            printf("wrote %s\n", v->to);
        if (status != STATUS_OK)
            twill_trace_free(after);
    }
    if (status != STATUS_OK)
        return status;
    size_t size = twill_trace_compare(before, after, v->json, NULL, 0);
    char *text = size ? malloc(size) : NULL;
    if (text) {
        twill_trace_compare(before, after, v->json, text, size);
        printf("%s%s", text, v->json ? "\n" : "");
    } else {
        complain("trace", "no memory for a comparison");
        status = STATUS_SYSTEM;
    }
    free(text);
    twill_trace_free(after);
    return status;
}

static int convert(const values *v, const twill_trace *trace)
{
    twill_status status = twill_trace_save(trace, v->to);
    if (status != TWILL_OK)
        return complain_library("trace", status, "--to");
    if (!v->json)
        printf("wrote %s\n", v->to);
    return STATUS_OK;
}

static int show(const values *v, const twill_trace *trace)
{
    if (v->compare)
        return compare(v, trace);
    if (v->json) {
        seeing_print(trace, TWILL_REPORT_JSON);
        printf("\n");
        return STATUS_OK;
    }
    bool all = !v->stats && !v->why_idle;
    if (v->stats || (all && !v->to))
        seeing_print(trace, TWILL_REPORT_STATS);
    if (v->stats == v->why_idle && !v->to)
        printf("\n");
    if (v->why_idle || (all && !v->to))
        seeing_print(trace, TWILL_REPORT_IDLE);
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    values v = {0};
    int status;
    bool file = argc > 1 && argv[1][0] != '-';
    if (!options_parse(&options, argc - file, argv + file, &v, &status))
        return status;
    if (!file) {
        complain("trace", "no file given: twill trace FILE [options]");
        return STATUS_USAGE;
    }
    if (v.to && twill_trace_check_path(v.to) != TWILL_OK)
        return complain_library("trace", TWILL_ERR_ARGUMENT, "--to");
    const char *ending = v.to ? strrchr(v.to, '.') : NULL;
    if (v.to && v.compare && strcmp(ending, ".html") != 0) {
        complain("trace", "--to %s: two runs are written as .html only", v.to);
        return STATUS_USAGE;
    }
    twill_trace *trace;
    status = load(argv[1], &trace);
    if (status != STATUS_OK)
        return status;
    status = v.to && !v.compare ? convert(&v, trace) : STATUS_OK;
    if (status == STATUS_OK)
        status = show(&v, trace);
    twill_trace_free(trace);
    return status;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command trace_command = {"trace", "what a recorded run says, and other files of it", run,
                               help};
