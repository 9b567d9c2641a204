/* Numbers of least squares problems that belong to no tile: each rank finds its own. */
#include "la/qr/gels_ranks.h"

#include "front/stf/ranks.h"
#include "la/kernel/norm_tile.h"

/* Arguments: a number. */
static twill_outcome reset_body(twill_task *t)
{
    *(double *)twill_task_data(t, 0) = 0.0;
    return TWILL_DONE;
}

/* Arguments: the larger of two numbers, the other one. */
static twill_outcome larger_body(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    *x = tw_larger(*x, *(const double *)twill_task_data(t, 1));
    return TWILL_DONE;
}

/* Arguments: a tile, a number, rows: its place in their chains is all it has to do. */
static twill_outcome pass_body(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

/* Arguments: the first zero of a diagonal, 0 when there is none. */
static twill_outcome tell_body(twill_task *t)
{
    double first = *(const double *)twill_task_data(t, 0);
    return first == 0.0 ? TWILL_DONE : twill_task_numerical(t, (int64_t)first);
}

static const twill_class reset = {
    .size = sizeof(twill_class), .name = "reset", .chores = {TWILL_CPU(reset_body)}};
static const twill_class larger = {
    .size = sizeof(twill_class), .name = "larger", .chores = {TWILL_CPU(larger_body)}};
static const twill_class pass = {
    .size = sizeof(twill_class), .name = "pass", .chores = {TWILL_CPU(pass_body)}};
static const twill_class tell = {
    .size = sizeof(twill_class), .name = "tell", .chores = {TWILL_CPU(tell_body)}};

/* A number for each rank that has tiles of A, at the place of its first tile. */
static twill_status make_numbers(twill_graph *g, const twill_array *a, twill_array **numbers)
{
    const twill_pattern *p = twill_array_pattern(a);
    int64_t rows = tw_min(p->grid[0], tw_la_mt(a)), cols = tw_min(p->grid[1], tw_la_nt(a));
    twill_pattern like = tw_pattern_like(p, rows, cols, 1, 1);
    twill_status status = tw_stf_create(g, &like, TWILL_FLOAT64, numbers);
    for (int64_t i = 0; i < rows * cols && status == TWILL_OK; i++)
        status = twill_insert(g, &reset, TWILL_W(twill_tile_at(*numbers, i % rows, i / rows)));
    return status;
}

twill_status tw_gels_largest(twill_graph *g, const twill_class *cls, twill_array *a, int64_t rows,
                             twill_tile *into)
{
    twill_array *numbers;
    twill_status status = make_numbers(g, a, &numbers);
    if (status != TWILL_OK)
        return status;
    int64_t high = tw_la_mt(numbers), wide = tw_la_nt(numbers);
    for (int64_t j = 0; j < tw_la_nt(a); j++)
        for (int64_t i = 0; i < tw_la_mt(a) && status == TWILL_OK; i++)
            status = twill_insert(g, cls, TWILL_R(twill_tile_at(a, i, j)),
                                  TWILL_RW(twill_tile_at(numbers, i % high, j % wide)),
                                  TWILL_INT(tw_gels_rows(a, i, rows)));
    for (int64_t i = 0; i < high * wide && status == TWILL_OK; i++)
        status = twill_insert(g, &larger, TWILL_RW(into),
                              TWILL_R(twill_tile_at(numbers, i % high, i / high)));
    return status;
}

twill_status tw_gels_tell(twill_graph *g, twill_array *a, twill_tile *first)
{
    twill_status status = tw_gels_largest(g, &pass, a, 0, first);
    return status == TWILL_OK ? twill_insert(g, &tell, TWILL_RW(first)) : status;
}
