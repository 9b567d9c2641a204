/* That nobody waits for ever: what every scheduler must do when some workers are kept busy, away or
 * in a long task. */
#include "support/schedulers.h"
#include "support/test.h"

#include "base/clock.h"
#include "base/lock.h"
#include "sched/sched.h"

#include <pthread.h>

enum { WORKERS = 4, ITEMS = 400 };

/* Let worker w pop, and push what it gets again, until everything that waits has come out once. */
static void keep_busy(test_policy *p, int w, bool soon, int n)
{
    int out = 0;
    for (int pops = 0; out < n; pops++) {
        assert_true(pops < TWILL_SCHED_FAIR * WORKERS * n);
        test_item *c = (test_item *)p->ops->pop(p->state, w);
        assert_non_null(c);
        out += atomic_fetch_add(&c->out, 1) == 0;
        c->item.worker = -1;
        c->item.priority = 0;
        test_policy_push(p, w, &c->item, 1, soon);
    }
    for (int i = 0; i < n; i++)
        assert_non_null(p->ops->pop(p->state, w));
}

/* Some wait at one place, with one priority; one more is what the worker is fed with. */
static void a_worker_that_is_fed_still_finds_what_waits(void **state)
{
    enum { WAIT = 8, FED = 2 };
    for (int place = 0; place <= WORKERS; place++)
        for (int kind = 0; kind < 8; kind++) {
            bool soon = kind & 1, for_worker = kind & 2;
            test_policy p;
            test_item items[WAIT + 1] = {0};
            test_policy_open(&p, *state, WORKERS, 1);
            for (int i = 0; i < WAIT; i++)
                test_push_one(
                    &p, place, &items[i],
                    (twill_item){.priority = kind & 4 ? 5 : 0, .worker = for_worker ? FED : -1},
                    false);
            test_push_one(&p, FED, &items[WAIT], (twill_item){.priority = 0, .worker = -1}, soon);
            keep_busy(&p, FED, soon, WAIT + 1);
            test_policy_close(&p);
        }
}

/* Many in its own queue, some of them sent by others, and the rest in that of external threads. */
static void everything_comes_out_of_a_queue_that_is_fed(void **state)
{
    test_policy p;
    test_item items[ITEMS] = {0};
    test_policy_open(&p, *state, WORKERS, 1);
    for (int i = 0; i < ITEMS; i++)
        test_push_one(&p, i % 2 ? 1 : WORKERS, &items[i],
                      (twill_item){.priority = 0, .worker = i % 3 ? -1 : 1}, false);
    keep_busy(&p, 1, false, ITEMS);
    test_policy_close(&p);
}

/* What a worker has queued itself, and what is for it, comes in the order of priorities. */
static void a_worker_goes_by_priority(void **state)
{
    test_policy p;
    test_item items[ITEMS] = {0};
    const twill_sched_ops *ops = *state;
    test_policy_open(&p, ops, WORKERS, 1);
    for (int i = 0; i < ITEMS; i++)
        test_push_one(&p, i % 5 ? 2 : 0, &items[i],
                      (twill_item){.priority = i * 13 % 17 - 8, .worker = 2}, i == 7);
    int32_t last = INT32_MAX;
    for (int i = 0; i < ITEMS; i++) {
        const twill_item *item = ops->pop(p.state, 2);
        assert_non_null(item);
        assert_true(item->priority <= last);
        last = item->priority;
    }
    test_policy_close(&p);
}

/* Nobody else may look there: sooner or later every worker finds it, and until then it counts. */
static void an_item_for_a_worker_that_is_away_is_found(void **state)
{
    test_policy p;
    test_item item = {0};
    test_policy_open(&p, *state, WORKERS, 1);
    test_push_one(&p, WORKERS, &item, (twill_item){.priority = 0, .worker = 0}, false);
    double until = tw_seconds() + 20;
    while (!test_pop_one(&p, 2))
        assert_true(tw_seconds() < until && p.ops->queued && p.ops->queued(p.state) > 0);
    test_policy_close(&p);
}

/* A worker that finds nothing and goes away, again and again. */
typedef struct leaver {
    test_policy policy;
    int rounds;
    atomic_int begun, done, found;
} leaver;

