/* twill bench potrf: the factorization beside its peers, in interleaved pairs. */
#include "bench/contest.h"

#define AT(field) offsetof(contest_values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...", "orders of the matrix (4000,8000)", AT(sizes)),
    OPTION_IS_TEXT("nb", "NB,NB,...", "tile sizes to choose from (192,256,320,384,512)", AT(tiles)),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each system (15)", AT(pairs), 1,
                      BENCH_RUNS),
    OPTION_END};

static const option_set options = {
    .command = "bench potrf",
    .about = "Cholesky factorization in double precision, each system with its best tile size.",
    .tables = {own_options, contest_options}};

static int run(int argc, char **argv)
{
    contest_values v = {.sizes = "4000,8000", .tiles = "192,256,320,384,512", .pairs = 15};
    return contest_main(&options, argc, argv, &v, &rival_potrf, contest_run);
}

const bench bench_potrf = {"potrf", &options, run};
