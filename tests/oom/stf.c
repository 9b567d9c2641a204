/* Inserted tasks of all kinds: accesses, values, scratch; large ones, and ones of many arrays. */
#include "support/shortage.h"

#include <string.h>

enum { TILES = 6, ARRAYS = 12, MANY = 80, ROUNDS = 3, LARGE = 3000, READY = 1100, LONG = 1100 };

static twill_outcome add(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome set(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

/* Argument 0 becomes the sum of itself and those from number 2 on. */
static twill_outcome sum(twill_task *t)
{
    int64_t *to = twill_task_data(t, 0);
    for (int i = 2; i <= twill_task_int(t, 1); i++)
        *to += *(const int64_t *)twill_task_data(t, i);
    return TWILL_DONE;
}

/* Adds the first byte of a large value, by way of scratch memory. */
static twill_outcome add_large(twill_task *t)
{
    char *scratch = twill_task_data(t, 2);
    memcpy(scratch, twill_task_data(t, 1), LARGE);
    *(int64_t *)twill_task_data(t, 0) += scratch[LARGE - 1];
    return TWILL_DONE;
}

static twill_outcome nothing(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class nothing_class = {
    .size = sizeof(twill_class), .name = "nothing", .chores = {TWILL_CPU(nothing)}};
static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add)}};
static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set)}};
static const twill_class sum_class = {
    .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(sum)}};
static const twill_class large_class = {
    .size = sizeof(twill_class), .name = "large", .chores = {TWILL_CPU(add_large)}};

typedef struct data {
    twill_graph *g;
    twill_array *a, *many, *one[ARRAYS];
} data;

static twill_status make(twill *tw, data *d)
{
    twill_status status;
    TRY(twill_stf_begin(tw, &d->g));
    TRY(shortage_integers(tw, TILES, &d->a));
    TRY(shortage_integers(tw, MANY, &d->many));
    for (int i = 0; i < ARRAYS; i++)
        TRY(shortage_integers(tw, 1, &d->one[i]));
done:
    return status;
}

static void unmake(data *d)
{
    twill_array_free(d->a);
    twill_array_free(d->many);
    for (int i = 0; i < ARRAYS; i++)
        twill_array_free(d->one[i]);
    twill_graph_free(d->g);
}

/* Tile 0 of a list gets the sum of the others, in one task. */
static twill_status insert_sum(data *d, twill_array *const *one, twill_array *many, int n)
{
    twill_arg args[MANY + 2];
    for (int i = 0; i < n; i++) {
        twill_tile *tile = one ? twill_tile_at(one[i], 0, 0) : twill_tile_at(many, i, 0);
        args[i ? i + 1 : 0] = i ? TWILL_R(tile) : TWILL_RW(tile);
    }
    args[1] = TWILL_INT(n);
    args[n + 1] = TWILL_END;
    return twill_insert_args(d->g, &sum_class, args);
}

static twill_status insert(data *d)
{
    static const char large[LARGE] = {[LARGE - 1] = 7};
    twill_tile *t[TILES];
    twill_status status;
    for (int i = 0; i < TILES; i++)
        t[i] = twill_tile_at(d->a, i, 0);
    /* More than a queue has room for at first, then a chain of more epochs than are made at once:
     * when these run out there are records for tasks. */
    for (int i = 0; i < READY; i++)
        TRY(twill_insert(d->g, &nothing_class, TWILL_INT(i)));
    for (int i = 0; i < LONG; i++)
        TRY(twill_insert(d->g, &add_class, TWILL_RW(t[2]), TWILL_INT(0)));
    for (int i = 0; i < ARRAYS; i++)
        TRY(twill_insert(d->g, &set_class, TWILL_W(twill_tile_at(d->one[i], 0, 0)), TWILL_INT(i)));
    for (int i = 0; i < MANY; i++)
        TRY(twill_insert(d->g, &set_class, TWILL_W(twill_tile_at(d->many, i, 0)), TWILL_INT(i)));
    TRY(insert_sum(d, d->one, NULL, ARRAYS));
    TRY(insert_sum(d, NULL, d->many, MANY));
    for (int r = 0; r < ROUNDS; r++) {
        TRY(twill_insert(d->g, &add_class, TWILL_RW(t[0]), TWILL_INT(1), TWILL_R(t[1])));
        TRY(twill_insert(d->g, &add_class, TWILL_COMMUTE(t[1]), TWILL_INT(2), TWILL_R(t[2]),
                         TWILL_PRIORITY(r)));
        TRY(twill_insert(d->g, &add_class, TWILL_COMMUTE(t[1]), TWILL_INT(3), TWILL_COMMUTE(t[3])));
        TRY(twill_insert(d->g, &add_class, TWILL_REDUCE(t[4], &test_plus), TWILL_INT(4)));
        TRY(twill_insert(d->g, &large_class, TWILL_RW(t[5]), TWILL_COPY(large, LARGE),
                         TWILL_SCRATCH(LARGE), TWILL_NAME("large")));
    }
    return twill_wait(d->g);
done:
    return status;
}

static twill_status look(data *d, atomic_int *wrong)
{
    static const int64_t wanted[TILES] = {ROUNDS, 5 * ROUNDS, 0, 0, 4 * ROUNDS, 7 * ROUNDS};
    int64_t value;
    twill_status status;
    for (int i = 0; i < TILES; i++) {
        TRY(shortage_get(d->a, i, &value));
        *wrong += value != wanted[i];
    }
    TRY(shortage_get(d->one[0], 0, &value));
    *wrong += value != ARRAYS * (ARRAYS - 1) / 2;
    TRY(shortage_get(d->many, 0, &value));
    *wrong += value != MANY * (MANY - 1) / 2;
done:
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    data d = {0};
    twill_status status = make(tw, &d);
    if (status == TWILL_OK)
        status = insert(&d);
    if (status == TWILL_OK)
        status = look(&d, wrong);
    if (!leave)
        unmake(&d);
    return status;
}

TEST(inserted_tasks)
{
    shortage_sweep(&(shortage){.name = "stf", .options = {.window = 10000}, .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(inserted_tasks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
