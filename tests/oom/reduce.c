/* Reductions, closed by everything that closes one. */
#include "support/shortage.h"

enum { TILES = 6, EACH = 11 };

static twill_outcome add(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};

/* Another reduction than test_plus, of the same meaning. */
static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    test_plus.zero(into, rows, cols, ld);
}

static void combine(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    test_plus.combine(into, ld_into, from, ld_from, rows, cols);
}

static const twill_reduction other = {sizeof(twill_reduction), "other", zero, combine};

typedef struct data {
    twill_graph *first, *second;
    twill_array *a, *gone;
} data;

static twill_status contribute(twill_graph *g, twill_array *a, int64_t tile, int64_t what)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < EACH && status == TWILL_OK; i++)
        status = twill_insert(g, &add_class, TWILL_REDUCE(twill_tile_at(a, tile, 0), &test_plus),
                              TWILL_INT(what));
    return status;
}

/* By an update, by another reduction, by one of another graph. */
static twill_status close_by_tasks(data *d)
{
    twill_tile *tile = twill_tile_at(d->a, 1, 0);
    twill_status status;
    TRY(contribute(d->first, d->a, 0, 1));
    TRY(twill_insert(d->first, &add_class, TWILL_RW(twill_tile_at(d->a, 0, 0)), TWILL_INT(100)));
    TRY(contribute(d->first, d->a, 0, 1));
    TRY(contribute(d->first, d->a, 1, 2));
    TRY(twill_insert(d->second, &add_class, TWILL_REDUCE(tile, &other), TWILL_INT(100)));
    TRY(contribute(d->first, d->a, 2, 3));
    TRY(contribute(d->second, d->a, 2, 3));
done:
    return status;
}

/* By the program: map, wait for a tile, a wait for the graph, the end of the array. */
static twill_status close_by_program(data *d, int64_t *mapped)
{
    twill_status status;
    TRY(contribute(d->first, d->a, 3, 4));
    TRY(shortage_get(d->a, 3, mapped));
    TRY(contribute(d->first, d->a, 4, 5));
    TRY(twill_wait_tile(twill_tile_at(d->a, 4, 0), TWILL_READ));
    TRY(contribute(d->second, d->a, 5, 6));
    TRY(contribute(d->second, d->gone, 0, 7));
    twill_array_free(d->gone);
    d->gone = NULL;
    TRY(twill_wait(d->first));
    TRY(twill_wait(d->second));
done:
    return status;
}

static twill_status look(data *d, atomic_int *wrong)
{
    static const int64_t wanted[TILES] = {2 * EACH + 100, 2 * EACH + 100, 6 * EACH,
                                          4 * EACH,       5 * EACH,       6 * EACH};
    twill_status status = TWILL_OK;
    for (int i = 0; i < TILES && status == TWILL_OK; i++) {
        int64_t value;
        status = shortage_get(d->a, i, &value);
        *wrong += status == TWILL_OK && value != wanted[i];
    }
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    data d = {0};
    int64_t mapped = 0;
    twill_status status;
    TRY(twill_stf_begin(tw, &d.first));
    TRY(twill_stf_begin(tw, &d.second));
    TRY(shortage_integers(tw, TILES, &d.a));
    TRY(shortage_integers(tw, 1, &d.gone));
    TRY(close_by_tasks(&d));
    TRY(close_by_program(&d, &mapped));
    *wrong += mapped != 4 * EACH;
    TRY(look(&d, wrong));
done:
    if (!leave) {
        twill_array_free(d.a);
        twill_array_free(d.gone);
        twill_graph_free(d.first);
        twill_graph_free(d.second);
    }
    return status;
}

TEST(reductions)
{
    shortage_sweep(&(shortage){.name = "reduce", .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reductions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
