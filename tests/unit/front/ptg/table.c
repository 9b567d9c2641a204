/* The table of instances that wait, against a plain list: whatever is entered is found, by one
 * thread and by several, in crowded buckets and while the table grows. */
#include "support/test.h"

#include "front/ptg/id.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000, THREADS = 4, ROUNDS = 20 };

static const twill_ptg_class one = {.size = sizeof(twill_ptg_class), .parameters = 1},
                             two = {.size = sizeof(twill_ptg_class), .parameters = 2},
                             five = {.size = sizeof(twill_ptg_class), .parameters = 5};
#define KIND(number_, parameters_)                                              \
    .number = (number_), .id = (uint64_t)(number_) << TW_ID_BITS | TW_ID_EXACT, \
    .bits = TW_ID_BITS / (parameters_)

static tw_ptg_class kinds[] = {{.cls = &one, KIND(0, 1)},
                               {.cls = &two, KIND(1, 2)},
                               {.cls = &five, KIND(2, 5)},
                               {.cls = &two, KIND(1023, 2)}};

static twill_task *make(tw_ptg_class *kind, const int64_t *p)
{
    twill_task *t = aligned_alloc(TW_LINE, 3 * (size_t)TW_LINE);
    assert_non_null(t);
    memset(t, 0, 3 * (size_t)TW_LINE);
    t->cls = &kind->chores;
    memcpy(tw_ptg_words(t), p, (size_t)kind->cls->parameters * sizeof *p);
    return t;
}

static uint64_t id_of(const twill_task *t)
{
    return tw_instance_id(tw_ptg_class_of(t), tw_ptg_words(t));
}

static twill_task *look_up(tw_table *table, const twill_task *t)
{
    tw_bucket *b = tw_table_lock(table, tw_table_bucket(table, id_of(t)), id_of(t));
    tw_bucket_slot at = tw_bucket_find(b, id_of(t), tw_ptg_words(t));
    twill_task *found = at.link ? atomic_load(at.link) : NULL;
    tw_unlock(&b->lock);
    return found;
}

static void enter(tw_table *table, int w, twill_task *t, int32_t left)
{
    tw_bucket *b = tw_table_lock(table, tw_table_bucket(table, id_of(t)), id_of(t));
    bool crowded = tw_bucket_enter(b, id_of(t), t, left);
    tw_unlock(&b->lock);
    tw_table_entered(table, w, crowded);
}

/* How many inputs it was entered with; -1 if it is not there. */
static int32_t leave(tw_table *table, int w, const twill_task *t)
{
    int32_t left = -1;
    tw_bucket *b = tw_table_lock(table, tw_table_bucket(table, id_of(t)), id_of(t));
    tw_bucket_slot at = tw_bucket_find(b, id_of(t), tw_ptg_words(t));
    if (at.link) {
        left = atomic_load(at.left);
        tw_bucket_leave(b, at);
    }
    tw_unlock(&b->lock);
    tw_table_left(table, w);
    return left;
}

/* Every kind, near and far from 0; instance i is different from all others. */
static twill_task *instance(int64_t i)
{
    static const int64_t away[] = {0, -1000, INT64_C(1) << 40, INT64_MIN};
    tw_ptg_class *kind = &kinds[i % 4];
    int64_t base = away[i / 4 % 4];
    return make(kind, (const int64_t[]){base + i, i % 100, -i, base, i * i});
}

TEST(an_id_is_one_instance)
{
    const int64_t p[5] = {-(INT64_C(1) << 25), (INT64_C(1) << 25) - 1};
    const int64_t far[5] = {INT64_C(1) << 25, 0};
    assert_true(tw_instance_id(&kinds[1], p) != 0);
    assert_true(tw_instance_id(&kinds[1], p) != tw_instance_id(&kinds[3], p));
    assert_true(tw_instance_id(&kinds[1], p) != tw_instance_id(&kinds[1], far));
    assert_true(tw_instance_id(&kinds[0], p) != tw_instance_id(&kinds[0], p + 1));
    assert_true(tw_instance_id(&kinds[1], far) >> 63); /* too large: a hash */
    assert_false(tw_instance_id(&kinds[1], p) >> 63);
}

