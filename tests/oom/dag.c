/* Explicit graphs: built, run twice, changed, run again; one with a cycle. */
#include "support/shortage.h"

#include <string.h>

enum { CHAIN = 100, TILES = 10, FAN = 70, RUNS = 3 };

static twill_outcome add(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome scratch(twill_task *t)
{
    memset(twill_task_data(t, 1), 0, 500);
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};
static const twill_class scratch_class = {
    .size = sizeof(twill_class), .name = "scratch", .chores = {TWILL_CPU(scratch)}};

static twill_status build_chain(twill_graph *g, twill_array *a)
{
    int64_t before = -1, here;
    twill_status status = TWILL_OK;
    for (int i = 0; i < CHAIN && status == TWILL_OK; i++, before = here) {
        status = twill_dag_add(g, &here, &add_class, TWILL_RW(twill_tile_at(a, i % TILES, 0)),
                               TWILL_INT(1), TWILL_R(twill_tile_at(a, (i + 1) % TILES, 0)));
        if (status == TWILL_OK && before >= 0)
            status = twill_dag_edge(g, before, here);
    }
    return status;
}

/* One task enables many, which need scratch memory. */
static twill_status build_fan(twill_graph *g, twill_array *a)
{
    int64_t root, leaf;
    twill_status status;
    TRY(twill_dag_add(g, &root, &add_class, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(5)));
    for (int i = 0; i < FAN; i++) {
        TRY(twill_dag_add(g, &leaf, &scratch_class, TWILL_RW(twill_tile_at(a, 1 + i, 0)),
                          TWILL_SCRATCH(500)));
        TRY(twill_dag_edge(g, root, leaf));
    }
done:
    return status;
}

static twill_status run(twill_graph *g)
{
    twill_status status = twill_dag_run(g);
    return status == TWILL_OK ? twill_wait(g) : status;
}

/* A graph that cannot run says so, and nothing else. */
static twill_status try_cycle(twill *tw, atomic_int *wrong)
{
    twill_graph *g = NULL;
    int64_t x, y;
    twill_status status;
    TRY(twill_dag_begin(tw, &g));
    TRY(twill_dag_add(g, &x, &test_count, TWILL_INT(1)));
    TRY(twill_dag_add(g, &y, &test_count, TWILL_INT(1)));
    TRY(twill_dag_edge(g, x, y));
    TRY(twill_dag_edge(g, y, x));
    status = twill_dag_run(g);
    *wrong += status != TWILL_ERR_CYCLE && status != TWILL_ERR_MEMORY;
    if (status == TWILL_ERR_CYCLE)
        status = TWILL_OK;
done:
    twill_graph_free(g);
    return status;
}

static twill_status look(twill_array *a, twill_array *fan, atomic_int *wrong)
{
    int64_t value;
    twill_status status;
    for (int i = 0; i < TILES; i++) {
        TRY(shortage_get(a, i, &value));
        *wrong += value != RUNS * CHAIN / TILES;
    }
    TRY(shortage_get(fan, 0, &value));
    *wrong += value != 5;
    TRY(shortage_get(fan, FAN, &value));
    *wrong += value != 1;
done:
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    twill_graph *g = NULL;
    twill_array *a = NULL, *fan = NULL;
    twill_status status;
    TRY(twill_dag_begin(tw, &g));
    TRY(shortage_integers(tw, TILES, &a));
    TRY(shortage_integers(tw, 1 + FAN, &fan));
    TRY(build_chain(g, a));
    TRY(run(g));
    TRY(run(g));
    TRY(build_fan(g, fan));
    TRY(run(g));
    TRY(try_cycle(tw, wrong));
    TRY(look(a, fan, wrong));
done:
    if (!leave) {
        twill_graph_free(g);
        twill_array_free(a);
        twill_array_free(fan);
    }
    return status;
}

TEST(explicit_graphs)
{
    shortage_sweep(&(shortage){.name = "dag", .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(explicit_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
