/* A panel of Bunch-Kaufman's factorization, and what it does to the rest of the matrix. The choice
 * of pivots is that of LAPACK's xSYTRF and xHETRF, so they are the same. */
#include "la/indefinite/bunch.h"

#include "la/kernel/blocks.h"
#include "la/kernel/element.h"
#include "la/kernel/strided.h"

#include <math.h>

/* Growth is least when elements are compared with this: (1 + sqrt(17)) / 8. */
static const double alpha = 0.64038820320220756;

static char *at(const tw_bunch *b, int i, int j)
{
    return b->a + ((size_t)i + (size_t)j * (size_t)b->ld) * b->k->size;
}

static char *w_at(const tw_bunch *b, int i, int j)
{
    return b->w + ((size_t)i + (size_t)j * (size_t)b->n) * b->k->size;
}

static double complex load(const tw_bunch *b, const char *x)
{
    return tw_element_load(b->type, x, 0);
}

static void store(const tw_bunch *b, char *x, double complex value)
{
    tw_element_store(b->type, x, 0, value);
}

/* LAPACK's measure of an element. */
static double size_of(double complex x)
{
    return fabs(creal(x)) + fabs(cimag(x));
}

/* ---- moving elements --------------------------------------------------------------------- */

/* n elements, `from` and `to` being so many elements apart. */
static void move(const tw_bunch *b, int n, const char *from, int from_step, char *to, int to_step)
{
    tw_strided_copy(b->k->size, n, from, from_step, to, to_step);
}

static void conjugate(const tw_bunch *b, int n, char *x, int step)
{
    if (!b->hermitian)
        return;
    for (int i = 0; i < n; i++) {
        char *e = x + (size_t)i * (size_t)step * b->k->size;
        store(b, e, conj(load(b, e)));
    }
}

static void swap_rows(const tw_bunch *b, int n, char *x, char *y, int step)
{
    tw_strided_swap(b->k->size, n, x, y, step);
}

/* The diagonal of a Hermitian matrix is real, whatever is stored. */
static void make_real(const tw_bunch *b, char *x)
{
    if (b->hermitian)
        store(b, x, creal(load(b, x)));
}

/* ---- the search for a pivot -------------------------------------------------------------- */

/* The largest of rows [r0, r1) of column j of W, looked at in the order of LAPACK: of equal ones
 * the first counts, and nothing is larger than a NaN that comes first. -1 when there are none. */
static int largest(const tw_bunch *b, int r0, int r1, int j, double *size)
{
    int step = b->last ? -1 : 1, best = b->last ? r1 - 1 : r0;
    *size = 0.0;
    if (r0 >= r1)
        return -1;
    *size = size_of(tw_element_load(b->type, w_at(b, 0, j), best));
    for (int i = best + step; i >= r0 && i < r1; i += step) {
        double x = size_of(tw_element_load(b->type, w_at(b, 0, j), i));
        if (x > *size) {
            *size = x;
            best = i;
        }
    }
    return best;
}

/* Column `column` of W := column i of the matrix as it is now, rows from j on, which is where the
 * panel has come to. */
static void bring(const tw_bunch *b, int j, int i, int column)
{
    int done = j - b->first, rows = b->n - j, one = 1;
    char *to = w_at(b, j, column);
    move(b, i - j, at(b, i, j), b->ld, to, 1);
    conjugate(b, i - j, to, 1);
    move(b, b->n - i, at(b, i, i), 1, w_at(b, i, column), 1);
    make_real(b, w_at(b, i, column));
    if (done > 0)
        b->k->gemv("N", &rows, &done, b->k->minus_one, at(b, j, b->first), &b->ld, w_at(b, i, 0),
                   &b->n, b->k->one, to, &one, 1);
    make_real(b, w_at(b, i, column));
}

/* The order of the next block of D and the row its last row comes from. Columns `w` and, when that
 * is looked at, w + 1 of W are the candidates; the first is where the chosen column is afterwards,
 * and for a block of order 2 both. */
