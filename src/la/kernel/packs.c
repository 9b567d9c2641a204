/* Packed tiles, found by their place in the matrix and by the side of the product. */
#include "la/kernel/packs.h"

#include "engine/engine.h"
#include "la/kernel/blocks.h"
#include "la/kernel/multiply.h"
#include "la/la.h"

#include <limits.h>
#include <string.h>

/* Buffers beyond one for each tile of a column: other factors and forms, and the next column's.
 * More would take memory, and bring little. */
enum { MORE_PER_WORKER = 4 };

typedef struct record {
    _Atomic(void *) packed; /* NULL, `busy` while somebody packs, or ready */
    atomic_long done;       /* products that are */
} record;

/* A buffer that nobody uses. */
typedef struct spare {
    struct spare *next;
} spare;

struct tw_packs {
    twill_graph *graph;
    const tw_kernels *kernels;
    size_t bytes;   /* of a buffer */
    int64_t mt, nt; /* tiles of the matrix */
    int forms;

    atomic_long ahead; /* products that are inserted and not done, and one while more may come */

    tw_lock lock; /* of what follows */
    int64_t left; /* buffers that may still be made */
    spare *spares;

    record records[];
};

static char busy[1];

static int64_t count_records(const tw_packs *p)
{
    return p->forms * p->mt * p->nt;
}

/* NULL: it is not shared. */
static record *find(tw_packs *p, const tw_pack *x)
{
    return x->uses > 1 ? &p->records[x->form + p->forms * (x->i + x->j * p->mt)] : NULL;
}

/* ---- buffers ----------------------------------------------------------------------------- */

static void *get_buffer(tw_packs *p)
{
    tw_lock_take(&p->lock);
    spare *found = p->spares;
    bool more = !found && p->left > 0;
    if (found)
        p->spares = found->next;
    p->left -= more;
    tw_unlock(&p->lock);
    return more ? tw_graph_memory(p->graph, p->bytes) : found;
}

static void put_buffer(tw_packs *p, void *buffer)
{
    spare *s = buffer;
    tw_lock_take(&p->lock);
    s->next = p->spares;
    p->spares = s;
    tw_unlock(&p->lock);
}

/* ---- life -------------------------------------------------------------------------------- */

static size_t packed_bytes(const tw_kernels *k, const tw_packing *how, int64_t count, int64_t inner)
{
    size_t slivers = (size_t)((count + how->width - 1) / how->width);
    return slivers * (size_t)how->width * (size_t)inner * k->size;
}

tw_packs *tw_packs_new(const twill_array *a, int forms)
{
    const tw_blas *blas;
    if (tw_blas_get(twill_array_context(a), &blas) != TWILL_OK)
        return NULL;
    const tw_kernels *k = &blas->kernels[twill_array_type(a)];
    int64_t nb = twill_array_pattern(a)->block[0], mt = tw_la_mt(a), nt = tw_la_nt(a);
    size_t size = sizeof(tw_packs) + (size_t)(forms * mt * nt) * sizeof(record);
    /* of a tile that travels, no rank knows all uses */
    if (!tw_block_is_own(k, nb, nb, nb) || mt < 2 || nt < 2 ||
        twill_ranks(twill_array_context(a)) > 1)
        return NULL;
    tw_packs *p = tw_memory_new(size);
    if (!p)
        return NULL;
    memset(p, 0, size);
    p->kernels = k;
    p->mt = mt;
    p->nt = nt;
    p->forms = forms;
    p->ahead = 1;
    p->left = mt + MORE_PER_WORKER * twill_workers(twill_array_context(a));
    size_t left = packed_bytes(k, &k->own->left, nb, nb);
    size_t right = packed_bytes(k, &k->own->right, nb, nb);
    p->bytes = left > right ? left : right;
    return p;
}

void tw_packs_belong(tw_packs *p, twill_graph *g)
{
    if (p && g) {
        p->graph = g;
        tw_graph_keep(g, p);
    } else if (p) {
        tw_memory_free(p);
    }
}

void tw_packs_expect(tw_packs *p)
{
    if (p)
        atomic_fetch_add_explicit(&p->ahead, 1, memory_order_relaxed);
}

void tw_packs_end(tw_packs *p)
{
    /* acquire and release: what all products did happened before all is freed */
    if (!p || atomic_fetch_sub_explicit(&p->ahead, 1, memory_order_acq_rel) != 1)
        return;
    twill_graph *g = p->graph;
    for (spare *s = p->spares, *next; s; s = next) {
        next = s->next;
        tw_graph_memory_free(g, s);
    }
    tw_graph_memory_free(g, p);
}

