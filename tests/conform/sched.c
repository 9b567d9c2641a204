/* What every scheduler must do, Twill's own and a user's alike. */
#include "support/schedulers.h"
#include "support/test.h"

#include "sched/sched.h"

#include <pthread.h>
#include <stdlib.h>

/* ---- one thread ----------------------------------------------------------------------------- */

enum { WORKERS = 4, ITEMS = 400 };

static void an_empty_scheduler_gives_nothing(void **state)
{
    test_policy p;
    test_policy_open(&p, *state, WORKERS, 1);
    for (int round = 0; round < 3; round++)
        for (int w = 0; w < WORKERS; w++)
            assert_null(p.ops->pop(p.state, w));
    assert_true(!p.ops->queued || p.ops->queued(p.state) == 0);
    test_policy_close(&p);
}

static void everything_comes_out_when_all_workers_pop_again_and_again(void **state)
{
    test_policy p;
    test_item items[ITEMS] = {0};
    uint64_t seed = 3;
    test_policy_open(&p, *state, WORKERS, 1);
    for (int i = 0; i < ITEMS; i++) {
        int w = (int)test_random(&seed, WORKERS + 1);
        test_push_one(&p, w, &items[i],
                      (twill_item){.priority = (int32_t)test_random(&seed, 5) - 2,
                                   .worker = (int16_t)((int)test_random(&seed, WORKERS + 2) - 1)},
                      w < WORKERS && test_random(&seed, 2));
    }
    int out = 0;
    for (int round = 0; round < 10 * ITEMS && out < ITEMS; round++)
        out += test_pop_one(&p, round % WORKERS);
    assert_int_equal(out, ITEMS);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(atomic_load(&items[i].out), 1);
    assert_false(test_pop_one(&p, 0));
    test_policy_close(&p);
}

static void a_push_says_how_many_others_can_pop(void **state)
{
    for (int n = 1; n <= 9; n++)
        for (int soon = 0; soon < 2; soon++) {
            test_policy p;
            twill_item items[9];
            test_policy_open(&p, *state, WORKERS, 1);
            for (int i = 0; i < n; i++)
                items[i] = (twill_item){.priority = i % 3, .worker = -1};
            int others = test_policy_push(&p, 1, items, n, soon), popped = 0;
            assert_in_range(others, soon ? n - 1 : n, n);
            while (p.ops->pop(p.state, 3))
                popped++;
            assert_int_equal(popped, others);
            while (p.ops->pop(p.state, 1))
                popped++;
            assert_int_equal(popped, n);
            test_policy_close(&p);
        }
}

static void what_is_pushed_soon_is_found_by_the_same_worker(void **state)
{
    test_policy p;
    test_policy_open(&p, *state, WORKERS, 1);
    for (int w = 0; w < WORKERS; w++) {
        test_item item = {0};
        test_push_one(&p, w, &item, (twill_item){.priority = w % 2, .worker = -1}, true);
        assert_true(test_pop_one(&p, w));
        assert_int_equal(atomic_load(&item.out), 1);
    }
    test_policy_close(&p);
}

static void what_external_threads_push_is_found_by_every_worker(void **state)
{
    test_policy p;
    test_policy_open(&p, *state, WORKERS, 1);
    for (int w = 0; w < WORKERS; w++) {
        test_item item = {0};
        test_push_one(&p, WORKERS, &item, (twill_item){.priority = 0, .worker = -1}, false);
        assert_true(test_pop_one(&p, w));
        assert_int_equal(atomic_load(&item.out), 1);
    }
    test_policy_close(&p);
}

/* Only prio promises an order for all, and keeps it whoever pushes and however. */
static void priority_order_is_kept(void **state)
{
    test_policy p;
    test_item items[ITEMS] = {0};
    const twill_sched_ops *ops = *state;
    test_policy_open(&p, ops, WORKERS, 1);
    for (int i = 0; i < ITEMS; i++)
        test_push_one(&p, i % (WORKERS + 1), &items[i],
                      (twill_item){.priority = i * 13 % 17 - 8, .worker = -1}, i % 3 == 0);
    int32_t last = INT32_MAX;
    for (int i = 0; i < ITEMS; i++) {
        const twill_item *item = ops->pop(p.state, i % WORKERS);
        assert_non_null(item);
        assert_true(item->priority <= last);
        last = item->priority;
    }
    test_policy_close(&p);
}

/* ---- many threads --------------------------------------------------------------------------- */

typedef struct crowd {
    test_policy policy;
    test_item *items; /* each thread's, one after the other */
    int each, members;
    atomic_int number, out, doubled, strayed, overcounted;
} crowd;

/* The bit of who pops under a number. */
static unsigned bit_of(int w)
{
    return w < WORKERS ? 1 : 1u << (w - WORKERS);
}

static void crowd_pop(crowd *c, int w)
{
    test_item *item = (test_item *)c->policy.ops->pop(c->policy.state, w);
    if (!item)
        return;
    if (atomic_fetch_add(&item->out, 1))
        atomic_fetch_add(&c->doubled, 1);
    if (!(item->item.devices & bit_of(w)))
        atomic_fetch_add(&c->strayed, 1);
    atomic_fetch_add(&c->out, 1);
}

/* Any set of executors that is not empty. */
static uint16_t devices_of(const crowd *c, uint64_t *seed)
{
    int devices = c->policy.env.devices;
    return devices ? (uint16_t)(1 + test_random(seed, (2u << devices) - 1)) : 1;
}

