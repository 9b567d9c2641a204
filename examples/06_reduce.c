/* Many tasks add to one tile: COMMUTE takes them one at a time in any order, REDUCE in parallel and
 * with the same bits every time. */
#include <stdio.h>
#include <twill/twill.h>

static twill_outcome add_body(twill_task *t)
{
    *(double *)twill_task_data(t, 0) += 1.0 / (1.0 + (double)twill_task_int(t, 1));
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld] = 0.0;
}

static void plus(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                 int64_t cols)
{
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            ((double *)into)[i + j * ld_into] += ((const double *)from)[i + j * ld_from];
}

static const twill_reduction sum = {
    .size = sizeof(twill_reduction), .name = "sum", .zero = zero, .combine = plus};

static double value(twill_array *x, int64_t i)
{
    void *data;
    int64_t ld;
    if (twill_map(twill_view_tile(x, i, 0), TWILL_READ, &data, &ld) != TWILL_OK)
        return -1.0;
    double result = *(const double *)data;
    twill_unmap(twill_view_tile(x, i, 0), data);
    return result;
}

int main(void)
{
    enum { TERMS = 1000 };
    twill *tw;
    twill_array *x;
    twill_graph *g;
    twill_pattern pattern = twill_tiled(3, 1, 1, 1);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &x) ||
        twill_stf_begin(tw, &g)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    for (int i = 0; i < TERMS; i++) {
        twill_insert(g, &add, TWILL_COMMUTE(twill_tile_at(x, 0, 0)), TWILL_INT(i));
        twill_insert(g, &add, TWILL_REDUCE(twill_tile_at(x, 1, 0), &sum), TWILL_INT(i));
        twill_insert(g, &add, TWILL_REDUCE(twill_tile_at(x, 2, 0), &sum), TWILL_INT(i));
    }
    twill_wait(g);
    double any_order = value(x, 0), first = value(x, 1), second = value(x, 2);
    printf("commute %.15f\nreduce  %.15f\nreduce  %.15f, the same bits\n", any_order, first,
           second);
    twill_stop(tw);
    double difference = any_order - first;
    return first == second && difference < 1e-12 && difference > -1e-12 ? 0 : 1;
}
