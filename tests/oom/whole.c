/* Runs that use whole arrays, between tasks on their tiles and with maps: what is entered for one
 * in the chains of others. */
#include "support/shortage.h"
#include "support/touch.h"

enum { TILES = 70, SOME = 5, RUNS = 3 }; /* more parts than a magazine has */

static twill_outcome add(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};

typedef struct data {
    int64_t memory[TILES];
    twill_array *a, *part;
    twill_graph *stf, *runs, *other;
    touch touch[2];
} data;

static twill_outcome add_all(twill_task *t, void *arg)
{
    data *d = arg;
    (void)t;
    for (int i = 0; i < TILES; i++)
        d->memory[i] += 100;
    return TWILL_DONE;
}

static twill_outcome nothing(twill_task *t, void *arg)
{
    (void)t, (void)arg;
    return TWILL_DONE;
}

static twill_status make(twill *tw, data *d)
{
    twill_pattern p = twill_tiled(TILES, 1, 1, 1);
    twill_status status;
    TRY(twill_array_wrap(tw, &p, TWILL_BYTES, sizeof(int64_t), d->memory, TILES, &d->a));
    TRY(twill_matrix_sub(twill_view_sub(twill_view_all(d->a), 0, 0, SOME, 1), &d->part));
    d->touch[0] = (touch){.body = add_all, .arg = d};
    d->touch[1] = (touch){.body = nothing};
    touch_add(&d->touch[0], d->a, TWILL_READ_WRITE);
    touch_add(&d->touch[1], d->part, TWILL_READ);
    TRY(touch_new(tw, &d->touch[0], &d->runs));
    TRY(touch_new(tw, &d->touch[1], &d->other));
    TRY(twill_stf_begin(tw, &d->stf));
done:
    return status;
}

/* Of another size than parts of uses, which then have memory of their own. */
static twill_status add_to_tiles(data *d)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < TILES && status == TWILL_OK; i++)
        status = twill_insert(d->stf, &add_class, TWILL_RW(twill_tile_at(d->a, i, 0)), TWILL_INT(1),
                              TWILL_INT(2));
    return status;
}

static twill_status work(data *d, atomic_int *wrong)
{
    twill_status status;
    void *x;
    int64_t ld;
    for (int r = 1; r <= RUNS; r++) {
        if (r > 1) /* the first run finds nobody, and tasks find it */
            TRY(add_to_tiles(d));
        TRY(twill_ptg_run(d->runs));
        TRY(twill_ptg_run(d->other));
        TRY(add_to_tiles(d));
        if (r == 1)
            TRY(add_to_tiles(d));
        TRY(twill_map(twill_view_all(d->a), TWILL_READ, &x, &ld));
        for (int i = 0; i < TILES; i++)
            *wrong += ((int64_t *)x)[i] != 102 * r;
        TRY(twill_unmap(twill_view_all(d->a), x));
        TRY(twill_wait(d->runs));
        TRY(twill_wait(d->other));
        TRY(twill_wait(d->stf));
    }
done:
    return status;
}

/* Runs that had begun when something was refused go on. */
static void clean(data *d)
{
    twill_graph *graphs[] = {d->runs, d->other, d->stf};
    for (int i = 0; i < COUNT(graphs); i++)
        if (graphs[i])
            twill_graph_free(graphs[i]);
    twill_array_free(d->part);
    twill_array_free(d->a);
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    static data kept; /* until the context stops */
    data d = {0}, *all = leave ? &kept : &d;
    *all = (data){0};
    twill_status status = make(tw, all);
    if (status == TWILL_OK)
        status = work(all, wrong);
    if (!leave)
        clean(all);
    return status;
}

TEST(uses_of_whole_arrays)
{
    shortage_sweep(&(shortage){.name = "whole", .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(uses_of_whole_arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
