/* Packed replicas on their own: found, counted, limited, ended by the last reader. */
#include "data/packed.h"

#include "support/test.h"

#include <pthread.h>

enum { BYTES = 640, MANY = 100 };

typedef struct tw_value {
    int64_t number;
} tw_value;

static tw_packed *get(tw_packed_table *all, const tw_value *v, atomic_int *readers, int layout)
{
    return tw_packed_get(all, v, readers, layout, BYTES, MANY);
}

/* The caller, counted among the readers, leaves: true when nobody is left. */
static bool leave(tw_packed_table *all, const tw_value *v, atomic_int *readers)
{
    int now = atomic_fetch_sub(readers, 1) - 1;
    if (now & TW_PACKED)
        return tw_packed_claim(readers, now, 0) && tw_packed_end(all, v, readers) == 0;
    return now == 0;
}

TEST(the_first_packs_and_the_last_reader_ends_it)
{
    static tw_packed_table all;
    tw_value v = {1}, other = {2};
    atomic_int readers = 2, of_other = 1;
    tw_packed *p = get(&all, &v, &readers, 0);
    assert_false(tw_packed_is_ready(p));
    assert_int_equal(readers, 3 + TW_PACKED);
    assert_null(get(&all, &v, &readers, 0)); /* somebody packs it */
    tw_packed_tell(p);
    tw_packed_put(&all, p);
    assert_ptr_equal(get(&all, &v, &readers, 0), p);
    tw_packed *second = get(&all, &v, &readers, 1), *third = get(&all, &other, &of_other, 0);
    assert_ptr_not_equal(second, p);
    assert_ptr_not_equal(third, p);
    assert_int_equal(readers, 3 + TW_PACKED);
    assert_int_equal(all.used, 3);
    tw_packed_put(&all, second);
    assert_false(leave(&all, &v, &readers));
    assert_true(leave(&all, &v, &readers)); /* although somebody still reads it */
    assert_int_equal(readers, 0);
    assert_int_equal(all.used, 2);
    tw_packed_put(&all, p);
    tw_packed_put(&all, third);
    assert_int_equal(all.used, 1); /* the other value's */
    assert_true(leave(&all, &other, &of_other));
    assert_int_equal(all.used, 0);
    tw_packed_close(&all);
}

TEST(nothing_is_added_while_replicas_end)
{
    static tw_packed_table all;
    tw_value v = {1};
    atomic_int readers = 2;
    tw_packed *p = get(&all, &v, &readers, 0);
    tw_packed_tell(p);
    tw_packed_put(&all, p);
    assert_false(tw_packed_claim(&readers, readers, 1)); /* two others read it */
    assert_false(tw_packed_claim(&readers, readers - 1, 1));
    atomic_fetch_sub(&readers, 1);
    assert_true(tw_packed_claim(&readers, readers, 1));
    assert_false(tw_packed_claim(&readers, readers, 1)); /* it is claimed */
    assert_null(get(&all, &v, &readers, 1));
    assert_int_equal(tw_packed_end(&all, &v, &readers), 1);
    assert_int_equal(readers, 1);
    p = get(&all, &v, &readers, 1);
    assert_int_equal(readers, 2 + TW_PACKED);
    tw_packed_put(&all, p);
    assert_true(leave(&all, &v, &readers));
    tw_packed_close(&all);
}

TEST(there_are_no_more_than_allowed_and_few_are_kept)
{
    static tw_packed_table all;
    tw_value v[MANY];
    atomic_int readers[MANY];
    for (int i = 0; i < MANY; i++) {
        readers[i] = 1;
        tw_packed *p = get(&all, &v[i], &readers[i], 0);
        assert_non_null(p);
        tw_packed_put(&all, p);
    }
    assert_null(get(&all, &v[0], &readers[0], 1));
    assert_int_equal(all.used, MANY);
    for (int i = 0; i < MANY; i++)
        assert_true(leave(&all, &v[i], &readers[i]));
    assert_int_equal(all.used, 0);
    int kept = 0;
    for (const tw_packed *p = all.free; p; p = p->next)
        kept++;
    assert_in_range(kept, 1, 16);
    tw_packed_close(&all);
}

TEST(what_is_too_small_makes_way)
{
    static tw_packed_table all;
    tw_value v = {1};
    atomic_int readers = 1;
    tw_packed *p = tw_packed_get(&all, &v, &readers, 0, 10, 1);
    tw_packed_put(&all, p);
    assert_true(leave(&all, &v, &readers));
    readers = 1;
    p = tw_packed_get(&all, &v, &readers, 0, 100000, 1);
    assert_true(p->size >= 100000);
    p->bytes[99999] = 1;
    assert_null(all.free);
    tw_packed_put(&all, p);
    assert_true(leave(&all, &v, &readers));
    tw_packed_close(&all);
}

/* ---- threads: a value that nobody reads may be changed -------------------------------------- */

enum { THREADS = 4, VALUES = 3 };

typedef struct contest {
    tw_packed_table all;
    tw_value value[VALUES];
    tw_lock door[VALUES]; /* who enters takes it, as the lock of an array */
    atomic_int readers[VALUES];
    atomic_int wrong, changes;
} contest;

static void compare(contest *c, int i, int layout)
{
    tw_packed *p = tw_packed_get(&c->all, &c->value[i], &c->readers[i], layout, BYTES, VALUES);
    if (!p)
        return;
    int64_t *number = (int64_t *)(void *)p->bytes;
    if (!tw_packed_is_ready(p)) {
        *number = c->value[i].number;
        tw_packed_tell(p);
    }
    atomic_fetch_add(&c->wrong, *number != c->value[i].number);
    tw_packed_put(&c->all, p);
}

static void *compete(void *arg)
{
    contest *c = arg;
    uint64_t seed = (uint64_t)(uintptr_t)&seed;
    for (int round = 0, rounds = test_slow() ? 2000 : 100000; round < rounds; round++) {
        int i = (int)test_random(&seed, VALUES);
        bool changes = test_random(&seed, 3) == 0;
        tw_lock_take(&c->door[i]);
        if (!changes) {
            atomic_fetch_add(&c->readers[i], 1);
        } else if (atomic_load(&c->readers[i]) == 0) {
            c->value[i].number++;
            atomic_fetch_add(&c->changes, 1);
        }
        tw_unlock(&c->door[i]);
        if (changes)
            continue;
        compare(c, i, (int)test_random(&seed, 2));
        leave(&c->all, &c->value[i], &c->readers[i]);
    }
    return NULL;
}

TEST(threads_find_what_is_packed_of_the_value_of_now)
{
    static contest c;
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, compete, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(c.wrong, 0);
    assert_true(c.changes > 0);
    assert_int_equal(c.all.used, 0);
    for (int i = 0; i < VALUES; i++)
        assert_int_equal(c.readers[i], 0);
    tw_packed_close(&c.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_packs_and_the_last_reader_ends_it),
        cmocka_unit_test(nothing_is_added_while_replicas_end),
        cmocka_unit_test(there_are_no_more_than_allowed_and_few_are_kept),
        cmocka_unit_test(what_is_too_small_makes_way),
        cmocka_unit_test(threads_find_what_is_packed_of_the_value_of_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
