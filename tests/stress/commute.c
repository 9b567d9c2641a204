/* Tasks that share several tiles, inserted by several threads: they meet in some order, the same
 * on every tile, and none waits for ever.
 *
 * TW_ROUNDS is the number of tasks of each thread. */
#include "support/limit.h"
#include "support/test.h"

#include <pthread.h>

enum { SECONDS = 60, THREADS = 3, TILES = 5, MOST = 3 };

/* Adds 1 to each of its tiles; not atomic, so an addition is lost when two tasks meet inside. */
static twill_outcome add_body(twill_task *t)
{
    int64_t *data[MOST], before[MOST];
    int n = 0;
    for (; n < MOST && (data[n] = twill_task_data(t, n)); n++)
        before[n] = *data[n];
    for (int i = 0; i < n; i++)
        *data[i] = before[i] + 1;
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

typedef struct part {
    twill_graph *g;
    twill_array **arrays; /* tile i is in arrays[i] */
    twill_arg_kind kind;
    uint64_t seed;
    int rounds;
    int64_t added[TILES];
    bool failed;
} part;

/* Random sets of tiles, in random order. */
static void *insert_often(void *arg)
{
    part *p = arg;
    for (int i = 0; i < p->rounds && !p->failed; i++) {
        twill_arg args[MOST + 1];
        int n = 1 + (int)test_random(&p->seed, MOST);
        int tile = (int)test_random(&p->seed, TILES),
            step = 1 + (int)test_random(&p->seed, TILES - 1);
        for (int k = 0; k < n; k++) {
            args[k] = twill_arg_tile(p->kind, twill_tile_at(p->arrays[tile], tile, 0));
            p->added[tile]++;
            tile = (tile + step) % TILES;
        }
        args[n] = TWILL_END;
        p->failed = twill_insert_args(p->g, &add, args) != TWILL_OK;
    }
    return NULL;
}

/* With one array of all tiles, or an array for each. */
static void meet(const test_setup *s, twill_arg_kind kind, bool one_array)
{
    twill *tw = test_start(s->workers, s->sched);
    twill_array *arrays[TILES];
    part p[THREADS];
    pthread_t thread[THREADS];
    limit_begin(tw, SECONDS, "scheduler %s, %d workers, %s in %s", s->sched, s->workers,
                kind == TWILL_ARG_COMMUTE ? "COMMUTE" : "RW", one_array ? "one array" : "arrays");
    for (int i = 0; i < TILES; i++)
        arrays[i] = one_array && i ? arrays[0] : test_integers(tw, TILES);
    for (int i = 0; i < THREADS; i++) {
        p[i] = (part){.arrays = arrays, .kind = kind, .seed = (uint64_t)(i + 1) * 1000};
        p[i].rounds = (int)limit_number("TW_ROUNDS", test_slow() ? 200 : 2000);
        OK(twill_stf_begin(tw, &p[i].g));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, insert_often, &p[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    int64_t expected[TILES] = {0};
    for (int i = 0; i < THREADS; i++) {
        assert_false(p[i].failed);
        OK(twill_wait(p[i].g));
        for (int k = 0; k < TILES; k++)
            expected[k] += p[i].added[k];
    }
    for (int k = 0; k < TILES; k++)
        assert_int_equal(test_get(arrays[k], k), expected[k]);
    twill_stop(tw);
    limit_end();
}

TEST(commuting_tasks_share_tiles)
{
    for (int s = 0; s < test_nsetups; s++)
        for (int one_array = 0; one_array < 2; one_array++)
            meet(&test_setups[s], TWILL_ARG_COMMUTE, one_array);
}

TEST(updates_share_tiles)
{
    for (int s = 0; s < test_nsetups; s++)
        for (int one_array = 0; one_array < 2; one_array++)
            meet(&test_setups[s], TWILL_ARG_READ_WRITE, one_array);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(commuting_tasks_share_tiles),
        LIMITED_TEST(updates_share_tiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
