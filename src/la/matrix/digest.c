/* Digests: a number that depends on the bits of a matrix alone. */
#include "base/mix.h"
#include "la/matrix/total.h"
#include "la/matrix/uplo.h"

#include <stdatomic.h>
#include <string.h>

typedef struct sum {
    _Atomic uint64_t total;
    twill_uplo uplo;
    int64_t m;
    int parts;   /* real numbers per element */
    size_t size; /* bytes of each */
} sum;

static uint64_t element_digest(const sum *s, const char *element, int64_t i, int64_t j)
{
    uint64_t digest = 0;
    for (int uplo = 0; uplo < s->parts; uplo++) {
        uint64_t bits = 0;
        if (s->size == 4) {
            uint32_t low;
            memcpy(&low, element + 4 * uplo, 4);
            bits = low;
        } else {
            memcpy(&bits, element + 8 * uplo, 8);
        }
        uint64_t p = (uint64_t)((i + j * s->m) * s->parts + uplo);
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
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++) {
        tw_span span = tw_uplo_rows(s->uplo, i0, twill_task_rows(t, 0), j0 + j);
        for (int64_t i = span.first; i < span.end; i++)
            digest += element_digest(s, data + (size_t)(i + j * ld) * element, i0 + i, j0 + j);
    }
    /* a sum modulo 2^64: order does not matter */
    atomic_fetch_add_explicit(&s->total, digest, memory_order_relaxed);
    return TWILL_DONE;
}

static const twill_class digest_class = {
    .size = sizeof(twill_class), .name = "digest", .chores = {TWILL_CPU(digest_body)}};

typedef struct digest_order {
    twill_array *a;
    sum *s;
} digest_order;

static twill_status insert_digest(twill_graph *g, void *arg)
{
    const digest_order *o = arg;
    return tw_uplo_each_tile(g, &digest_class, o->a, o->s->uplo, TWILL_READ, TWILL_VALUE(o->s));
}

twill_status twill_digest(twill_array *a, twill_uplo uplo, uint64_t *digest)
{
    twill_status status = tw_la_check("digest", a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve("digest", 2, a, &uplo);
    if (status != TWILL_OK)
        return status;
    twill_type type = twill_array_type(a);
    sum s = {.uplo = uplo,
             .m = twill_array_pattern(a)->extent[0],
             .parts = tw_la_complex(type) ? 2 : 1,
             .size = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64 ? 4 : 8};
    twill *tw = twill_array_context(a);
    status = tw_la_run(tw, insert_digest, &(digest_order){a, &s}, NULL);
    uint64_t total = atomic_load(&s.total);
    if (status == TWILL_OK)
        status = tw_total(tw, &total, 1);
    if (status == TWILL_OK)
        *digest = total;
    return status;
}
