/* twill simulate: a recorded run once more, in virtual time, on other workers or in another mode.
 */
#include "command/json.h"
#include "command/mode.h"
#include "command/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    int64_t workers, reserved;
    const char *mode, *prescribed, *sched, *speedup, *trace;
    int64_t alone, dispatch, wake, barrier;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_INTEGER("workers", "P", "workers of that machine (those of the run)", AT(workers), 1,
                      1024),
    OPTION_IS_CHOICE("mode", "regular|fixed|prescribed|adaptive",
                     "who runs the critical path (regular)", AT(mode)),
    OPTION_IS_INTEGER("reserved", "q", "workers for it, with --mode fixed (1)", AT(reserved), 0,
                      1024),
    OPTION_IS_TEXT("prescribed", "q,q,...", "workers for each of its tasks, with --mode prescribed",
                   AT(prescribed)),
    OPTION_IS_TEXT("sched", "NAME", "scheduler (lws)", AT(sched)),
    OPTION_IS_CHOICE("speedup", "seed|amdahl",
                     "of teams: efficiencies of 75% with two members, 60% with three, 50% with "
                     "four, or Amdahl's law (seed)",
                     AT(speedup)),
    OPTION_IS_INTEGER("alone", "%", "what of a task one member does alone, for Amdahl's law (5)",
                      AT(alone), 0, 100),
    OPTION_IS_INTEGER("dispatch", "NS", "from one task of a worker to its next (200)", AT(dispatch),
                      0, 1000000000),
    OPTION_IS_INTEGER("wake", "NS", "until a worker without work begins some (2000)", AT(wake), 0,
                      1000000000),
    OPTION_IS_INTEGER("barrier", "NS", "of a barrier, for each member but one (150)", AT(barrier),
                      0, 1000000000),
    OPTION_IS_TEXT("trace", "FILE", "write the virtual run there: .html, .tex, .json, .dot or .twt",
                   AT(trace)),
    OPTION_IS_FLAG("json", "one JSON object, and nothing else", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "simulate",
    .operand = "FILE",
    .about =
        "Run the tasks of a trace (.twt) in virtual time: on more workers, or in another mode.",
    .tables = {own_options}};

static void print_json(const values *v, const twill_simulation *s, const twill_simulated *c,
                       double recorded)
{
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "op", "simulate");
    json_integer(&j, "workers", s->workers);
    json_text(&j, "sched", v->sched);
    json_text(&j, "mode", v->mode);
    json_integer(&j, "reserved", s->reserved);
    json_real(&j, "seconds", c->seconds);
    json_real(&j, "recorded", recorded);
    json_integer(&j, "tasks", c->tasks);
    json_integer(&j, "critical_tasks", c->critical_tasks);
    json_real(&j, "cost", c->cost);
    json_real(&j, "cost_reserved", c->cost_reserved);
    json_real(&j, "cost_other", c->cost_other);
    json_real(&j, "busy_critical", c->busy_critical);
    json_real(&j, "busy_ordinary", c->busy_ordinary);
    json_real(&j, "utilisation", c->utilisation);
    json_real(&j, "critical_seconds", c->critical_seconds);
    json_real(&j, "longest_seconds", c->longest_seconds);
    json_integer(&j, "changes", c->changes);
    json_bool(&j, "virtual", true);
    json_close(&j, '}');
    json_end(&j);
}

static void print_table(const values *v, const twill_simulation *s, const twill_simulated *c,
                        double recorded)
{
    printf("virtual run of %" PRId64 " tasks on %d worker%s, %s, mode %s", c->tasks, s->workers,
           s->workers == 1 ? "" : "s", v->sched, v->mode);
    if (*s->mode == 'f')
        printf(" with %d reserved", s->reserved);
    printf("\n\n  %-15s %12.6f s, recorded %.6f s\n", "time", c->seconds, recorded);
    printf("  %-15s %12.1f %%\n", "utilisation", 100 * c->utilisation);
    printf("  %-15s %12.6f s, %" PRId64 " tasks\n", "critical path", c->critical_seconds,
           c->critical_tasks);
    printf("  %-15s %12.6f s\n", "longest path", c->longest_seconds);
    if (c->changes > 0)
        printf("  %-15s %12d changes of size\n", "reserved set", c->changes);
}

