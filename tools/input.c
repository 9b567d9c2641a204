/* Inputs made from a seed: the kinds of --matrix. */
#include "input.h"
#include "transfer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct kind {
    const char *name;
    int indices; /* how many follow the colon */
    twill_status (*fill)(twill_array *a, uint64_t seed);
    twill_status (*spoil)(const problem *p, twill_array *a); /* after filling; may be NULL */
} kind;

/* Set all components of the elements of a view to one value (imaginary parts to `imaginary`). */
static twill_status set_elements(twill_view v, double value, double imaginary)
{
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, TWILL_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    twill_type type = twill_array_type(v.array);
    int64_t parts = type == TWILL_C32 || type == TWILL_C64 ? 2 : 1;
    bool single = type == TWILL_F32 || type == TWILL_C32;
    for (int64_t j = 0; j < v.extent[1]; j++)
        for (int64_t i = 0; i < v.extent[0] * parts; i++) {
            double x = i % parts ? imaginary : value;
            if (single)
                ((float *)data)[i + j * ld * parts] = (float)x;
            else
                ((double *)data)[i + j * ld * parts] = x;
        }
    return twill_unmap(v, data);
}

static twill_status make_indefinite(const problem *p, twill_array *a)
{
    twill_view entry = twill_view_sub(twill_view_all(a), p->rows[0], p->rows[0], 1, 1);
    return set_elements(entry, -(double)p->n, 0);
}

static twill_status make_singular(const problem *p, twill_array *a)
{
    twill_view all = twill_view_all(a);
    twill_status status = set_elements(twill_view_sub(all, p->rows[0], 0, 1, p->n), 0, 0);
    if (status == TWILL_OK)
        status = set_elements(twill_view_sub(all, 0, p->rows[0], p->n, 1), 0, 0);
    return status;
}

static twill_status plant_nan(const problem *p, twill_array *a)
{
    twill_view all = twill_view_all(a);
    twill_status status = set_elements(twill_view_sub(all, p->rows[0], p->rows[1], 1, 1), NAN, NAN);
    if (status == TWILL_OK)
        status = set_elements(twill_view_sub(all, p->rows[1], p->rows[0], 1, 1), NAN, NAN);
    return status;
}

static const kind kinds[] = {{"random", 0, twill_fill_hermitian, NULL},
                             {"spd", 0, twill_fill_spd, NULL},
                             {"notspd", 1, twill_fill_spd, make_indefinite},
                             {"singular", 1, twill_fill_spd, make_singular},
                             {"nan", 2, twill_fill_spd, plant_nan}};

static const kind *find(const char *text)
{
    size_t length = strcspn(text, ":");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strlen(kinds[k].name) == length && memcmp(kinds[k].name, text, length) == 0)
            return &kinds[k];
    return NULL;
}

int input_check(problem *p)
{
    if (p->load && p->matrix) {
        complain(p->op, "--matrix %s: not together with --load, which says what the matrix is",
                 p->matrix);
        return STATUS_USAGE;
    }
    if (p->load)
        return STATUS_OK;
    if (!p->matrix)
        p->matrix = "spd";
    const kind *k = find(p->matrix);
    const char *colon = strchr(p->matrix, ':');
    int indices = colon ? parse_list(colon + 1, INT64_MIN, p->rows, 2) : 0;
    if (!k || indices != k->indices) {
        complain(p->op, "--matrix %s: must be random, spd, notspd:I, singular:I or nan:I,J",
                 p->matrix);
        return STATUS_USAGE;
    }
    for (int i = 0; i < indices; i++)
        if (p->rows[i] < 0 || p->rows[i] >= p->n) {
            complain(p->op, "--matrix %s: indices must be from 0 to n-1, and n is %" PRId64,
                     p->matrix, p->n);
            return STATUS_USAGE;
        }
    return STATUS_OK;
}

int input_fill(const problem *p, twill_array *a)
{
    if (p->load)
        return transfer_load(p, a);
    const kind *k = find(p->matrix);
    twill_status status = k->fill(a, (uint64_t)p->seed);
    if (status == TWILL_OK && k->spoil)
        status = k->spoil(p, a);
    return status == TWILL_OK ? STATUS_OK : complain_library(p->op, status, NULL);
}
