/* Solving with Bunch-Kaufman's factors: interchange rows, L, D, L^T or L^H, interchange back. */
#include "la/element.h"
#include "la/indefinite.h"

#include <twill/level3.h>

#include <stdlib.h>
#include <string.h>

/* Columns of tiles are worked on by one task each. Arguments: what follows, then the tiles of ipiv,
 * then those of B, and for D those of e and the diagonal ones of A. */
typedef struct layout {
    int nt;
    int64_t n, nb;
    twill_type type;
    bool lower, hermitian;
    bool back; /* of interchanges: undo them */
} layout;

enum { FIRST = 1 };

typedef struct column {
    const twill_task *task;
    layout is;
    int64_t cols;
} column;

static column open_column(const twill_task *t)
{
    const layout *is = twill_task_data(t, 0);
    return (column){t, *is, twill_task_cols(t, FIRST + is->nt)};
}

/* Element i of a column that is spread over tiles, the first being argument `arg`. */
static char *at(const column *c, int arg, int64_t i, size_t size)
{
    return (char *)twill_task_data(c->task, arg + (int)(i / c->is.nb)) +
           (size_t)(i % c->is.nb) * size;
}

static int64_t pivot(const column *c, int64_t i)
{
    return *(const int64_t *)(const void *)at(c, FIRST, i, sizeof(int64_t));
}

static void swap_rows(const column *c, int64_t i, int64_t j)
{
    char keep[2 * sizeof(double)];
    int b = FIRST + c->is.nt;
    size_t size = twill_type_size(c->is.type);
    size_t ldi = (size_t)twill_task_ld(c->task, b + (int)(i / c->is.nb)) * size;
    size_t ldj = (size_t)twill_task_ld(c->task, b + (int)(j / c->is.nb)) * size;
    char *x = at(c, b, i, size), *y = at(c, b, j, size);
    for (int64_t k = 0; k < c->cols; k++, x += ldi, y += ldj) {
        memcpy(keep, x, size);
        memcpy(x, y, size);
        memcpy(y, keep, size);
    }
}

/* One interchange, of the block that contains row i and, if of order 2, the row after it in the
 * direction of the factorization. Returns the order. */
static int interchange(const column *c, int64_t first, int64_t second)
{
    int64_t p = pivot(c, first);
    int64_t own = p > 0 ? first : second, other = (p > 0 ? p : -p) - 1;
    if (own != other)
        swap_rows(c, own, other);
    return p > 0 ? 1 : 2;
}

/* Interchanges as the factorization made them (lower: downwards), or undone. */
static twill_outcome swap_body(twill_task *t)
{
    column c = open_column(t);
    if (c.is.lower != c.is.back)
        for (int64_t i = 0; i < c.is.n;)
            i += c.is.lower ? interchange(&c, i, i + 1) : interchange(&c, i, i);
    else
        for (int64_t i = c.is.n - 1; i >= 0;)
            i -= c.is.lower ? interchange(&c, i, i) : interchange(&c, i, i - 1);
    return TWILL_DONE;
}

/* ---- D ----------------------------------------------------------------------------------- */

static double complex d_at(const column *c, int64_t i)
{
    int tile = FIRST + 3 * c->is.nt + (int)(i / c->is.nb);
    int64_t r = i % c->is.nb;
    double complex d = tw_element_load(c->is.type, twill_task_data(c->task, tile),
                                       r + r * twill_task_ld(c->task, tile));
    return c->is.hermitian ? creal(d) : d;
}

static double complex e_at(const column *c, int64_t i)
{
    size_t size = twill_type_size(c->is.type);
    return tw_element_load(c->is.type, at(c, FIRST + 2 * c->is.nt, i, size), 0);
}

static double complex divide(double complex x, double complex y)
{
    return cimag(y) == 0.0 ? x / creal(y) : x / y;
}

/* Element (i, k) of B. */
static char *b_at(const column *c, int64_t i, int64_t k)
{
    int b = FIRST + c->is.nt;
    size_t size = twill_type_size(c->is.type);
    int64_t ld = twill_task_ld(c->task, b + (int)(i / c->is.nb));
    return at(c, b, i, size) + (size_t)(k * ld) * size;
}

static void solve_one(const column *c, int64_t i)
{
    double complex d = d_at(c, i);
    for (int64_t k = 0; k < c->cols; k++) {
        char *x = b_at(c, i, k);
        tw_element_store(c->is.type, x, 0, divide(tw_element_load(c->is.type, x, 0), d));
    }
}

