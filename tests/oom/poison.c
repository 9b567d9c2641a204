/* A failure spoils tiles of many arrays; once it has been reported they can be used again, whatever
 * memory there was to remember them. */
#include "support/shortage.h"

enum { ARRAYS = 20 };

typedef struct data {
    twill_graph *g;
    twill_array *a[ARRAYS];
} data;

/* One task that writes all the tiles, and fails. */
static twill_status insert_planted(twill_graph *g, const data *d)
{
    twill_arg args[ARRAYS + 1];
    for (int i = 0; i < ARRAYS; i++)
        args[i] = TWILL_RW(twill_tile_at(d->a[i], 0, 0));
    args[ARRAYS] = TWILL_END;
    return twill_insert_args(g, &test_planted, args);
}

static twill_outcome nest(twill_task *t)
{
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    insert_planted(inner, *(data *const *)twill_task_data(t, 0));
    return twill_nest_end(inner);
}

static const twill_class nest_class = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest)}};

/* After the failure has been reported. */
static twill_status use_again(data *d, atomic_int *wrong)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < ARRAYS && status == TWILL_OK; i++) {
        int64_t value;
        status = shortage_get(d->a[i], 0, &value);
        *wrong += status == TWILL_ERR_CANCELED;
    }
    return status;
}

static twill_status fail_and_use(data *d, twill_status inserted, atomic_int *wrong)
{
    twill_status status = twill_wait(d->g);
    *wrong += status != TWILL_ERR_TASK && status != TWILL_ERR_MEMORY;
    twill_status used = use_again(d, wrong);
    return inserted == TWILL_OK ? used : inserted;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    static data d, *arg = &d;
    twill_status status;
    d = (data){0};
    TRY(twill_stf_begin(tw, &d.g));
    for (int i = 0; i < ARRAYS; i++)
        TRY(shortage_integers(tw, 1, &d.a[i]));
    TRY(fail_and_use(&d, insert_planted(d.g, &d), wrong));
    TRY(fail_and_use(&d, twill_insert(d.g, &nest_class, TWILL_VALUE(arg)), wrong));
done:
    if (!leave) {
        for (int i = 0; i < ARRAYS; i++)
            twill_array_free(d.a[i]);
        twill_graph_free(d.g);
    }
    return status;
}

TEST(poison_is_lifted)
{
    shortage_sweep(&(shortage){.name = "poison", .body = body, .also = TWILL_ERR_TASK});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(poison_is_lifted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
