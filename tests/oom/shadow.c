/* Tasks on a second memory: staging, evictions, what comes home, arrays freed while dirty there. */
#include "support/shortage.h"
#include "support/steps.h"

enum { TILES = 3, ADDS = 12, LENGTH = 2 };

typedef struct data {
    twill_graph *g, *ptg;
    twill_array *a, *sum;
} data;

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_array *sum = *(twill_array *const *)twill_task_data(t, 1);
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    *(int64_t *)twill_task_data(t, 0) += 1;
    twill_insert(g, &add, TWILL_RW(twill_tile_at(sum, 0, 0)));
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static twill_status run(twill *tw, data *d)
{
    twill_status status;
    TRY(twill_stf_begin(tw, &d->g));
    TRY(shortage_integers(tw, TILES, &d->a));
    TRY(shortage_integers(tw, 1, &d->sum));
    for (int i = 0; i < ADDS; i++)
        TRY(twill_insert(d->g, i % 4 ? &add : &nest, TWILL_RW(twill_tile_at(d->a, i % TILES, 0)),
                         TWILL_VALUE(d->sum), TWILL_R(twill_tile_at(d->a, (i + 1) % TILES, 0))));
    for (int i = 0; i < ADDS; i++)
        TRY(twill_insert(d->g, &add, TWILL_REDUCE(twill_tile_at(d->sum, 0, 0), &test_plus)));
    TRY(steps_new(tw, &(steps){.a = d->a, .tiles = TILES, .length = LENGTH}, &d->ptg));
    TRY(twill_ptg_run(d->ptg));
    TRY(twill_wait(d->ptg));
    TRY(twill_wait(d->g));
done:
    return status;
}

static twill_status look(data *d, atomic_int *wrong)
{
    int64_t value;
    twill_status status;
    for (int i = 0; i < TILES; i++) {
        TRY(shortage_get(d->a, i, &value));
        *wrong += value != ADDS / TILES + LENGTH;
    }
    TRY(shortage_get(d->sum, 0, &value));
    *wrong += value != ADDS + ADDS / 4;
done:
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    data d = {0};
    twill_status status = run(tw, &d);
    if (status == TWILL_OK)
        status = look(&d, wrong);
    if (!leave) {
        twill_graph_free(d.ptg);
        twill_graph_free(d.g);
        twill_array_free(d.a);
        twill_array_free(d.sum);
    }
    return status;
}

TEST(tasks_on_a_second_memory)
{
    shortage_sweep(&(shortage){.name = "shadow",
                               .options = {.shadow = "0.8,room=16,delay=3"},
                               .body = body,
                               .setups = 2,
                               .also = TWILL_ERR_TASK});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tasks_on_a_second_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