typedef struct choice {
    int order, row;
    bool zero;
} choice;

static choice choose(tw_bunch *b, int j, int w)
{
    double diagonal = size_of(load(b, w_at(b, j, w))), below, beside, other;
    int i = largest(b, j + 1, b->n, w, &below);
    if (isnan(diagonal) || (diagonal == 0.0 && !(below > 0.0)))
        return (choice){1, j, true};
    if (diagonal >= alpha * below)
        return (choice){1, j, false};
    bring(b, j, i, w + 1);
    largest(b, j, i, w + 1, &beside);
    if (largest(b, i + 1, b->n, w + 1, &other) >= 0)
        beside = fmax(beside, other);
    if (diagonal >= alpha * below * (below / beside))
        return (choice){1, j, false};
    if (!(size_of(load(b, w_at(b, i, w + 1))) >= alpha * beside))
        return (choice){2, i, false};
    move(b, b->n - j, w_at(b, j, w + 1), 1, w_at(b, j, w), 1);
    return (choice){1, i, false};
}

/* ---- the columns of L -------------------------------------------------------------------- */

/* Row and column `to` take the place of `from`, behind the panel and in what is done of it. */
static void interchange(const tw_bunch *b, int j, int from, int to)
{
    int done = j - b->first;
    move(b, 1, at(b, from, from), 1, at(b, to, to), 1);
    make_real(b, at(b, to, to));
    move(b, to - from - 1, at(b, from + 1, from), 1, at(b, to, from + 1), b->ld);
    conjugate(b, to - from - 1, at(b, to, from + 1), b->ld);
    move(b, b->n - to - 1, at(b, to + 1, from), 1, at(b, to + 1, to), 1);
    swap_rows(b, done, at(b, from, b->first), at(b, to, b->first), b->ld);
    swap_rows(b, from - b->first + 1, w_at(b, from, 0), w_at(b, to, 0), b->n);
}

/* Column j of L from column w of W: divided by the block of D. One that cannot be divided stays as
 * it is and takes no part in what follows. */
static void finish_one(const tw_bunch *b, int j, int w, bool zero)
{
    double complex d = load(b, w_at(b, j, w));
    move(b, b->n - j, w_at(b, j, w), 1, at(b, j, j), 1);
    for (int i = j + 1; i < b->n; i++) {
        double complex x = load(b, w_at(b, i, w));
        if (zero)
            store(b, w_at(b, i, w), 0.0);
        else
            store(b, at(b, i, j), cimag(d) == 0.0 ? x / creal(d) : x / d);
    }
    conjugate(b, b->n - j - 1, w_at(b, j + 1, w), 1);
}

static double complex adjoint(const tw_bunch *b, double complex x)
{
    return b->hermitian ? conj(x) : x;
}

/* Columns j and j + 1, from w and w + 1: times the inverse of the block, scaled so that nothing
 * overflows that need not. */
static void finish_two(const tw_bunch *b, int j, int w)
{
    double complex d21 = load(b, w_at(b, j + 1, w));
    double complex d11 = load(b, w_at(b, j + 1, w + 1)) / d21;
    double complex d22 = load(b, w_at(b, j, w)) / adjoint(b, d21);
    double complex scale = 1.0 / (d11 * d22 - 1.0) / d21;
    for (int i = j + 2; i < b->n; i++) {
        double complex x = load(b, w_at(b, i, w)), y = load(b, w_at(b, i, w + 1));
        store(b, at(b, i, j), adjoint(b, scale) * (d11 * x - y));
        store(b, at(b, i, j + 1), scale * (d22 * y - x));
    }
    move(b, 2, w_at(b, j, w), 1, at(b, j, j), 1);
    move(b, 1, w_at(b, j + 1, w + 1), 1, at(b, j + 1, j + 1), 1);
    conjugate(b, b->n - j - 1, w_at(b, j + 1, w), 1);
    conjugate(b, b->n - j - 2, w_at(b, j + 2, w + 1), 1);
}

