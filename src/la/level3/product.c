/* The tiles of C one after the other, each by a chain of steps over the inner index: the worker
 * that has begun a tile finds it in its cache. */
#include "la/level3/product.h"

#include "data/array.h"
#include "la/direct.h"
#include "la/fit.h"

/* Tile (i, j) of the factor, and how a product reads it. */
static twill_tile *tile(const tw_factor *f, int64_t i, int64_t j, char *trans)
{
    bool symmetric = f->uplo != TWILL_GENERAL;
    bool stored = symmetric ? (f->uplo == TWILL_LOWER ? i >= j : i <= j) : f->trans == 'N';
    *trans = stored ? 'N' : symmetric ? f->mirror : f->trans;
    return stored ? twill_tile_at(f->a, i, j) : twill_tile_at(f->a, j, i);
}

static int64_t inner_tiles(const tw_factor *x)
{
    return x->trans == 'N' ? tw_la_nt(x->a) : tw_la_mt(x->a);
}

static bool is_zero(twill_scalar x)
{
    return x.re == 0.0 && x.im == 0.0;
}

static bool is_one(twill_scalar x)
{
    return x.re == 1.0 && x.im == 0.0;
}

/* The symmetric factor comes first. */
static bool is_swapped(const tw_product *p)
{
    return p->y.uplo != TWILL_GENERAL;
}

/* Is it a step on a diagonal tile? */
static bool on_diagonal(const tw_product *p, int64_t i, int64_t j, int64_t k)
{
    return (p->uplo != TWILL_GENERAL && i == j) || (p->x.uplo != TWILL_GENERAL && i == k) ||
           (p->y.uplo != TWILL_GENERAL && k == j);
}

static twill_status insert_gemm(twill_graph *g, const tw_factor *x, const tw_factor *y,
                                twill_tile *c, int64_t i, int64_t j, int64_t k, tw_blas_args step)
{
    twill_tile *a = tile(x, i, k, &step.options[0]), *b = tile(y, k, j, &step.options[1]);
    return twill_insert(g, &tw_step_gemm, TWILL_R(a), TWILL_R(b), TWILL_RW(c), TWILL_VALUE(step));
}

static twill_status insert_diagonal(twill_graph *g, const tw_product *p, twill_tile *c, int64_t i,
                                    int64_t j, int64_t k, tw_blas_args step)
{
    char trans;
    twill_tile *a = tile(&p->x, i, k, &trans), *b = tile(&p->y, k, j, &trans);
    bool swapped = is_swapped(p);
    step.options[0] = p->options[0];
    step.options[1] = p->options[1];
    return twill_insert(g, p->diagonal, TWILL_R(swapped ? b : a), TWILL_R(swapped ? a : b),
                        TWILL_RW(c), TWILL_VALUE(step));
}

/* Tile (i, j) of C. */
static twill_status insert_tile(twill_graph *g, const tw_product *p, int64_t i, int64_t j)
{
    twill_type type = twill_array_type(p->c);
    twill_tile *c = twill_tile_at(p->c, i, j);
    int64_t kt = inner_tiles(&p->x);
    tw_blas_args step = {.alpha = tw_la_element(type, p->alpha)};
    tw_element one = tw_la_element(type, twill_real(1.0)), beta = tw_la_element(type, p->beta);
    tw_element alpha2 = tw_la_element(type, p->alpha2);
    twill_status status = TWILL_OK;
    for (int64_t k = 0; k < kt && status == TWILL_OK; k++) {
        step.beta = k == 0 ? beta : one;
        if (on_diagonal(p, i, j, k)) {
            status = insert_diagonal(g, p, c, i, j, k, step);
            continue;
        }
        status = insert_gemm(g, &p->x, &p->y, c, i, j, k, step);
        if (status == TWILL_OK && p->x2.a)
            status = insert_gemm(g, &p->x2, &p->y2, c, i, j, k, (tw_blas_args){{0}, alpha2, one});
    }
    return status;
}

/* ---- plain products, several tiles of C at once -------------------------------------------- */

static bool is_plain(const tw_product *p)
{
    return p->uplo == TWILL_GENERAL && p->x.uplo == TWILL_GENERAL && p->y.uplo == TWILL_GENERAL &&
           !p->x2.a;
}

/* Tiles of C that are one task: rows and columns of tiles with one owner. */
typedef struct group {
    int64_t row[TW_GRID], col[TW_GRID];
} group;

static twill_status insert_grid(twill_graph *g, const tw_product *p, const group *t, tw_grid_step s,
                                int64_t k)
{
    twill_tile *a[TW_GRID], *b[TW_GRID], *c[TW_GRID * TW_GRID];
    for (int x = 0; x < s.rows; x++)
        a[x] = tile(&p->x, t->row[x], k, &s.step.options[0]);
    for (int y = 0; y < s.cols; y++)
        b[y] = tile(&p->y, k, t->col[y], &s.step.options[1]);
    for (int at = 0; at < s.rows * s.cols; at++)
        c[at] = twill_tile_at(p->c, t->row[at % s.rows], t->col[at / s.rows]);
    return tw_step_insert_grid(g, &s, a, b, c);
}

/* All steps of these tiles. */
static twill_status insert_steps(twill_graph *g, const tw_product *p, const group *t,
                                 tw_grid_step s)
{
    twill_type type = twill_array_type(p->c);
    twill_status status = TWILL_OK;
    for (int64_t k = 0; k < inner_tiles(&p->x) && status == TWILL_OK; k++) {
        s.step.beta = tw_la_element(type, k == 0 ? p->beta : twill_real(1.0));
        status = insert_grid(g, p, t, s, k);
    }
    return status;
}