void tw_packs_reset(tw_packs *p)
{
    for (int64_t i = 0; p && i < count_records(p); i++) {
        record *r = &p->records[i];
        void *packed = atomic_exchange(&r->packed, NULL);
        if (packed)
            put_buffer(p, packed);
        atomic_store(&r->done, 0);
    }
    if (p)
        atomic_store(&p->ahead, LONG_MAX / 2); /* for ever */
}

/* ---- one side of a product --------------------------------------------------------------- */

typedef struct factor {
    const tw_pack *what;
    const tw_packing *how;
    record *record; /* NULL: it is not shared */
    int count, inner;
    const void *packed; /* NULL: nobody has */
} factor;

static void pack(const factor *f, void *out)
{
    const twill_flow *x = f->what->tile;
    f->how->pack(f->what->trans, f->count, f->inner, x->data, (int)x->ld, out);
}

/* Find it packed, or pack it for all. */
static void take(tw_packs *p, factor *f)
{
    record *r = f->record;
    if (!r)
        return;
    void *packed = atomic_load_explicit(&r->packed, memory_order_acquire);
    if (!packed && atomic_compare_exchange_strong_explicit(
                       &r->packed, &packed, busy, memory_order_acquire, memory_order_acquire)) {
        packed = get_buffer(p);
        if (packed)
            pack(f, packed);
        /* release: whoever sees the address sees the elements */
        atomic_store_explicit(&r->packed, packed, memory_order_release);
    }
    f->packed = packed == busy ? NULL : packed;
}

/* The last product gives the buffer back. */
static void leave(tw_packs *p, record *r, int64_t uses)
{
    /* acquire and release: the others have read, and what they packed is known here */
    if (!r || atomic_fetch_add_explicit(&r->done, 1, memory_order_acq_rel) + 1 < uses)
        return;
    void *packed = atomic_load_explicit(&r->packed, memory_order_relaxed);
    atomic_store_explicit(&r->packed, NULL, memory_order_relaxed);
    atomic_store_explicit(&r->done, 0, memory_order_relaxed);
    if (packed)
        put_buffer(p, packed);
}

/* ---- products ---------------------------------------------------------------------------- */

/* What nobody has packed is packed for this product only; false: there is no memory for that. */
static bool multiply(const tw_kernels *k, char uplo, factor *a, factor *b, const twill_flow *c)
{
    size_t bytes_a = a->packed ? 0 : packed_bytes(k, a->how, a->count, a->inner);
    size_t bytes_b = b->packed ? 0 : packed_bytes(k, b->how, b->count, b->inner);
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

static bool multiply_packed(tw_packs *p, const tw_kernels *k, char uplo, const tw_pack *a,
                            const tw_pack *b, const twill_flow *c)
{
    int inner = inner_size(a);
    factor left = {a, &p->kernels->own->left, find(p, a), (int)c->rows, inner, NULL};
    factor right = {b, &p->kernels->own->right, find(p, b), (int)c->cols, inner, NULL};
    bool done = tw_block_is_own(k, c->rows, c->cols, inner);
    if (done) {
        take(p, &left);
        take(p, &right);
        done = multiply(k, uplo, &left, &right, c);
    }
    leave(p, left.record, a->uses);
    leave(p, right.record, b->uses);
    tw_packs_end(p);
    return done;
}

void tw_packs_gemm(tw_packs *p, const tw_kernels *k, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c)
{
    if (p && multiply_packed(p, k, 'G', a, b, c))
        return;
    tw_block_gemm(k, a->trans, b->trans, (int)c->rows, (int)c->cols, inner_size(a), k->minus_one,
                  a->tile->data, (int)a->tile->ld, b->tile->data, (int)b->tile->ld, k->one, c->data,
                  (int)c->ld);
}

void tw_packs_herk(tw_packs *p, const tw_kernels *k, char uplo, const tw_pack *a, const tw_pack *b,
                   const twill_flow *c)
{
    if (p && multiply_packed(p, k, uplo, a, b, c))
        return;
    tw_block_herk(k, uplo, a->trans, (int)c->rows, inner_size(a), k->minus_one, a->tile->data,
                  (int)a->tile->ld, k->one, c->data, (int)c->ld);
}
