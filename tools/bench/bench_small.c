/* twill bench small: one call on small matrices, beside the same call of LAPACK. */
#include "bench/bench.h"
#include "bench/small_cases.h"
#include "command/progress.h"
#include "command/system.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 32, CASES = 16, BATCH = 16, LARGE = 100 };

typedef struct values {
    const char *sizes, *cases;
    int64_t nrhs, pairs;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...", "orders of the matrix (8,16,32,64,100,128,200,256,384)",
                   AT(sizes)),
    OPTION_IS_TEXT("case", "NAME,...",
                   "potrf, posv, potri, getrf, gesv, sysv, geqrf, gels, trsm (all)", AT(cases)),
    OPTION_IS_INTEGER("nrhs", "R", "right-hand sides (1)", AT(nrhs), 1, 10000),
    OPTION_IS_INTEGER("pairs", "R", "interleaved batches of each (101)", AT(pairs), 1, BENCH_RUNS),
    OPTION_IS_FLAG("json", "one JSON object per case, size and system", AT(json)),
    OPTION_END};

static const option_set options = {
    .command = "bench small",
    .about = "One call of a routine on small matrices beside LAPACK's, time per call.",
    .tables = {own_options}};

/* One case and order: Twill's matrices, memory for LAPACK, and what both are filled with. */
typedef struct contest {
    const values *v;
    twill *tw;
    void *library;
    const small_case *c;
    small_symbol *routine;
    small_ours ours;
    small_theirs theirs;
    double *memory, *fresh; /* A and B, one after the other */
    double us[BENCH_RUNS], them[BENCH_RUNS];
} contest;

/* The library that Twill uses, loaded by us, with one thread and the same kernels. */
static int load(contest *k)
{
    twill_blas blas = {.size = sizeof blas};
    char kernels[64];
    twill_status status = twill_blas_info(k->tw, &blas);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL);
    snprintf(kernels, sizeof kernels, "%.*s", (int)strcspn(blas.kernels, "+"), blas.kernels);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_CORETYPE", kernels, 1);
    k->library = dlopen(blas.lapack, RTLD_NOW | RTLD_LOCAL);
    return STATUS_OK;
}

static bool find_routine(contest *k)
{
    void *symbol = dlsym(k->library ? k->library : RTLD_DEFAULT, k->c->symbol);
    memcpy(&k->routine, &symbol, sizeof symbol);
    if (!symbol)
        complain(options.command, "the LAPACK of this context has no %s", k->c->symbol);
    return symbol;
}

/* ---- one batch ------------------------------------------------------------------------------- */

/* Short calls are timed together with others. */
static int batch(const contest *k)
{
    return k->theirs.n < LARGE ? BATCH : 1;
}

static size_t elements(const contest *k)
{
    return (size_t)k->theirs.n * (size_t)(k->theirs.n + k->theirs.nrhs);
}

static double time_lapack(contest *k)
{
    double seconds = 0;
    for (int i = 0; i < batch(k); i++) {
        memcpy(k->memory, k->fresh, elements(k) * sizeof(double));
        double start = system_seconds();
        k->c->theirs(k->routine, &k->theirs);
        seconds += system_seconds() - start;
    }
    return seconds / batch(k);
}

static twill_status copy_fresh(twill_array *a, const double *fresh, int64_t n)
{
    twill_view all = twill_view_all(a);
    void *data;
    int64_t ld;
    twill_status status = twill_map(all, TWILL_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < twill_array_pattern(a)->extent[1]; j++)
        memcpy((double *)data + j * ld, fresh + j * n, (size_t)n * sizeof(double));
    return twill_unmap(all, data);
}

