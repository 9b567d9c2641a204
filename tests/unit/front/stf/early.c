/* A rank that is ahead of another one sends it no more than a bound before tasks there take it, and
 * all of it in the end. */
#include "support/limit.h"
#include "support/ranks.h"

#include "engine/remote/remote.h"
#include "front/stf/ranks.h"

enum { LIMIT = 60, RANKS = 2, TILES = 40, MOST = 4 };

static atomic_int ahead; /* ranks that have inserted all */

static twill_outcome set_body(twill_task *t)
{
    int64_t *tile = twill_task_data(t, 0);
    for (int64_t i = 0; i < twill_task_int(t, 2); i++)
        tile[i] = 1000 * twill_task_int(t, 1) + i;
    return TWILL_DONE;
}

static twill_outcome copy_body(twill_task *t)
{
    const int64_t *from = twill_task_data(t, 0);
    int64_t *to = twill_task_data(t, 1);
    for (int64_t i = 0; i < twill_task_int(t, 2); i++)
        to[i] = from[i];
    return TWILL_DONE;
}

static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};

typedef struct plan {
    int64_t rows;  /* of a tile */
    int64_t bound; /* bytes */
} plan;

static twill_array *numbers(twill *tw, int64_t rows)
{
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){RANKS * TILES * rows}, (int64_t[]){rows},
                                       (int64_t[]){RANKS});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

/* Tiles of rank 0 go to rank 1, in the order in which they are written. */
static void insert_all(twill_graph *g, twill_array *a, int64_t rows)
{
    for (int64_t i = 0; i < TILES; i++) {
        twill_tile *from = twill_tile_at(a, 2 * i, 0), *to = twill_tile_at(a, 2 * i + 1, 0);
        twill_insert(g, &set_class, TWILL_W(from), TWILL_INT(i), TWILL_INT(rows));
        twill_insert(g, &copy_class, TWILL_R(from), TWILL_W(to), TWILL_INT(rows));
    }
}

static void expect_all(twill_array *a, int64_t rows)
{
    for (int64_t i = 0; i < TILES; i++) {
        void *data;
        int64_t ld;
        twill_view v = twill_view_tile(a, 2 * i + 1, 0);
        OK(twill_map(v, TWILL_READ, &data, &ld));
        assert_int_equal(((int64_t *)data)[0], 1000 * i);
        assert_int_equal(((int64_t *)data)[rows - 1], 1000 * i + rows - 1);
        OK(twill_unmap(v, data));
    }
}

static void play(twill *tw, void *arg)
{
    const plan *p = arg;
    twill_array *a = numbers(tw, p->rows);
    twill_graph *g;
    int64_t messages, bytes;
    OK(twill_stf_begin(tw, &g));
    ((tw_stf_ranks *)g->front)->most_early = p->bound;
    for (int run = 0; run < 2; run++) {
        while (twill_rank(tw) == 1 && atomic_load(&ahead) <= run)
            test_sleep_ms(1);
        tw_remote_count(tw, &messages, &bytes);
        int64_t before = bytes;
        insert_all(g, a, p->rows);
        if (twill_rank(tw) == 0) {
            test_sleep_ms(20); /* nobody takes anything, however long one waits */
            tw_remote_count(tw, &messages, &bytes);
            assert_in_range(bytes - before, 1, p->bound + TILES * 100);
            atomic_fetch_add(&ahead, 1);
        }
        OK(twill_wait(g));
        if (twill_rank(tw) == 1)
            expect_all(a, p->rows);
    }
    twill_graph_free(g);
    twill_array_free(a);
}

static void play_with(int64_t rows)
{
    const int64_t tile = rows * (int64_t)sizeof(int64_t);
    for (int most = 1; most <= MOST; most++) {
        atomic_store(&ahead, 0);
        limit_begin(NULL, LIMIT, "%d tiles of %lld rows", most, (long long)rows);
        test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 2}, play,
                      &(plan){.rows = rows, .bound = most * tile});
        limit_end();
    }
}

TEST(small_tiles_come_early_up_to_a_bound)
{
    play_with(300);
}

TEST(so_do_tiles_that_are_lent)
{
    play_with(3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_tiles_come_early_up_to_a_bound),
        cmocka_unit_test(so_do_tiles_that_are_lent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
