/* SUMMA: what the tiles of C on this rank need of A and B is copied here, panel after panel, the
 * next one while the last one is multiplied. But for the multiplication it is made of nothing that
 * a program could not call. */
#include "array/array.h"
#include "la/kernel/blocks.h"
#include "la/la.h"

#include <twill/algorithm.h>
#include <twill/copy.h>
#include <twill/matrix.h>
#include <twill/summa.h>

#include <stdlib.h>

enum { PANEL = 384 /* columns of A that are multiplied at once, about */ };

/* Blocks of C along one dimension of which this rank has tiles: where each is in a buffer, in rows
 * or columns of C; -1: it has none. */
typedef struct blocks {
    int64_t n, total;
    int64_t *at;
} blocks;

/* A panel of A and one of B: for each block of rows of C, and of columns, a matrix of its own. */
typedef struct panel {
    char *a, *b;
    int64_t begin, width;
    twill_future **future;
    int futures;
} panel;

typedef struct summa {
    twill_view a, b;
    twill_array *c;
    const twill_pattern *pattern; /* of C */
    const tw_kernels *kernels;
    blocks rows, cols;
    panel panel[2];
    int64_t inner, width, panels, first;
    tw_element alpha, beta, one;
    /* of the multiplication under way */
    const panel *now;
    const tw_element *scale;
} summa;

/* ---- what is needed -------------------------------------------------------------------------- */

static bool find_blocks(const summa *s, int d, blocks *b)
{
    int rank = twill_rank(twill_array_context(s->c));
    int64_t block[TWILL_DIMS], own = twill_pattern_rank_blocks(s->pattern, rank);
    b->n = twill_pattern_blocks(s->pattern, d);
    b->at = malloc((size_t)(b->n + 1) * sizeof *b->at);
    for (int64_t i = 0; b->at && i < b->n; i++)
        b->at[i] = -1;
    for (int64_t i = 0; b->at && i < own; i++) {
        twill_pattern_lblock(s->pattern, rank, i, block);
        b->at[block[d]] = 0;
    }
    for (int64_t i = 0; b->at && i < b->n; i++)
        if (b->at[i] == 0) {
            b->at[i] = b->total;
            b->total += twill_pattern_block_extent(s->pattern, d, i);
        }
    return b->at;
}

static bool make_panel(const summa *s, panel *p)
{
    size_t width = (size_t)s->width * s->kernels->size;
    p->a = aligned_alloc(64, ((size_t)s->rows.total * width / 64 + 1) * 64);
    p->b = aligned_alloc(64, ((size_t)s->cols.total * width / 64 + 1) * 64);
    p->future = malloc((size_t)(s->rows.n + s->cols.n + 1) * sizeof(twill_future *));
    return p->a && p->b && p->future;
}

static twill_status make(summa *s)
{
    bool made = find_blocks(s, 0, &s->rows) && find_blocks(s, 1, &s->cols) &&
                make_panel(s, &s->panel[0]) && make_panel(s, &s->panel[1]);
    return made ? TWILL_OK
                : tw_fail(TWILL_ERR_MEMORY, "summa: no memory for panels of %lld columns",
                          (long long)s->width);
}

static void unmake(summa *s)
{
    free(s->rows.at);
    free(s->cols.at);
    for (int i = 0; i < 2; i++) {
        free(s->panel[i].a);
        free(s->panel[i].b);
        free(s->panel[i].future);
    }
}

/* ---- copying --------------------------------------------------------------------------------- */

/* Begin copies of the blocks along dimension d of a factor. */
static twill_status prefetch_blocks(const summa *s, panel *p, int d)
{
    const blocks *b = d == 0 ? &s->rows : &s->cols;
    twill_view all = twill_view_range(d == 0 ? s->a : s->b, 1 - d, p->begin, p->begin + p->width);
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < b->n && status == TWILL_OK; i++) {
        int64_t from = i * s->pattern->block[d];
        int64_t n = twill_pattern_block_extent(s->pattern, d, i);
        if (b->at[i] < 0)
            continue;
        char *to = (d == 0 ? p->a : p->b) + b->at[i] * p->width * (int64_t)s->kernels->size;
        status =
            twill_get_async(twill_view_range(all, d, from, from + n), to, &p->future[p->futures]);
        p->futures += status == TWILL_OK;
    }
    return status;
}

/* Panel number i in the order of this rank. */
static twill_status prefetch(const summa *s, int64_t i, panel *p)
{
    p->futures = 0;
    if (i == s->panels)
        return TWILL_OK;
    p->begin = (s->first + i) % s->panels * s->width;
    p->width = tw_min(s->width, s->inner - p->begin);
    twill_status status = prefetch_blocks(s, p, 0);
    return status == TWILL_OK ? prefetch_blocks(s, p, 1) : status;
}

/* ---- multiplying ----------------------------------------------------------------------------- */

static void multiply_tile(const twill_box *box, void *arg)
{
    const summa *s = arg;
    const panel *p = s->now;
    int64_t row = s->rows.at[box->index[0] / s->pattern->block[0]];
    int64_t col = s->cols.at[box->index[1] / s->pattern->block[1]];
    int m = (int)box->extent[0], n = (int)box->extent[1], k = (int)p->width;
    int64_t size = (int64_t)s->kernels->size;
    tw_block_gemm(s->kernels, 'N', 'N', m, n, k, &s->alpha, p->a + row * k * size, m,
                  p->b + col * k * size, k < 1 ? 1 : k, s->scale, box->data, (int)box->step[1]);
}

