/* The options of problem subcommands, and the matrices that they ask for. */
#include "problem.h"
#include "input.h"
#include "system.h"
#include "transfer.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(problem, field)

const option problem_options[] = {
    OPTION_IS_INTEGER("n", "N", "order of the matrix (4000)", AT(n), 0, INT64_MAX),
    OPTION_IS_INTEGER("nb", "NB", "order of a tile (chosen)", AT(nb), 1, INT64_MAX),
    OPTION_IS_CHOICE("type", "s|d|c|z", "single, double, complex, double complex (d)", AT(type)),
    OPTION_IS_TEXT("matrix", "KIND", "random, spd, notspd:I, singular:I or nan:I,J, indices from 0",
                   AT(matrix)),
    OPTION_IS_TEXT("load", "DIR", "read the input from A_in.npy or A.npy there", AT(load)),
    OPTION_IS_TEXT("save", "DIR", "write A_in.npy and A.npy there", AT(save)),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_TEXT("sched", "NAME", "scheduler; 'twill info' lists them (lws)", AT(sched)),
    OPTION_IS_CHOICE("front", "stf|ptg", "how the graph is made: inserted, or parameterised (ptg)",
                     AT(front)),
    OPTION_IS_CHOICE("layout", "tiled|wrapped",
                     "tile by tile, or LAPACK's layout used in place (tiled)", AT(layout)),
    OPTION_IS_TEXT("grid", "PxQ", "grid of ranks (1x1)", AT(grid)),
    OPTION_IS_CHOICE("devices", "cpu", "where tasks run (cpu)", AT(devices)),
    OPTION_IS_CHOICE("mode", "regular", "how workers divide the work (regular)", AT(mode)),
    OPTION_IS_CHOICE("priority", "on|off", "prefer tasks on the critical path (on)", AT(priority)),
    OPTION_IS_INTEGER("seed", "S", "seed of the random input (42)", AT(seed), 0, INT64_MAX),
    OPTION_IS_INTEGER("repeat", "R", "runs, after one that is not counted (1)", AT(repeat), 1,
                      INT_MAX),
    OPTION_IS_FLAG("check", "compute the residual", AT(check)),
    OPTION_IS_FLAG("stats", "statistics of each run, and what idle time waited for", AT(stats)),
    OPTION_IS_TEXT("trace", "FILE", "record the last run: .html, .json, .tex, .dot or .twt",
                   AT(trace)),
    OPTION_IS_FLAG("json", "one JSON object per run, and nothing else", AT(json)),
    OPTION_IS_FLAG("quiet", "print runs that failed only", AT(quiet)),
    OPTION_IS_CHOICE("progress", "auto|on|off", "progress bar (auto: on a terminal)", AT(progress)),
    OPTION_END};

problem problem_defaults(const char *op)
{
    return (problem){.op = op,
                     .n = -1,
                     .seed = -1,
                     .repeat = 1,
                     .uplo = "lower",
                     .front = "ptg",
                     .layout = "tiled",
                     .grid = "1x1",
                     .devices = "cpu",
                     .mode = "regular",
                     .priority = "on",
                     .progress = "auto",
                     .m = -1,
                     .k = -1,
                     .nrhs = -1};
}

twill_uplo problem_uplo(const problem *p)
{
    return p->uplo[0] == 'u' ? TWILL_UPPER : TWILL_LOWER;
}

static int check_grid(const problem *p)
{
    int64_t size[2];
    char text[64];
    snprintf(text, sizeof text, "%s", p->grid);
    char *x = strchr(text, 'x');
    if (x)
        *x = ',';
    if (x && parse_list(text, 1, size, 2) == 2 && size[0] == 1 && size[1] == 1)
        return STATUS_OK;
    complain(p->op, "--grid %s: must be PxQ with P times Q the number of ranks, 1", p->grid);
    return STATUS_USAGE;
}

