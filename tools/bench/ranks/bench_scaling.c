/* twill bench scaling: routines over ranks of MPI, beside ScaLAPACK. It starts mpirun itself, once
 * for each run, since cases need different numbers of ranks. */
#include "bench/ranks/scaling.h"
#include "command/progress.h"
#include "command/system.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_TILE = 240 };

#define AT(field) offsetof(scaling_values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("case", "NAME,...",
                   "tile, split, size, weak, strong, peers, ranks, single (all of them)",
                   AT(cases)),
    OPTION_IS_TEXT("op", "NAME,...",
                   "gemm, summa, potrf, getrf, geqrf; tasks, in single (all of them)", AT(ops)),
    OPTION_IS_TEXT("n", "N,N,...", "orders, of which figures of one order take the first",
                   AT(sizes)),
    OPTION_IS_TEXT("nb", "NB,NB,...", "tile sizes, of case tile (64 to 512)", AT(tiles)),
    OPTION_IS_TEXT("ranks", "R,R,...",
                   "numbers of ranks, of split, weak and strong (1, 2, 4 ... twice the cores)",
                   AT(ranks)),
    OPTION_IS_INTEGER("tasks", "N", "tasks of each graph, in single (1000000)", AT(tasks), 1,
                      1000000000),
    OPTION_IS_INTEGER("workers", "P", "cores to use (all)", AT(workers), 1, 1024),
    OPTION_IS_INTEGER("pairs", "R", "interleaved runs of each point (5)", AT(pairs), 1,
                      SCALING_RUNS),
    OPTION_IS_INTEGER("limit", "S", "seconds after which a run is ended and left out (300)",
                      AT(limit), 1, 86400),
    OPTION_IS_TEXT("plot", "PREFIX", "where figures go: PREFIX-CASE-OP.svg (scaling)", AT(plot)),
    OPTION_IS_TEXT("mpirun", "COMMAND",
                   "what starts ranks, and binds them; -np R is added (mpirun of Open MPI)",
                   AT(mpirun)),
    OPTION_IS_FLAG("no-peers", "measure Twill only", AT(no_peers)),
    OPTION_IS_FLAG("json", "one JSON object per point", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench scaling",
    .about = "Routines over ranks of MPI, which it starts itself, beside ScaLAPACK; figures.",
    .tables = {own_options}};

/* ---- what the command line names --------------------------------------------------------- */

/* Is the word one of those that commas separate? NULL: all are. */
static bool is_named(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    return !list;
}

static const char *const ops[] = {"gemm", "summa", "potrf", "getrf", "geqrf", "tasks", NULL};

static const char *op_at(int i)
{
    return ops[i];
}

static const char *case_at(int i)
{
    const scaling_case *c = scaling_case_at(i);
    return c ? c->name : NULL;
}