static twill_status multiply(summa *s, const panel *p, bool first, bool zero)
{
    s->now = p;
    s->scale = first ? &s->beta : &s->one;
    return twill_for_each_box(twill_view_all(s->c), first && zero ? TWILL_WRITE : TWILL_READ_WRITE,
                              multiply_tile, s);
}

/* C_ij = beta C_ij + alpha sum over k of A_ik B_kj, for all tiles of C on this rank. */
static twill_status run(summa *s, bool zero)
{
    panel *next = &s->panel[0], *now = &s->panel[1];
    twill_status status = prefetch(s, 0, next);
    if (s->panels == 0)
        return multiply(s, now, true, zero); /* of no columns: beta C */
    for (int64_t i = 0; i < s->panels; i++) {
        panel *kept = now;
        now = next;
        next = kept;
        next->futures = 0;
        twill_status came = twill_future_wait_all(now->future, now->futures);
        now->futures = 0;
        status = status == TWILL_OK ? came : status;
        if (status == TWILL_OK)
            status = prefetch(s, i + 1, next);
        if (status == TWILL_OK)
            status = multiply(s, now, i == 0, zero);
        if (status != TWILL_OK) /* nobody writes there any more */
            (void)twill_future_wait_all(next->future, next->futures);
        if (status != TWILL_OK)
            return status;
    }
    return status;
}

/* ---- all ranks ------------------------------------------------------------------------------- */

/* Wait for all ranks, and fail where one of them has. */
static twill_status meet(twill *tw, twill_status status)
{
    double failed = status != TWILL_OK;
    twill_status met = twill_sum(tw, &failed, 1);
    if (status != TWILL_OK || met != TWILL_OK)
        return status != TWILL_OK ? status : met;
    return failed > 0 ? tw_fail(TWILL_ERR_STATE, "summa: another rank could not take part; it says "
                                                 "why")
                      : TWILL_OK;
}

/* ---- the API --------------------------------------------------------------------------------- */

static twill_status check_sizes(const twill_array *a, const twill_array *b, const twill_array *c)
{
    const int64_t *x = twill_array_pattern(a)->extent, *y = twill_array_pattern(b)->extent;
    const int64_t *z = twill_array_pattern(c)->extent;
    if (z[0] == x[0] && z[1] == y[1] && x[1] == y[0])
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT,
                   "summa: A is %lld by %lld, B %lld by %lld and C %lld by %lld: the product does "
                   "not fit",
                   (long long)x[0], (long long)x[1], (long long)y[0], (long long)y[1],
                   (long long)z[0], (long long)z[1]);
}

static twill_status check_matrix(const char *name, twill_array *x)
{
    if (!x)
        return tw_fail(TWILL_ERR_ARGUMENT, "summa: the matrix %s is NULL", name);
    const twill_pattern *p = twill_array_pattern(x);
    if (p->ndim != 2 || twill_array_type(x) == TWILL_BYTES)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "summa: %s is not a matrix of type FLOAT32, FLOAT64, COMPLEX64 or "
                       "COMPLEX128",
                       name);
    if (p->order & TWILL_ROW_MAJOR_ELEMENTS)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "summa: the elements of %s are in row-major order, and products want "
                       "column-major order",
                       name);
    twill_view all = twill_view_all(x);
    return tw_array_check_elements("summa", &all, true);
}

static twill_status check_all(twill_array *a, twill_array *b, twill_array *c)
{
    twill_array *const all[] = {a, b, c};
    twill_status status = TWILL_OK;
    for (int i = 0; i < 3 && status == TWILL_OK; i++) {
        status = check_matrix((const char *[]){"A", "B", "C"}[i], all[i]);
        if (status == TWILL_OK && (twill_array_type(all[i]) != twill_array_type(a) ||
                                   twill_array_context(all[i]) != twill_array_context(a)))
            status = tw_fail(TWILL_ERR_ARGUMENT,
                             "summa: the matrices differ in their type or in their context");
    }
    if (status == TWILL_OK && (tw_array_overlaps(a, c) || tw_array_overlaps(b, c)))
        status = tw_fail(TWILL_ERR_ARGUMENT, "summa: C overlaps with A or B");
    return status == TWILL_OK ? check_sizes(a, b, c) : status;
}

/* Whole tiles of A, about as many columns as products like. */
static int64_t width_of(int64_t inner, int64_t tile)
{
    int64_t width = tile < PANEL ? PANEL / tile * tile : tile;
    return tw_max(tw_min(width, inner), 1);
}

twill_status twill_summa(twill_scalar alpha, twill_array *a, twill_array *b, twill_scalar beta,
                         twill_array *c)
{
    const tw_blas *blas = NULL;
    twill_status status = check_all(a, b, c);
    if (status == TWILL_OK)
        status = tw_blas_get(twill_array_context(c), &blas);
    if (status != TWILL_OK)
        return status;
    twill *tw = twill_array_context(c);
    twill_type type = twill_array_type(c);
    const twill_pattern *p = twill_array_pattern(a);
    summa s = {.a = twill_view_all(a),
               .b = twill_view_all(b),
               .c = c,
               .pattern = twill_array_pattern(c),
               .kernels = &blas->kernels[type],
               .inner = p->extent[1],
               .alpha = tw_la_element(type, alpha),
               .beta = tw_la_element(type, beta),
               .one = tw_la_element(type, twill_real(1))};
    s.width = width_of(s.inner, p->block[1]);
    s.panels = alpha.re == 0 && alpha.im == 0 ? 0 : (s.inner + s.width - 1) / s.width;
    s.first = s.panels * twill_rank(tw) / twill_ranks(tw);
    status = meet(tw, make(&s));
    if (status == TWILL_OK)
        status = meet(tw, run(&s, beta.re == 0 && beta.im == 0));
    unmake(&s);
    return status;
}
