/* Matrices from and into memory in LAPACK's layout. */
#include "la/matrix/uplo.h"

#include <string.h>

typedef struct memory {
    char *data;
    int64_t ld;
    twill_uplo uplo;
    bool into; /* from the matrix into memory */
} memory;

static twill_outcome move_body(twill_task *t)
{
    const memory *m = twill_task_data(t, 1);
    size_t element = twill_array_element(twill_task_array(t, 0));
    int64_t ld = twill_task_ld(t, 0), i0 = twill_task_int(t, 2), j0 = twill_task_int(t, 3);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++) {
        tw_span span = tw_uplo_rows(m->uplo, i0, twill_task_rows(t, 0), j0 + j);
        char *tile = (char *)twill_task_data(t, 0) + (size_t)(span.first + j * ld) * element;
        char *flat = m->data + (size_t)(i0 + span.first + (j0 + j) * m->ld) * element;
        memcpy(m->into ? flat : tile, m->into ? tile : flat,
               (size_t)(span.end - span.first) * element);
    }
    return TWILL_DONE;
}

static const twill_class move = {
    .size = sizeof(twill_class), .name = "layout", .chores = {TWILL_CPU(move_body)}};

typedef struct call {
    twill_array *a;
    memory m;
} call;

static twill_status insert_move(twill_graph *g, void *arg)
{
    const call *o = arg;
    return tw_uplo_each_tile(g, &move, o->a, o->m.uplo, o->m.into ? TWILL_READ : TWILL_WRITE,
                             TWILL_VALUE(o->m));
}

static twill_status run(const char *who, twill_array *a, memory m)
{
    twill_status status = tw_la_check(who, a);
    if (status == TWILL_OK)
        status = tw_uplo_resolve(who, 2, a, &m.uplo);
    if (status != TWILL_OK)
        return status;
    const twill_pattern *p = twill_array_pattern(a);
    if (!m.data && p->extent[0] > 0 && p->extent[1] > 0)
        return tw_la_bad(NULL, who, 3, "(data) is NULL");
    if (m.ld < (p->extent[0] > 1 ? p->extent[0] : 1))
        return tw_la_bad(NULL, who, 4, "(ld) is %lld and the matrix has %lld rows", (long long)m.ld,
                         (long long)p->extent[0]);
    return tw_la_run(twill_array_context(a), insert_move, &(call){a, m}, NULL);
}

twill_status twill_matrix_read(twill_array *a, twill_uplo uplo, const void *data, int64_t ld)
{
    return run("matrix_read", a, (memory){(char *)(uintptr_t)data, ld, uplo, false});
}

twill_status twill_matrix_write(twill_array *a, twill_uplo uplo, void *data, int64_t ld)
{
    return run("matrix_write", a, (memory){data, ld, uplo, true});
}
