/* twill bench copy: copies of blocks of an array into memory, of this rank and of another one,
 * beside memcpy and MPI_Get in the same processes. */
#include "bench/bench.h"
#include "bench/ranks/sizes_plot.h"
#include "command/system.h"
#include "mpi/raw.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    int64_t smallest, largest, rounds, repeat;
    const char *plot;
    bool json;
} values;

#define AT(field) offsetof(values, field)

enum { SMALLEST = 8, LARGEST = 16 << 20, MOST = 1 << 30, FACTOR = 4 };

static const option own_options[] = {
    OPTION_IS_INTEGER("from", "BYTES", "smallest copy (8)", AT(smallest), SMALLEST, MOST),
    OPTION_IS_INTEGER("to", "BYTES", "largest copy (16777216)", AT(largest), SMALLEST, MOST),
    OPTION_IS_INTEGER("rounds", "N", "copies of a run (some milliseconds' worth)", AT(rounds), 1,
                      1000000),
    OPTION_IS_INTEGER("repeat", "R", "interleaved runs, of which the median counts (15)",
                      AT(repeat), 1, BENCH_RUNS),
    OPTION_IS_TEXT("plot", "PREFIX",
                   "where the plots go: PREFIX-latency.svg, PREFIX-bandwidth.svg (copy)", AT(plot)),
    OPTION_IS_FLAG("json", "JSON objects instead of a table", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench copy",
    .about = "Copies out of an array beside memcpy, and on 2 ranks (mpirun -np 2) beside MPI_Get.",
    .tables = {own_options}};

/* What is compared: without another rank the first two. */
enum { MEMCPY, OWN, OTHER, MPI_GET, SYSTEMS };

static const char *const names[SYSTEMS] = {"memcpy", "twill own", "twill other", "MPI_Get"};
static const char *const words[SYSTEMS] = {"memcpy", "own", "other", "mpi"};

typedef struct bencher {
    twill *tw;
    const values *v;
    const mpi_raw *raw; /* NULL: one rank */
    char *bytes, *more;
} bencher;

static int systems_of(const bencher *b)
{
    return b->raw ? SYSTEMS : OTHER;
}

/* So many that a run takes some milliseconds. */
static int rounds_of(const values *v, int64_t bytes)
{
    enum { SMALL = 1000, AMOUNT = 64 << 20, FEW = 4 };
    int64_t n = AMOUNT / bytes;
    if (v->rounds)
        return (int)v->rounds;
    return n > SMALL ? SMALL : n < FEW ? FEW : (int)n;
}

/* ---- one run of each --------------------------------------------------------------------- */

static void run_memcpy(const bencher *b, int64_t bytes, int rounds, double *seconds)
{
    double start = system_seconds();
    for (int i = 0; i < rounds; i++) {
        memcpy(b->bytes, b->more, (size_t)bytes);
        __asm__ volatile("" : : "r"(b->bytes) : "memory"); /* each of them counts */
    }
    *seconds = system_seconds() - start;
}

/* Rank 0 gets the block, and the other one waits for it. */
static twill_status run_get(const bencher *b, twill_view block, int rounds, double *seconds)
{
    twill_status status = twill_barrier(b->tw);
    double start = system_seconds();
    for (int i = 0; i < rounds && status == TWILL_OK && twill_rank(b->tw) == 0; i++)
        status = twill_get(block, b->bytes);
    *seconds = system_seconds() - start;
    return status == TWILL_OK ? twill_barrier(b->tw) : status;
}

/* All in turn, so that each meets the same machine. */
static int run_all(const bencher *b, twill_array *a, int64_t bytes, double *us)
{
    const int rounds = rounds_of(b->v, bytes);
    const int64_t first[] = {0, 0}, second[] = {1, 0};
    double seconds[SYSTEMS] = {0};
    run_memcpy(b, bytes, rounds, &seconds[MEMCPY]);
    twill_status status = run_get(b, twill_view_tile_nd(a, first), rounds, &seconds[OWN]);
    if (status == TWILL_OK && b->raw)
        status = run_get(b, twill_view_tile_nd(a, second), rounds, &seconds[OTHER]);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    int code = b->raw ? b->raw->get(b->bytes, (int)bytes, rounds, &seconds[MPI_GET]) : 0;
    for (int s = 0; s < SYSTEMS; s++)
        us[s] = 1e6 * seconds[s] / rounds;
    if (!code)
        return STATUS_OK;
    complain(options.command, "%s: error %d in a get without Twill", b->raw->name, code);
    return STATUS_SYSTEM;
}

/* The first run only warms up. */
static int measure(const bencher *b, int64_t bytes, double *us)
{
    double runs[SYSTEMS][BENCH_RUNS], once[SYSTEMS];
    const int64_t n = bytes / SMALLEST, ranks = b->raw ? 2 : 1;
    twill_pattern pattern = twill_block_cyclic(ranks * n, 1, n, 1, ranks, 1);
    twill_array *a;
    twill_status made = twill_array_create(b->tw, &pattern, TWILL_FLOAT64, 0, &a);
    if (made != TWILL_OK)
        return complain_library(options.command, made, NULL);
    int status = STATUS_OK;
    const double one = 1;
    if (twill_fill(twill_view_local(twill_view_all(a)), &one) != TWILL_OK)
        status = STATUS_SYSTEM;
    for (int i = -1; i < (int)b->v->repeat && status == STATUS_OK; i++) {
        status = run_all(b, a, bytes, once);
        for (int s = 0; s < SYSTEMS && i >= 0; s++)
            runs[s][i] = once[s];
    }
    twill_array_free(a);
    for (int s = 0; s < SYSTEMS && status == STATUS_OK; s++)
        us[s] = bench_median(runs[s], (int)b->v->repeat);
    return status;
}

/* ---- output ------------------------------------------------------------------------------ */

static void print_objects(const bencher *b, int64_t bytes, const double *us)
{
    for (int s = 0; s < systems_of(b); s++) {
        json j;
        bench_open(&j, "copy", "latency", words[s], us[s], "us");
        json_integer(&j, "bytes", bytes);
        bench_close(&j);
    }
}

static void print(const bencher *b, int64_t bytes, const double *us)
{
    if (b->v->json) {
        print_objects(b, bytes, us);
        return;
    }
    printf("%10" PRId64, bytes);
    for (int s = 0; s < systems_of(b); s++)
        printf(" %11.2f", us[s]);
    printf(" %9.1f%%", 100 * us[MEMCPY] / us[OWN]);
    if (b->raw)
        printf(" %9.1f%%", 100 * us[MPI_GET] / us[OTHER]);
    printf("\n");
    fflush(stdout);
}

static void print_head(const bencher *b)
{
    if (b->v->json)
        return;
    printf("microseconds of a copy, median of %" PRId64 " runs in turn\n%10s", b->v->repeat,
           "bytes");
    for (int s = 0; s < systems_of(b); s++)
        printf(" %11s", names[s]);
    printf(" %10s%s\n", "of memcpy", b->raw ? " of MPI_Get" : "");
}

static int plot(const bencher *b, const sizes_figure *f)
{
    char path[PATH_MAX];
    for (int which = 0; which < SIZES_PLOTS; which++) {
        sizes_plot_path(b->v->plot, which, path);
        if (!sizes_plot(f, which, path)) {
            complain(options.command, "--plot: %s: %s", path, strerror(errno));
            return STATUS_SYSTEM;
        }
        if (!b->v->json)
            printf("plot: %s\n", path);
    }
    return STATUS_OK;
}

static int run_sizes(const bencher *b)
{
    const values *v = b->v;
    const bool first = twill_rank(b->tw) == 0;
    sizes_figure figure = {
        .titles = {"Time of a copy out of an array", "Bandwidth of a copy out of an array"},
        .labels = {"µs", "GB/s"},
        .sizes = "copy",
        .systems = systems_of(b)};
    int status = STATUS_OK;
    for (int s = 0; s < figure.systems; s++)
        figure.name[s] = names[s];
    if (first)
        print_head(b);
    for (int64_t bytes = v->smallest; bytes <= v->largest && status == STATUS_OK; bytes *= FACTOR) {
        double us[SYSTEMS];
        status = measure(b, bytes, us);
        if (!first || status != STATUS_OK)
            continue;
        print(b, bytes, us);
        sizes_plot_add(&figure, bytes, us);
    }
    return first && status == STATUS_OK && figure.count > 1 ? plot(b, &figure) : status;
}

/* ---- the ranks --------------------------------------------------------------------------- */

static int play(bencher *b)
{
    size_t size = (size_t)b->v->largest;
    if (twill_ranks(b->tw) > 2) {
        if (twill_rank(b->tw) == 0)
            complain(options.command, "it takes 1 or 2 ranks, and there are %d",
                     twill_ranks(b->tw));
        return STATUS_USAGE;
    }
    b->raw = twill_ranks(b->tw) == 2 ? dlsym(RTLD_DEFAULT, MPI_RAW_MODULE) : NULL;
    b->bytes = malloc(size);
    b->more = malloc(size);
    int status =
        b->bytes && b->more ? STATUS_OK : complain_library(options.command, TWILL_ERR_MEMORY, NULL);
    if (status == STATUS_OK) {
        memset(b->bytes, 0, size);
        memset(b->more, 0, size);
        status = run_sizes(b);
    }
    free(b->bytes);
    free(b->more);
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.smallest = SMALLEST, .largest = LARGEST, .repeat = 15, .plot = "copy"};
    twill_options start = {.size = sizeof start, .workers = 1};
    bencher b = {.v = &v};
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    twill_status started = twill_start(&b.tw, &start);
    if (started != TWILL_OK)
        return complain_library(options.command, started, NULL);
    status = play(&b);
    twill_stop(b.tw);
    return status;
}

const bench bench_copy = {"copy", &options, run};
