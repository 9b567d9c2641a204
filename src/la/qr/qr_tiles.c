/* What QR does to the tiles of one panel: by recursion, by LAPACK's geqrt and tpqrt, and small
 * blocks by columns. */
#include "la/qr/qr_tiles.h"

#include "la/kernel/blocks.h"
#include "la/kernel/element.h"
#include "la/kernel/house.h"
#include "la/la.h"
#include "la/qr/qr_recursive.h"
#include "la/qr/reflect.h"

#include <string.h>

size_t tw_qr_panel_bytes(const tw_kernels *k, int64_t rows, int64_t cols, int64_t ib, bool copies)
{
    return (size_t)((copies ? rows * cols : 0) + ib * cols) * k->size;
}

size_t tw_qr_merge_bytes(const tw_kernels *k, int64_t cols, int64_t ib)
{
    return (size_t)(2 * cols * cols + ib * cols) * k->size;
}

/* Tiles of a single column can follow one another and still have a leading dimension that is too
 * small for all of them. */
bool tw_qr_adjacent(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count)
{
    int64_t rows = tiles[0].rows;
    bool adjacent = !mirror;
    for (int i = 1; i < count && adjacent; i++) {
        adjacent =
            tiles[i].ld == tiles[0].ld && tiles[i].data == tw_at(k, tiles[0].data, rows, 0, 0);
        rows += tiles[i].rows;
    }
    return adjacent && tiles[0].ld >= rows;
}

/* Tiles to the rows of a matrix, and back. */
static void collect(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count, char *to,
                    int ld)
{
    for (int i = 0; i < count; i++) {
        int rows = tw_qr_rows(mirror, &tiles[i]), cols = tw_qr_cols(mirror, &tiles[i]);
        if (mirror)
            tw_block_conjugate(k, TW_BLOCK_ALL, rows, cols, to, ld, tiles[i].data,
                               (int)tiles[i].ld);
        else
            tw_block_copy(k, rows, cols, to, ld, tiles[i].data, (int)tiles[i].ld);
        to += (size_t)rows * k->size;
    }
}

static void distribute(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count,
                       const char *from, int ld)
{
    for (int i = 0; i < count; i++) {
        int rows = (int)tiles[i].rows, cols = (int)tiles[i].cols;
        if (mirror)
            tw_block_conjugate(k, TW_BLOCK_ALL, rows, cols, tiles[i].data, (int)tiles[i].ld, from,
                               ld);
        else
            tw_block_copy(k, rows, cols, tiles[i].data, (int)tiles[i].ld, from, ld);
        from += (size_t)tw_qr_rows(mirror, &tiles[i]) * k->size;
    }
}

/* ---- small blocks ------------------------------------------------------------------------ */

/* Column `j` of T, which begins with the products of the columns of its block with its reflector:
 * T(0:i, j) = -tau T(0:i, 0:i) V^H v. */
static void finish_t(const tw_kernels *k, int i, double complex tau, char *t, int ldt)
{
    const int one = 1;
    char *column = tw_at_rw(k, t, 0, i, ldt);
    for (int l = 0; l < i; l++)
        tw_element_store(k->type, column, l, -tau * tw_element_load(k->type, column, l));
    if (i > 0)
        k->trmv("U", "N", "N", &i, t, &ldt, column, &one, 1, 1, 1);
    tw_element_store(k->type, column, i, tau);
}

/* Reflector j, and its application to the columns after it. The products with the columns before it
 * in its block of T come from the same call. */
static void factor_column(const tw_kernels *k, int rows, int cols, int j, int first, char *a,
                          int ld, char *t, int ldt, void *products)
{
    const int one = 1, left = rows - j, width = cols - first, after = cols - j - 1;
    char *v = tw_at_rw(k, a, j, j, ld), tau[2 * sizeof(double)], beta[2 * sizeof(double)];
    char scale[2 * sizeof(double)];
    k->larfg(&left, v, tw_at_rw(k, v, left > 1, 0, ld), &one, tau);
    memcpy(beta, v, k->size);
    memcpy(v, k->one, k->size);
    k->gemv("C", &left, &width, k->one, tw_at(k, a, j, first, ld), &ld, v, &one, k->zero, products,
            &one, 1);
    tw_element_store(k->type, scale, 0, -conj(tw_element_load(k->type, tau, 0)));
    if (after > 0)
        k->gerc(&left, &after, scale, v, &one, tw_at(k, products, j + 1 - first, 0, 0), &one,
                tw_at_rw(k, a, j, j + 1, ld), &ld);
    memcpy(v, beta, k->size);
    memcpy(tw_at_rw(k, t, 0, j, ldt), products, (size_t)(j - first) * k->size);
    finish_t(k, j - first, tw_element_load(k->type, tau, 0), tw_at_rw(k, t, 0, first, ldt), ldt);
}

/* The same for real numbers. False: they are too large or too small for that. */
static bool factor_real(const tw_kernels *k, const tw_house *house, int rows, int cols, int j,
                        int first, char *a, int ld, char *t, int ldt)
{
    char *v = tw_at_rw(k, a, j, j, ld), tau[sizeof(double)];
    if (!house->make(rows - j, v, tau))
        return false;
    house->apply(rows - j, cols - j - 1, v, tau, tw_at_rw(k, v, 0, 1, ld), ld);
    house->link(rows - j, j - first, tw_at(k, a, j, first, ld), ld, v, tau,
                tw_at_rw(k, t, 0, first, ldt), ldt);
    return true;
}

