/* twill bench: finds the benchmark and runs it. */
#include "bench/bench.h"
#include "command/terminal.h"

#include <stdlib.h>
#include <string.h>

static const bench *const benches[] = {
    &bench_tasks,    &bench_memory, &bench_chol,    &bench_potrf,    &bench_gemm_peak,
    &bench_la,       &bench_small,  &bench_ep,      &bench_metg,     &bench_trace,
    &bench_pingpong, &bench_copy,   &bench_scaling, &bench_critical, NULL};

void bench_open(json *j, const char *name, const char *which, const char *system, double value,
                const char *unit)
{
    *j = (json){.out = stdout};
    json_open(j, NULL, '{');
    json_text(j, "bench", name);
    json_text(j, "case", which);
    json_text(j, "system", system);
    json_real(j, "value", value);
    json_text(j, "unit", unit);
}

void bench_close(json *j)
{
    json_close(j, '}');
    json_end(j);
    fflush(j->out);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void bench_cell(bool valid, double value, int digits)
{
    char text[32] = "-";
    if (valid)
        snprintf(text, sizeof text, "%.*f", digits, value);
    printf(" %12s", text);
}

static twill_outcome nothing(twill_task *task)
{
    (void)task;
    return TWILL_DONE;
}

const twill_class bench_empty = {
    .size = sizeof(twill_class), .name = "empty", .chores = {TWILL_CPU(nothing)}};

static const bench *find(const char *name)
{
    tw_nearest_search search = nearest_to(name);
    for (int i = 0; benches[i]; i++) {
        if (strcmp(benches[i]->name, name) == 0)
            return benches[i];
        tw_nearest_offer(&search, benches[i]->name);
    }
    complain("bench", "unknown benchmark '%s'; did you mean '%s'?", name, search.best);
    return NULL;
}

static int list(void)
{
    printf("usage: twill bench NAME [options]\n\n");
    for (int i = 0; benches[i]; i++)
        terminal_wrap(benches[i]->options->about, printf("  %-9s ", benches[i]->name), 12);
    printf("\ntwill bench NAME --help\n");
    return STATUS_OK;
}

static int help(int argc, char **argv)
{
    if (argc < 2)
        return list();
    const bench *b = find(argv[1]);
    return b ? options_help(b->options) : STATUS_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        complain("bench", "no benchmark given; 'twill help bench' lists them");
        return STATUS_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return list();
    const bench *b = find(argv[1]);
    return b ? b->run(argc - 1, argv + 1) : STATUS_USAGE;
}

const command bench_command = {"bench", "measure this machine, and the peers found on it", run,
                               help};
