/* The chain of a tile: every short history against a model of what may be granted when. */
#include "support/test.h"

#include "data/chain.h"

#include <pthread.h>
#include <string.h>

/* Leave, and begin the next epoch when that was the last access. */
static tw_grants leave_chain(tw_access *access, bool poison, tw_pool *pool, tw_cache *cache)
{
    tw_epoch *drained = tw_chain_leave(access, poison);
    return drained ? tw_chain_advance(drained, pool, cache) : (tw_grants){NULL, false};
}

enum { MOST = 5 };

/* ---- the model ------------------------------------------------------------------------------ */

/* Accesses are numbered in the order in which they enter. An access joins the epoch of the one
 * before when both have the same shared mode; it may run when all earlier epochs are empty. */
typedef struct model {
    int n;
    tw_mode mode[MOST];
    int epoch[MOST];
    bool left[MOST], bad[MOST]; /* bad: it leaves poison behind */
    bool poisoned[MOST];        /* by epoch, from inside */
} model;

static void model_enter(model *m, tw_mode mode)
{
    int i = m->n++;
    bool shares = i > 0 && m->mode[i - 1] == mode && (mode == TW_READ || mode == TW_COMMUTE);
    m->mode[i] = mode;
    m->epoch[i] = i == 0 ? 0 : m->epoch[i - 1] + !shares;
}

static bool model_granted(const model *m, int i)
{
    for (int k = 0; k < i; k++)
        if (m->epoch[k] != m->epoch[i] && !m->left[k])
            return false;
    return true;
}

/* Poison reaches an epoch from its own members or from before, unless it overwrites. */
static bool model_poisoned(const model *m, int epoch)
{
    int i = 0;
    while (m->epoch[i] != epoch)
        i++;
    if (m->poisoned[epoch])
        return true;
    return m->mode[i] != TW_WRITE && epoch > 0 && model_poisoned(m, epoch - 1);
}

/* ---- the chain beside it -------------------------------------------------------------------- */

typedef struct history {
    model model;
    tw_chain chain;
    tw_pool *pool;
    tw_cache *cache;
    tw_access access[MOST];
    bool granted[MOST];
} history;

static void enter(history *h, tw_mode mode, bool bad)
{
    int i = h->model.n;
    model_enter(&h->model, mode);
    h->model.bad[i] = bad && mode != TW_READ;
    tw_entry entry = tw_chain_enter(&h->chain, &h->access[i], mode, "a tile", h->pool, h->cache);
    bool may = model_granted(&h->model, i);
    tw_entry wanted = !may                                           ? TW_ENTRY_WAITS
                      : model_poisoned(&h->model, h->model.epoch[i]) ? TW_ENTRY_POISONED
                                                                     : TW_ENTRY_GRANTED;
    assert_int_equal(entry, wanted);
    h->granted[i] = may;
    assert_int_equal(tw_access_waits(&h->access[i]), !may);
}

static void leave(history *h, int i)
{
    model *m = &h->model;
    tw_grants grants = leave_chain(&h->access[i], m->bad[i], h->pool, h->cache);
    m->left[i] = true;
    m->poisoned[m->epoch[i]] |= m->bad[i];
    for (tw_access *a = grants.list; a; a = a->next) {
        int k = (int)(a - h->access);
        assert_in_range(k, 0, m->n - 1);
        assert_false(h->granted[k]);
        assert_int_equal(grants.poison != 0, model_poisoned(m, m->epoch[k]));
        h->granted[k] = true;
    }
    for (int k = 0; k < m->n; k++)
        assert_int_equal(h->granted[k], model_granted(m, k));
}

/* Do thing number `choice` of those that could happen next: an entry, or that one of the granted
 * accesses leaves. Returns how many things could happen. */