/* One block of D and its columns of L; returns its order. */
static int advance(tw_bunch *b, int j)
{
    int w = j - b->first;
    bring(b, j, j, w);
    choice c = choose(b, j, w);
    int last = j + c.order - 1;
    if (c.zero && b->info == 0)
        b->info = j + 1;
    if (c.row != last)
        interchange(b, j, last, c.row);
    if (c.order == 1)
        finish_one(b, j, w, c.zero);
    else
        finish_two(b, j, w);
    for (int i = j; i <= last; i++)
        b->pivot[i] = c.order == 1 ? c.row : -1 - c.row;
    return c.order;
}

void tw_bunch_panel(tw_bunch *b)
{
    int j = b->first = b->end;
    bool all = b->n - j <= b->ib;
    while (j < b->n && (all || j - b->first < b->ib - 1))
        j += advance(b, j);
    b->end = j;
    for (int i = b->first; i < j; i++)
        b->until[i] = j;
}

/* ---- the whole by LAPACK ------------------------------------------------------------------- */

/* Half a turn: the lower triangle becomes the upper one, or the other way round. */
static void turn(const tw_bunch *b, bool lower_to_upper)
{
    int n = b->n;
    for (int j = 0; j < n - 1; j++) {
        char *lower = at(b, j + 1, j), *upper = at(b, n - 2 - j, n - 1 - j);
        if (lower_to_upper)
            move(b, n - 1 - j, lower, 1, upper, -1);
        else
            move(b, n - 1 - j, upper, -1, lower, 1);
    }
    for (int j = 0; j < n / 2; j++)
        swap_rows(b, 1, at(b, j, j), at(b, n - 1 - j, n - 1 - j), 1);
}

/* LAPACK's pivots, which count from 1 and along the matrix, as those of panels. */
static void take_pivots(tw_bunch *b, const int *ipiv)
{
    int n = b->n;
    for (int j = 0; j < n; j++) {
        int p = ipiv[b->last ? n - 1 - j : j], row = p > 0 ? p - 1 : -p - 1;
        row = b->last ? n - 1 - row : row;
        b->pivot[j] = p > 0 ? row : -1 - row;
    }
    for (int j = 0; j < n; j++) {
        int order = b->pivot[j] < 0 ? 2 : 1, end = j + order;
        b->until[j] = end;
        if (order == 2)
            b->until[++j] = end;
    }
}

void tw_bunch_by_lapack(tw_bunch *b)
{
    int n = b->n, work = n * TW_BUNCH_WORK(b->ib), info = 0;
    int *ipiv = b->until;
    if (b->last)
        turn(b, true);
    (b->hermitian ? b->k->hetrf : b->k->sytrf)(b->last ? "U" : "L", &n, b->a, &b->ld, ipiv, b->w,
                                               &work, &info, 1);
    if (b->last)
        turn(b, false);
    b->info = info > 0 && b->last ? n + 1 - info : info;
    take_pivots(b, ipiv);
    b->first = b->end = n;
}

/* ---- the rest of the matrix -------------------------------------------------------------- */

void tw_bunch_update(const tw_bunch *b, int r0, int r1, int c0, int c1)
{
    int m = r1 - r0, n = c1 - c0, inner = b->end - b->first;
    tw_block_gemm(b->k, 'N', 'T', m, n, inner, b->k->minus_one, at(b, r0, b->first), b->ld,
                  w_at(b, c0, 0), b->n, b->k->one, at(b, r0, c0), b->ld);
}

void tw_bunch_permute(const tw_bunch *b, int column)
{
    for (int i = b->until[column]; i < b->n; i++) {
        bool two = b->pivot[i] < 0;
        int row = two ? -1 - b->pivot[i] : b->pivot[i];
        i += two; /* a block of order 2 interchanges its second row */
        if (row != i)
            swap_rows(b, 1, at(b, i, column), at(b, row, column), 1);
    }
}
