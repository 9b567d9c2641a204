/* Inputs made from a seed, of the kinds of --matrix, or from files. */
#include "operation/input.h"
#include "operation/mtx.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct kind {
    const char *name;
    int indices;  /* how many follow the colon */
    filling fill; /* of a matrix of the kind that is given when --matrix is not; and then: */
    twill_status (*spoil)(const problem *p, twill_array *a); /* may be NULL */
} kind;

int64_t input_size(const problem *p, char letter)
{
    switch (letter) {
    case 'm':
        return p->m;
    case 'k':
        return p->k;
    case 'r':
        return p->nrhs;
    case 'x':
        return p->m > p->n ? p->m : p->n;
    default:
        return p->n;
    }
}

/* What the view has of the tile at these block coordinates. */
static twill_view meet(twill_view v, int64_t bi, int64_t bj)
{
    twill_view t = twill_view_tile(v.array, bi, bj);
    for (int d = 0; d < 2; d++) {
        int64_t first = v.start[d] > t.start[d] ? v.start[d] : t.start[d];
        int64_t end = v.start[d] + v.extent[d] < t.start[d] + t.extent[d]
                          ? v.start[d] + v.extent[d]
                          : t.start[d] + t.extent[d];
        t.start[d] = first;
        t.extent[d] = end > first ? end - first : 0;
    }
    return t;
}

static twill_status set_part(twill_view v, double value, double imaginary)
{
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, TWILL_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    twill_type type = twill_array_type(v.array);
    int64_t parts = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128 ? 2 : 1;
    bool single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
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

/* Set all components of the elements of a view to one value (imaginary parts to `imaginary`), on
 * each rank of those it owns. */
static twill_status set_elements(twill_view v, double value, double imaginary)
{
    const twill_pattern *p = twill_array_pattern(v.array);
    int rank = twill_rank(twill_array_context(v.array));
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0) && status == TWILL_OK; i++) {
            twill_view part = meet(v, i, j);
            if (part.extent[0] && part.extent[1] && twill_owner_at(v.array, i, j) == rank)
                status = set_part(part, value, imaginary);
        }
    return status;
}

static int64_t rows_of(const twill_array *a)
{
    return twill_array_pattern(a)->extent[0];
}

static int64_t cols_of(const twill_array *a)
{
    return twill_array_pattern(a)->extent[1];
}

static twill_status make_indefinite(const problem *p, twill_array *a)
{
    twill_view entry = twill_view_sub(twill_view_all(a), p->rows[0], p->rows[0], 1, 1);
    return set_elements(entry, -(double)rows_of(a), 0);
}

static twill_status make_singular(const problem *p, twill_array *a)
{
    twill_view all = twill_view_all(a);
    twill_status status = set_elements(twill_view_sub(all, p->rows[0], 0, 1, cols_of(a)), 0, 0);
    if (status == TWILL_OK)
        status = set_elements(twill_view_sub(all, 0, p->rows[0], rows_of(a), 1), 0, 0);
    return status;
}

/* In a square matrix in both places, so that it is the same whichever triangle is read. */
static twill_status plant_nan(const problem *p, twill_array *a)
{
    twill_view all = twill_view_all(a);
    int64_t i = p->rows[0], j = p->rows[1];
    twill_status status = set_elements(twill_view_sub(all, i, j, 1, 1), NAN, NAN);
    if (status == TWILL_OK && rows_of(a) == cols_of(a))
        status = set_elements(twill_view_sub(all, j, i, 1, 1), NAN, NAN);
    return status;
}

static const kind kinds[] = {{"random", 0, FILL_RANDOM, NULL},
                             {"spd", 0, FILL_SPD, NULL},
                             {"notspd", 1, FILL_SPD, make_indefinite},
                             {"singular", 1, FILL_NOTHING, make_singular},
                             {"nan", 2, FILL_NOTHING, plant_nan}};

static const kind *find(const char *text)
{
    size_t length = strcspn(text, ":");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strlen(kinds[k].name) == length && memcmp(kinds[k].name, text, length) == 0)
            return &kinds[k];
    return NULL;
}

/* How --matrix fills an operand that is usually filled in some way: what it says of the matrix, but
 * random entries keep the symmetry that the operation needs. */
static filling filling_of(const kind *k, filling usual)
{
    if (k->fill == FILL_NOTHING)
        return usual;
    return k->fill == FILL_RANDOM && usual == FILL_SPD      ? FILL_HERMITIAN
           : k->fill == FILL_RANDOM && usual != FILL_RANDOM ? usual
                                                            : k->fill;
}

