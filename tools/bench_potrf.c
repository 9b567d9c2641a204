/* twill bench potrf: the factorization beside its peers, in interleaved pairs. */
#include "bench.h"
#include "progress.h"
#include "rivals.h"

#include <inttypes.h>
#include <string.h>

enum { SIZES = 16, TILES = 16, SEARCH_RUNS = 3 };

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

/* One size: its systems, and what they reached. */
typedef struct contest {
    const values *v;
    rivals *all;
    int64_t n;
    rival players[RIVALS];
    double rates[RIVALS][BENCH_RUNS];
    int number, count; /* of the sizes */
} contest;

/* Find the best tile size of a system and leave it started with that one. */
static int choose(contest *c, int system, const int64_t *tiles, int count)
{
    int64_t best = tiles[0];
    double most = 0;
    int status = STATUS_OK;
    for (int t = 0; t < count && count > 1 && rival_tiled(system); t++) {
        double rates[SEARCH_RUNS];
        status = rival_start(c->all, system, c->n, tiles[t], &c->players[system]);
        for (int r = 0; r < SEARCH_RUNS && status == STATUS_OK; r++)
            status = rival_run(&c->players[system], &rates[r]);
        rival_stop(&c->players[system]);
        if (status != STATUS_OK)
            return status;
        double median = bench_median(rates, SEARCH_RUNS);
        if (median > most) {
            most = median;
            best = tiles[t];
        }
    }
    status = rival_start(c->all, system, c->n, best, &c->players[system]);
    double warm_up;
    return status == STATUS_OK ? rival_run(&c->players[system], &warm_up) : status;
}

/* A peer that fails is left out; if Twill fails, so does the benchmark. */
static int choose_all(contest *c, const int64_t *tiles, int count)
{
    for (int p = 0; p < RIVALS; p++) {
        if (!c->all->present[p])
            continue;
        int status = choose(c, p, tiles, count);
        if (status != STATUS_OK && p == RIVAL_TWILL)
            return status;
    }
    return STATUS_OK;
}

/* Every other round goes backwards, so that no system always follows the same one. */
static int run_pairs(contest *c)
{
    for (int64_t r = 0; r < c->v->pairs; r++) {
        progress_part(c->number + (double)r / (double)c->v->pairs, c->count);
        for (int k = 0; k < RIVALS; k++) {
            int p = r % 2 ? RIVALS - 1 - k : k;
            if (!c->players[p].running)
                continue;
            int status = rival_run(&c->players[p], &c->rates[p][r]);
            if (status != STATUS_OK && p == RIVAL_TWILL)
                return status;
        }
    }
    return STATUS_OK;
}

static void print(const contest *c, int system, bool ratio, double value)
{
    const rival *player = &c->players[system];
    char which[BENCH_CASE], name[BENCH_CASE];
    snprintf(which, sizeof which, "n=%" PRId64, c->n);
    snprintf(name, sizeof name, "%s%s", ratio ? "ratio:" : "", rival_name(system));
    if (c->v->json) {
        json j;
        bench_open(&j, "potrf", which, name, value, ratio ? "ratio" : "GFLOP/s");
        if (player->nb > 0)
            json_integer(&j, "nb", player->nb);
        else
            json_null(&j, "nb");
        bench_close(&j);
        return;
    }
    char tile[32] = "-";
    if (player->nb > 0)
        snprintf(tile, sizeof tile, "%" PRId64, player->nb);
    printf("%-8s %-18s nb %-5s %8.*f%s\n", which, name, tile, ratio ? 3 : 1, value,
           ratio ? "" : " GFLOP/s");
    fflush(stdout);
}

/* The ratio of each pair first, since sorting for the medians parts them. */
static void print_all(contest *c)
{
    int pairs = (int)c->v->pairs;
    progress_hide();
    double ratios[RIVALS] = {0};
    for (int p = RIVAL_TWILL + 1; p < RIVALS; p++) {
        double pair[BENCH_RUNS];
        for (int r = 0; r < pairs && c->players[p].running; r++)
            pair[r] = c->rates[RIVAL_TWILL][r] / c->rates[p][r];
        if (c->players[p].running)
            ratios[p] = bench_median(pair, pairs);
    }
    for (int p = 0; p < RIVALS; p++)
        if (c->players[p].running)
            print(c, p, false, bench_median(c->rates[p], pairs));
    for (int p = RIVAL_TWILL + 1; p < RIVALS; p++)
        if (c->players[p].running)
            print(c, p, true, ratios[p]);
}

static int run_size(contest *c, const int64_t *tiles, int count)
{
    memset(c->players, 0, sizeof c->players);
    int status = choose_all(c, tiles, count);
    if (status == STATUS_OK)
        status = run_pairs(c);
    if (status == STATUS_OK)
        print_all(c);
    for (int p = 0; p < RIVALS; p++)
        rival_stop(&c->players[p]);
    return status;
}

static int parse(const char *name, const char *text, int64_t *list, int most)
{
    int count = parse_list(text, 1, list, most);
    if (count < 0)
        complain(options.command,
                 "%s %s: must be at most %d positive integers, with commas between", name, text,
                 most);
    return count;
}

static int run(int argc, char **argv)
{
    values v = {.sizes = "4000,8000", .tiles = "192,256,320,384,512", .pairs = 15};
    int64_t sizes[SIZES], tiles[TILES];
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    int size_count = parse("--n", v.sizes, sizes, SIZES);
    int tile_count = size_count < 0 ? -1 : parse("--nb", v.tiles, tiles, TILES);
    if (tile_count < 0)
        return STATUS_USAGE;
    rivals all;
    status = rivals_open(&all, options.command, v.workers, !v.no_peers);
    if (status != STATUS_OK)
        return status;
    contest c = {.v = &v, .all = &all, .count = size_count};
    for (int i = 0; i < size_count && status == STATUS_OK; i++) {
        c.n = sizes[i];
        c.number = i;
        status = run_size(&c, tiles, tile_count);
    }
    rivals_close(&all);
    return status;
}

const bench bench_potrf = {"potrf", &options, run};
