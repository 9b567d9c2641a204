/* twill bench memory: does memory grow with the tasks inserted, or with the window only? */
#include "bench/cases.h"
#include "command/progress.h"
#include "command/system.h"

#include <inttypes.h>

enum { PARTS = 10 };

typedef struct values {
    int64_t tasks, workers;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_INTEGER("tasks", "N", "tasks in all (10000000)", AT(tasks), PARTS, INT64_MAX),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_FLAG("json", "one JSON object per measurement", AT(json)), OPTION_END};

static const option_set options = {
    .command = "bench memory",
    .about = "Resident memory after a tenth of many inserted tasks, and at the end.",
    .tables = {own_options}};

/* A tenth of the tasks: independent ones and 64 chains, half of each. */
static twill_status insert_part(twill_graph *graph, twill_tile *const *tiles, int64_t first,
                                int64_t n)
{
    twill_status status = TWILL_OK;
    for (int64_t i = first; i < first + n && status == TWILL_OK; i++)
        status = i % 2 ? twill_insert(graph, &bench_empty, TWILL_RW(tiles[i / 2 % 64]))
                       : twill_insert(graph, &bench_empty);
    return status;
}

static twill_status measure(const values *v, twill *tw, double *first, double *last)
{
    twill_array *array;
    twill_tile *tiles[CASE_TILES];
    twill_graph *graph;
    twill_status status = cases_tiles(tw, &array, tiles);
    if (status != TWILL_OK)
        return status;
    status = twill_stf_begin(tw, &graph);
    if (status == TWILL_OK) {
        for (int64_t part = 0; part < PARTS && status == TWILL_OK; part++) {
            int64_t start = v->tasks / PARTS * part;
            int64_t end = part + 1 < PARTS ? v->tasks / PARTS * (part + 1) : v->tasks;
            status = insert_part(graph, tiles, start, end - start);
            *last = system_resident_mib();
            if (part == 0)
                *first = *last;
        }
        twill_status waited = twill_wait(graph);
        status = status == TWILL_OK ? waited : status;
        twill_graph_free(graph);
    }
    twill_array_free(array);
    return status;
}

static void print(const char *which, double mib)
{
    json j;
    bench_open(&j, "memory", which, "twill", mib, "MiB");
    bench_close(&j);
}

static int run(int argc, char **argv)
{
    values v = {.tasks = 10000000};
    double first = 0, last = 0;
    twill *tw;
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    status = context_start(options.command, v.workers, NULL, &tw);
    if (status != STATUS_OK)
        return status;
    progress_phase(options.command, v.tasks);
    twill_status measured = measure(&v, tw, &first, &last);
    progress_hide();
    if (measured != TWILL_OK) {
        status = complain_library(options.command, measured, NULL);
    } else if (v.json) {
        print("rss_10", first);
        print("rss_end", last);
    } else {
        printf("%" PRId64 " tasks, %d workers\n%-24s %8.1f MiB\n%-24s %8.1f MiB\n", v.tasks,
               twill_workers(tw), "resident after 10%", first, "resident at the end", last);
    }
    context_stop(tw);
    return status;
}

const bench bench_memory = {"memory", &options, run};