/* As geqrt, a column at a time. */
static void factor_small(const tw_kernels *k, int rows, int cols, int ib, char *a, int ld, char *t,
                         int ldt, void *products)
{
    const tw_house *house = tw_house_of(k->type);
    int reflectors = rows < cols ? rows : cols;
    for (int j = 0; j < reflectors; j++) {
        int first = j - j % ib;
        if (!house || !factor_real(k, house, rows, cols, j, first, a, ld, t, ldt))
            factor_column(k, rows, cols, j, first, a, ld, t, ldt, products);
    }
}

/* ---- panels ------------------------------------------------------------------------------ */

void tw_qr_panel(const tw_kernels *k, bool mirror, const twill_flow *tiles, int count, void *t,
                 int ldt, int ib, void *work)
{
    int rows = 0, cols = tw_qr_cols(mirror, &tiles[0]), info;
    for (int i = 0; i < count; i++)
        rows += tw_qr_rows(mirror, &tiles[i]);
    bool copies = !tw_qr_adjacent(k, mirror, tiles, count);
    char *a = copies ? work : tiles[0].data;
    char *rest = copies ? (char *)work + (size_t)rows * (size_t)cols * k->size : work;
    int ld = copies ? rows : (int)tiles[0].ld, width = (int)tw_min(ib, tw_min(rows, cols));
    if (copies)
        collect(k, mirror, tiles, count, a, ld);
    if (rows <= TW_QR_SMALL && cols <= TW_QR_SMALL)
        factor_small(k, rows, cols, width, a, ld, t, ldt, rest);
    else if (width == cols)
        tw_geqrt_recursive(k, rows, cols, a, ld, t, ldt, rest);
    else
        k->geqrt(&rows, &cols, &width, a, &ld, t, &ldt, rest, &info);
    if (copies)
        distribute(k, mirror, tiles, count, a, ld);
}

/* The upper triangle of a matrix, or, of one with fewer rows than columns, the upper trapezoid. */
static void copy_upper(const tw_kernels *k, int rows, int cols, char *to, int ldto,
                       const char *from, int ldfrom)
{
    for (int j = 0; j < cols; j++)
        memcpy(tw_at_rw(k, to, 0, j, ldto), tw_at(k, from, 0, j, ldfrom),
               (size_t)tw_min(j + 1, rows) * k->size);
}

/* The triangle of a tile as QR sees it, to a matrix with leading dimension n; and back. */
static void take_triangle(const tw_kernels *k, bool mirror, const twill_flow *tile, int rows, int n,
                          char *to)
{
    if (mirror)
        tw_block_conjugate(k, TW_BLOCK_UPPER, rows, n, to, n, tile->data, (int)tile->ld);
    else
        copy_upper(k, rows, n, to, n, tile->data, (int)tile->ld);
}

static void put_triangle(const tw_kernels *k, bool mirror, const twill_flow *tile, int rows, int n,
                         const char *from)
{
    if (mirror)
        tw_block_conjugate(k, TW_BLOCK_LOWER, n, rows, tile->data, (int)tile->ld, from, n);
    else
        copy_upper(k, rows, n, tile->data, (int)tile->ld, from, n);
}

/* In copies: what LAPACK and the BLAS make of vectors depends, on some processors, on where they
 * begin, and tiles begin elsewhere on other ranks and in other layouts. */
void tw_qr_merge(const tw_kernels *k, bool mirror, const twill_flow *top, const twill_flow *other,
                 void *t, int ldt, int ib, void *work)
{
    int n = tw_qr_cols(mirror, top), rows = (int)tw_min(tw_qr_rows(mirror, other), n), info;
    int width = (int)tw_min(ib, n);
    char *a = work, *b = a + (size_t)n * (size_t)n * k->size;
    char *rest = b + (size_t)n * (size_t)n * k->size;
    take_triangle(k, mirror, top, n, n, a);
    take_triangle(k, mirror, other, rows, n, b);
    k->tpqrt(&rows, &n, &rows, &width, a, &n, b, &n, t, &ldt, rest, &info);
    put_triangle(k, mirror, top, n, n, a);
    put_triangle(k, mirror, other, rows, n, b);
}

void tw_qr_panel_apply(const tw_kernels *k, bool mirror, const twill_flow *a, const void *t,
                       int ldt, int ib, char side, char trans, const twill_flow *c, void *work)
{
    bool left = side == 'L';
    tw_reflection r = {.kernels = k,
                       .rowwise = mirror,
                       .side = side,
                       .trans = trans,
                       .k = (int)tw_min(a->rows, a->cols),
                       .ib = ib,
                       .ldt = ldt,
                       .other = (int)(left ? c->cols : c->rows),
                       .t = t,
                       .work = work};
    tw_v_block v = {.kind = TW_V_UNIT_LOWER,
                    .rows = (int)(left ? c->rows : c->cols),
                    .v = a->data,
                    .ldv = (int)a->ld,
                    .c = c->data,
                    .ldc = (int)c->ld};
    tw_reflect(&r, &v, 1);
}
