/* Matrices with a structure. There is no substitution but in blocks of the diagonal, which are
 * inverted all at once; the rest are products. */
#include "device/opencl/structured.h"

enum { EXPAND_ROWS = 16, EXPAND_COLS = 4 };

void tw_ocl_expand(tw_ocl_call *call, int64_t m, int64_t n, tw_ocl_scalar alpha, int kind, int part,
                   int trans, tw_ocl_matrix a, int into, tw_ocl_matrix to)
{
    tw_ocl_enqueue(call, TW_OCL_EXPAND, (m + EXPAND_ROWS - 1) / EXPAND_ROWS,
                   (n + EXPAND_COLS - 1) / EXPAND_COLS, "lleiiimim", m, n, &alpha, kind, part,
                   trans, a, into, to);
}

tw_ocl_matrix tw_ocl_copy_of(tw_ocl_call *call, int64_t m, int64_t n, tw_ocl_matrix a)
{
    tw_ocl_matrix copy = tw_ocl_room(call, m, n);
    tw_ocl_expand(call, m, n, tw_ocl_number(call->type, 1), TW_OCL_GENERAL, TW_OCL_WHOLE,
                  TW_OCL_PLAIN, a, TW_OCL_WHOLE, copy);
    return copy;
}

/* The inverses of the blocks on the diagonal, one below the other. */
static tw_ocl_matrix invert_blocks(tw_ocl_call *call, tw_ocl_triangle t, bool checks,
                                   int64_t before)
{
    tw_ocl_matrix inverse = tw_ocl_room(call, t.n, TW_OCL_BLOCK);
    cl_mem info = checks ? tw_ocl_info(call->lane) : call->lane->info;
    tw_ocl_enqueue(call, TW_OCL_INVERT, (t.n + TW_OCL_BLOCK - 1) / TW_OCL_BLOCK, 1, "liimmilb", t.n,
                   t.part, (int)t.unit, t.a, inverse, (int)checks, before, info);
    return inverse;
}

/* ---- systems ----------------------------------------------------------------------------- */

/* What stays the same while a system is cut in half. */
typedef struct half_system {
    tw_ocl_call *call;
    bool left;
    int trans, part;
    int64_t other;
} half_system;

/* op(A) B or B op(A), of `rows` by `cols` after op, to be added to C. */
static void product(const half_system *s, int64_t n, int64_t k, double alpha, tw_ocl_matrix a,
                    tw_ocl_matrix b, double beta, tw_ocl_matrix c)
{
    tw_ocl_scalar x = tw_ocl_number(s->call->type, alpha), y = tw_ocl_number(s->call->type, beta);
    if (s->left)
        tw_ocl_product(s->call, s->trans, TW_OCL_PLAIN, n, s->other, k, x, a, b, y, c);
    else
        tw_ocl_product(s->call, TW_OCL_PLAIN, s->trans, s->other, n, k, x, b, a, y, c);
}

static tw_ocl_matrix part_of(const half_system *s, tw_ocl_matrix b, int64_t from)
{
    return s->left ? tw_ocl_sub(b, from, 0) : tw_ocl_sub(b, 0, from);
}

static void solve(const half_system *s, int64_t n, tw_ocl_matrix a, tw_ocl_matrix inverse,
                  tw_ocl_matrix b)
{
    if (n <= TW_OCL_BLOCK) {
        size_t used = s->call->lane->used;
        tw_ocl_matrix copy =
            tw_ocl_copy_of(s->call, s->left ? n : s->other, s->left ? s->other : n, b);
        product(s, n, n, 1, inverse, copy, 0, b);
        tw_ocl_go_back(s->call, used);
        return;
    }
    const int64_t n1 = tw_ocl_half(n, TW_OCL_BLOCK), n2 = n - n1;
    const bool is_lower = (s->part == TW_OCL_LOWER) == (s->trans == TW_OCL_PLAIN);
    const tw_ocl_matrix off = s->part == TW_OCL_LOWER ? tw_ocl_sub(a, n1, 0) : tw_ocl_sub(a, 0, n1);
    const tw_ocl_matrix a2 = tw_ocl_sub(a, n1, n1), inverse2 = tw_ocl_sub(inverse, n1, 0),
                        b2 = part_of(s, b, n1);
    if (is_lower == s->left) {
        solve(s, n1, a, inverse, b);
        product(s, n2, n1, -1, off, b, 1, b2);
        solve(s, n2, a2, inverse2, b2);
    } else {
        solve(s, n2, a2, inverse2, b2);
        product(s, n1, n2, -1, off, b2, 1, b);
        solve(s, n1, a, inverse, b);
    }
}

void tw_ocl_solve(tw_ocl_call *call, bool left, int trans, tw_ocl_triangle t, int64_t other,
                  tw_ocl_scalar alpha, tw_ocl_matrix b)
{
    const half_system s = {call, left, trans, t.part, other};
    size_t used = call->lane->used;
    tw_ocl_matrix inverse = invert_blocks(call, t, false, 0);
    tw_ocl_expand(call, left ? t.n : other, left ? other : t.n, alpha, TW_OCL_GENERAL, TW_OCL_WHOLE,
                  TW_OCL_PLAIN, b, TW_OCL_WHOLE, b);
    if (t.n > 0 && other > 0)
        solve(&s, t.n, t.a, inverse, b);
    tw_ocl_go_back(call, used);
}

/* ---- inverses ---------------------------------------------------------------------------- */

static void invert_block(tw_ocl_call *call, tw_ocl_triangle t, int64_t before)
{
    size_t used = call->lane->used;
    const bool lower = t.part == TW_OCL_LOWER;
    tw_ocl_matrix inverse = invert_blocks(call, t, true, before);
    tw_ocl_expand(call, t.n, t.n, tw_ocl_number(call->type, 1), TW_OCL_GENERAL, TW_OCL_WHOLE,
                  TW_OCL_PLAIN, inverse, t.unit ? (lower ? TW_OCL_BELOW : TW_OCL_ABOVE) : t.part,
                  t.a);
    tw_ocl_go_back(call, used);
}

void tw_ocl_invert(tw_ocl_call *call, tw_ocl_triangle t, int64_t before)
{
    if (t.n <= TW_OCL_BLOCK) {
        invert_block(call, t, before);
        return;
    }
    const int64_t n1 = tw_ocl_half(t.n, TW_OCL_BLOCK), n2 = t.n - n1;
    const bool lower = t.part == TW_OCL_LOWER;
    const tw_ocl_triangle first = {t.a, n1, t.part, t.unit},
                          second = {tw_ocl_sub(t.a, n1, n1), n2, t.part, t.unit};
    const tw_ocl_matrix off = lower ? tw_ocl_sub(t.a, n1, 0) : tw_ocl_sub(t.a, 0, n1);
    tw_ocl_solve(call, true, TW_OCL_PLAIN, lower ? second : first, lower ? n1 : n2,
                 tw_ocl_number(call->type, -1), off);
    tw_ocl_solve(call, false, TW_OCL_PLAIN, lower ? first : second, lower ? n2 : n1,
                 tw_ocl_number(call->type, 1), off);
    tw_ocl_invert(call, first, before);
    tw_ocl_invert(call, second, before + n1);
}
