/* The options of problem subcommands, and the matrices that they ask for. */
#include "operation/problem.h"
#include "command/system.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(problem, field)

const option problem_options[] = {
    OPTION_IS_INTEGER("nb", "NB", "order of a tile (chosen)", AT(nb), 1, INT64_MAX),
    OPTION_IS_CHOICE("type", "s|d|c|z", "single, double, complex, double complex (d)", AT(type)),
    OPTION_IS_TEXT("matrix", "KIND", "random, spd, notspd:I, singular:I or nan:I,J, indices from 0",
                   AT(matrix)),
    OPTION_IS_TEXT(
        "load", "FILE",
        "read A from a .npy or .mtx file, or all inputs from a folder: A_in.npy or A.npy, "
        "and so on",
        AT(load)),
    OPTION_IS_TEXT("save", "DIR", "write A_in.npy, A.npy and so on there", AT(save)),
    OPTION_IS_INTEGER("workers", "P", "workers (one per core)", AT(workers), 1, 1024),
    OPTION_IS_TEXT("sched", "NAME", "scheduler; 'twill info' lists them (lws)", AT(sched)),
    OPTION_IS_CHOICE("layout", "tiled|wrapped",
                     "tile by tile, or LAPACK's layout used in place (tiled)", AT(layout)),
    OPTION_IS_TEXT("grid", "PxQ", "grid of ranks (as square as can be)", AT(grid)),
    OPTION_IS_TEXT("devices", "LIST",
                   "who runs tasks, such as cpu,cuda:0,opencl:1*2 (TWILL_DEVICES)", AT(devices)),
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
                     .m = -1,
                     .n = -1,
                     .k = -1,
                     .nrhs = -1,
                     .seed = -1,
                     .repeat = 1,
                     .uplo = "lower",
                     .side = "l",
                     .diag = "n",
                     .trans = "n",
                     .transa = "n",
                     .transb = "n",
                     .tree = "auto",
                     .pivoting = "partial",
                     .precision = "full",
                     .refine = "classic",
                     .layout = "tiled",
                     .mode = "regular",
                     .reserved = 1,
                     .priority = "on",
                     .progress = "auto"};
}

twill_uplo problem_uplo(const problem *p)
{
    return p->uplo[0] == 'u' ? TWILL_UPPER : TWILL_LOWER;
}

twill_side problem_side(const problem *p)
{
    return p->side[0] == 'r' ? TWILL_RIGHT : TWILL_LEFT;
}

twill_diag problem_diag(const problem *p)
{
    return p->diag[0] == 'u' ? TWILL_UNIT : TWILL_NON_UNIT;
}

twill_trans problem_trans(const char *value)
{
    return value[0] == 'c' ? TWILL_CONJ_TRANS : value[0] == 't' ? TWILL_TRANS : TWILL_NO_TRANS;
}

static bool parse_grid(const char *given, int64_t size[2])
{
    char text[64];
    snprintf(text, sizeof text, "%s", given);
    char *x = strchr(text, 'x');
    if (x)
        *x = ',';
    return x && parse_list(text, 1, size, 2) == 2;
}