static int step(history *h, const tw_mode *modes, unsigned bad, int total, int choice)
{
    int things[MOST + 1], n = 0, entered = h->model.n;
    if (entered < total)
        things[n++] = -1;
    for (int i = 0; i < entered; i++)
        if (h->granted[i] && !h->model.left[i])
            things[n++] = i;
    if (things[choice] < 0)
        enter(h, modes[entered], bad >> entered & 1);
    else
        leave(h, things[choice]);
    return n;
}

/* Run every possible order of entries and leavings: count through the vectors of choices. */
static int run_all_orders(tw_pool *pool, tw_cache *cache, const tw_mode *modes, unsigned bad,
                          int total)
{
    int choice[2 * MOST] = {0}, options[2 * MOST], runs = 0, at;
    do {
        history h = {.pool = pool, .cache = cache};
        for (at = 0; at < 2 * total; at++)
            options[at] = step(&h, modes, bad, total, choice[at]);
        for (int i = 0; i < total; i++)
            assert_true(h.model.left[i]);
        tw_chain_close(&h.chain, pool, cache);
        runs++;
        for (at = 2 * total - 1; at >= 0 && ++choice[at] == options[at]; at--)
            choice[at] = 0;
    } while (at >= 0);
    return runs;
}

static void count_epoch(void *object, void *arg)
{
    (void)object;
    ++*(int *)arg;
}

static void run_all_modes(int total, bool poison)
{
    tw_pool pool;
    tw_cache cache = {0};
    tw_pool_open(&pool, sizeof(tw_epoch));
    for (int code = 0; code < 1 << 2 * total; code++) {
        tw_mode modes[MOST];
        for (int i = 0; i < total; i++)
            modes[i] = (tw_mode)(code >> 2 * i & 3);
        for (unsigned bad = 0; bad < (poison ? 1u << total : 1u); bad++)
            assert_true(run_all_orders(&pool, &cache, modes, bad, total) > 0);
    }
    /* thousands of histories, and never more records than one of them needs */
    int cut = 0;
    tw_pool_each(&pool, count_epoch, &cut);
    assert_in_range(cut, 1, TW_MAGAZINE);
    tw_cache_close(&cache);
    tw_pool_close(&pool);
}

TEST(every_history_of_five_accesses_is_granted_in_order_and_recycled)
{
    for (int total = 1; total <= (test_slow() ? 4 : 5); total++)
        run_all_modes(total, false);
}

TEST(poison_passes_on_and_stops_at_an_overwriting_access)
{
    for (int total = 1; total <= (test_slow() ? 3 : 4); total++)
        run_all_modes(total, true);
}

/* ---- tokens --------------------------------------------------------------------------------- */

TEST(the_token_of_commuting_accesses_goes_round_in_order)
{
    tw_pool pool;
    tw_cache cache = {0};
    tw_chain chain = {0};
    tw_access access[6];
    tw_pool_open(&pool, sizeof(tw_epoch));
    for (int i = 0; i < COUNT(access); i++)
        assert_int_equal(tw_chain_enter(&chain, &access[i], TW_COMMUTE, NULL, &pool, &cache),
                         TW_ENTRY_GRANTED);
    const int order[] = {3, 0, 5, 1, 4, 2};
    for (int i = 0; i < COUNT(order); i++)
        assert_int_equal(tw_token_take(&access[order[i]]), i == 0);
    for (int i = 0; i < COUNT(order); i++) {
        tw_access *heir = tw_token_give(&access[order[i]]);
        assert_ptr_equal(heir, i + 1 < COUNT(order) ? &access[order[i + 1]] : NULL);
        assert_null(leave_chain(&access[order[i]], false, &pool, &cache).list);
    }
    /* given back, it can be taken again */
    assert_int_equal(tw_chain_enter(&chain, &access[0], TW_COMMUTE, NULL, &pool, &cache),
                     TW_ENTRY_GRANTED);
    assert_true(tw_token_take(&access[0]));
    tw_cache_close(&cache);
    tw_pool_close(&pool);
}

