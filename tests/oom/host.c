/* The program and its arrays: views, copies, wrapped memory, parts, triangles, waits for tiles. */
#include "support/shortage.h"

enum { N = 12, NB = 5, LARGE = 1 << 20 };

static twill_outcome add(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
            x[i + j * twill_task_ld(t, 0)] += 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};

typedef struct data {
    twill_graph *g;
    twill_array *tiled, *wrapped, *part, *triangle, *large, *temporary;
    double memory[N * N];
} data;

static twill_status make(twill *tw, data *d)
{
    twill_pattern square = twill_tiled(N, N, NB, NB), large = twill_tiled(LARGE, 1, LARGE, 1);
    twill_status status;
    TRY(twill_stf_begin(tw, &d->g));
    TRY(twill_array_create(tw, &square, TWILL_FLOAT64, 0, &d->tiled));
    TRY(twill_array_wrap(tw, &square, TWILL_FLOAT64, 0, d->memory, N, &d->wrapped));
    TRY(twill_matrix_sub(twill_view_sub(twill_view_all(d->tiled), NB, NB, N - NB, N - NB),
                         &d->part));
    TRY(twill_matrix_create_triangle(tw, TWILL_FLOAT64, N, NB, TWILL_LOWER, &d->triangle));
    TRY(twill_array_create(tw, &large, TWILL_FLOAT64, 0, &d->large));
    TRY(twill_array_create(tw, &square, TWILL_FLOAT64, 0, &d->temporary));
done:
    return status;
}

static twill_status add_to(twill_graph *g, twill_array *a, int n)
{
    twill_status status = TWILL_OK;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n && status == TWILL_OK; i++)
            status = twill_insert(g, &add_class, TWILL_RW(twill_tile_at(a, i, j)));
    return status;
}

/* Add to some elements, and count those that are not as they should be. */
static twill_status change(twill_view v, double wanted, atomic_int *wrong)
{
    void *data;
    int64_t ld;
    twill_status status = twill_map(v, TWILL_READ_WRITE, &data, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < v.extent[1]; j++)
        for (int64_t i = 0; i < v.extent[0]; i++) {
            double *x = (double *)data + i + j * ld;
            *wrong += *x != wanted;
            *x += 1;
        }
    return twill_unmap(v, data);
}

static twill_status work(data *d, atomic_int *wrong)
{
    twill_status status;
    TRY(change(twill_view_sub(twill_view_all(d->large), 0, 0, 1, 1), 0,
               wrong)); /* before any task */
    TRY(add_to(d->g, d->tiled, 3));
    TRY(add_to(d->g, d->part, 2));
    TRY(add_to(d->g, d->triangle, 3));
    TRY(add_to(d->g, d->wrapped, 3));
    TRY(add_to(d->g, d->large, 1));
    TRY(add_to(d->g, d->temporary, 3));
    twill_array_free(d->temporary); /* while its tasks wait */
    d->temporary = NULL;
    TRY(twill_wait_tile(twill_tile_at(d->tiled, 2, 2), TWILL_READ_WRITE));
    TRY(change(twill_view_sub(twill_view_all(d->part), 0, 0, N - NB, 1), 2, wrong));
    TRY(change(twill_view_sub(twill_view_all(d->tiled), NB, NB, N - NB, 1), 3, wrong));
    TRY(change(twill_view_sub(twill_view_all(d->wrapped), 0, 0, N, 1), 1, wrong));
    TRY(change(twill_view_tile(d->triangle, 1, 0), 1, wrong));
    TRY(change(twill_view_all(d->triangle), 2, &(atomic_int){0}));
    TRY(change(twill_view_sub(twill_view_all(d->large), 100, 0, 5, 1), 1, wrong));
    TRY(twill_wait(d->g));
done:
    return status;
}

/* Tasks that are left may run while the program runs for the second time: each has its own memory.
 */
static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    static data both[2];
    static int turn;
    data *d = &both[turn++ % 2];
    *d = (data){0};
    twill_status status = make(tw, d);
    if (status == TWILL_OK)
        status = work(d, wrong);
    if (leave)
        return status;
    twill_array_free(d->tiled); /* before its part, which keeps the tiles */
    twill_array_free(d->part);
    twill_array_free(d->wrapped);
    twill_array_free(d->triangle);
    twill_array_free(d->large);
    twill_array_free(d->temporary);
    twill_graph_free(d->g);
    return status;
}

TEST(host_access)
{
    shortage_sweep(&(shortage){.name = "host", .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(host_access)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