static int check_kind(const problem *p, const kind *k, const operand *first)
{
    int64_t size[2] = {input_size(p, first->rows), input_size(p, first->cols)};
    const char *colon = strchr(p->matrix, ':');
    int64_t given[2];
    int indices = colon ? parse_list(colon + 1, INT64_MIN, given, 2) : 0;
    if (!k || indices != k->indices) {
        complain(p->op, "--matrix %s: must be random, spd, notspd:I, singular:I or nan:I,J",
                 p->matrix);
        return STATUS_USAGE;
    }
    int64_t least = size[0] < size[1] ? size[0] : size[1];
    for (int i = 0; i < indices; i++) {
        int64_t limit = indices == 2 ? size[i] : least;
        if (given[i] >= 0 && given[i] < limit)
            continue;
        complain(p->op, "--matrix %s: indices must be from 0 to n-1, and n is %" PRId64, p->matrix,
                 limit);
        return STATUS_USAGE;
    }
    if (k->fill == FILL_SPD && size[0] != size[1]) {
        complain(p->op,
                 "--matrix %s: the matrix must be square for that, but is %" PRId64 " by %" PRId64,
                 p->matrix, size[0], size[1]);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Is operand number i made from the seed? */
static bool is_made(const work *w, int i)
{
    return w->list[i].fill != FILL_NOTHING && !*w->from[i].file;
}

int input_check(work *w)
{
    problem *p = w->p;
    const operand *first = &w->list[0];
    if (p->load && p->matrix) {
        complain(p->op, "--matrix %s: not together with --load, which says what the matrix is",
                 p->matrix);
        return STATUS_USAGE;
    }
    if (!p->type) {
        p->type = "d";
        p->element = TWILL_FLOAT64;
    }
    for (int i = 0; i < w->operands; i++)
        if (is_made(w, i) && p->seed < 0)
            p->seed = 42;
    if (p->load)
        return STATUS_OK;
    if (!p->matrix)
        p->matrix = first->fill == FILL_SPD ? "spd" : "random";
    const kind *k = find(p->matrix);
    int status = check_kind(p, k, first);
    if (status == STATUS_OK && k->indices)
        parse_list(strchr(p->matrix, ':') + 1, 0, p->rows, 2);
    return status;
}

/* What make_dominant does to a tile. */
static twill_status dominate_tile(twill_view v, double order)
{
    void *data;
    int64_t ld;
    twill_type type = twill_array_type(v.array);
    int64_t parts = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128 ? 2 : 1;
    bool single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
    twill_status status = twill_map(v, TWILL_READ_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < v.extent[1]; j++)
        for (int64_t i = 0; i < v.extent[0] * parts; i++) {
            bool diagonal = i == (v.start[1] + j - v.start[0]) * parts;
            int64_t at = i + j * ld * parts;
            if (single)
                ((float *)data)[at] = (float)(((float *)data)[at] / order + (diagonal ? 1.0 : 0.0));
            else
                ((double *)data)[at] = ((double *)data)[at] / order + (diagonal ? 1.0 : 0.0);
        }
    return twill_unmap(v, data);
}

/* Entries divided by the order, and one added to the diagonal. */
static twill_status make_dominant(twill_array *a)
{
    const twill_pattern *p = twill_array_pattern(a);
    int rank = twill_rank(twill_array_context(a));
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0) && status == TWILL_OK; i++)
            if (twill_owner_at(a, i, j) == rank)
                status = dominate_tile(twill_view_tile(a, i, j), (double)rows_of(a));
    return status;
}

static twill_status fill_dominant(twill_array *a, uint64_t seed)
{
    twill_status status = twill_fill_random(a, seed);
    return status == TWILL_OK ? make_dominant(a) : status;
}

static twill_status fill_as(filling how, twill_array *a, uint64_t seed)
{
    switch (how) {
    case FILL_HERMITIAN:
        return twill_fill_hermitian(a, seed);
    case FILL_SYMMETRIC:
        return twill_fill_symmetric(a, seed);
    case FILL_SPD:
        return twill_fill_spd(a, seed);
    case FILL_DOMINANT:
        return fill_dominant(a, seed);
    default:
        return twill_fill_random(a, seed);
    }
}

int input_fill(const work *w, int i, twill_array *a)
{
    const problem *p = w->p;
    const operand *o = &w->list[i];
    if (!is_made(w, i))
        return transfer_load(p, &w->from[i], a);
    bool first = i == 0;
    const kind *k = first ? find(p->matrix) : NULL;
    /* operands of one problem must differ: another seed for each */
    twill_status status = fill_as(first ? filling_of(k, o->fill) : o->fill, a,
                                  (uint64_t)p->seed + 1000003 * (uint64_t)i);
    if (status == TWILL_OK && first && k->spoil)
        status = k->spoil(p, a);
    return status == TWILL_OK ? STATUS_OK : complain_library(p->op, status, NULL);
}

/* ---- sizes from files ---------------------------------------------------------------------- */

static int64_t *size_of(problem *p, char letter)
{
    return letter == 'm' ? &p->m : letter == 'k' ? &p->k : letter == 'r' ? &p->nrhs : &p->n;
}