/* Of the tiles that coordinate r of the grid owns along dimension d: numbers `first` and following.
 * Returns how many there are, `size` at most. */
static int take(const twill_pattern *c, int d, int64_t r, int64_t first, int64_t size,
                int64_t *tiles)
{
    int64_t end = tw_min(first + size, twill_pattern_local_blocks(c, d, r));
    for (int64_t i = first; i < end; i++)
        tiles[i - first] = tw_pattern_block(c, d, r, i);
    return (int)tw_max(end - first, 0);
}

/* Ranks take turns, so that all of them have some work from the beginning. */
static twill_status insert_grids(twill_graph *g, const tw_product *p, int64_t size)
{
    const twill_pattern *c = twill_array_pattern(p->c);
    tw_grid_step s = {.step.alpha = tw_la_element(twill_array_type(p->c), p->alpha)};
    twill_status status = TWILL_OK;
    group t;
    for (int64_t j = 0; j < tw_la_nt(p->c); j += size)
        for (int64_t i = 0; i < tw_la_mt(p->c); i += size)
            for (int64_t r = 0; r < c->grid[0] * c->grid[1] && status == TWILL_OK; r++) {
                s.rows = take(c, 0, r % c->grid[0], i, size, t.row);
                s.cols = take(c, 1, r / c->grid[0], j, size, t.col);
                if (s.rows && s.cols)
                    status = insert_steps(g, p, &t, s);
            }
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static twill_status insert_all(twill_graph *g, const tw_product *p)
{
    twill_status status = TWILL_OK;
    int64_t grid = 1;
    if (is_plain(p))
        status = tw_grid_size(g, p->c, &grid);
    if (grid > 1 || status != TWILL_OK)
        return status == TWILL_OK ? insert_grids(g, p, grid) : status;
    for (int64_t j = 0; j < tw_la_nt(p->c); j++) {
        int64_t first = p->uplo == TWILL_LOWER ? j : 0;
        int64_t end = p->uplo == TWILL_UPPER ? j + 1 : tw_la_mt(p->c);
        for (int64_t i = first; i < end && status == TWILL_OK; i++)
            status = insert_tile(g, p, i, j);
    }
    return status;
}

/* What of the sizes m, n and k, those of C and the inner one, a factor of so many rows and columns
 * has. */
static tw_fit fit_factor(tw_factor *f, int rows, int cols)
{
    bool stored = f->trans == 'N';
    return tw_fit_of(&f->a, TWILL_READ, f->uplo, stored ? rows : cols, stored ? cols : rows);
}

twill_status tw_product_insert(twill_graph *g, const tw_product *product)
{
    if (is_zero(product->alpha) || product->inner == 0)
        return is_one(product->beta) ? TWILL_OK
                                     : tw_steps_scale(g, product->c, product->uplo,
                                                      product->hermitian, product->beta);
    tw_product q = *product, *p = &q;
    /* a symmetric factor and a symmetric result are square */
    int m = 0, n = p->uplo == TWILL_GENERAL ? 1 : m;
    int k = p->x.uplo != TWILL_GENERAL ? m : p->y.uplo != TWILL_GENERAL ? n : 2;
    twill_access mode = is_zero(p->beta) ? TWILL_WRITE : TWILL_READ_WRITE;
    tw_fit x[] = {tw_fit_of(&p->c, mode, p->uplo, m, n), fit_factor(&p->x, m, k),
                  fit_factor(&p->y, k, n), fit_factor(&p->x2, m, k), fit_factor(&p->y2, k, n)};
    int matrices = p->x2.a ? 5 : 3;
    twill_status status = tw_fit_begin(g, x, matrices);
    if (status == TWILL_OK)
        status = insert_all(g, p);
    return tw_fit_end(g, x, matrices, status);
}

/* ---- small matrices ------------------------------------------------------------------------ */

static int64_t multiply(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    const tw_product *p = arg;
    twill_type type = twill_array_type(p->c);
    tw_tile_view views[] = {tw_view_of(&x[0]), tw_view_of(&x[1]), tw_view_of(&x[2])};
    tw_blas_args scale = {.options = {(char)p->uplo, p->hermitian ? 'H' : 'S'},
                          .beta = tw_la_element(type, p->beta)};
    tw_blas_args step = {{p->options[0], p->options[1]}, tw_la_element(type, p->alpha), scale.beta};
    if (!is_zero(p->alpha))
        p->call(k, views, &step);
    else if (!is_one(p->beta))
        tw_call_scale(k, &views[2], &scale);
    return 0;
}

static twill_status insert(twill_graph *g, void *arg)
{
    return tw_product_insert(g, arg);
}

twill_status tw_product_run(tw_product *p)
{
    bool swapped = is_swapped(p);
    twill_array *first = swapped ? p->y.a : p->x.a, *second = swapped ? p->x.a : p->y.a;
    tw_direct d = {
        p->who, multiply, p, {{first, TWILL_READ}, {second, TWILL_READ}, {p->c, TWILL_READ_WRITE}}};
    twill_status status;
    return tw_direct_done(&d, NULL, &status)
               ? status
               : tw_la_run(twill_array_context(p->c), insert, p, NULL);
}