int problem_join(problem *p, const twill *tw)
{
    twill_ptg_grid usual = twill_ptg_grid_of(tw);
    p->ranks[0] = usual.rows;
    p->ranks[1] = usual.cols;
    bool good = !p->grid || parse_grid(p->grid, p->ranks);
    if (!good || p->ranks[0] != twill_ranks(tw) / p->ranks[1] ||
        twill_ranks(tw) % p->ranks[1] != 0) {
        complain(p->op, "--grid %s: must be PxQ with P times Q the number of ranks, %d", p->grid,
                 twill_ranks(tw));
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static const struct {
    const char *letter;
    twill_type element;
} types[] = {
    {"s", TWILL_FLOAT32}, {"d", TWILL_FLOAT64}, {"c", TWILL_COMPLEX64}, {"z", TWILL_COMPLEX128}};

const char *problem_letter(twill_type element)
{
    for (int t = 0; t < 4; t++)
        if (types[t].element == element)
            return types[t].letter;
    return NULL;
}

twill_type problem_element(const char *letter)
{
    for (int t = 0; t < 4; t++)
        if (*types[t].letter == *letter)
            return types[t].element;
    return TWILL_BYTES;
}

void problem_check(problem *p)
{
    if (p->quiet && strcmp(p->progress, "auto") == 0)
        p->progress = "off";
    if (p->type)
        p->element = problem_element(p->type);
}

int problem_check_trans(const problem *p, char good)
{
    bool has_im = p->element == TWILL_COMPLEX64 || p->element == TWILL_COMPLEX128;
    if (!has_im || *p->trans == 'n' || *p->trans == good)
        return STATUS_OK;
    complain(p->op, "--trans %s: must be n or %c for complex matrices", p->trans, good);
    return STATUS_USAGE;
}

/* The sizes that the operation has, as they were given. */
static const char *sizes(const problem *p, char *text, size_t size)
{
    const struct {
        const char *name;
        int64_t value;
    } all[] = {{"-m", p->m == p->n ? -1 : p->m}, {"-n", p->n}, {"-k", p->k}, {"--nrhs", p->nrhs}};
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < 4; i++)
        if (all[i].value >= 0)
            used += (size_t)snprintf(text + used, size - used, "%s%s %" PRId64, used ? " " : "",
                                     all[i].name, all[i].value);
    return text;
}

int problem_fits(const problem *p, double elements)
{
    double have = system_available();
    double want = elements * (double)twill_type_size(p->element);
    char first[32], second[32], given[128];
    if (have <= 0 || want <= have)
        return STATUS_OK;
    complain(p->op, "%s: the matrices%s need %s of memory, and %s are available",
             sizes(p, given, sizeof given), p->check ? " and their copies for --check" : "",
             system_bytes(want, first, sizeof first), system_bytes(have, second, sizeof second));
    return STATUS_SYSTEM;
}

static int failed(const problem *p, int64_t rows, int64_t cols, twill_status status)
{
    char cause[128], given[128];
    if (p->nb > (rows > cols ? rows : cols))
        snprintf(cause, sizeof cause, "--nb %" PRId64, p->nb);
    else
        snprintf(cause, sizeof cause, "%s", sizes(p, given, sizeof given));
    return complain_library(p->op, status, cause);
}

static twill_pattern deal(const problem *p, int64_t rows, int64_t cols)
{
    return twill_block_cyclic(rows, cols, p->nb, p->nb, p->ranks[0], p->ranks[1]);
}

static int wrap(problem *p, twill *tw, int64_t rows, int64_t cols, matrix *a)
{
    twill_pattern pattern = deal(p, rows, cols);
    int rank = twill_rank(tw);
    int64_t high = twill_pattern_local_extent(&pattern, 0, rank % p->ranks[0]);
    int64_t wide = twill_pattern_local_extent(&pattern, 1, rank / p->ranks[0]);
    int64_t ld = high > 0 ? high : 1;
    size_t size = twill_type_size(p->element);
    char given[128];
    a->memory = calloc((size_t)ld * (size_t)(wide > 0 ? wide : 1), size);
    if (!a->memory) {
        complain(p->op, "%s: no memory for the matrix", sizes(p, given, sizeof given));
        return STATUS_SYSTEM;
    }
    twill_status status = twill_array_wrap(tw, &pattern, p->element, 0, a->memory, ld, &a->array);
    return status == TWILL_OK ? STATUS_OK : failed(p, rows, cols, status);
}

/* A matrix whose tile size the library chooses. The first one decides; later ones must agree. */
static twill_status choose(problem *p, twill *tw, int64_t rows, int64_t cols, matrix *a)
{
    twill_status status = twill_matrix_create(tw, p->element, rows, cols, &a->array);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *chosen = twill_array_pattern(a->array);
    p->nb = p->nb ? p->nb : chosen->block[0];
    if (chosen->block[0] != p->nb || chosen->grid[0] != p->ranks[0] ||
        strcmp(p->layout, "tiled") != 0)
        matrix_free(a);
    return TWILL_OK;
}

int matrix_create(problem *p, twill *tw, int64_t rows, int64_t cols, matrix *a)
{
    twill_status status;
    if (!p->nb || p->simple) {
        status = choose(p, tw, rows, cols, a);
        if (status != TWILL_OK || a->array)
            return status == TWILL_OK ? STATUS_OK : failed(p, rows, cols, status);
    }
    if (strcmp(p->layout, "wrapped") == 0)
        return wrap(p, tw, rows, cols, a);
    twill_pattern pattern = deal(p, rows, cols);
    status = twill_array_create(tw, &pattern, p->element, 0, &a->array);
    return status == TWILL_OK ? STATUS_OK : failed(p, rows, cols, status);
}

void matrix_free(matrix *a)
{
    twill_array_free(a->array);
    free(a->memory);
    *a = (matrix){0};
}