static void *leave(void *arg)
{
    leaver *l = arg;
    for (int i = 1; i <= l->rounds; i++) {
        while (atomic_load(&l->begun) < i)
            sched_yield();
        if (l->policy.ops->pop(l->policy.state, 0))
            atomic_fetch_add(&l->found, 1);
        atomic_store(&l->done, i);
    }
    return NULL;
}

/* In that moment something comes for it: it finds that, or others know of it. */
static void an_item_for_a_worker_that_is_leaving_is_not_missed(void **state)
{
    leaver l = {.rounds = test_slow() ? 2000 : 20000};
    pthread_t thread;
    int found = 0, missed = 0;
    test_policy_open(&l.policy, *state, WORKERS, 1);
    l.policy.quiet = true;
    assert_int_equal(pthread_create(&thread, NULL, leave, &l), 0);
    for (int i = 1; i <= l.rounds; i++) {
        twill_item item = {.worker = 0, .devices = 1};
        atomic_store(&l.begun, i);
        for (int k = 0; k < i % 64; k++)
            tw_pause();
        test_policy_push(&l.policy, WORKERS, &item, 1, false);
        while (atomic_load(&l.done) < i)
            sched_yield();
        bool taken = atomic_load(&l.found) > found;
        found += taken;
        missed += !taken && l.policy.ops->queued && l.policy.ops->queued(l.policy.state) == 0;
        if (!taken)
            assert_ptr_equal(l.policy.ops->pop(l.policy.state, 0), &item);
    }
    pthread_join(thread, NULL);
    assert_int_equal(missed, 0);
    test_policy_close(&l.policy);
}

static twill_outcome child_body(twill_task *t)
{
    atomic_store(*(atomic_bool *const *)twill_task_data(t, 0), true);
    return TWILL_DONE;
}

/* It waits, long enough for any machine, for what it has inserted itself. */
static twill_outcome parent_body(twill_task *t)
{
    static const twill_class child = {
        .size = sizeof(twill_class), .name = "child", .chores = {TWILL_CPU(child_body)}};
    atomic_bool *ran = *(atomic_bool *const *)twill_task_data(t, 0);
    if (twill_insert(twill_task_graph(t), &child, TWILL_VALUE(ran)) != TWILL_OK)
        return TWILL_ERROR;
    double until = tw_seconds() + 20;
    while (!atomic_load(ran) && tw_seconds() < until)
        sched_yield();
    return atomic_load(ran) ? TWILL_DONE : twill_task_fail(t, "the child waits for its parent");
}

/* The body may take long: what it inserts is not kept for the worker that runs it. */
static void what_a_body_inserts_runs_while_the_body_goes_on(void **state)
{
    static const twill_class parent = {
        .size = sizeof(twill_class), .name = "parent", .chores = {TWILL_CPU(parent_body)}};
    const twill_sched_ops *ops = *state;
    if (ops->immediate)
        skip(); /* one worker */
    for (int round = 0; round < 10; round++) {
        twill_graph *g;
        atomic_bool done = false, *ran = &done;
        twill *tw = test_start_with(
            (twill_options){.workers = 3, .sched = ops->name, .schedulers = test_own_schedulers});
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &parent, TWILL_VALUE(ran)));
        OK(twill_wait(g));
        assert_true(atomic_load(ran));
        twill_stop(tw);
    }
}

/* ---- the suite ------------------------------------------------------------------------------- */

static const test_sched_case suite[] = {
    {"a worker that is fed still finds what waits", a_worker_that_is_fed_still_finds_what_waits,
     NULL},
    {"everything comes out of a queue that is fed", everything_comes_out_of_a_queue_that_is_fed,
     NULL},
    {"a worker goes by priority", a_worker_goes_by_priority, &tw_sched_prio},
    {"a worker goes by priority", a_worker_goes_by_priority, &tw_sched_lws},
    {"an item for a worker that is away is found", an_item_for_a_worker_that_is_away_is_found,
     NULL},
    {"an item for a worker that is leaving is not missed",
     an_item_for_a_worker_that_is_leaving_is_not_missed, NULL},
    {"what a body inserts runs while the body goes on",
     what_a_body_inserts_runs_while_the_body_goes_on, NULL},
};

int main(void)
{
    return test_all_schedulers(suite, COUNT(suite));
}
