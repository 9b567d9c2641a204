/* twill bench potrf: the factorization beside its peers, in interleaved pairs. */
#include "contest.h"

typedef struct values {
    const char *sizes, *tiles;
    int64_t pairs, workers;
    bool json, no_peers;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...", "orders of the matrix (4000,8000)", AT(sizes)),
    OPTION_IS_TEXT("nb", "NB,NB,...", "tile sizes to choose from (192,256,320,384,512)", AT(tiles)),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each system (15)", AT(pairs), 1,
                      BENCH_RUNS),
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per size and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench potrf",
    .about = "Cholesky factorization in double precision, each system with its best tile size.",
    .tables = {own_options}};

static int run(int argc, char **argv)
{
    values v = {.sizes = "4000,8000", .tiles = "192,256,320,384,512", .pairs = 15};
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
    status = rivals_open(&all, &rival_potrf, options.command, v.workers, !v.no_peers);
    if (status != STATUS_OK)
        return status;
    status = contest_run(&all, &plan);
    rivals_close(&all);
    return status;
}

const bench bench_potrf = {"potrf", &options, run};