static twill_status time_twill(contest *k, double *mean)
{
    twill_status status = TWILL_OK;
    int64_t n = k->theirs.n;
    double seconds = 0;
    for (int i = 0; i < batch(k) && status == TWILL_OK; i++) {
        status = copy_fresh(k->ours.a, k->fresh, n);
        if (status == TWILL_OK)
            status = copy_fresh(k->ours.b, k->fresh + n * n, n);
        double start = system_seconds();
        if (status == TWILL_OK)
            status = k->c->ours(&k->ours);
        seconds += system_seconds() - start;
    }
    *mean = seconds / batch(k);
    return status;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print(const contest *k, const char *system, double value, const char *unit)
{
    char which[BENCH_CASE];
    snprintf(which, sizeof which, "%s n=%d", k->c->name, k->theirs.n);
    if (k->v->json) {
        json j;
        bench_open(&j, "small", which, system, value, unit);
        json_integer(&j, "nb", twill_array_pattern(k->ours.a)->block[0]);
        bench_close(&j);
    } else {
        printf("%-12s %-14s %10.3f %s\n", which, system, value, unit);
    }
    fflush(stdout);
}

/* Differences and ratios of each pair, since pairs see the same state of the machine. */
static void print_all(contest *k)
{
    double more[BENCH_RUNS], ratio[BENCH_RUNS];
    int pairs = (int)k->v->pairs;
    progress_hide();
    for (int i = 0; i < pairs; i++) {
        more[i] = k->us[i] - k->them[i];
        ratio[i] = k->us[i] / k->them[i];
    }
    print(k, "twill", 1e6 * bench_median(k->us, pairs), "us");
    print(k, "lapack", 1e6 * bench_median(k->them, pairs), "us");
    print(k, "difference", 1e6 * bench_median(more, pairs), "us");
    print(k, "time:lapack", bench_median(ratio, pairs), "ratio");
}

/* ---- one case and order ---------------------------------------------------------------------- */

/* A is definite and B is not zero. */
static void make_fresh(contest *k)
{
    int64_t n = k->theirs.n, count = (int64_t)elements(k);
    for (int64_t at = 0; at < count; at++) {
        int64_t i = at % n, j = at / n;
        k->fresh[at] = i == j ? (double)n : 1.0 / (double)(1 + (i > j ? i - j : j - i));
    }
}

/* False without memory. */
static bool open_theirs(contest *k, int n)
{
    small_theirs *x = &k->theirs;
    *x = (small_theirs){.n = n, .nrhs = (int)k->v->nrhs};
    x->lwork = 64 * (n + x->nrhs);
    k->fresh = calloc(elements(k), sizeof(double));
    k->memory = calloc(elements(k), sizeof(double));
    x->work = calloc((size_t)x->lwork, sizeof(double));
    x->ipiv = calloc((size_t)n, sizeof(int));
    x->a = k->memory;
    x->b = k->memory ? k->memory + (size_t)n * (size_t)n : NULL;
    return k->fresh && k->memory && x->work && x->ipiv;
}

static twill_status open_ours(contest *k, int64_t n)
{
    twill_status status = twill_matrix_create(k->tw, TWILL_FLOAT64, n, n, &k->ours.a);
    if (status == TWILL_OK)
        status = twill_matrix_create(k->tw, TWILL_FLOAT64, n, k->v->nrhs, &k->ours.b);
    if (status == TWILL_OK)
        status = twill_pivots_create(k->ours.a, &k->ours.ipiv);
    return status == TWILL_OK ? twill_reflectors_create(k->tw, NULL, &k->ours.h) : status;
}

static void close_both(contest *k)
{
    twill_array_free(k->ours.a);
    twill_array_free(k->ours.b);
    twill_array_free(k->ours.ipiv);
    twill_reflectors_free(k->ours.h);
    free(k->fresh);
    free(k->memory);
    free(k->theirs.work);
    free(k->theirs.ipiv);
    k->ours = (small_ours){0};
}

static twill_status measure(contest *k)
{
    make_fresh(k);
    twill_status status = time_twill(k, &k->us[0]); /* warm up */
    for (int64_t i = 0; i < k->v->pairs && status == TWILL_OK; i++) {
        status = time_twill(k, &k->us[i]);
        k->them[i] = time_lapack(k);
    }
    return status;
}

static int run_size(contest *k, int64_t n)
{
    bool room = open_theirs(k, (int)n);
    twill_status status = room ? open_ours(k, n) : TWILL_OK;
    if (status == TWILL_OK && room)
        status = measure(k);
    if (status == TWILL_OK && room)
        print_all(k);
    close_both(k);
    return status != TWILL_OK ? complain_library(options.command, status, NULL)
           : room             ? STATUS_OK
                              : STATUS_SYSTEM;
}

/* How many there are; -1 after a complaint. */
static int find_cases(const char *names, const small_case **list)
{
    int n = 0;
    for (int i = 0; !names && small_case_at(i); i++)
        list[n++] = small_case_at(i);
    while (names && *names && n < CASES) {
        char name[BENCH_CASE];
        size_t length = strcspn(names, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        if (!(list[n++] = small_case_named(options.command, name)))
            return -1;
        names += length + (names[length] == ',');
    }
    return n;
}

static int run_all(contest *k, const small_case **list, int cases, const int64_t *sizes, int count)
{
    int status = load(k);
    for (int i = 0; i < cases * count && status == STATUS_OK; i++) {
        progress_part(i, cases * count);
        k->c = list[i / count];
        status = find_routine(k) ? run_size(k, sizes[i % count]) : STATUS_SYSTEM;
    }
    return status;
}

static int run(int argc, char **argv)
{
    values v = {.sizes = "8,16,32,64,100,128,200,256,384", .nrhs = 1, .pairs = 101};
    const small_case *list[CASES];
    int64_t sizes[SIZES];
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    int cases = find_cases(v.cases, list), count = parse_list(v.sizes, 1, sizes, SIZES);
    if (count < 0)
        complain(options.command,
                 "-n %s: must be at most %d positive integers, with commas between", v.sizes,
                 SIZES);
    if (cases < 0 || count < 0)
        return STATUS_USAGE;
    contest *k = calloc(1, sizeof *k);
    if (!k)
        return STATUS_SYSTEM;
    k->v = &v;
    status = context_start(options.command, 0, NULL, &k->tw);
    if (status == STATUS_OK)
        status = run_all(k, list, cases, sizes, count);
    context_stop(k->tw);
    free(k);
    return status;
}

const bench bench_small = {"small", &options, run};
