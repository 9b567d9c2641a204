/* When tiles travel between ranks, and where they arrive. */
#include "support/limit.h"
#include "support/ranks.h"

#include "base/clock.h"
#include "front/stf/ranks.h"

#include <stdlib.h>

enum { LIMIT = 120, ROWS = 4000, PATIENCE = 20 /* seconds */ };

static test_ranks two_ranks(void)
{
    return (test_ranks){.ranks = 2, .workers = 1};
}

/* Tiles so large that they are lent, over the ranks in turn. */
static twill_array *columns(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){n * ROWS}, (int64_t[]){ROWS}, (int64_t[]){twill_ranks(tw)});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static bool wait_for(bool (*there)(void *arg), void *arg)
{
    double end = tw_seconds() + PATIENCE;
    while (!there(arg) && tw_seconds() < end)
        sched_yield();
    return there(arg);
}

/* ---- when ----------------------------------------------------------------------------------- */

static atomic_bool used;    /* by the other rank */
static atomic_int deserted; /* tasks that waited for that in vain */

static bool is_used(void *arg)
{
    (void)arg;
    return atomic_load(&used);
}

static twill_outcome use_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) = *(const int64_t *)twill_task_data(t, 0);
    atomic_store(&used, true);
    return TWILL_DONE;
}

static twill_outcome wait_body(twill_task *t)
{
    (void)t;
    atomic_fetch_add(&deserted, !wait_for(is_used, NULL));
    return TWILL_DONE;
}

static const twill_class use_class = {
    .size = sizeof(twill_class), .name = "use", .chores = {TWILL_CPU(use_body)}};
static const twill_class wait_class = {
    .size = sizeof(twill_class), .name = "wait", .chores = {TWILL_CPU(wait_body)}};

/* The tasks of rank 0 would run before the tile that is inserted between them has left. */
static void send_among_tasks(twill *tw, void *arg)
{
    twill_array *a = columns(tw, 4);
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &wait_class, TWILL_RW(twill_tile_at(a, 2, 0)),
                    TWILL_PRIORITY(INT32_MAX / 4)));
    OK(twill_insert(g, &use_class, TWILL_R(twill_tile_at(a, 0, 0)),
                    TWILL_W(twill_tile_at(a, 1, 0))));
    OK(twill_insert(g, &wait_class, TWILL_RW(twill_tile_at(a, 2, 0))));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(a_tile_that_another_rank_waits_for_leaves_before_tasks_begin)
{
    test_ranks setup = two_ranks();
    limit_begin(NULL, LIMIT, "a tile among tasks");
    test_on_ranks(&setup, send_among_tasks, NULL);
    limit_end();
    assert_int_equal(deserted, 0);
}

/* ---- where ---------------------------------------------------------------------------------- */

typedef struct early {
    tw_stf_ranks *s;
    const void *bytes; /* that came before their task */
    const int64_t *at; /* where that found them */
} early;

/* Has something come whose task cannot run yet? */
static bool has_come(void *arg)
{
    early *e = arg;
    tw_lock_take(&e->s->lock);
    for (int i = 0; i < TW_STF_CHAINS && !e->bytes; i++)
        if (e->s->transfers[i] && !e->s->transfers[i]->arriving)
            e->bytes = e->s->transfers[i]->bytes;
    tw_unlock(&e->s->lock);
    return e->bytes;
}

/* Reads the tile until a newer one is there. */
static twill_outcome linger_body(twill_task *t)
{
    const int64_t *x = twill_task_data(t, 0);
    *(int64_t *)twill_task_data(t, 1) =
        wait_for(has_come, *(early **)twill_task_data(t, 2)) ? *x : -1;
    return TWILL_DONE;
}

static twill_outcome look_body(twill_task *t)
{
    early *e = *(early **)twill_task_data(t, 2);
    e->at = twill_task_data(t, 0);
    *(int64_t *)twill_task_data(t, 1) += 10 * e->at[ROWS - 1];
    return TWILL_DONE;
}

static twill_outcome fill_body(twill_task *t)
{
    int64_t *x = twill_task_data(t, 0);
    for (int64_t i = 0; i < ROWS; i++)
        x[i] = twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class linger_class = {
    .size = sizeof(twill_class), .name = "linger", .chores = {TWILL_CPU(linger_body)}};
static const twill_class look_class = {
    .size = sizeof(twill_class), .name = "look", .chores = {TWILL_CPU(look_body)}};
static const twill_class fill_class = {
    .size = sizeof(twill_class), .name = "fill", .chores = {TWILL_CPU(fill_body)}};

static void overtake(twill *tw, void *arg)
{
    twill_array *a = columns(tw, 2);
    twill_graph *g;
    (void)arg;
    OK(twill_stf_begin(tw, &g));
    early e = {.s = g->front}, *where = &e;
    twill_tile *from = twill_tile_at(a, 0, 0), *into = twill_tile_at(a, 1, 0);
    OK(twill_insert(g, &fill_class, TWILL_W(from), TWILL_INT(1)));
    OK(twill_insert(g, &linger_class, TWILL_R(from), TWILL_RW(into), TWILL_VALUE(where)));
    OK(twill_insert(g, &fill_class, TWILL_W(from), TWILL_INT(2)));
    OK(twill_insert(g, &look_class, TWILL_R(from), TWILL_RW(into), TWILL_VALUE(where)));
    OK(twill_wait(g));
    if (twill_rank(tw) == 1) {
        void *data;
        int64_t ld;
        OK(twill_map(twill_view_tile(a, 1, 0), TWILL_READ, &data, &ld));
        assert_int_equal(*(int64_t *)data, 21);
        OK(twill_unmap(twill_view_tile(a, 1, 0), data));
        assert_non_null(e.bytes);
        assert_ptr_equal(e.at, e.bytes);
    }
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(what_comes_before_its_task_stays_where_it_is)
{
    test_ranks setup = two_ranks();
    limit_begin(NULL, LIMIT, "a tile that comes early");
    test_on_ranks(&setup, overtake, NULL);
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tile_that_another_rank_waits_for_leaves_before_tasks_begin),
        cmocka_unit_test(what_comes_before_its_task_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
