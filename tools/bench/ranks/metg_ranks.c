/* Every rank goes through the same sweeps, so all measurements are those of rank 0, or sums. */
#include "bench/ranks/metg_ranks.h"
#include "bench/bench.h"
#include "bench/metg_ptg.h"
#include "bench/metg_twill.h"
#include "command/progress.h"
#include "command/system.h"
#include "mpi/raw.h"
#include "reach.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TWILL, MPI, SYSTEMS };
static const char *const names[SYSTEMS] = {"twill-ptg", "mpi"};

/* One rank. */
typedef struct session {
    const metg_ranks *plan;
    const mpi_raw *raw;
    metg_twill ours; /* the context, and which points are where */
    reach r;
    double *runs[SYSTEMS]; /* repeat each */
    double sweeps, sweeps_done;
} session;

/* All ranks get the sum, and none goes on before all are here. */
static bool sum(const session *s, double *x)
{
    twill_status status = twill_sum(s->ours.tw, x, 1);
    if (status != TWILL_OK)
        complain_library(s->plan->command, status, NULL);
    return status == TWILL_OK;
}

/* ---- the systems ------------------------------------------------------------------------- */

/* A graph ends on all ranks at once: the time of rank 0 counts. */
static bool twill_graph_once(void *arg, long iterations, double *us)
{
    session *s = arg;
    double nothing = 0;
    if (!sum(s, &nothing) || !metg_ptg_graph(&s->ours, iterations, us))
        return false;
    if (twill_rank(s->ours.tw) > 0)
        *us = 0;
    return sum(s, us);
}

static bool mpi_graph_once(void *arg, long iterations, double *us)
{
    session *s = arg;
    double seconds;
    int code = s->raw->steps(&s->r, (int)s->ours.share, iterations, &seconds);
    *us = 1e6 * seconds;
    if (code)
        complain(s->plan->command, "%s: error %d in %s without Twill", s->raw->name, code,
                 s->r.graph->pattern->name);
    return code == 0;
}

static bool plain(void *arg, long iterations, double *rate)
{
    session *s = arg;
    double nothing = 0;
    if (!sum(s, &nothing))
        return false;
    double start = system_seconds();
    pattern_compute(iterations);
    *rate = 1e-6 * (double)iterations / (system_seconds() - start);
    return sum(s, rate);
}

/* ---- patterns ---------------------------------------------------------------------------- */

static bool sweep(session *s, int system, double *us)
{
    metg_runner runner = {system == MPI ? mpi_graph_once : twill_graph_once, plain, s};
    return metg_sweep(&runner, twill_ranks(s->ours.tw), pattern_tasks(s->ours.graph), us);
}

/* In turn, again and again, so that what disturbs one disturbs both. */
static bool measure(session *s)
{
    for (int r = 0; r < s->plan->repeat; r++)
        for (int e = 0; e < SYSTEMS; e++) {
            progress_part(s->sweeps_done++, s->sweeps);
            if ((e == TWILL || s->plan->with_mpi) && !sweep(s, e, &s->runs[e][r]))
                return false;
        }
    return true;
}

static void print(const session *s)
{
    const pattern_graph *g = s->ours.graph;
    double us[SYSTEMS] = {NAN, NAN};
    progress_hide();
    if (!s->plan->print)
        printf("%-20s", g->pattern->name);
    for (int e = 0; e < SYSTEMS; e++) {
        if (e == MPI && !s->plan->with_mpi)
            continue;
        us[e] = bench_median(s->runs[e], s->plan->repeat);
        if (s->plan->print)
            s->plan->print(g, names[e], us[e], twill_ranks(s->ours.tw));
        else
            bench_cell(isfinite(us[e]), us[e], 3);
    }
    if (s->plan->print)
        return;
    bench_cell(isfinite(us[TWILL] / us[MPI]), us[TWILL] / us[MPI], 2);
    printf("\n");
    fflush(stdout);
}

