/* twill bench la: routines beside OpenBLAS and OpenMP, as shares of what products reach. */
#include "bench/bench.h"
#include "bench/la_cases.h"
#include "bench/rivals.h"
#include "command/progress.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 16, CASES = 16, PLAYERS = LA_WAYS + 2, RATE_TILE = 240 };
static const double run_limit = 300.0;

typedef struct values {
    const char *sizes, *cases;
    int64_t pairs, workers, nb;
    bool json, no_peers;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...",
                   "orders of the matrices (2000,4000,8000; tall 200, mixed 8000, async 2000)",
                   AT(sizes)),
    OPTION_IS_TEXT("case", "NAME,...", "potrf, getrf, geqrf, gemm, summa, tall, mixed, async (all)",
                   AT(cases)),
    OPTION_IS_INTEGER("nb", "NB", "order of a tile (chosen)", AT(nb), 1, INT64_MAX),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each system (5)", AT(pairs), 1,
                      BENCH_RUNS),
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per case, size and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench la",
    .about = "Linear algebra in double precision, in GFLOP/s and in % of the product of tiles.",
    .tables = {own_options}};

/* A system that takes part: one of Twill's ways, or a peer. */
typedef struct player {
    const char *name;
    bool running;
    int way; /* of Twill; -1: a peer */
    peer peer;
    double rates[BENCH_RUNS];
} player;

/* One case at one size. */
typedef struct contest {
    const values *v;
    rivals *all;
    const la_case *c;
    int64_t n;
    la_work work;
    player players[PLAYERS];
    double products[BENCH_RUNS]; /* the rate to compare with, measured in each round */
    double done, count;          /* of the sizes of all cases */
} contest;

static void start_peer(contest *k, int system, player *p)
{
    rivals *all = k->all;
    char rows[32], order[32], tile[32], threads[32];
    snprintf(rows, sizeof rows, "%" PRId64, k->work.m);
    snprintf(order, sizeof order, "%" PRId64, k->n);
    snprintf(tile, sizeof tile, "%" PRId64, la_tile(&k->work));
    snprintf(threads, sizeof threads, "%d", twill_workers(all->tw));
    const char *path = all->paths[system], *blas = all->blas[system];
    const char *const tiled[] = {path, order, tile, threads, "0", blas, all->kernels, NULL};
    const char *const whole[] = {path, k->c->routine, rows,   order, threads,
                                 "0",  blas,          "auto", NULL};
    *p = (player){.name = rival_name(system), .way = -1};
    p->running = peer_start(&all->peers, all->bench, p->name, path,
                            rival_tiled(system) ? tiled : whole, &p->peer);
}

/* Returns the exit status; a peer that cannot start is left out. */
static int start_all(contest *k)
{
    twill_status status = la_open(&k->work, k->c, k->all->tw, k->n, k->v->nb);
    char cause[64];
    snprintf(cause, sizeof cause, "--case %s -n %" PRId64, k->c->name, k->n);
    if (status != TWILL_OK)
        return complain_library(k->all->bench, status, cause);
    for (int i = 0; i < LA_WAYS; i++)
        k->players[i] =
            (player){.name = k->c->ways[i].system, .way = i, .running = k->c->ways[i].run};
    if (k->c->routine && k->all->present[RIVAL_OPENBLAS])
        start_peer(k, RIVAL_OPENBLAS, &k->players[LA_WAYS]);
    if (k->c->openmp && k->all->present[RIVAL_OPENMP])
        start_peer(k, RIVAL_OPENMP, &k->players[LA_WAYS + 1]);
    return STATUS_OK;
}

static void stop_all(contest *k)
{
    for (int i = LA_WAYS; i < PLAYERS; i++)
        peer_stop(&k->players[i].peer);
    la_close(&k->work);
    memset(k->players, 0, sizeof k->players);
}

static int play(contest *k, player *p, double *gflops)
{
    if (p->way < 0) {
        p->running = peer_ask(&p->peer, "\n", run_limit, gflops);
        return STATUS_OK;
    }
    twill_status status = la_run(&k->work, k->c, p->way, gflops);
    return status == TWILL_OK ? STATUS_OK : complain_library(k->all->bench, status, k->c->name);
}

/* Every other round goes backwards, so that no system always follows the same one. Round -1 is not
 * counted. */
static int play_round(contest *k, int64_t r)
{
    double unused;
    int status = STATUS_OK;
    for (int i = 0; i < PLAYERS && status == STATUS_OK; i++) {
        player *p = &k->players[r % 2 ? PLAYERS - 1 - i : i];
        if (p->running)
            status = play(k, p, r < 0 ? &unused : &p->rates[r]);
    }
    if (status != STATUS_OK || r < 0)
        return status;
    twill_status measured = twill_gemm_rate(k->all->tw, TWILL_FLOAT64, RATE_TILE, &k->products[r]);
    return measured == TWILL_OK ? STATUS_OK : complain_library(k->all->bench, measured, NULL);
}