/* Push up to four of the thread's own items as one list. */
static int crowd_push(crowd *c, int w, test_item *mine, int left, uint64_t *seed)
{
    bool soon = w < WORKERS && test_random(seed, 2);
    int n = (int)test_random(seed, 4) + 1;
    n = n < left ? n : left;
    for (int i = 0; i < n; i++)
        mine[i].item = (twill_item){.next = i + 1 < n ? &mine[i + 1].item : NULL,
                                    .priority = (int32_t)test_random(seed, 3),
                                    .worker = (int16_t)(test_random(seed, 3 * WORKERS) % 5 - 1),
                                    .devices = devices_of(c, seed)};
    int others = c->policy.ops->push(c->policy.state, w, &mine->item, n, soon);
    if (others < 0 || others > n)
        atomic_fetch_add(&c->overcounted, 1);
    if (soon)
        crowd_pop(c, w);
    return n;
}

/* Threads 0 to WORKERS-1 push and pop; thread WORKERS is external and only pushes; those behind it
 * are devices, which only pop. */
static void *crowd_member(void *arg)
{
    crowd *c = arg;
    int w = atomic_fetch_add(&c->number, 1);
    test_item *mine = c->items + w * c->each;
    uint64_t seed = (uint64_t)w * 1000;
    for (int pushed = 0; w <= WORKERS && pushed < c->each;) {
        pushed += crowd_push(c, w, mine + pushed, c->each - pushed, &seed);
        for (uint64_t i = test_random(&seed, 5); w < WORKERS && i > 0; i--)
            crowd_pop(c, w);
    }
    while (w != WORKERS && atomic_load(&c->out) < c->each * (WORKERS + 1))
        crowd_pop(c, w);
    return NULL;
}

static void run_crowd(const twill_sched_ops *ops, int devices)
{
    enum { DEVICES = 2 };
    crowd c = {.each = test_slow() ? 2000 : 20000, .members = WORKERS + 1 + devices};
    pthread_t thread[WORKERS + 1 + DEVICES];
    test_policy_open_with(&c.policy, ops, WORKERS, devices);
    c.policy.quiet = true;
    for (int d = 0; d <= devices; d++)
        c.policy.seconds[d] = 1 + d;
    c.items = calloc((size_t)c.each * (WORKERS + 1), sizeof *c.items);
    assert_non_null(c.items);
    for (int i = 0; i < c.members; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, crowd_member, &c), 0);
    for (int i = 0; i < c.members; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&c.doubled), 0);
    assert_int_equal(atomic_load(&c.strayed), 0);
    assert_int_equal(atomic_load(&c.overcounted), 0);
    assert_int_equal(atomic_load(&c.out), c.each * (WORKERS + 1));
    test_policy_close(&c.policy);
    free(c.items);
}

static void nothing_is_lost_or_doubled_by_many_threads(void **state)
{
    run_crowd(*state, 0);
}

static void nor_by_devices_beside_them(void **state)
{
    const twill_sched_ops *ops = *state;
    if (!ops->devices)
        skip(); /* it stands behind one that knows them */
    run_crowd(ops, 1);
    run_crowd(ops, 2);
}

/* ---- in a context --------------------------------------------------------------------------- */

/* Two chains of tasks that meet now and then; the sums say whether the order was kept. */
static twill_outcome add_body(twill_task *t)
{
    *(uint64_t *)twill_task_data(t, 0) +=
        (uint64_t)twill_task_int(t, 2) + *(uint64_t *)twill_task_data(t, 1);
    return TWILL_DONE;
}

static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

static void a_context_runs_under_it(void **state)
{
    const twill_sched_ops *ops = *state;
    const int workers[] = {1, 2, 4};
    for (int k = 0; k < COUNT(workers); k++) {
        twill_graph *g;
        twill *tw = test_start_with((twill_options){
            .workers = workers[k], .sched = ops->name, .schedulers = test_own_schedulers});
        twill_array *a = test_integers(tw, 2);
        uint64_t x = 0, y = 0;
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 500; i++) {
            OK(twill_insert(g, &add, TWILL_RW(twill_tile_at(a, i % 2, 0)),
                            TWILL_R(twill_tile_at(a, 1 - i % 2, 0)), TWILL_INT(i % 7),
                            TWILL_PRIORITY(i % 3)));
            *(i % 2 ? &y : &x) += (uint64_t)(i % 7) + (i % 2 ? x : y);
        }
        OK(twill_wait(g));
        assert_true((uint64_t)test_get(a, 0) == x && (uint64_t)test_get(a, 1) == y);
        twill_stop(tw);
    }
}

/* ---- the suite ------------------------------------------------------------------------------- */

static const test_sched_case suite[] = {
    {"an empty scheduler gives nothing", an_empty_scheduler_gives_nothing, NULL},
    {"everything comes out when all workers pop again and again",
     everything_comes_out_when_all_workers_pop_again_and_again, NULL},
    {"a push says how many others can pop", a_push_says_how_many_others_can_pop, NULL},
    {"what is pushed soon is found by the same worker",
     what_is_pushed_soon_is_found_by_the_same_worker, NULL},
    {"what external threads push is found by every worker",
     what_external_threads_push_is_found_by_every_worker, NULL},
    {"priority order is kept", priority_order_is_kept, &tw_sched_prio},
    {"nothing is lost or doubled by many threads", nothing_is_lost_or_doubled_by_many_threads,
     NULL},
    {"nor by devices beside them", nor_by_devices_beside_them, NULL},
    {"a context runs under it", a_context_runs_under_it, NULL},
};

int main(void)
{
    return test_all_schedulers(suite, COUNT(suite));
}