TEST(what_is_entered_is_found_until_it_leaves)
{
    static twill_task *task[MOST];
    tw_table table;
    assert_true(tw_table_open(&table, 1));
    for (int i = 0; i < MOST; i++) {
        task[i] = instance(i);
        assert_null(look_up(&table, task[i]));
        enter(&table, 0, task[i], i + 1);
    }
    assert_int_equal(tw_table_count(&table), MOST);
    for (int i = 0; i < MOST; i++)
        assert_ptr_equal(look_up(&table, task[i]), task[i]);
    for (int k = 0; k < MOST; k++) {
        int i = (int)((int64_t)k * 7919 % MOST);
        assert_int_equal(leave(&table, 0, task[i]), i + 1);
        assert_null(look_up(&table, task[i]));
        free(task[i]);
    }
    assert_int_equal(tw_table_count(&table), 0);
    assert_in_range(tw_table_most(&table), MOST, MOST);
    tw_table_recount(&table);
    assert_int_equal(tw_table_most(&table), 0);
    tw_table_close(&table);
}

/* Counts are taken while others come and go: it may look as if more had left than came. */
TEST(it_grows_for_those_who_wait_only)
{
    twill_task *task[64];
    tw_table table;
    assert_true(tw_table_open(&table, 1));
    const struct tw_buckets *first = atomic_load(&table.buckets);
    for (int i = 0; i < 1000; i++)
        tw_table_left(&table, 1);
    for (int i = 0; i < 64; i++)
        enter(&table, 0, task[i] = instance(i), 1);
    assert_ptr_equal(atomic_load(&table.buckets), first);
    for (int i = 0; i < 64; i++) {
        assert_int_equal(leave(&table, 0, task[i]), 1);
        free(task[i]);
    }
    tw_table_close(&table);
}

static void count_one(twill_task *t, void *arg)
{
    (void)t;
    ++*(int *)arg;
}

TEST(all_are_visited_and_forgotten)
{
    twill_task *task[100];
    tw_table table;
    int n = 0;
    assert_true(tw_table_open(&table, 3));
    for (int i = 0; i < 100; i++)
        enter(&table, i % 4, task[i] = instance(i), 1);
    tw_table_each(&table, count_one, &n);
    assert_int_equal(n, 100);
    tw_table_clear(&table);
    assert_int_equal(tw_table_count(&table), 0);
    for (int i = 0; i < 100; i++) {
        assert_null(look_up(&table, task[i]));
        free(task[i]);
    }
    tw_table_close(&table);
}

/* ---- several threads ------------------------------------------------------------------------ */

typedef struct share {
    tw_table *table;
    int number;
    int lost;
} share;

/* Enter a thousand, then let them leave: the table grows under all. */
static void *come_and_go(void *arg)
{
    share *s = arg;
    twill_task *task[1000];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 1000; i++)
            enter(s->table, s->number, task[i] = instance(i * THREADS + s->number), 1);
        for (int i = 0; i < 1000; i++) {
            s->lost += leave(s->table, s->number, task[i]) != 1;
            free(task[i]);
        }
    }
    return NULL;
}

TEST(threads_do_not_lose_any)
{
    pthread_t thread[THREADS];
    share shares[THREADS];
    tw_table table;
    assert_true(tw_table_open(&table, THREADS));
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (share){&table, i, 0};
        assert_int_equal(pthread_create(&thread[i], NULL, come_and_go, &shares[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(shares[i].lost, 0);
    }
    assert_int_equal(tw_table_count(&table), 0);
    tw_table_close(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_id_is_one_instance), cmocka_unit_test(it_grows_for_those_who_wait_only),
        cmocka_unit_test(what_is_entered_is_found_until_it_leaves),
        cmocka_unit_test(all_are_visited_and_forgotten), cmocka_unit_test(threads_do_not_lose_any)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
