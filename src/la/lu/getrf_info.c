/* LAPACK's info of an LU factorization: the first zero on the diagonal of U. */
#include "la/kernel/inverse.h"
#include "la/lu/lu.h"
#include "la/matrix/total.h"

#include <stdatomic.h>

/* The first zero on the diagonal of a tile lowers the number that argument 1 points at. */
static twill_outcome info_body(twill_task *t)
{
    _Atomic int64_t *first = *(_Atomic int64_t *const *)twill_task_data(t, 1);
    twill_flow a = tw_la_tile(t, 0);
    a.rows = a.rows < a.cols ? a.rows : a.cols;
    int64_t zero = tw_tile_zero(tw_la_kernels(t, 0), &a), before = atomic_load(first);
    int64_t found = twill_task_int(t, 2) + zero;
    while (zero && found < before && !atomic_compare_exchange_weak(first, &before, found))
        ;
    return TWILL_DONE;
}

static const twill_class info_class = {
    .size = sizeof(twill_class), .name = "info", .chores = {TWILL_CPU(info_body)}};

typedef struct scan {
    twill_array *a;
    _Atomic int64_t first;
} scan;

static twill_status insert_scan(twill_graph *g, void *arg)
{
    scan *s = arg;
    _Atomic int64_t *first = &s->first;
    int64_t nb = twill_array_pattern(s->a)->block[0];
    twill_status status = TWILL_OK;
    for (int64_t k = 0; k < tw_la_mt(s->a) && k < tw_la_nt(s->a) && status == TWILL_OK; k++)
        status = twill_insert(g, &info_class, TWILL_R(twill_tile_at(s->a, k, k)),
                              TWILL_VALUE(first), TWILL_INT(k * nb));
    return status;
}

twill_status twill_getrf_info(twill_array *factor, int64_t *info)
{
    static const tw_lu_numbers its = {.who = "getrf_info", .a = 1};
    twill_status status = tw_lu_check_matrix(&its, its.a, factor, NULL);
    scan s = {factor, INT64_MAX};
    if (status == TWILL_OK)
        status = tw_la_run(twill_array_context(factor), insert_scan, &s, NULL);
    int64_t first = s.first; /* of the tiles of this rank */
    if (status == TWILL_OK)
        status = tw_least(twill_array_context(factor), &first);
    if (status == TWILL_OK && info)
        *info = first == INT64_MAX ? 0 : first;
    return status;
}
