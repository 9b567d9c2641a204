/* Systems beside one another, in interleaved runs. */
#include "bench/contest.h"
#include "command/progress.h"

#include <inttypes.h>
#include <string.h>

enum { SEARCH_RUNS = 3 };

/* One size: its systems, and what they reached. */
typedef struct contest {
    const contest_plan *plan;
    rivals *all;
    int64_t n;
    rival players[RIVALS];
    double rates[RIVALS][BENCH_RUNS];
    int number; /* of the size */
} contest;

/* Find the best tile size of a system and leave it started with that one. */
static int choose(contest *c, int system)
{
    const int64_t *tiles = c->plan->tiles;
    int count = c->plan->tile_count;
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
static int choose_all(contest *c)
{
    for (int p = 0; p < RIVALS; p++) {
        if (!c->all->present[p])
            continue;
        int status = choose(c, p);
        if (status != STATUS_OK && p == RIVAL_TWILL)
            return status;
    }
    return STATUS_OK;
}

/* Every other round goes backwards, so that no system always follows the same one. */
static int run_pairs(contest *c)
{
    for (int64_t r = 0; r < c->plan->pairs; r++) {
        progress_part(c->number + (double)r / (double)c->plan->pairs, c->plan->size_count);
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
    if (c->plan->json) {
        json j;
        bench_open(&j, c->all->kind->name, which, name, value, ratio ? "ratio" : "GFLOP/s");
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
    int pairs = (int)c->plan->pairs;
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

static int run_size(contest *c)
{
    memset(c->players, 0, sizeof c->players);
    int status = choose_all(c);
    if (status == STATUS_OK)
        status = run_pairs(c);
    if (status == STATUS_OK)
        print_all(c);
    for (int p = 0; p < RIVALS; p++)
        rival_stop(&c->players[p]);
    return status;
}

int contest_run(rivals *all, const contest_plan *plan)
{
    contest c = {.plan = plan, .all = all};
    int status = STATUS_OK;
    for (int i = 0; i < plan->size_count && status == STATUS_OK; i++) {
        c.n = plan->sizes[i];
        c.number = i;
        status = run_size(&c);
    }
    return status;
}

/* ---- the command line ---------------------------------------------------------------------- */

#define AT(field) offsetof(contest_values, field)

const option contest_options[] = {
    OPTION_IS_INTEGER("workers", "P", "workers, and threads of peers (one per core)", AT(workers),
                      1, 1024),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per size and system", AT(json)), OPTION_END};

/* Numbers with commas between, at most CONTEST_LIST; how many, or -1 after a complaint. */
static int read_list(const char *command, const char *name, const char *text, int64_t *list)
{
    int count = parse_list(text, 1, list, CONTEST_LIST);
    if (count < 0)
        complain(command, "%s %s: must be at most %d positive integers, with commas between", name,
                 text, CONTEST_LIST);
    return count;
}

int contest_main(const option_set *options, int argc, char **argv, contest_values *v,
                 const rival_kind *kind, int (*contest)(rivals *all, const contest_plan *plan))
{
    int64_t sizes[CONTEST_LIST], tiles[CONTEST_LIST];
    int status;
    if (!options_parse(options, argc, argv, v, &status))
        return status;
    contest_plan plan = {.sizes = sizes, .tiles = tiles, .pairs = v->pairs, .json = v->json};
    plan.size_count = read_list(options->command, "--n", v->sizes, sizes);
    plan.tile_count =
        plan.size_count < 0 ? -1 : read_list(options->command, "--nb", v->tiles, tiles);
    if (plan.tile_count < 0)
        return STATUS_USAGE;
    rivals all;
    status = rivals_open(&all, kind, options->command, v->workers, !v->no_peers);
    if (status != STATUS_OK)
        return status;
    status = contest(&all, &plan);
    rivals_close(&all);
    return status;
}