static void print(const contest *k, const char *system, double rate, double products, int64_t nb)
{
    char which[BENCH_CASE];
    snprintf(which, sizeof which, "%s n=%" PRId64, k->c->name, k->n);
    if (k->v->json) {
        json j;
        bench_open(&j, "la", which, system, rate, "GFLOP/s");
        json_real(&j, "percent", 100 * rate / products);
        if (nb > 0)
            json_integer(&j, "nb", nb);
        else
            json_null(&j, "nb");
        bench_close(&j);
        return;
    }
    char tile[32] = "-";
    if (nb > 0)
        snprintf(tile, sizeof tile, "%" PRId64, nb);
    printf("%-14s %-12s nb %-5s %8.1f GFLOP/s %6.1f%%\n", which, system, tile, rate,
           100 * rate / products);
    fflush(stdout);
}

static void print_ratio(const contest *k, const char *system, double ratio)
{
    char which[BENCH_CASE], name[BENCH_CASE];
    snprintf(which, sizeof which, "%s n=%" PRId64, k->c->name, k->n);
    snprintf(name, sizeof name, "ratio:%s", system);
    if (k->v->json) {
        json j;
        bench_open(&j, "la", which, name, ratio, "ratio");
        bench_close(&j);
        return;
    }
    printf("%-14s %-20s %9.3f\n", which, name, ratio);
    fflush(stdout);
}

/* The ratio of each pair first, since sorting for the medians parts them. */
static void print_all(contest *k)
{
    int pairs = (int)k->v->pairs;
    double ratios[PLAYERS] = {0}, products = bench_median(k->products, pairs);
    progress_hide();
    for (int i = 1; i < PLAYERS; i++) {
        double pair[BENCH_RUNS];
        for (int r = 0; r < pairs && k->players[i].running; r++)
            pair[r] = k->players[0].rates[r] / k->players[i].rates[r];
        if (k->players[i].running)
            ratios[i] = bench_median(pair, pairs);
    }
    for (int i = 0; i < PLAYERS; i++) {
        player *p = &k->players[i];
        bool tiled = p->way >= 0 || i == LA_WAYS + 1;
        if (p->running)
            print(k, p->name, bench_median(p->rates, pairs), products,
                  tiled ? la_tile(&k->work) : 0);
    }
    print(k, "products", products, products, RATE_TILE);
    for (int i = 1; i < PLAYERS; i++)
        if (k->players[i].running)
            print_ratio(k, k->players[i].name, ratios[i]);
}

static int run_size(contest *k)
{
    int status = start_all(k);
    for (int64_t r = -1; r < k->v->pairs && status == STATUS_OK; r++) {
        progress_part(k->done + (double)(r + 1) / (double)(k->v->pairs + 1), k->count);
        status = play_round(k, r);
    }
    if (status == STATUS_OK)
        print_all(k);
    stop_all(k);
    k->done++;
    return status;
}

/* ---- the command line -------------------------------------------------------------------- */

static int find_cases(const char *names, const la_case **list)
{
    int n = 0;
    for (int i = 0; !names && la_case_at(i); i++)
        list[n++] = la_case_at(i);
    while (names && *names && n < CASES) {
        char name[BENCH_CASE];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (!(list[n++] = la_case_named(options.command, name)))
            return -1;
        names += length + (names[length] == ',');
    }
    return n;
}

static int find_sizes(const values *v, const la_case *c, int64_t *sizes)
{
    int n = parse_list(v->sizes ? v->sizes : c->sizes, 1, sizes, SIZES);
    if (n < 0)
        complain(options.command,
                 "-n %s: must be at most %d positive integers, with commas between", v->sizes,
                 SIZES);
    return n;
}

static int run_cases(contest *k, const la_case *const *list, int count)
{
    int64_t sizes[SIZES];
    int status = STATUS_OK;
    for (int i = 0; i < count; i++)
        k->count += find_sizes(k->v, list[i], sizes);
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        int n = find_sizes(k->v, list[i], sizes);
        k->c = list[i];
        for (int s = 0; s < n && status == STATUS_OK; s++) {
            k->n = sizes[s];
            status = run_size(k);
        }
    }
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.pairs = 5};
    const la_case *list[CASES];
    int64_t sizes[SIZES];
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    int count = find_cases(v.cases, list);
    if (count < 0 || find_sizes(&v, list[0], sizes) < 0)
        return STATUS_USAGE;
    rivals all;
    status = rivals_open(&all, &rival_la, options.command, v.workers, !v.no_peers);
    if (status != STATUS_OK)
        return status;
    contest *k = calloc(1, sizeof *k);
    if (k) {
        *k = (contest){.v = &v, .all = &all};
        status = run_cases(k, list, count);
    } else {
        complain(options.command, "no memory");
        status = STATUS_SYSTEM;
    }
    free(k);
    rivals_close(&all);
    return status;
}

const bench bench_la = {"la", &options, run};