/* The block of rows i and i + 1, scaled by what is beside its diagonal. */
static void solve_two(const column *c, int64_t i)
{
    double complex off = c->is.lower ? e_at(c, i) : e_at(c, i + 1);
    double complex d21 = !c->is.lower && c->is.hermitian ? conj(off) : off;
    double complex d12 = c->is.hermitian ? conj(d21) : d21;
    double complex d11 = divide(d_at(c, i), d12), d22 = divide(d_at(c, i + 1), d21);
    double complex scale = d11 * d22 - 1.0;
    for (int64_t k = 0; k < c->cols; k++) {
        char *x = b_at(c, i, k), *y = b_at(c, i + 1, k);
        double complex u = divide(tw_element_load(c->is.type, x, 0), d12);
        double complex v = divide(tw_element_load(c->is.type, y, 0), d21);
        tw_element_store(c->is.type, x, 0, divide(d22 * u - v, scale));
        tw_element_store(c->is.type, y, 0, divide(d11 * v - u, scale));
    }
}

static twill_outcome divide_body(twill_task *t)
{
    column c = open_column(t);
    for (int64_t i = 0; i < c.is.n; i++) {
        if (pivot(&c, i) > 0)
            solve_one(&c, i);
        else
            solve_two(&c, i++);
    }
    return TWILL_DONE;
}

static const twill_class swap = {.name = "laswp", .cpu = swap_body};
static const twill_class divide_by = {.name = "d", .cpu = divide_body};

/* ---- the graph --------------------------------------------------------------------------- */

static twill_status insert_column(twill_graph *g, const twill_class *cls, const tw_indefinite *x,
                                  const layout *is, int64_t j, twill_arg *args)
{
    int64_t nt = is->nt, n = FIRST;
    bool divides = cls == &divide_by;
    args[0] = TWILL_VALUE(*is);
    for (int64_t i = 0; i < nt; i++)
        args[n++] = TWILL_R(twill_tile_at(x->ipiv, i, 0));
    for (int64_t i = 0; i < nt; i++)
        args[n++] = TWILL_RW(twill_tile_at(x->b, i, j));
    for (int64_t i = 0; divides && i < nt; i++)
        args[n++] = TWILL_R(twill_tile_at(x->e, i, 0));
    for (int64_t i = 0; divides && i < nt; i++)
        args[n++] = TWILL_R(twill_tile_at(x->a, i, i));
    args[n] = TWILL_END;
    return twill_insert_args(g, cls, args);
}

static twill_status insert_columns(twill_graph *g, const twill_class *cls, const tw_indefinite *x,
                                   bool back)
{
    const twill_pattern *p = twill_array_pattern(x->b);
    layout is = {.nt = (int)tw_la_nt(x->a),
                 .n = p->extent[0],
                 .nb = p->block[0],
                 .type = twill_array_type(x->b),
                 .lower = x->uplo == TWILL_LOWER,
                 .hermitian = x->hermitian,
                 .back = back};
    twill_status status = TWILL_OK;
    twill_arg *args = malloc((size_t)(4 * is.nt + 2) * sizeof *args);
    if (!args)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the arguments of a task");
    for (int64_t j = 0; j < tw_la_nt(x->b) && status == TWILL_OK; j++)
        status = insert_column(g, cls, x, &is, j, args);
    free(args);
    return status;
}

twill_status tw_indefinite_solve(twill_graph *g, const tw_indefinite *x,
                                 const twill_la_options *options)
{
    if (tw_la_nt(x->a) == 0 || tw_la_nt(x->b) == 0)
        return TWILL_OK;
    twill_trans adjoint = x->hermitian ? TWILL_CONJ_TRANS : TWILL_TRANS;
    twill_status status = insert_columns(g, &swap, x, false);
    if (status == TWILL_OK)
        status = twill_trsm_insert(g, TWILL_LEFT, x->uplo, TWILL_NO_TRANS, TWILL_UNIT,
                                   twill_real(1.0), x->a, x->b, options);
    if (status == TWILL_OK)
        status = insert_columns(g, &divide_by, x, false);
    if (status == TWILL_OK)
        status = twill_trsm_insert(g, TWILL_LEFT, x->uplo, adjoint, TWILL_UNIT, twill_real(1.0),
                                   x->a, x->b, options);
    return status == TWILL_OK ? insert_columns(g, &swap, x, true) : status;
}
