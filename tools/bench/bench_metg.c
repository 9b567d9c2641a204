/* twill bench metg: how small tasks may be, in Twill and in its peers. */
#include "bench/bench.h"
#include "bench/metg_ptg.h"
#include "bench/metg_twill.h"
#include "bench/peers.h"
#include "bench/ranks/metg_ranks.h"
#include "command/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A system that has no program of its own runs in this process. */
typedef struct entrant {
    const char *name, *program;
    bool (*graph)(void *arg, long iterations, double *us);
    int rows; /* of results, with which it is fastest: gcc is slow when data is written often */
} entrant;

static const entrant entrants[] = {{"twill", NULL, metg_twill_graph, 16},
                                   {"twill-ptg", NULL, metg_ptg_graph, 16},
                                   {"openmp-gcc", "openmp-gcc_metg", NULL, PATTERN_ROWS},
                                   {"openmp-clang", "openmp-clang_metg", NULL, 16},
                                   {"starpu", "starpu_metg", NULL, 16}};
enum { ENTRANTS = sizeof entrants / sizeof *entrants };

typedef struct values {
    int64_t width, steps, workers, repeat, limit;
    const char *which;
    bool json, no_peers, ranks;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_CHOICE("case",
                     "trivial|no_comm|stencil_1d|stencil_1d_periodic|dom|tree|fft|all_to_all|"
                     "nearest|spread|random_nearest",
                     "only this one", AT(which)),
    OPTION_IS_INTEGER("width", "W", "tasks that can run at once (8)", AT(width), 1, PATTERN_WIDTH),
    OPTION_IS_INTEGER("steps", "T", "steps of each graph (1000)", AT(steps), 1, 1000000),
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_INTEGER("repeat", "R", "sweeps, of which the median counts (5)", AT(repeat), 1,
                      BENCH_RUNS),
    OPTION_IS_INTEGER("limit", "S", "seconds after which a peer is ended and left out (60)",
                      AT(limit), 1, 86400),
    OPTION_IS_FLAG("ranks", "over the ranks of mpirun, one worker each, beside MPI", AT(ranks)),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per pattern and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench metg",
    .about = "Smallest tasks with which half of the peak rate is reached: METG(50%).",
    .tables = {own_options}};

typedef struct session {
    const values *v;
    peers peers;
    bool present[ENTRANTS];
    char paths[ENTRANTS][PATH_MAX];
    twill *tw;
    metg_twill ours;
    double *runs; /* repeat of each system */
    double sweeps, sweeps_done;
} session;

/* ---- peers ------------------------------------------------------------------------------- */

typedef struct remote {
    peer peer;
    double limit;
    long steps;
    int64_t tasks;
} remote;

static bool ask(remote *r, long iterations, long steps, double *value)
{
    char line[64];
    snprintf(line, sizeof line, "%ld %ld\n", iterations, steps);
    return peer_ask(&r->peer, line, r->limit, value);
}

static bool remote_graph(void *arg, long iterations, double *us)
{
    remote *r = arg;
    bool good = ask(r, iterations, r->steps, us);
    progress_add(good ? r->tasks : 0);
    return good;
}

static bool remote_plain(void *arg, long iterations, double *rate)
{
    return ask(arg, iterations, 0, rate);
}

static bool sweep_peer(session *s, int e, const pattern_graph *g, double *us)
{
    remote r = {.limit = (double)s->v->limit, .steps = g->steps, .tasks = pattern_tasks(g)};
    metg_runner runner = {remote_graph, remote_plain, &r};
    char width[32], rows[32], threads[32];
    snprintf(width, sizeof width, "%d", g->width);
    snprintf(rows, sizeof rows, "%d", g->rows);
    snprintf(threads, sizeof threads, "%d", twill_workers(s->tw));
    const char *const argv[] = {s->paths[e], g->pattern->name, width, rows, threads, NULL};
    if (!peer_start(&s->peers, options.command, entrants[e].name, s->paths[e], argv, &r.peer))
        return false;
    bool good = metg_sweep(&runner, twill_workers(s->tw), pattern_tasks(g), us);
    peer_stop(&r.peer);
    return good;
}

/* ---- patterns ---------------------------------------------------------------------------- */

static bool sweep_ours(session *s, int e, const pattern_graph *g, double *us)
{
    metg_runner runner = {entrants[e].graph, metg_twill_plain, &s->ours};
    if (metg_twill_open(&s->ours, options.command, s->tw, g) != STATUS_OK)
        return false;
    bool good = metg_sweep(&runner, twill_workers(s->tw), pattern_tasks(g), us);
    metg_twill_close(&s->ours);
    return good;
}

static bool sweep(session *s, int e, const pattern_graph *g, double *us)
{
    pattern_graph own = *g;
    own.rows = entrants[e].rows;
    return (entrants[e].program ? sweep_peer : sweep_ours)(s, e, &own, us);
}

