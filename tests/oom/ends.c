/* Ends of all kinds: a small window, tasks that come again or end elsewhere, failures, cancelling.
 */
#include "support/shortage.h"

enum { TASKS = 40, SERIES = 3 };

/* What the bodies see. Static, because bodies may run when the program has given up. */
static struct shared {
    atomic_int counted, again;
    _Atomic(twill_task *) async; /* NULL, a task to complete, or `closed` */
} shared;

static twill_task *closed(void)
{
    return (twill_task *)(void *)&shared;
}

static twill_outcome count(twill_task *t)
{
    (void)t;
    shared.counted++;
    return TWILL_DONE;
}

/* Another thread, or the program that gives up, completes it. */
static twill_outcome leave_open(twill_task *t)
{
    twill_task *none = NULL;
    return atomic_compare_exchange_strong(&shared.async, &none, t) ? TWILL_ASYNC : TWILL_DONE;
}

static bool complete(void)
{
    twill_task *t = atomic_load(&shared.async);
    if (!t || t == closed() || !atomic_compare_exchange_strong(&shared.async, &t, closed()))
        return t;
    twill_task_done(t, TWILL_OK);
    return true;
}

static twill_outcome complete_other(twill_task *t)
{
    (void)t;
    shared.again++;
    return complete() ? TWILL_DONE : TWILL_AGAIN;
}

static const twill_class count_class = {
    .size = sizeof(twill_class), .name = "count", .chores = {TWILL_CPU(count)}};
static const twill_class open_class = {
    .size = sizeof(twill_class), .name = "open", .chores = {TWILL_CPU(leave_open)}};
static const twill_class complete_class = {
    .size = sizeof(twill_class), .name = "complete", .chores = {TWILL_CPU(complete_other)}};

/* More tasks than the window has room for, and one that is completed by another. */
static twill_status insert(twill_graph *g, twill_array *a)
{
    twill_status status;
    TRY(twill_insert(g, &complete_class, TWILL_R(twill_tile_at(a, 1, 0))));
    TRY(twill_insert(g, &open_class, TWILL_RW(twill_tile_at(a, 0, 0))));
    for (int i = 0; i < TASKS; i++)
        TRY(twill_insert(g, &count_class, TWILL_RW(twill_tile_at(a, 2 + i % SERIES, 0)),
                         TWILL_PRIORITY(i % 2)));
    TRY(twill_insert(g, &count_class, TWILL_R(twill_tile_at(a, 0, 0))));
done:
    return status;
}

/* Whatever was open ends now, and whatever comes later does not stay. */
static void give_up(void)
{
    twill_task *open = atomic_exchange(&shared.async, closed());
    if (open && open != closed())
        twill_task_done(open, TWILL_OK);
}

/* The graph fails: with what was planted, unless memory is short. A reader in another graph then is
 * canceled, until the failure is reported. */
static twill_status plant(twill *tw, twill_graph *g, twill_array *a, atomic_int *wrong)
{
    twill_tile *tile = twill_tile_at(a, 0, 0);
    twill_graph *other = NULL;
    twill_status status;
    TRY(twill_stf_begin(tw, &other));
    TRY(twill_insert(g, &test_planted, TWILL_RW(tile)));
    TRY(twill_insert(other, &count_class, TWILL_R(tile)));
    status = twill_wait(other);
    *wrong += status != TWILL_ERR_CANCELED && status != TWILL_ERR_MEMORY;
    status = twill_wait(g);
    *wrong += status != TWILL_ERR_TASK && status != TWILL_ERR_MEMORY;
    TRY(twill_insert(other, &count_class, TWILL_R(tile)));
    TRY(twill_wait(other));
    twill_cancel(other);
    status = twill_wait(other);
    *wrong += status != TWILL_ERR_CANCELED;
    status = TWILL_OK;
done:
    twill_graph_free(other);
    return status;
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    twill_graph *g = NULL;
    twill_array *a = NULL;
    twill_status status;
    shared.counted = 0;
    shared.async = NULL;
    TRY(twill_stf_begin(tw, &g));
    TRY(shortage_integers(tw, 2 + SERIES, &a));
    TRY(insert(g, a));
    TRY(twill_wait(g));
    *wrong += shared.counted != TASKS + 1;
    TRY(plant(tw, g, a, wrong));
    *wrong += shared.counted != TASKS + 2;
done:
    give_up();
    if (!leave) {
        twill_graph_free(g);
        twill_array_free(a);
    }
    return status;
}

TEST(ends)
{
    shortage_sweep(&(shortage){.name = "ends", .options = {.window = 4}, .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