/* ---- cures ---------------------------------------------------------------------------------- */

/* Whoever knows that a mark means nothing any more forgets that one, and no other. */
TEST(poison_is_cured_by_its_mark)
{
    const struct {
        uint32_t cured;
        tw_entry entry;
    } cases[] = {{7, TW_ENTRY_GRANTED}, {8, TW_ENTRY_POISONED}};
    for (int i = 0; i < COUNT(cases); i++) {
        tw_pool pool;
        tw_cache cache = {0};
        tw_chain chain = {0};
        tw_access bad, reader, next;
        tw_pool_open(&pool, sizeof(tw_epoch));
        tw_chain_enter(&chain, &bad, TW_UPDATE, NULL, &pool, &cache);
        assert_null(tw_chain_leave(&bad, 7));
        assert_int_equal(tw_chain_enter(&chain, &reader, TW_READ, NULL, &pool, &cache),
                         TW_ENTRY_POISONED);
        assert_int_equal(tw_access_poison(&reader), 7);
        tw_access_cure(&reader, cases[i].cured);
        assert_int_equal(tw_chain_enter(&chain, &next, TW_READ, NULL, &pool, &cache),
                         cases[i].entry);
        tw_cache_close(&cache);
        tw_pool_close(&pool);
    }
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { THREADS = 4 };

typedef struct contest {
    tw_pool pool;
    tw_chain chain;
    tw_lock lock; /* stands for the array's: entering needs it */
    int rounds;
    atomic_int readers, writers, violations;
} contest;

typedef struct entrant {
    tw_access access;
    atomic_bool granted;
} entrant;

static void grant_all(tw_access *list)
{
    while (list) {
        tw_access *next = list->next;
        atomic_store(&((entrant *)list)->granted, true);
        list = next;
    }
}

static void inside(contest *c, bool reads)
{
    if (reads) {
        atomic_fetch_add(&c->readers, 1);
        if (atomic_load(&c->writers))
            atomic_fetch_add(&c->violations, 1);
        atomic_fetch_sub(&c->readers, 1);
    } else {
        if (atomic_fetch_add(&c->writers, 1) || atomic_load(&c->readers))
            atomic_fetch_add(&c->violations, 1);
        atomic_fetch_sub(&c->writers, 1);
    }
}

static void *compete(void *arg)
{
    contest *c = arg;
    tw_cache cache = {0};
    uint64_t seed = (uint64_t)(uintptr_t)&cache;
    for (int i = 0; i < c->rounds; i++) {
        entrant e = {.granted = false};
        bool reads = test_random(&seed, 3) > 0;
        tw_lock_take(&c->lock);
        tw_entry entry = tw_chain_enter(&c->chain, &e.access, reads ? TW_READ : TW_UPDATE, NULL,
                                        &c->pool, &cache);
        tw_unlock(&c->lock);
        while (entry == TW_ENTRY_WAITS && !atomic_load(&e.granted))
            sched_yield();
        inside(c, reads);
        grant_all(leave_chain(&e.access, false, &c->pool, &cache).list);
    }
    tw_cache_close(&cache);
    return NULL;
}

TEST(threads_that_enter_and_leave_at_once_keep_writers_alone)
{
    contest c = {.rounds = test_slow() ? 1000 : 20000};
    pthread_t thread[THREADS];
    tw_pool_open(&c.pool, sizeof(tw_epoch));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, compete, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(atomic_load(&c.violations), 0);
    tw_pool_close(&c.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_history_of_five_accesses_is_granted_in_order_and_recycled),
        cmocka_unit_test(poison_passes_on_and_stops_at_an_overwriting_access),
        cmocka_unit_test(the_token_of_commuting_accesses_goes_round_in_order),
        cmocka_unit_test(poison_is_cured_by_its_mark),
        cmocka_unit_test(threads_that_enter_and_leave_at_once_keep_writers_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
