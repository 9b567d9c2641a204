/* QR on OpenCL: panels, and block reflectors I - V T V^H. */
#include "device/opencl/blas.h"

/* k reflectors, of m rows. */
typedef struct block {
    int64_t m, k;
    tw_ocl_matrix v, t; /* in workspace: V with its ones and zeros */
} block;

static block make_block(tw_ocl_call *call, int64_t m, int64_t k, tw_ocl_matrix a, tw_ocl_matrix tau)
{
    const tw_ocl_scalar one = tw_ocl_number(call->type, 1), zero = tw_ocl_number(call->type, 0);
    block b = {m, k, tw_ocl_room(call, m, k), tw_ocl_room(call, k, k)};
    tw_ocl_matrix gram = tw_ocl_room(call, k, k);
    tw_ocl_expand(call, m, k, one, TW_OCL_UNIT, TW_OCL_LOWER, TW_OCL_PLAIN, a, TW_OCL_WHOLE, b.v);
    tw_ocl_product(call, TW_OCL_CONJUGATED, TW_OCL_PLAIN, k, k, m, one, b.v, b.v, zero, gram);
    tw_ocl_enqueue(call, TW_OCL_JOIN_REFLECTORS, 1, 1, "lmmm", k, gram, tau, b.t);
    return b;
}

/* C := (I - V op(T) V^H) C, or C (I - V op(T) V^H); m by n. */
static void reflect(tw_ocl_call *call, const block *b, bool left, int trans, int64_t m, int64_t n,
                    tw_ocl_matrix c)
{
    const tw_ocl_scalar one = tw_ocl_number(call->type, 1), zero = tw_ocl_number(call->type, 0),
                        minus = tw_ocl_number(call->type, -1);
    const int64_t rows = left ? b->k : m, cols = left ? n : b->k;
    tw_ocl_matrix w = tw_ocl_room(call, rows, cols), tw = tw_ocl_room(call, rows, cols);
    if (left) {
        tw_ocl_product(call, TW_OCL_CONJUGATED, TW_OCL_PLAIN, rows, n, m, one, b->v, c, zero, w);
        tw_ocl_product(call, trans, TW_OCL_PLAIN, rows, n, rows, one, b->t, w, zero, tw);
        tw_ocl_product(call, TW_OCL_PLAIN, TW_OCL_PLAIN, m, n, rows, minus, b->v, tw, one, c);
    } else {
        tw_ocl_product(call, TW_OCL_PLAIN, TW_OCL_PLAIN, m, cols, n, one, c, b->v, zero, w);
        tw_ocl_product(call, TW_OCL_PLAIN, trans, m, cols, cols, one, w, b->t, zero, tw);
        tw_ocl_product(call, TW_OCL_PLAIN, TW_OCL_CONJUGATED, m, n, cols, minus, tw, b->v, one, c);
    }
}

twill_status tw_ocl_geqrf(tw_launch *l, twill_type type, int64_t m, int64_t n, tw_place a,
                          tw_place tau)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue geqrf", l, type);
    const int64_t k = m < n ? m : n;
    const tw_ocl_matrix am = tw_ocl_at(&call, a), taus = tw_ocl_at(&call, tau);
    for (int64_t j = 0; j < k; j += TW_OCL_BLOCK) {
        const int64_t nb = k - j < TW_OCL_BLOCK ? k - j : TW_OCL_BLOCK, next = j + nb;
        const tw_ocl_matrix panel = tw_ocl_sub(am, j, j), t = tw_ocl_sub(taus, j, 0);
        size_t used = call.lane->used;
        tw_ocl_enqueue(&call, TW_OCL_REFLECT_PANEL, 1, 1, "llmm", m - j, nb, panel, t);
        if (next < n) {
            block b = make_block(&call, m - j, nb, panel, t);
            reflect(&call, &b, true, TW_OCL_CONJUGATED, m - j, n - next, tw_ocl_sub(am, j, next));
        }
        tw_ocl_go_back(&call, used);
    }
    return tw_ocl_finish(&call);
}

twill_status tw_ocl_unmqr(tw_launch *l, twill_type type, char side, char trans, int64_t m,
                          int64_t n, int64_t k, tw_place a, tw_place tau, tw_place c)
{
    tw_ocl_call call = tw_ocl_call_of("enqueue unmqr", l, type);
    const bool left = side == 'L', forward = left != (trans == 'N');
    const int64_t blocks = (k + TW_OCL_BLOCK - 1) / TW_OCL_BLOCK, order = left ? m : n;
    const tw_ocl_matrix am = tw_ocl_at(&call, a), taus = tw_ocl_at(&call, tau),
                        cm = tw_ocl_at(&call, c);
    for (int64_t i = 0; i < blocks; i++) {
        const int64_t j = TW_OCL_BLOCK * (forward ? i : blocks - 1 - i);
        const int64_t nb = k - j < TW_OCL_BLOCK ? k - j : TW_OCL_BLOCK;
        size_t used = call.lane->used;
        block b = make_block(&call, order - j, nb, tw_ocl_sub(am, j, j), tw_ocl_sub(taus, j, 0));
        reflect(&call, &b, left, trans == 'N' ? TW_OCL_PLAIN : TW_OCL_CONJUGATED, left ? m - j : m,
                left ? n : n - j, left ? tw_ocl_sub(cm, j, 0) : tw_ocl_sub(cm, 0, j));
        tw_ocl_go_back(&call, used);
    }
    return tw_ocl_finish(&call);
}
