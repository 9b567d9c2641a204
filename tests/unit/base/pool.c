/* Pools: batches, reuse, and objects that change hands between threads. */
#include "support/test.h"

#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { OBJECTS = 2000 };

typedef struct thing {
    atomic_int taken;
    int stamp;
} thing;

static void count_object(void *object, void *arg)
{
    (void)object;
    ++*(int *)arg;
}

static int cut_objects(tw_pool *pool)
{
    int n = 0;
    tw_pool_each(pool, count_object, &n);
    return n;
}

static void close_pool(tw_pool *pool, tw_cache *cache)
{
    tw_cache_close(cache);
    tw_pool_close(pool);
}

static void get_many(tw_pool *pool, tw_cache *cache, thing **list, int n)
{
    for (int i = 0; i < n; i++) {
        list[i] = tw_pool_get(pool, cache);
        assert_non_null(list[i]);
    }
}

static void put_many(tw_pool *pool, tw_cache *cache, thing **list, int n)
{
    for (int i = 0; i < n; i++)
        tw_pool_put(pool, cache, list[i]);
}

TEST(objects_of_any_size_are_aligned_zero_and_apart)
{
    const size_t sizes[] = {24, 64, 65, 200, 1024};
    for (int s = 0; s < COUNT(sizes); s++) {
        tw_pool pool;
        tw_cache cache = {0};
        thing *list[OBJECTS];
        tw_pool_open(&pool, sizes[s]);
        get_many(&pool, &cache, list, OBJECTS);
        for (int i = 0; i < OBJECTS; i++) {
            const char *bytes = (const char *)list[i];
            assert_int_equal((uintptr_t)bytes % 64, 0);
            for (size_t k = 0; k < sizes[s]; k++)
                assert_int_equal(bytes[k], 0);
            memset(list[i], i % 255 + 1, sizes[s]);
        }
        for (int i = 0; i < OBJECTS; i++)
            for (size_t k = 0; k < sizes[s]; k++)
                assert_int_equal(((unsigned char *)list[i])[k], i % 255 + 1);
        close_pool(&pool, &cache);
    }
}

TEST(freed_objects_are_used_again)
{
    tw_pool pool;
    tw_cache cache = {0};
    thing *list[OBJECTS];
    tw_pool_open(&pool, sizeof(thing));
    get_many(&pool, &cache, list, OBJECTS);
    int cut = cut_objects(&pool);
    assert_true(cut >= OBJECTS && cut < OBJECTS + TW_MAGAZINE);
    for (int round = 0; round < 20; round++) {
        put_many(&pool, &cache, list, OBJECTS);
        get_many(&pool, &cache, list, OBJECTS);
    }
    assert_int_equal(cut_objects(&pool), cut);
    close_pool(&pool, &cache);
}

/* The watchdog reads objects that may be free. */
TEST(a_free_object_keeps_its_content)
{
    tw_pool pool;
    tw_cache cache = {0};
    thing *list[OBJECTS];
    tw_pool_open(&pool, sizeof(thing));
    get_many(&pool, &cache, list, OBJECTS);
    for (int i = 0; i < OBJECTS; i++)
        list[i]->stamp = i + 1;
    put_many(&pool, &cache, list, OBJECTS);
    for (int i = 0; i < OBJECTS; i++)
        assert_int_equal(list[i]->stamp, i + 1);
    close_pool(&pool, &cache);
}

TEST(going_to_and_fro_at_the_edge_of_a_magazine_leaves_the_depot_alone)
{
    tw_pool pool;
    tw_cache cache = {0};
    thing *list[4 * TW_MAGAZINE];
    tw_pool_open(&pool, sizeof(thing));
    get_many(&pool, &cache, list, COUNT(list));
    put_many(&pool, &cache, list, 2 * TW_MAGAZINE);
    const tw_magazine *full = pool.full, *empty = pool.empty;
    for (int round = 0; round < 100; round++) {
        int n = round % 7;
        get_many(&pool, &cache, list, n);
        put_many(&pool, &cache, list, n);
        assert_ptr_equal(pool.full, full);
        assert_ptr_equal(pool.empty, empty);
    }
    close_pool(&pool, &cache);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4, BOXES = 64 };

typedef struct market {
    tw_pool pool;
    _Atomic(thing *) box[BOXES];
    int rounds;
    atomic_int twice, wrong;
} market;

static thing *buy(market *m, tw_cache *cache, int stamp)
{
    thing *t = tw_pool_get(&m->pool, cache);
    if (atomic_exchange(&t->taken, 1))
        atomic_fetch_add(&m->twice, 1);
    t->stamp = stamp;
    return t;
}

static void sell(market *m, tw_cache *cache, thing *t)
{
    if (!t)
        return;
    if (t->stamp < 0 || t->stamp >= m->rounds)
        atomic_fetch_add(&m->wrong, 1);
    t->stamp = -1;
    atomic_store(&t->taken, 0);
    tw_pool_put(&m->pool, cache, t);
}

/* Everybody allocates, leaves the object in a box, and frees what was in it: mostly others'. */
static void *trade(void *arg)
{
    market *m = arg;
    tw_cache cache = {0};
    uint64_t seed = (uint64_t)(uintptr_t)&cache;
    for (int i = 0; i < m->rounds; i++) {
        thing *t = buy(m, &cache, i);
        sell(m, &cache, atomic_exchange(&m->box[test_random(&seed, BOXES)], t));
    }
    tw_cache_close(&cache);
    return NULL;
}

TEST(objects_freed_by_other_threads_are_neither_lost_nor_doubled)
{
    market m = {.rounds = test_slow() ? 3000 : 100000};
    pthread_t thread[THREADS];
    tw_pool_open(&m.pool, sizeof(thing));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, trade, &m), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&m.twice), 0);
    assert_int_equal(atomic_load(&m.wrong), 0);
    /* in boxes, in hands, and two magazines in each cache; a few more for those on the move */
    assert_true(cut_objects(&m.pool) <= BOXES + THREADS + (4 * THREADS + 4) * TW_MAGAZINE);
    tw_pool_close(&m.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_any_size_are_aligned_zero_and_apart),
        cmocka_unit_test(freed_objects_are_used_again),
        cmocka_unit_test(a_free_object_keeps_its_content),
        cmocka_unit_test(going_to_and_fro_at_the_edge_of_a_magazine_leaves_the_depot_alone),
        cmocka_unit_test(objects_freed_by_other_threads_are_neither_lost_nor_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
