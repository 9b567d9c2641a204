/* Products of packed tiles. */
#include "la/kernel/packs.h"

#include "engine/prepare.h"
#include "la/kernel/blocks.h"
#include "la/kernel/multiply.h"
#include "la/la.h"

/* Packed tiles beyond one for each tile of a column: other factors and forms, and the next
 * column's. More would take memory, and bring little. */
enum { MORE_PER_WORKER = 4 };

/* ---- one side of a product --------------------------------------------------------------- */

typedef struct factor {
    const tw_pack *what;
    const tw_packing *how;
    int layout; /* which side, and which transpose */
    int count, inner;
    tw_packed *shared;  /* where it is packed for all, or NULL */
    const void *packed; /* NULL: nobody has */
} factor;

static size_t packed_bytes(const tw_kernels *k, const factor *f)
{
    size_t slivers = (size_t)((f->count + f->how->width - 1) / f->how->width);
    return slivers * (size_t)f->how->width * (size_t)f->inner * k->size;
}

static void pack(const factor *f, void *out)
{
    const twill_flow *x = f->what->tile;
    f->how->pack(f->what->trans, f->count, f->inner, x->data, (int)x->ld, out);
}

/* Find it packed, or pack it for all. */
static void take(const twill_task *t, const tw_kernels *k, int64_t column, factor *f)
{
    int64_t most = column + MORE_PER_WORKER * t->graph->tw->workers;
    if (f->what->shared)
        f->shared = tw_task_packed(t, f->what->flow, f->layout, packed_bytes(k, f), most);
    if (!f->shared)
        return;
    if (!tw_packed_is_ready(f->shared)) {
        pack(f, f->shared->bytes);
        tw_packed_tell(f->shared);
    }
    f->packed = f->shared->bytes;
}

static void leave(const twill_task *t, const factor *f)
{
    if (f->shared)
        tw_task_packed_put(t, f->shared);
}

/* ---- products ---------------------------------------------------------------------------- */

/* What nobody has packed is packed for this product only; false: there is no memory for that. */
static bool multiply(const tw_kernels *k, char uplo, factor *a, factor *b, const twill_flow *c)
{
    size_t bytes_a = a->packed ? 0 : packed_bytes(k, a);
    size_t bytes_b = b->packed ? 0 : packed_bytes(k, b);
    char *space = bytes_a + bytes_b ? tw_workspace(bytes_a + bytes_b) : NULL;
    if (bytes_a + bytes_b && !space)
        return false;
    if (bytes_a) {
        pack(a, space);
        a->packed = space;
    }
    if (bytes_b) {
        pack(b, space + bytes_a);
        b->packed = space + bytes_a;
    }
    k->own->packed(uplo, (int)c->rows, (int)c->cols, a->inner, k->minus_one, a->packed, b->packed,
                   c->data, (int)c->ld);
    return true;
}

static int inner_size(const tw_pack *a)
{
    return (int)(a->trans == 'N' ? a->tile->cols : a->tile->rows);
}

static bool multiply_packed(const twill_task *t, const tw_kernels *k, char uplo, int64_t column,
                            const tw_pack *a, const tw_pack *b, const twill_flow *c)
{
    int inner = inner_size(a);
    if (!(a->shared || b->shared) || !tw_block_is_own(k, c->rows, c->cols, inner))
        return false;
    factor left = {a, &k->own->left, a->trans != 'N', (int)c->rows, inner, NULL, NULL};
    factor right = {b, &k->own->right, 2 + (b->trans != 'N'), (int)c->cols, inner, NULL, NULL};
    take(t, k, column, &left);
    take(t, k, column, &right);
    bool done = multiply(k, uplo, &left, &right, c);
    leave(t, &left);
    leave(t, &right);
    return done;
}

void tw_packs_gemm(const twill_task *t, const tw_kernels *k, int64_t column, const tw_pack *a,
                   const tw_pack *b, const twill_flow *c)
{
    if (multiply_packed(t, k, 'G', column, a, b, c))
        return;
    tw_block_gemm(k, a->trans, b->trans, (int)c->rows, (int)c->cols, inner_size(a), k->minus_one,
                  a->tile->data, (int)a->tile->ld, b->tile->data, (int)b->tile->ld, k->one, c->data,
                  (int)c->ld);
}

void tw_packs_herk(const twill_task *t, const tw_kernels *k, char uplo, int64_t column,
                   const tw_pack *a, const tw_pack *b, const twill_flow *c)
{
    if (multiply_packed(t, k, uplo, column, a, b, c))
        return;
    tw_block_herk(k, uplo, a->trans, (int)c->rows, inner_size(a), k->minus_one, a->tile->data,
                  (int)a->tile->ld, k->one, c->data, (int)c->ld);
}