/* All systems in turn, again and again, so that what disturbs one disturbs all. */
static bool measure(session *s, const pattern_graph *g, bool *valid)
{
    for (int64_t r = 0; r < s->v->repeat; r++)
        for (int e = 0; e < ENTRANTS; e++) {
            progress_part(s->sweeps_done++, s->sweeps);
            if (valid[e])
                valid[e] = sweep(s, e, g, &s->runs[e * s->v->repeat + r]);
            if (!valid[e] && !entrants[e].program)
                return false;
        }
    return true;
}

static void print_header(const session *s)
{
    printf("METG(50%%) in us: width %" PRId64 ", %" PRId64 " steps, %d workers, median of %" PRId64
           "\n%-20s",
           s->v->width, s->v->steps, twill_workers(s->tw), s->v->repeat, "pattern");
    for (int e = 0; e < ENTRANTS; e++)
        if (s->present[e])
            printf(" %12s", entrants[e].name);
    printf("%s\n", s->v->no_peers ? "" : "   peer/twill");
}

static void print_row(const session *s, const char *name, const double *us, const bool *valid)
{
    double best = INFINITY;
    printf("%-20s", name);
    for (int e = 0; e < ENTRANTS; e++) {
        if (valid[e] && entrants[e].program)
            best = fmin(best, us[e]); /* which passes over NAN */
        if (s->present[e])
            bench_cell(valid[e] && isfinite(us[e]), us[e], 3);
    }
    if (!s->v->no_peers)
        bench_cell(isfinite(best / us[0]), best / us[0], 2);
    printf("\n");
    fflush(stdout);
}

static void print_object(const pattern_graph *g, const char *system, double us, int ranks)
{
    json j;
    bench_open(&j, "metg", g->pattern->name, system, us, "us");
    json_integer(&j, "width", g->width);
    json_integer(&j, "steps", g->steps);
    json_integer(&j, "tasks", pattern_tasks(g));
    json_integer(&j, "ranks", ranks);
    bench_close(&j);
}

static int run_pattern(session *s, const pattern *p)
{
    pattern_graph g = {.pattern = p, .width = (int)s->v->width, .steps = (long)s->v->steps};
    bool valid[ENTRANTS];
    double us[ENTRANTS] = {0};
    memcpy(valid, s->present, sizeof valid);
    if (!measure(s, &g, valid))
        return STATUS_SYSTEM;
    progress_hide();
    for (int e = 0; e < ENTRANTS; e++) {
        if (!valid[e])
            continue;
        us[e] = bench_median(s->runs + e * s->v->repeat, (int)s->v->repeat);
        if (s->v->json)
            print_object(&g, entrants[e].name, us[e], 1);
    }
    if (!s->v->json)
        print_row(s, p->name, us, valid);
    return STATUS_OK;
}

static int run_patterns(session *s)
{
    int status = STATUS_OK;
    s->sweeps = (double)((s->v->which ? 1 : PATTERNS) * ENTRANTS * s->v->repeat);
    if (!s->v->json)
        print_header(s);
    for (int i = 0; i < PATTERNS && status == STATUS_OK; i++)
        if (!s->v->which || strcmp(s->v->which, patterns[i].name) == 0)
            status = run_pattern(s, &patterns[i]);
    return status;
}

static int run_session(session *s)
{
    for (int e = 0; e < ENTRANTS; e++)
        s->present[e] = !entrants[e].program ||
                        (!s->v->no_peers &&
                         peers_find(&s->peers, options.command, entrants[e].program, s->paths[e]));
    int status = context_start(options.command, s->v->workers, NULL, &s->tw);
    if (status != STATUS_OK)
        return status;
    status = run_patterns(s);
    context_stop(s->tw);
    return status;
}

static int run_ranks(const values *v)
{
    const metg_ranks plan = {.command = options.command,
                             .which = v->which,
                             .width = (int)v->width,
                             .steps = (long)v->steps,
                             .repeat = (int)v->repeat,
                             .with_mpi = !v->no_peers,
                             .print = v->json ? print_object : NULL};
    return metg_ranks_run(&plan);
}

static int run(int argc, char **argv)
{
    values v = {.width = 8, .steps = 1000, .repeat = 5, .limit = 60};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    if (v.ranks)
        return run_ranks(&v);
    session *s = calloc(1, sizeof *s);
    double *runs = calloc((size_t)(ENTRANTS * v.repeat), sizeof *runs);
    if (s && runs && peers_open(&s->peers)) {
        s->v = &v;
        s->runs = runs;
        status = run_session(s);
        peers_close(&s->peers);
    } else {
        complain(options.command, "no memory");
        status = STATUS_SYSTEM;
    }
    free(runs);
    free(s);
    return status;
}

const bench bench_metg = {"metg", &options, run};