/* Type and --type are one thing said twice: the letter, or what a file holds, decides the other. */
static void resolve_type(problem *p)
{
    static const struct {
        const char *letter;
        twill_type element;
    } types[] = {{"s", TWILL_F32}, {"d", TWILL_F64}, {"c", TWILL_C32}, {"z", TWILL_C64}};
    if (!p->load && !p->type)
        p->type = "d";
    for (int t = 0; t < 4; t++) {
        if (p->load ? types[t].element == p->element : *types[t].letter == *p->type) {
            p->type = types[t].letter;
            p->element = types[t].element;
            return;
        }
    }
}

int problem_check(problem *p)
{
    const char *type = p->type;
    int64_t n = p->n;
    int status = check_grid(p);
    if (status == STATUS_OK && p->load)
        status = transfer_open(p);
    if (status != STATUS_OK)
        return status;
    resolve_type(p);
    if (p->load && n >= 0 && n != p->n) {
        complain(p->op, "-n %" PRId64 ": must be %" PRId64 ", the order of %s", n, p->n, p->source);
        return STATUS_USAGE;
    }
    if (type && strcmp(type, p->type) != 0) {
        complain(p->op, "--type %s: must be %s, the type of %s", type, p->type, p->source);
        return STATUS_USAGE;
    }
    if (p->quiet && strcmp(p->progress, "auto") == 0)
        p->progress = "off";
    if (!p->load) {
        p->n = n < 0 ? 4000 : n;
        p->seed = p->seed < 0 ? 42 : p->seed;
    }
    return input_check(p);
}

int problem_fits(const problem *p, int copies)
{
    double have = system_available();
    double size = (double)twill_type_size(p->element), order = (double)p->n;
    double want = copies * order * order * size;
    char first[32], second[32];
    if (have <= 0 || want <= have)
        return STATUS_OK;
    complain(p->op, "-n %" PRId64 ": %s %s of memory, and %s are available", p->n,
             copies == 1 ? "the matrix needs" : "the matrix and its copy for --check need",
             system_bytes(want, first, sizeof first), system_bytes(have, second, sizeof second));
    return STATUS_SYSTEM;
}

static int failed(const problem *p, twill_status status)
{
    char cause[64];
    if (p->nb > p->n)
        snprintf(cause, sizeof cause, "--nb %" PRId64, p->nb);
    else
        snprintf(cause, sizeof cause, "-n %" PRId64, p->n);
    return complain_library(p->op, status, cause);
}

static int wrap(problem *p, twill *tw, matrix *a)
{
    int64_t ld = p->n > 0 ? p->n : 1;
    a->memory = calloc((size_t)ld * (size_t)ld, twill_type_size(p->element));
    if (!a->memory) {
        complain(p->op, "-n %" PRId64 ": no memory for the matrix", p->n);
        return STATUS_SYSTEM;
    }
    twill_pattern pattern = twill_tiled(p->n, p->n, p->nb, p->nb);
    twill_status status = twill_array_wrap(tw, &pattern, p->element, 0, a->memory, ld, &a->array);
    return status == TWILL_OK ? STATUS_OK : failed(p, status);
}

int matrix_create(problem *p, twill *tw, matrix *a)
{
    twill_status status;
    if (!p->nb) {
        status = twill_matrix_create(tw, p->element, p->n, p->n, &a->array);
        if (status != TWILL_OK)
            return failed(p, status);
        p->nb = twill_array_pattern(a->array)->block[0];
        if (strcmp(p->layout, "tiled") == 0)
            return STATUS_OK;
        matrix_free(a); /* it was created to learn the tile size */
    }
    if (strcmp(p->layout, "wrapped") == 0)
        return wrap(p, tw, a);
    twill_pattern pattern = twill_tiled(p->n, p->n, p->nb, p->nb);
    status = twill_array_create(tw, &pattern, p->element, 0, &a->array);
    return status == TWILL_OK ? STATUS_OK : failed(p, status);
}

void matrix_free(matrix *a)
{
    twill_array_free(a->array);
    free(a->memory);
    *a = (matrix){0};
}