/* Another file, open already, that has this size. */
static const char *file_of_size(const work *w, int but, char letter, int64_t size)
{
    for (int i = 0; i < w->operands; i++) {
        const operand *o = &w->list[i];
        const npy *f = &w->from[i].npy;
        if (i != but && f->element &&
            ((o->rows == letter && f->rows == size) || (o->cols == letter && f->cols == size)))
            return w->from[i].file;
    }
    return NULL;
}

/* A size that a file gives, by its rows or columns, must be the one known already. */
static int agree(const work *w, int i, char letter, int64_t size, const char *counted)
{
    problem *p = w->p;
    const source *from = &w->from[i];
    int64_t *known = size_of(p, letter);
    int64_t want = letter == 'x' ? input_size(p, letter) : *known;
    if (letter != 'x' && want < 0)
        *known = want = size;
    if (want == size)
        return STATUS_OK;
    const char *other = file_of_size(w, i, letter, want);
    if (other)
        complain(p->op, "--%s %s: must have %" PRId64 " %s to go with %s, but has %" PRId64,
                 from->option, from->file, want, counted, other, size);
    else
        complain(p->op, "%s %" PRId64 ": must be %" PRId64 ", the size of %s",
                 letter == 'r' ? "--nrhs" : (char[]){'-', letter, '\0'}, want, size, from->file);
    return STATUS_USAGE;
}

static int agree_type(problem *p, twill_type element, const char *file)
{
    const char *letter = problem_letter(element);
    if (p->type && strcmp(p->type, letter) != 0) {
        complain(p->op, "--type %s: must be %s, the type of %s", p->type, letter, file);
        return STATUS_USAGE;
    }
    p->type = letter;
    p->element = element;
    return STATUS_OK;
}

/* Does the file fit to what is known already? What is not known it says. */
static int fit(const work *w, int i, int64_t rows, int64_t cols)
{
    const operand *o = &w->list[i];
    const source *from = &w->from[i];
    if (o->rows == o->cols && rows != cols) {
        complain(w->p->op, "--%s %s: it must be square for %s, but is %" PRId64 " by %" PRId64,
                 from->option, from->file, w->p->op, rows, cols);
        return STATUS_USAGE;
    }
    int status = agree(w, i, o->rows, rows, "rows");
    return status == STATUS_OK ? agree(w, i, o->cols, cols, "columns") : status;
}

static int refuse(const work *w, int i, const char *error)
{
    complain(w->p->op, "--%s %s: %s", w->from[i].option,
             w->from[i].option[0] == 'b' ? w->p->b : w->p->load, error);
    return STATUS_USAGE;
}

static int open_binary(work *w, int i)
{
    char error[NPY_ERROR];
    source *from = &w->from[i];
    if (!npy_open(from->file, &from->npy, error))
        return refuse(w, i, error);
    int status = fit(w, i, from->npy.rows, from->npy.cols);
    return status == STATUS_OK ? agree_type(w->p, from->npy.type, from->file) : status;
}

/* A text has no precision: the type is what --type or another file says, else double. */
static int choose_type(problem *p, const mtx *m)
{
    if (!p->type) {
        p->type = m->is_complex ? "z" : "d";
        p->element = problem_element(p->type);
    }
    if (!m->is_complex || p->element == TWILL_COMPLEX64 || p->element == TWILL_COMPLEX128)
        return STATUS_OK;
    complain(p->op, "--type %s: must be c or z, because %s is complex", p->type, m->path);
    return STATUS_USAGE;
}

static int open_text(work *w, int i)
{
    char error[NPY_ERROR];
    source *from = &w->from[i];
    mtx m;
    if (!mtx_open(from->file, &m, error))
        return refuse(w, i, error);
    int status = fit(w, i, m.rows, m.cols);
    if (status == STATUS_OK)
        status = choose_type(w->p, &m);
    if (status == STATUS_OK)
        status = problem_fits(w->p, (double)m.rows * (double)m.cols);
    if (status == STATUS_OK && !mtx_read(&m, w->p->element, &from->npy, error))
        status = refuse(w, i, error);
    mtx_close(&m);
    return status;
}

/* Binary files first, or texts: types are those of the former. */
static int open_all(work *w, bool texts)
{
    int status = STATUS_OK;
    for (int i = 0; i < w->operands && status == STATUS_OK; i++)
        if (*w->from[i].file && mtx_is_name(w->from[i].file) == texts)
            status = texts ? open_text(w, i) : open_binary(w, i);
    return status;
}

int input_open(work *w)
{
    int status = STATUS_OK;
    for (int i = 0; i < w->operands && status == STATUS_OK; i++)
        if (w->list[i].fill != FILL_NOTHING)
            status = transfer_find(w->p, w->list[i].name, &w->from[i]);
    if (status == STATUS_OK)
        status = open_all(w, false);
    return status == STATUS_OK ? open_all(w, true) : status;
}

void input_close(work *w)
{
    for (int i = 0; i < w->operands; i++)
        npy_close(&w->from[i].npy);
}
