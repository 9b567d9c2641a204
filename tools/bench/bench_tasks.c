/* twill bench tasks: what a task costs, in Twill and in its peers. */
#include "bench/cases.h"
#include "bench/peers.h"
#include "command/progress.h"
#include "command/system.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 1000, HELD_MOST = 1000000 /* tasks of a graph whose edges are in memory */ };

/* Ours come first, then the peers. */
enum { OURS_STF, OURS_DAG, OURS_PTG, OPENMP_GCC, OPENMP_CLANG, STARPU, SYSTEMS };
static const char *const systems[SYSTEMS] = {"twill",      "twill-dag",    "twill-ptg",
                                             "openmp-gcc", "openmp-clang", "starpu"};

typedef struct values {
    int64_t tasks, workers, repeat, limit;
    const char *which;
    bool json, no_peers;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_INTEGER("tasks", "N", "tasks per graph (1000000)", AT(tasks), 1, 1000000000),
    OPTION_IS_CHOICE("case", "independent|chain|chains64|stencil|fan|random", "only this one",
                     AT(which)),
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_INTEGER("repeat", "R", "runs, of which the median counts (5)", AT(repeat), 1,
                      BENCH_RUNS),
    OPTION_IS_INTEGER("limit", "S", "seconds after which a peer is ended and left out (60)",
                      AT(limit), 1, 86400),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per case and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench tasks",
    .about = "Time per empty task, from the first insertion to the return of the wait.",
    .tables = {own_options}};

/* All that a case needs. */
typedef struct session {
    const values *v;
    peers peers;
    bool present[SYSTEMS];
    char paths[SYSTEMS][PATH_MAX];
    twill *tw;
    twill_array *array;
    twill_tile *tiles[CASE_TILES];
    double *runs; /* repeat of each system */
    int cases, cases_done;
} session;

static twill_status insert(const session *s, const task_case *c, int64_t tasks, double *ns)
{
    uint64_t draw = CASE_DRAW;
    twill_graph *graph;
    twill_status status = twill_stf_begin(s->tw, &graph);
    if (status != TWILL_OK)
        return status;
    double start = system_seconds();
    status = cases_insert(graph, c, s->tiles, 0, tasks, &draw);
    twill_status waited = twill_wait(graph);
    *ns = 1e9 * (system_seconds() - start) / (double)tasks;
    twill_graph_free(graph);
    return status == TWILL_OK ? waited : status;
}

static int64_t tasks_of(const session *s, const task_case *c, int system)
{
    bool in_memory = system == OURS_DAG || (system == OURS_PTG && c->looks_up);
    return in_memory && s->v->tasks > HELD_MOST ? HELD_MOST : s->v->tasks;
}

static twill_status rerun(twill_graph *graph, twill_status (*go)(twill_graph *), int64_t tasks,
                          double *ns)
{
    double start = system_seconds();
    twill_status status = go(graph);
    if (status == TWILL_OK)
        status = twill_wait(graph);
    *ns = 1e9 * (system_seconds() - start) / (double)tasks;
    return status;
}

static bool run_peer(const session *s, int system, const char *name, double *ns)
{
    char tasks[32], threads[32];
    peer p;
    snprintf(tasks, sizeof tasks, "%" PRId64, s->v->tasks);
    snprintf(threads, sizeof threads, "%d", twill_workers(s->tw));
    const char *const argv[] = {s->paths[system], name, tasks, threads, NULL};
    if (!peer_start(&s->peers, options.command, systems[system], s->paths[system], argv, &p))
        return false;
    bool good = peer_value(&p, (double)s->v->limit, ns);
    peer_stop(&p);
    progress_add(good ? s->v->tasks : 0);
    return good;
}

/* Graphs that are made once and run again and again. */
typedef struct graphs {
    twill_graph *dag, *ptg;
    edges edges;
} graphs;

static void free_graphs(graphs *g)
{
    twill_graph_free(g->dag);
    twill_graph_free(g->ptg);
    edges_close(&g->edges);
}

static twill_status make_graphs(const session *s, const task_case *c, graphs *g)
{
    *g = (graphs){0};
    twill_status status = cases_dag(s->tw, c, s->tiles, tasks_of(s, c, OURS_DAG), &g->dag);
    if (status != TWILL_OK)
        return status;
    case_place at = {s->tw, s->array, tasks_of(s, c, OURS_PTG), &g->edges};
    status = cases_ptg(c, &at, s->tiles, &g->ptg);
    if (status != TWILL_OK)
        free_graphs(g);
    return status;
}

/* Each of ours once; run r of system p goes to row[p * repeat]. */
static twill_status run_ours(const session *s, const task_case *c, const graphs *g, double *row)
{
    twill_status status = insert(s, c, s->v->tasks, row);
    if (status == TWILL_OK)
        status =
            rerun(g->dag, twill_dag_run, tasks_of(s, c, OURS_DAG), row + OURS_DAG * s->v->repeat);
    if (status == TWILL_OK)
        status =
            rerun(g->ptg, twill_ptg_run, tasks_of(s, c, OURS_PTG), row + OURS_PTG * s->v->repeat);
    return status;
}

