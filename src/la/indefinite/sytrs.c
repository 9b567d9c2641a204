/* Solving with Bunch-Kaufman's factors: interchange rows, L, D, L^T or L^H, interchange back. */
#include "la/blas/calls.h"
#include "la/fit.h"
#include "la/indefinite/indefinite.h"
#include "la/kernel/element.h"

#include <twill/level3.h>

#include <stdlib.h>
#include <string.h>

/* Columns of tiles are worked on by one task each. Arguments: what follows, room for flows, then
 * the tiles of ipiv, then those of B, and for D those of e and the diagonal ones of A. */
typedef struct layout {
    int nt;
    int64_t n, nb;
    twill_type type;
    bool lower, hermitian;
    bool back; /* of interchanges: undo them */
} layout;

enum { FLOWS = 1, FIRST };

typedef struct column {
    layout is;
    const twill_flow *ipiv, *b, *e, *a; /* tiles, from the first row on */
} column;

static column open_column(const twill_task *t)
{
    const layout *is = twill_task_data(t, 0);
    twill_flow *flows = twill_task_data(t, FLOWS);
    for (int i = 0; twill_task_data(t, FIRST + i); i++)
        flows[i] = tw_la_tile(t, FIRST + i);
    return (column){*is, flows, flows + is->nt, flows + 2 * is->nt, flows + 3 * is->nt};
}

/* Element i of a column that is spread over tiles. */
static char *at(const column *c, const twill_flow *tiles, int64_t i, size_t size)
{
    return (char *)tiles[i / c->is.nb].data + (size_t)(i % c->is.nb) * size;
}

static int64_t pivot(const column *c, int64_t i)
{
    return *(const int64_t *)(const void *)at(c, c->ipiv, i, sizeof(int64_t));
}

