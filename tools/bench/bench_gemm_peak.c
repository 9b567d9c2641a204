/* twill bench gemm-peak: how fast products can be here: many in one graph, one at a time, and the
 * BLAS's own. */
#include "bench/contest.h"

#include <inttypes.h>

enum { TILE_RUNS = 5 };

#define AT(field) offsetof(contest_values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...", "orders of the matrices (2000,4000,8000)", AT(sizes)),
    OPTION_IS_TEXT("nb", "NB,NB,...", "tile sizes (192,256,320,384,512)", AT(tiles)),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each system (9)", AT(pairs), 1,
                      BENCH_RUNS),
    OPTION_END};

static const option_set options = {
    .command = "bench gemm-peak",
    .about = "Products in double precision on all cores: many in a row, one by one, of the BLAS.",
    .tables = {own_options, contest_options}};

static void print_tile(int64_t nb, double gflops, bool in_json)
{
    char which[BENCH_CASE];
    snprintf(which, sizeof which, "nb=%" PRId64, nb);
    if (!in_json) {
        printf("%-8s %-18s nb %-5" PRId64 " %8.1f GFLOP/s\n", which, rival_name(RIVAL_TILES), nb,
               gflops);
        fflush(stdout);
        return;
    }
    json j;
    bench_open(&j, rival_gemm.name, which, rival_name(RIVAL_TILES), gflops, "GFLOP/s");
    json_integer(&j, "nb", nb);
    bench_close(&j);
}

/* Products that follow one another without a wait, for each tile size. */
static int run_tiles(const rivals *all, const contest_plan *plan)
{
    for (int t = 0; t < plan->tile_count; t++) {
        double rates[TILE_RUNS];
        for (int r = 0; r < TILE_RUNS; r++) {
            twill_status status =
                twill_gemm_rate(all->tw, TWILL_FLOAT64, plan->tiles[t], &rates[r]);
            if (status != TWILL_OK)
                return complain_library(options.command, status, NULL);
        }
        print_tile(plan->tiles[t], bench_median(rates, TILE_RUNS), plan->json);
    }
    return STATUS_OK;
}

static int run_all(rivals *all, const contest_plan *plan)
{
    int status = run_tiles(all, plan);
    return status == STATUS_OK ? contest_run(all, plan) : status;
}

static int run(int argc, char **argv)
{
    contest_values v = {.sizes = "2000,4000,8000", .tiles = "192,256,320,384,512", .pairs = 9};
    return contest_main(&options, argc, argv, &v, &rival_gemm, run_all);
}

const bench bench_gemm_peak = {"gemm-peak", &options, run};