/* The run that was recorded: its time and its workers. */
static int look(const twill_trace *trace, values *v, double *seconds)
{
    twill_stats stats = {.size = sizeof stats};
    twill_status status = twill_trace_stats(trace, &stats);
    if (status != TWILL_OK)
        return complain_library("simulate", status, NULL);
    *seconds = stats.seconds;
    v->workers = v->workers ? v->workers : stats.workers;
    return STATUS_OK;
}

static int save(const values *v, twill_trace *trace)
{
    if (!trace)
        return STATUS_OK;
    twill_status status = twill_trace_save(trace, v->trace);
    twill_trace_free(trace);
    return status == TWILL_OK ? STATUS_OK : complain_library("simulate", status, "--trace");
}

static int simulate(const values *v, const twill_model *model, double recorded)
{
    int *prescribed = NULL;
    double alone = (double)v->alone / 100;
    twill_trace *trace = NULL;
    twill_simulated result = {.size = sizeof result};
    twill_simulation s = {.size = sizeof s,
                          .sched = v->sched,
                          .workers = (int)v->workers,
                          .mode = v->mode,
                          .reserved = (int)v->reserved,
                          .team = *v->speedup == 's' ? twill_simulate_seed : twill_simulate_amdahl,
                          .arg = &alone,
                          .dispatch = 1e-9 * (double)v->dispatch,
                          .wake = 1e-9 * (double)v->wake,
                          .barrier = 1e-9 * (double)v->barrier,
                          .trace = v->trace ? &trace : NULL};
    int status = mode_sizes("simulate", v->mode, v->prescribed, &prescribed, &s.prescribed_count);
    if (status != STATUS_OK)
        return status;
    s.prescribed = prescribed;
    twill_status ran = twill_simulate(model, &s, &result);
    free(prescribed);
    if (ran != TWILL_OK)
        return complain_library("simulate", ran, NULL);
    s.reserved = *s.mode == 'f' ? s.reserved : 0;
    status = save(v, trace);
    if (status == STATUS_OK)
        (v->json ? print_json : print_table)(v, &s, &result, recorded);
    return status;
}

static int simulate_file(values *v, const char *path)
{
    twill_trace *trace;
    twill_model *model = NULL;
    double recorded = 0;
    twill_status loaded = twill_trace_load(path, &trace);
    if (loaded != TWILL_OK)
        return complain_library("simulate", loaded, NULL);
    int status = look(trace, v, &recorded);
    if (status == STATUS_OK) {
        loaded = twill_model_load(trace, &model);
        status = loaded == TWILL_OK ? STATUS_OK : complain_library("simulate", loaded, NULL);
    }
    if (status == STATUS_OK)
        status = simulate(v, model, recorded);
    twill_model_free(model);
    twill_trace_free(trace);
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.mode = "regular",
                .reserved = 1,
                .sched = "lws",
                .speedup = "seed",
                .alone = 5,
                .dispatch = 200,
                .wake = 2000,
                .barrier = 150};
    int status;
    bool file = argc > 1 && argv[1][0] != '-';
    if (!options_parse(&options, argc - file, argv + file, &v, &status))
        return status;
    if (!file) {
        complain("simulate", "no file given: twill simulate FILE [options]");
        return STATUS_USAGE;
    }
    if (v.trace && twill_trace_check_path(v.trace) != TWILL_OK)
        return complain_library("simulate", TWILL_ERR_ARGUMENT, "--trace");
    return simulate_file(&v, argv[1]);
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command simulate_command = {
    "simulate", "a recorded run once more, in virtual time on other workers", run, help};
