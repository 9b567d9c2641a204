/* Copying matrices, and digests of them. */
#include "base/mix.h"
#include "la/la.h"

#include <stdatomic.h>
#include <string.h>

/* ---- copy -------------------------------------------------------------------------------- */

static twill_outcome copy_body(twill_task *t)
{
    size_t element = twill_array_element(twill_task_array(t, 0));
    const char *from = twill_task_data(t, 0);
    char *to = twill_task_data(t, 1);
    size_t rows = (size_t)twill_task_rows(t, 0) * element;
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        memcpy(to + (size_t)(j * twill_task_ld(t, 1)) * element,
               from + (size_t)(j * twill_task_ld(t, 0)) * element, rows);
    return TWILL_DONE;
}

static const twill_class copy = {.name = "copy", .cpu = copy_body};

static twill_status insert_copy(twill_graph *g, void *arg)
{
    twill_array **pair = arg;
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(pair[0]); j++)
        for (int64_t i = 0; i < tw_la_mt(pair[0]) && status == TWILL_OK; i++)
            status = twill_insert(g, &copy, TWILL_R(twill_tile_at(pair[0], i, j)),
                                  TWILL_W(twill_tile_at(pair[1], i, j)));
    return status;
}

twill_status twill_copy(twill_array *from, twill_array *to)
{
    twill_status status = tw_la_check("copy", from);
    if (status == TWILL_OK)
        status = tw_la_check("copy", to);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(from), *q = twill_array_pattern(to);
    if (memcmp(p, q, sizeof *p) || twill_array_type(from) != twill_array_type(to) ||
        twill_array_context(from) != twill_array_context(to))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "copy: the matrices differ in type, size, tile size or context");
    return tw_la_run(twill_array_context(from), insert_copy, (twill_array *[]){from, to}, NULL);
}

/* ---- digest ------------------------------------------------------------------------------ */

typedef struct sum {
    _Atomic uint64_t total;
    twill_uplo part;
    int64_t m;
    int parts;   /* real numbers per element */
    size_t size; /* bytes of each */
} sum;

static uint64_t element_digest(const sum *s, const char *element, int64_t i, int64_t j)
{
    uint64_t digest = 0;
    for (int part = 0; part < s->parts; part++) {
        uint64_t bits = 0;
        if (s->size == 4) {
            uint32_t low;
            memcpy(&low, element + 4 * part, 4);
            bits = low;
        } else {
            memcpy(&bits, element + 8 * part, 8);
        }
        uint64_t p = (uint64_t)((i + j * s->m) * s->parts + part);
        digest += tw_mix(tw_mix(p) ^ bits);
    }
    return digest;
}

static twill_outcome digest_body(twill_task *t)
{
    sum *s = *(sum *const *)twill_task_data(t, 1);
    size_t element = s->size * (size_t)s->parts;
    int64_t ld = twill_task_ld(t, 0), i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3);
    const char *data = twill_task_data(t, 0);
    uint64_t digest = 0;
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        for (int64_t i = 0; i < twill_task_rows(t, 0); i++) {
            if ((s->part == TWILL_LOWER && i0 + i < j0 + j) ||
                (s->part == TWILL_UPPER && i0 + i > j0 + j))
                continue;
            digest += element_digest(s, data + (size_t)(i + j * ld) * element, i0 + i, j0 + j);
        }
    /* a sum modulo 2^64: order does not matter */
    atomic_fetch_add_explicit(&s->total, digest, memory_order_relaxed);
    return TWILL_DONE;
}

static const twill_class digest_class = {.name = "digest", .cpu = digest_body};

typedef struct digest_order {
    twill_array *a;
    sum *s;
} digest_order;

static twill_status insert_digest(twill_graph *g, void *arg)
{
    const digest_order *o = arg;
    /* triangles are cut inside the tiles: they need not be square */
    return tw_la_each_tile(g, &digest_class, o->a, TWILL_GENERAL, TWILL_ARG_READ, o->s);
}

twill_status twill_digest(twill_array *a, twill_uplo part, uint64_t *digest)
{
    twill_status status = tw_la_check("digest", a);
    if (status != TWILL_OK)
        return status;
    twill_type type = twill_array_type(a);
    sum s = {.part = part,
             .m = twill_array_pattern(a)->extent[0],
             .parts = tw_la_complex(type) ? 2 : 1,
             .size = type == TWILL_F32 || type == TWILL_C32 ? 4 : 8};
    status = tw_la_run(twill_array_context(a), insert_digest, &(digest_order){a, &s}, NULL);
    if (status == TWILL_OK)
        *digest = atomic_load(&s.total);
    return status;
}