static int run_pattern(session *s, const pattern *p)
{
    pattern_graph g = {.pattern = p, .width = s->plan->width, .steps = s->plan->steps, .rows = 2};
    s->ours.graph = &g;
    reach_make(&s->r, &g);
    if (!measure(s))
        return STATUS_SYSTEM;
    if (twill_rank(s->ours.tw) == 0)
        print(s);
    return STATUS_OK;
}

/* In all_to_all results are in memory that all tasks see. */
static bool is_for_ranks(const metg_ranks *plan, const pattern *p)
{
    return (!plan->which || strcmp(plan->which, p->name) == 0) &&
           strcmp(p->name, "all_to_all") != 0;
}

static int run_patterns(session *s)
{
    int status = STATUS_OK;
    for (int i = 0; i < PATTERNS; i++)
        s->sweeps += is_for_ranks(s->plan, &patterns[i]) ? SYSTEMS * s->plan->repeat : 0;
    if (!s->plan->print && twill_rank(s->ours.tw) == 0)
        printf("METG(50%%) in us: width %d, %ld steps, %d ranks with a worker each, %s, median of "
               "%d\n%-20s %12s %12s %12s\n",
               s->plan->width, s->plan->steps, twill_ranks(s->ours.tw), s->raw->name,
               s->plan->repeat, "pattern", names[TWILL], names[MPI], "twill/mpi");
    for (int i = 0; i < PATTERNS && status == STATUS_OK; i++)
        if (is_for_ranks(s->plan, &patterns[i]))
            status = run_pattern(s, &patterns[i]);
    return status;
}

/* ---- the ranks --------------------------------------------------------------------------- */

/* A tile on each rank; points are near to them, as many to each. */
static int place_points(session *s)
{
    const int64_t ranks = twill_ranks(s->ours.tw), one = 1;
    twill_pattern places = twill_pattern_nd(1, &ranks, &one, &ranks);
    s->ours.share = (s->plan->width + ranks - 1) / ranks;
    twill_status status = twill_array_create(s->ours.tw, &places, TWILL_BYTES, 1, &s->ours.home);
    return status == TWILL_OK ? STATUS_OK : complain_library(s->plan->command, status, NULL);
}

static int refuse(const session *s, const char *why)
{
    complain(s->plan->command,
             "--ranks: %s: start it by 'mpirun -np 2 --bind-to core twill bench metg --ranks'",
             why);
    return STATUS_USAGE;
}

static int run_joined(session *s)
{
    if (s->plan->which && strcmp(s->plan->which, "all_to_all") == 0) {
        complain(s->plan->command, "--case all_to_all: this is for one rank");
        return STATUS_USAGE;
    }
    if (twill_ranks(s->ours.tw) == 1)
        return refuse(s, "there is one rank");
    s->raw = dlsym(RTLD_DEFAULT, MPI_RAW_MODULE);
    if (!s->raw)
        return refuse(s, "these ranks are not connected by MPI");
    int status = place_points(s);
    if (status == STATUS_OK)
        status = run_patterns(s);
    twill_array_free(s->ours.home);
    return status;
}

int metg_ranks_run(const metg_ranks *plan)
{
    session *s = calloc(1, sizeof *s);
    double *runs = calloc((size_t)(SYSTEMS * plan->repeat), sizeof *runs);
    int status = STATUS_SYSTEM;
    if (s && runs) {
        s->plan = plan;
        s->ours.bench = plan->command;
        for (int e = 0; e < SYSTEMS; e++)
            s->runs[e] = runs + e * plan->repeat;
        status = context_join(plan->command, 1, NULL, NULL, &s->ours.tw);
        if (status == STATUS_OK) {
            status = run_joined(s);
            context_stop(s->ours.tw);
        }
    } else {
        complain(plan->command, "no memory");
    }
    free(runs);
    free(s);
    return status;
}
