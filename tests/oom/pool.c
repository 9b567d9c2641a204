/* What a pool has promised it gives, whatever memory there is. */
#include "base/pool.h"

#include "support/inject.h"
#include "support/test.h"

enum { SIZE = 128 };

/* n objects are reserved: n can be got. In between, one may be put for each that was got. */
static void check_reserved(int before, int n)
{
    tw_pool pool;
    tw_cache cache = {0};
    void *object[TW_MAGAZINE];
    tw_pool_open(&pool, SIZE);
    for (int i = 0; i < before; i++)
        assert_non_null(object[i] = tw_pool_get(&pool, &cache));
    for (int i = 0; i < before; i++)
        tw_pool_put(&pool, &cache, object[i]);
    assert_true(tw_pool_reserve(&pool, &cache, n));
    inject_begin(1, INT64_MAX);
    for (int i = 0; i < n; i++) {
        void *got = tw_pool_get(&pool, &cache);
        assert_non_null(got);
        if (i % 3 == 0) {
            tw_pool_put(&pool, &cache, got);
            assert_non_null(tw_pool_get(&pool, &cache));
        }
    }
    inject_end();
    tw_cache_close(&cache);
    tw_pool_close(&pool);
}

/* All numbers: one too few is missed only where a slab ends, else there is a next object in it. */
TEST(what_is_reserved_can_be_got)
{
    for (int before = 0; before <= TW_MAGAZINE; before += 31)
        for (int n = 1; n < 10 * TW_MAGAZINE; n++)
            check_reserved(before, n);
}

/* A reservation that fails takes nothing: what there was is still there for others. */
TEST(what_is_refused_changes_nothing)
{
    tw_pool pool;
    tw_cache cache = {0};
    tw_magazine *list = NULL;
    tw_pool_open(&pool, SIZE);
    assert_true(tw_pool_take(&pool, 1, &list));
    int n = list->n;
    tw_pool_return(&pool, &list);
    inject_begin(1, INT64_MAX);
    assert_false(tw_pool_reserve(&pool, &cache, 100000));
    assert_false(tw_pool_take(&pool, 100000, &list));
    assert_null(list);
    assert_true(tw_pool_take(&pool, n, &list));
    tw_cache_add(&cache, &list);
    assert_null(list);
    assert_true(tw_pool_reserve(&pool, &cache, n));
    assert_true(tw_cache_has(&cache, n));
    for (int i = 0; i < n; i++)
        assert_non_null(tw_pool_get(&pool, &cache));
    inject_end();
    tw_cache_close(&cache);
    tw_pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_reserved_can_be_got),
                                       cmocka_unit_test(what_is_refused_changes_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
