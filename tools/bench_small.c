/* twill bench small: one call on a small matrix, beside the same call of LAPACK. */
#include "bench.h"
#include "progress.h"
#include "system.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 32, BATCH = 16 };

typedef struct values {
    const char *sizes;
    int64_t pairs;
    bool json;
} values;

#define AT(field) offsetof(values, field)

static const option own_options[] = {
    OPTION_IS_TEXT("n", "N,N,...",
                   "orders of the matrix (8,16,32,48,64,96,128,192,256,320,384,512)", AT(sizes)),
    OPTION_IS_INTEGER("pairs", "R", "interleaved batches of each (101)", AT(pairs), 1, BENCH_RUNS),
    OPTION_IS_FLAG("json", "one JSON object per size and system", AT(json)), OPTION_END};

static const option_set options = {
    .command = "bench small",
    .about = "One Cholesky factorization of a small matrix beside LAPACK's, time per call.",
    .tables = {own_options}};

/* Fortran's routine in a library of this program; the length of the character comes last. */
typedef void lapack_potrf(const char *uplo, const int *n, double *a, const int *lda, int *info,
                          size_t);

/* One order: Twill's matrix, memory for LAPACK, and what both are filled with. */
typedef struct contest {
    const values *v;
    twill *tw;
    lapack_potrf *potrf;
    int64_t n;
    twill_array *array;
    double *fresh, *memory;
    double ours[BENCH_RUNS], theirs[BENCH_RUNS];
} contest;

/* The library that Twill uses, loaded by us, with one thread and the same kernels. */
static bool load(contest *k)
{
    twill_blas blas;
    twill_status status = twill_blas_info(k->tw, &blas);
    if (status != TWILL_OK)
        return complain_library(options.command, status, NULL) == STATUS_OK;
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_CORETYPE", blas.kernels, 1);
    void *library = dlopen(blas.lapack, RTLD_NOW | RTLD_LOCAL);
    *(void **)&k->potrf = dlsym(library ? library : RTLD_DEFAULT, "dpotrf_");
    if (!k->potrf)
        complain(options.command, "%s cannot be loaded", blas.lapack);
    return k->potrf;
}

static double time_lapack(contest *k)
{
    int n = (int)k->n, info;
    size_t bytes = (size_t)(k->n * k->n) * sizeof(double);
    double seconds = 0;
    for (int i = 0; i < BATCH; i++) {
        memcpy(k->memory, k->fresh, bytes);
        double start = system_seconds();
        k->potrf("L", &n, k->memory, &n, &info, 1);
        seconds += system_seconds() - start;
    }
    return seconds / BATCH;
}

static twill_status copy_fresh(contest *k)
{
    twill_view all = twill_view_all(k->array);
    void *data;
    int64_t ld;
    twill_status status = twill_map(all, TWILL_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < k->n; j++)
        memcpy((double *)data + j * ld, k->fresh + j * k->n, (size_t)k->n * sizeof(double));
    return twill_unmap(all, data);
}

static twill_status time_twill(contest *k, double *mean)
{
    twill_status status = TWILL_OK;
    double seconds = 0;
    for (int i = 0; i < BATCH && status == TWILL_OK; i++) {
        int64_t info;
        status = copy_fresh(k);
        double start = system_seconds();
        if (status == TWILL_OK)
            status = twill_potrf(TWILL_LOWER, k->array, &info);
        seconds += system_seconds() - start;
    }
    *mean = seconds / BATCH;
    return status;
}

static void print(const contest *k, const char *system, double value, const char *unit)
{
    char which[BENCH_CASE];
    snprintf(which, sizeof which, "n=%" PRId64, k->n);
    if (k->v->json) {
        json j;
        bench_open(&j, "small", which, system, value, unit);
        json_integer(&j, "nb", twill_array_pattern(k->array)->block[0]);
        bench_close(&j);
    } else {
        printf("%-8s %-14s %10.3f %s\n", which, system, value, unit);
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
        more[i] = k->ours[i] - k->theirs[i];
        ratio[i] = k->ours[i] / k->theirs[i];
    }
    print(k, "twill", 1e6 * bench_median(k->ours, pairs), "us");
    print(k, "lapack", 1e6 * bench_median(k->theirs, pairs), "us");
    print(k, "difference", 1e6 * bench_median(more, pairs), "us");
    print(k, "time:lapack", bench_median(ratio, pairs), "ratio");
}

static void make_fresh(contest *k)
{
    for (int64_t j = 0; j < k->n; j++)
        for (int64_t i = 0; i < k->n; i++)
            k->fresh[i + j * k->n] =
                i == j ? (double)k->n : 1.0 / (double)(1 + (i > j ? i - j : j - i));
}

static int run_size(contest *k)
{
    size_t count = (size_t)(k->n * k->n);
    twill_status status = twill_matrix_create(k->tw, TWILL_F64, k->n, k->n, &k->array);
    k->fresh = calloc(count, sizeof(double));
    k->memory = calloc(count, sizeof(double));
    if (status == TWILL_OK && k->fresh && k->memory) {
        make_fresh(k);
        status = time_twill(k, &k->ours[0]); /* warm up */
        for (int64_t i = 0; i < k->v->pairs && status == TWILL_OK; i++) {
            status = time_twill(k, &k->ours[i]);
            k->theirs[i] = time_lapack(k);
        }
    }
    if (status == TWILL_OK && k->fresh && k->memory)
        print_all(k);
    int result = status != TWILL_OK      ? complain_library(options.command, status, NULL)
                 : k->fresh && k->memory ? STATUS_OK
                                         : STATUS_SYSTEM;
    twill_array_free(k->array);
    free(k->fresh);
    free(k->memory);
    return result;
}

static int run(int argc, char **argv)
{
    values v = {.sizes = "8,16,32,48,64,96,128,192,256,320,384,512", .pairs = 101};
    int64_t sizes[SIZES];
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    int count = parse_list(v.sizes, 1, sizes, SIZES);
    if (count < 0) {
        complain(options.command,
                 "-n %s: must be at most %d positive integers, with commas between", v.sizes,
                 SIZES);
        return STATUS_USAGE;
    }
    contest *k = calloc(1, sizeof *k);
    if (!k)
        return STATUS_SYSTEM;
    k->v = &v;
    status = context_start(options.command, 0, NULL, &k->tw);
    if (status == STATUS_OK && !load(k))
        status = STATUS_SYSTEM;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        progress_part(i, count);
        k->n = sizes[i];
        status = run_size(k);
    }
    context_stop(k->tw);
    free(k);
    return status;
}

const bench bench_small = {"small", &options, run};