/* All systems in turn, again and again, so that what disturbs one disturbs all. */
static twill_status measure(const session *s, const task_case *c, bool *valid)
{
    graphs g;
    double ns;
    twill_status status = insert(s, c, WARM_UP, &ns);
    if (status == TWILL_OK)
        status = make_graphs(s, c, &g);
    if (status != TWILL_OK)
        return status;
    /* the first run of an explicit graph also checks it */
    status = rerun(g.dag, twill_dag_run, 1, &ns);
    for (int64_t r = 0; r < s->v->repeat && status == TWILL_OK; r++) {
        double *row = s->runs + r;
        progress_part((double)(s->cases_done * s->v->repeat + r),
                      (double)(s->cases * s->v->repeat));
        status = run_ours(s, c, &g, row);
        for (int p = OURS_PTG + 1; p < SYSTEMS && status == TWILL_OK; p++)
            if (valid[p])
                valid[p] = run_peer(s, p, c->name, row + p * s->v->repeat);
    }
    free_graphs(&g);
    return status;
}

static void print_header(const session *s)
{
    printf("%" PRId64 " tasks, %d workers, median of %" PRId64 ", ns/task\n%-12s", s->v->tasks,
           twill_workers(s->tw), s->v->repeat, "case");
    for (int p = 0; p < SYSTEMS; p++)
        if (s->present[p])
            printf(" %12s", systems[p]);
    if (s->present[OPENMP_GCC] || s->present[OPENMP_CLANG])
        printf(" %12s", "openmp/twill");
    if (s->present[STARPU])
        printf(" %12s", "starpu/twill");
    printf("\n");
}

static void print_row(const session *s, const task_case *c, const double *ns, const bool *valid)
{
    printf("%-12s", c->name);
    for (int p = 0; p < SYSTEMS; p++)
        if (s->present[p])
            bench_cell(valid[p], ns[p], 1);
    bool gcc = valid[OPENMP_GCC], clang = valid[OPENMP_CLANG];
    double openmp =
        gcc && (!clang || ns[OPENMP_GCC] < ns[OPENMP_CLANG]) ? ns[OPENMP_GCC] : ns[OPENMP_CLANG];
    if (s->present[OPENMP_GCC] || s->present[OPENMP_CLANG])
        bench_cell(gcc || clang, openmp / ns[OURS_STF], 2);
    if (s->present[STARPU])
        bench_cell(valid[STARPU], ns[STARPU] / ns[OURS_STF], 2);
    printf("\n");
    fflush(stdout);
}

static int run_case(session *s, const task_case *c)
{
    bool valid[SYSTEMS];
    double ns[SYSTEMS] = {0};
    memcpy(valid, s->present, sizeof valid);
    twill_status status = measure(s, c, valid);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    s->cases_done++;
    progress_hide();
    for (int p = 0; p < SYSTEMS; p++) {
        if (!valid[p])
            continue;
        ns[p] = bench_median(s->runs + p * s->v->repeat, (int)s->v->repeat);
        if (s->v->json) {
            json j;
            bench_open(&j, "tasks", c->name, systems[p], ns[p], "ns/task");
            json_integer(&j, "tasks", tasks_of(s, c, p));
            bench_close(&j);
        }
    }
    if (!s->v->json)
        print_row(s, c, ns, valid);
    return STATUS_OK;
}

static bool is_chosen(const session *s, int i)
{
    return !s->v->which || strcmp(s->v->which, cases_at(i)->name) == 0;
}

static int run_cases(session *s)
{
    twill_status created = cases_tiles(s->tw, &s->array, s->tiles);
    if (created != TWILL_OK)
        return complain_library(options.command, created, NULL);
    int status = STATUS_OK;
    if (!s->v->json)
        print_header(s);
    for (int i = 0; cases_at(i); i++)
        s->cases += is_chosen(s, i);
    for (int i = 0; cases_at(i) && status == STATUS_OK; i++)
        if (is_chosen(s, i))
            status = run_case(s, cases_at(i));
    twill_array_free(s->array);
    return status;
}

static void find_systems(session *s)
{
    for (int p = 0; p < SYSTEMS; p++) {
        char program[64];
        snprintf(program, sizeof program, "%s_tasks", systems[p]);
        s->present[p] = p <= OURS_PTG || (!s->v->no_peers && peers_find(&s->peers, options.command,
                                                                        program, s->paths[p]));
    }
}

static int run(int argc, char **argv)
{
    values v = {.tasks = 1000000, .repeat = 5, .limit = 60};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    session *s = calloc(1, sizeof *s);
    double *runs = calloc((size_t)(SYSTEMS * v.repeat), sizeof *runs);
    if (!s || !runs || !peers_open(&s->peers)) {
        complain(options.command, "no memory");
        free(runs);
        free(s);
        return STATUS_SYSTEM;
    }
    s->v = &v;
    s->runs = runs;
    find_systems(s);
    status = context_start(options.command, v.workers, NULL, &s->tw);
    if (status == STATUS_OK) {
        status = run_cases(s);
        context_stop(s->tw);
    }
    peers_close(&s->peers);
    free(runs);
    free(s);
    return status;
}

const bench bench_tasks = {"tasks", &options, run};
