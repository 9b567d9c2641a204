/* twill bench gemm-peak: how fast products can be here: of single tiles, of whole matrices, and the
 * BLAS's own. */
#include "contest.h"

#include <inttypes.h>

enum { TILE_RUNS = 5 };

typedef struct values {
    const char *sizes, *tiles;
    int64_t pairs, workers;
    bool json, no_peers;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...", "orders of the matrices (2000,4000,8000)", AT(sizes)),
    OPTION_IS_TEXT("nb", "NB,NB,...", "tile sizes (192,256,320,384,512)", AT(tiles)),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each system (9)", AT(pairs), 1,
                      BENCH_RUNS),
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per case and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench gemm-peak",
    .about = "Products in double precision on all cores: of cold tiles, of matrices, of the BLAS.",
    .tables = {own_options}};

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

/* Products of single tiles that are in no cache, for each tile size. */
static int run_tiles(const rivals *all, const contest_plan *plan)
{
    for (int t = 0; t < plan->tile_count; t++) {
        double rates[TILE_RUNS];
        for (int r = 0; r < TILE_RUNS; r++) {
            twill_status status = twill_gemm_rate(all->tw, TWILL_F64, plan->tiles[t], &rates[r]);
            if (status != TWILL_OK)
                return complain_library(options.command, status, NULL);
        }
        print_tile(plan->tiles[t], bench_median(rates, TILE_RUNS), plan->json);
    }
    return STATUS_OK;
}

static int run(int argc, char **argv)
{
    values v = {.sizes = "2000,4000,8000", .tiles = "192,256,320,384,512", .pairs = 9};
    int64_t sizes[CONTEST_LIST], tiles[CONTEST_LIST];
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    contest_plan plan = {.sizes = sizes, .tiles = tiles, .pairs = v.pairs, .json = v.json};
    plan.size_count = contest_list(options.command, "--n", v.sizes, sizes);
    plan.tile_count =
        plan.size_count < 0 ? -1 : contest_list(options.command, "--nb", v.tiles, tiles);
    if (plan.tile_count < 0)
        return STATUS_USAGE;
    rivals all;
    status = rivals_open(&all, &rival_gemm, options.command, v.workers, !v.no_peers);
    if (status != STATUS_OK)
        return status;
    status = run_tiles(&all, &plan);
    if (status == STATUS_OK)
        status = contest_run(&all, &plan);
    rivals_close(&all);
    return status;
}

const bench bench_gemm_peak = {"gemm-peak", &options, run};
