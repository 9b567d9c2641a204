/* Least squares of small matrices, as gels.c has it, without tasks. */
#include "la/blas/calls.h"
#include "la/kernel/blocks.h"
#include "la/kernel/inverse.h"
#include "la/kernel/numbers.h"
#include "la/qr/gels_scale.h"
#include "la/qr/qr_tiles.h"

#include <stdlib.h>

enum {
    IB = 32,
    BY_LAPACK = 80 /* rows of B up to which LAPACK's own routine is faster */
};

typedef struct problem {
    const tw_kernels *k;
    const twill_flow *a, *b;
    bool mirror, plain; /* LQ; not transposed */
    int order, ib;
    char *t, *work; /* of the reflectors: ib by order */
} problem;

static void apply_q(const problem *p, char trans)
{
    tw_qr_panel_apply(p->k, p->mirror, p->a, p->t, p->ib, p->ib, 'L', trans, p->b, p->work);
}

static void solve(const problem *p)
{
    twill_flow r = {p->a->data, p->a->ld, p->order, p->order};
    twill_flow x = {p->b->data, p->b->ld, p->order, p->b->cols};
    tw_tile_view triangle = tw_view_of(&r), rows = tw_view_of(&x);
    tw_call_trsm(p->k, (tw_triangle){'L', p->mirror ? 'L' : 'U', p->plain ? 'N' : 'C', 'N'},
                 p->k->one, &triangle, &rows);
}

/* Q first, then the triangle; or the other way round, with zeros below. Returns the first zero on
 * the diagonal. */
static int64_t solve_scaled(const problem *p)
{
    const tw_kernels *k = p->k;
    const twill_flow *b = p->b;
    tw_qr_panel(k, p->mirror, p->a, 1, p->t, p->ib, p->ib, p->work);
    int64_t zero = tw_tile_zero(k, &(twill_flow){p->a->data, p->a->ld, p->order, p->order});
    if (zero)
        return zero;
    if (p->plain != p->mirror)
        apply_q(p, 'C');
    solve(p);
    if (p->plain == p->mirror) {
        tw_block_clear(k, (int)b->rows - p->order, (int)b->cols,
                       tw_at_rw(k, b->data, p->order, 0, b->ld), (int)b->ld);
        apply_q(p, 'N');
    }
    return 0;
}

/* LAPACK computes norms of columns with the BLAS, of which some lose a NaN. */
static bool suits_lapack(const tw_kernels *k, const twill_flow *x)
{
    bool finite = true;
    for (int64_t j = 0; j < x->cols && finite; j++)
        finite = tw_numbers_finite(tw_at_rw(k, x->data, 0, j, x->ld), k->type, x->rows);
    return finite;
}

/* Returns LAPACK's info. */
static int64_t solve_by_lapack(const tw_kernels *k, const twill_flow *a, const twill_flow *b,
                               bool plain)
{
    int m = (int)a->rows, n = (int)a->cols, nrhs = (int)b->cols, info;
    int lda = (int)a->ld, ldb = (int)b->ld, order = m < n ? m : n;
    int lwork = order + (order > nrhs ? order : nrhs) * IB;
    void *work = malloc((size_t)lwork * k->size);
    if (!work)
        return TW_DIRECT_NO_MEMORY;
    k->gels(plain        ? "N"
            : k->complex ? "C"
                         : "T",
            &m, &n, &nrhs, a->data, &lda, b->data, &ldb, work, &lwork, &info, 1);
    free(work);
    return info;
}

int64_t tw_gels_whole(const tw_kernels *k, const twill_flow *x, const void *trans)
{
    const twill_flow *a = &x[0], *b = &x[1];
    int64_t order = tw_min(a->rows, a->cols), ib = tw_min(IB, order), info = 0;
    bool plain = *(const char *)trans == 'N';
    if (b->rows <= BY_LAPACK && suits_lapack(k, a) && suits_lapack(k, b))
        return solve_by_lapack(k, a, b, plain);
    size_t t = (size_t)(ib * order) * k->size, reflect = (size_t)(ib * b->cols) * k->size;
    size_t factor = tw_qr_panel_bytes(k, b->rows, order, ib, true);
    char *memory = malloc(t + (factor > reflect ? factor : reflect));
    if (!memory)
        return TW_DIRECT_NO_MEMORY;
    problem p = {k, a, b, a->rows < a->cols, plain, (int)order, (int)ib, memory, memory + t};
    double norm_a = tw_scale_whole(k, a, a->rows);
    double norm_b = tw_scale_whole(k, b, plain ? a->rows : a->cols);
    if (norm_a != 0.0) /* or the solution is zero */
        info = solve_scaled(&p);
    if (info == 0)
        tw_unscale_whole(k, b, plain ? a->cols : a->rows, norm_a, norm_b);
    free(memory);
    return info;
}