/* Every word of a list must be a name. */
static bool check_names(const char *option, const char *list, const char *(*name_at)(int i))
{
    while (list && *list) {
        char word[BENCH_CASE];
        size_t length = strcspn(list, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        tw_nearest_search search = nearest_to(word);
        for (int i = 0; name_at(i); i++)
            tw_nearest_offer(&search, name_at(i));
        if (strcmp(search.best, word) != 0) {
            complain(options.command, "--%s %s: unknown; did you mean '%s'?", option, word,
                     search.best);
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

static bool read_list(const char *option, const char *text, scaling_list *l)
{
    l->count = parse_list(text, 1, l->at, SCALING_LIST);
    if (l->count <= 0)
        complain(options.command,
                 "%s %s: must be at most %d positive integers, with commas between", option, text,
                 SCALING_LIST);
    return l->count > 0;
}

/* Powers of two, up to twice as many as cores. */
static void usual_ranks(int cores, scaling_list *l)
{
    l->count = 0;
    for (int64_t r = 1; r <= 2 * cores && l->count < SCALING_LIST; r *= 2)
        l->at[l->count++] = r;
}

/* Orders have defaults that depend on the case. */
static bool read_lists(scaling *s)
{
    const scaling_values *v = s->v;
    return check_names("case", v->cases, case_at) && check_names("op", v->ops, op_at) &&
           (!v->sizes || read_list("-n", v->sizes, &s->sizes)) &&
           read_list("--nb", v->tiles, &s->tiles) &&
           (!v->ranks || read_list("--ranks", v->ranks, &s->ranks));
}

/* ---- the machine ------------------------------------------------------------------------- */

/* ScaLAPACK is linked with the BLAS of the system, of which OpenBLAS has one beside each library.
 */
static void find_scalapack(scaling *s)
{
    twill_blas blas = {.size = sizeof blas};
    char path[PATH_MAX];
    if (s->v->no_peers)
        return;
    s->with_scalapack = peers_find(&s->peers, options.command, "scalapack_la", s->scalapack);
    if (twill_blas_info(s->tw, &blas) == TWILL_OK) {
        snprintf(path, sizeof path, "%s", blas.path);
        snprintf(s->blas, sizeof s->blas, "%s", dirname(path));
    }
}

static int find_machine(scaling *s)
{
    s->launcher = (launcher){.mpirun = s->v->mpirun,
                             .mask = s->peers.mask,
                             .cores = twill_workers(s->tw),
                             .limit = (double)s->v->limit};
    if (!launch_self(s->self)) {
        complain(options.command, "the path of this program is unknown: there is no /proc");
        return STATUS_SYSTEM;
    }
    if (!s->v->ranks)
        usual_ranks(s->launcher.cores, &s->ranks);
    find_scalapack(s);
    return STATUS_OK;
}

/* The best so far, because somebody else may use the machine. */
static int measure_peak(scaling *s)
{
    double rate;
    twill_status status = twill_gemm_rate(s->tw, TWILL_FLOAT64, RATE_TILE, &rate);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    if (rate > s->peak)
        s->peak = rate;
    return STATUS_OK;
}

/* ---- cases ------------------------------------------------------------------------------- */

static int run_op(scaling *s, const char *op)
{
    s->count = 0;
    s->c->make(s, op);
    if (s->count == 0)
        return STATUS_OK;
    int status = scaling_try_plot(s, op);
    if (status != STATUS_OK)
        return status;
    scaling_measure(s);
    scaling_print(s);
    return scaling_plot(s, op);
}

static bool found_any(const scaling *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->points[i].valid)
            return true;
    return false;
}

/* *found: some point of some routine was measured. */
static int run_case(scaling *s, bool *found)
{
    int status = measure_peak(s);
    if (!s->v->sizes && !read_list("-n", s->c->sizes, &s->sizes))
        return STATUS_USAGE;
    if (status == STATUS_OK)
        scaling_print_header(s);
    for (int i = 0; ops[i] && status == STATUS_OK; i++) {
        if (!is_named(s->v->ops, ops[i]))
            continue;
        status = run_op(s, ops[i]);
        *found |= found_any(s);
        s->done++;
    }
    return status;
}

static int run_cases(scaling *s)
{
    int status = STATUS_OK, names = 0, routines = 0;
    bool found = false;
    for (int i = 0; case_at(i); i++)
        names += is_named(s->v->cases, case_at(i));
    for (int i = 0; ops[i]; i++)
        routines += is_named(s->v->ops, ops[i]);
    s->all = names * routines;
    for (int i = 0; (s->c = scaling_case_at(i)) && status == STATUS_OK; i++)
        if (is_named(s->v->cases, s->c->name))
            status = run_case(s, &found);
    return status == STATUS_OK && !found ? STATUS_SYSTEM : status;
}

/* MPI must not be initialised here: mpirun does not start from a process that has. */
static int run_session(scaling *s)
{
    if (system_is_launched()) {
        complain(options.command, "it starts mpirun itself: start it without mpirun");
        return STATUS_USAGE;
    }
    int status = context_alone(options.command, s->v->workers, &s->tw);
    if (status != STATUS_OK)
        return status;
    status = find_machine(s);
    if (status == STATUS_OK)
        status = run_cases(s);
    context_stop(s->tw);
    return status;
}

static int run(int argc, char **argv)
{
    scaling_values v = {.tiles = "64,96,128,192,256,320,384,512",
                        .tasks = 1000000,
                        .pairs = 5,
                        .limit = 300,
                        .plot = "scaling"};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    scaling *s = calloc(1, sizeof *s);
    if (s && peers_open(&s->peers)) {
        s->v = &v;
        s->command = options.command;
        status = read_lists(s) ? run_session(s) : STATUS_USAGE;
        peers_close(&s->peers);
    } else {
        complain(options.command, "no memory");
        status = STATUS_SYSTEM;
    }
    free(s);
    return status;
}

const bench bench_scaling = {"scaling", &options, run};