static void swap_rows(const column *c, int64_t i, int64_t j)
{
    char keep[2 * sizeof(double)];
    size_t size = twill_type_size(c->is.type);
    size_t ldi = (size_t)c->b[i / c->is.nb].ld * size, ldj = (size_t)c->b[j / c->is.nb].ld * size;
    char *x = at(c, c->b, i, size), *y = at(c, c->b, j, size);
    for (int64_t k = 0; k < c->b->cols; k++, x += ldi, y += ldj) {
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
static void interchange_all(const column *c)
{
    bool lower = c->is.lower;
    if (lower != c->is.back)
        for (int64_t i = 0; i < c->is.n;)
            i += lower ? interchange(c, i, i + 1) : interchange(c, i, i);
    else
        for (int64_t i = c->is.n - 1; i >= 0;)
            i -= lower ? interchange(c, i, i) : interchange(c, i, i - 1);
}

static twill_outcome swap_body(twill_task *t)
{
    column c = open_column(t);
    interchange_all(&c);
    return TWILL_DONE;
}

/* ---- D ----------------------------------------------------------------------------------- */

static double complex d_at(const column *c, int64_t i)
{
    const twill_flow *tile = &c->a[i / c->is.nb];
    int64_t r = i % c->is.nb;
    double complex d = tw_element_load(c->is.type, tile->data, r + r * tile->ld);
    return c->is.hermitian ? creal(d) : d;
}

static double complex e_at(const column *c, int64_t i)
{
    size_t size = twill_type_size(c->is.type);
    return tw_element_load(c->is.type, at(c, c->e, i, size), 0);
}

static double complex divide(double complex x, double complex y)
{
    return cimag(y) == 0.0 ? x / creal(y) : x / y;
}

/* Element (i, k) of B. */
static char *b_at(const column *c, int64_t i, int64_t k)
{
    size_t size = twill_type_size(c->is.type);
    return at(c, c->b, i, size) + (size_t)(k * c->b[i / c->is.nb].ld) * size;
}

static void solve_one(const column *c, int64_t i)
{
    double complex d = d_at(c, i);
    for (int64_t k = 0; k < c->b->cols; k++) {
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
    for (int64_t k = 0; k < c->b->cols; k++) {
        char *x = b_at(c, i, k), *y = b_at(c, i + 1, k);
        double complex u = divide(tw_element_load(c->is.type, x, 0), d12);
        double complex v = divide(tw_element_load(c->is.type, y, 0), d21);
        tw_element_store(c->is.type, x, 0, divide(d22 * u - v, scale));
        tw_element_store(c->is.type, y, 0, divide(d11 * v - u, scale));
    }
}

static void divide_all(const column *c)
{
    for (int64_t i = 0; i < c->is.n; i++) {
        if (pivot(c, i) > 0)
            solve_one(c, i);
        else
            solve_two(c, i++);
    }
}

static twill_outcome divide_body(twill_task *t)
{
    column c = open_column(t);
    divide_all(&c);
    return TWILL_DONE;
}

static const twill_class swap = {
    .size = sizeof(twill_class), .name = "laswp", .chores = {TWILL_CPU(swap_body)}};
static const twill_class divide_by = {
    .size = sizeof(twill_class), .name = "d", .chores = {TWILL_CPU(divide_body)}};

/* ---- the graph --------------------------------------------------------------------------- */

static twill_status insert_column(twill_graph *g, const twill_class *cls, const tw_indefinite *x,
                                  const layout *is, int64_t j, twill_arg *args)
{
    int64_t nt = is->nt, n = FIRST;
    bool divides = cls == &divide_by;
    args[0] = TWILL_VALUE(*is);
    args[FLOWS] = TWILL_SCRATCH((size_t)(4 * nt) * sizeof(twill_flow));
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

static layout make_layout(const tw_indefinite *x, bool back)
{
    const twill_pattern *p = twill_array_pattern(x->b);
    return (layout){.nt = (int)tw_la_nt(x->a),
                    .n = p->extent[0],
                    .nb = p->block[0],
                    .type = twill_array_type(x->b),
                    .lower = x->uplo == TWILL_LOWER,
                    .hermitian = x->hermitian,
                    .back = back};
}

static twill_status insert_columns(twill_graph *g, const twill_class *cls, const tw_indefinite *x,
                                   bool back)
{
    layout is = make_layout(x, back);
    twill_status status = TWILL_OK;
    twill_arg *args = malloc((size_t)(4 * is.nt + FIRST + 1) * sizeof *args);
    if (!args)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the arguments of a task");
    for (int64_t j = 0; j < tw_la_nt(x->b) && status == TWILL_OK; j++)
        status = insert_column(g, cls, x, &is, j, args);
    free(args);
    return status;
}

static twill_status insert_steps(twill_graph *g, const tw_indefinite *x,
                                 const twill_la_options *options)
{
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

twill_status tw_indefinite_solve(twill_graph *g, const tw_indefinite *given,
                                 const twill_la_options *options)
{
    tw_indefinite x = *given;
    if (tw_la_nt(x.a) == 0 || tw_la_nt(x.b) == 0)
        return TWILL_OK;
    tw_fit fit[2];
    tw_fit_system(fit, &x.a, 0, &x.b, 0);
    twill_status status = tw_fit_begin(g, fit, 2);
    if (status == TWILL_OK)
        status = insert_steps(g, &x, options);
    return tw_fit_end(g, fit, 2, status);
}

/* ---- small matrices ---------------------------------------------------------------------- */

int64_t tw_indefinite_solve_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const tw_indefinite *o = arg;
    column c = {make_layout(o, false), &x[2], &x[3], &x[1], &x[0]};
    tw_triangle t = {'L', (char)o->uplo, 'N', 'U'};
    tw_tile_view a = tw_view_of(&x[0]), b = tw_view_of(&x[3]);
    interchange_all(&c);
    tw_call_trsm(k, t, k->one, &a, &b);
    divide_all(&c);
    t.trans = o->hermitian ? 'C' : 'T';
    tw_call_trsm(k, t, k->one, &a, &b);
    c.is.back = true;
    interchange_all(&c);
    return 0;
}
