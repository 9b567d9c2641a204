/* Random programs that fail or are canceled: nothing hangs, nothing runs afterwards, what ran is
 * what could run, and graph and data are good again.
 *
 * A body either does all of its work or, when it is made to fail, nothing. A failed graph starts no
 * body any more; so those that ran are a set closed under "has to run before", and the data is
 * what these, in program order, leave. TW_PROGRAMS, TW_SEED, TW_WORKERS and TW_SHADOW are those of
 * stress.programs. */
#include "base/mix.h"
#include "support/foreign.h"
#include "support/limit.h"
#include "support/shadow.h"
#include "support/test.h"

#include <stdlib.h>

enum { TILES = 6, MOST_ARGS = 3, MOST_TASKS = 120, PER_CONTEXT = 50, SECONDS = 30 };

typedef enum manner {
    GOOD,
    GOOD_ASYNC,
    FAILS,        /* and says why */
    FAILS_MUTELY, /* and does not */
    FAILS_NUMERICALLY,
    FAILS_LATER,   /* as an ASYNC task */
    FAILS_INSIDE,  /* in a nested graph */
    FAILS_IN_TEAM, /* one member does */
    MANNERS
} manner;

typedef struct job {
    manner manner;
    int nargs, tile[MOST_ARGS];
    twill_arg_kind kind[MOST_ARGS];
    uint64_t salt;
    foreign *foreign;
    atomic_bool ran;
} job;

typedef struct trial {
    twill *tw;
    twill_graph *g;
    twill_array *a;
    foreign *foreign;
    uint64_t state;
    int n;
    job job[MOST_TASKS];
    int64_t model[TILES];
} trial;

static atomic_int started;

/* ---- bodies ------------------------------------------------------------------------------------
 */

static job *job_of(twill_task *t)
{
    return *(job **)twill_task_data(t, 0);
}

static void apply(const job *j, int64_t *const *data)
{
    uint64_t digest = j->salt;
    for (int k = 0; k < j->nargs; k++)
        if (j->kind[k] == TWILL_ARG_READ || j->kind[k] == TWILL_ARG_READ_WRITE)
            digest = tw_mix(digest ^ (uint64_t)*data[k]);
    for (int k = 0; k < j->nargs; k++) {
        uint64_t number = tw_mix(digest + (uint64_t)k);
        if (j->kind[k] == TWILL_ARG_COMMUTE)
            *data[k] = (int64_t)((uint64_t)*data[k] + number);
        else if (j->kind[k] != TWILL_ARG_READ)
            *data[k] = (int64_t)number;
    }
}

static twill_status work(twill_task *t)
{
    job *j = job_of(t);
    int64_t *data[MOST_ARGS];
    if (j->manner == FAILS_LATER)
        return TWILL_ERR_SYSTEM;
    for (int k = 0; k < j->nargs; k++)
        data[k] = twill_task_data(t, k + 1);
    apply(j, data);
    atomic_store(&j->ran, true);
    return TWILL_OK;
}

static twill_outcome nested_failure(twill_task *t)
{
    twill_graph *g;
    if (twill_nest(t, &g) != TWILL_OK)
        return TWILL_ERROR;
    int number = 0;
    for (int i = 0; i < 3; i++)
        (void)twill_insert(g, &test_planted, TWILL_INT(number));
    return twill_nest_end(g);
}

static twill_outcome body(twill_task *t)
{
    job *j = job_of(t);
    atomic_fetch_add(&started, 1);
    switch (j->manner) {
    case GOOD_ASYNC:
    case FAILS_LATER:
        foreign_give(j->foreign, t);
        return TWILL_ASYNC;
    case FAILS:
        return twill_task_fail(t, "planted");
    case FAILS_MUTELY:
        return TWILL_ERROR;
    case FAILS_NUMERICALLY:
        return twill_task_numerical(t, 1 + (int64_t)(j->salt % 100));
    case FAILS_INSIDE:
        return nested_failure(t);
    default:
        work(t);
        return TWILL_DONE;
    }
}

static twill_outcome failing_team(twill_task *t, twill_team *team)
{
    if (twill_team_rank(team) == 0)
        atomic_fetch_add(&started, 1);
    twill_team_barrier(team);
    return twill_team_rank(team) == twill_team_size(team) - 1 ? twill_task_fail(t, "planted")
                                                              : TWILL_DONE;
}

static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(body)}};
static const twill_class team = {
    .size = sizeof(twill_class), .name = "team", .chores = {TWILL_TEAM(failing_team, 2)}};

/* ---- making and running ------------------------------------------------------------------------
 */

static void make_job(trial *r, job *j, bool may_fail)
{
    static const twill_arg_kind kinds[] = {TWILL_ARG_READ, TWILL_ARG_READ, TWILL_ARG_WRITE,
                                           TWILL_ARG_READ_WRITE, TWILL_ARG_COMMUTE};
    *j = (job){.foreign = r->foreign, .salt = test_random(&r->state, UINT32_MAX)};
    j->manner = test_random(&r->state, 10) ? GOOD : GOOD_ASYNC;
    if (may_fail && test_random(&r->state, 40) == 0)
        j->manner = (manner)(FAILS + test_random(&r->state, MANNERS - FAILS));
    int first = (int)test_random(&r->state, TILES);
    j->nargs = 1 + (int)test_random(&r->state, MOST_ARGS);
    for (int k = 0; k < j->nargs; k++) {
        j->tile[k] = (first + k) % TILES;
        j->kind[k] = kinds[test_random(&r->state, COUNT(kinds))];
    }
}

static twill_status insert(trial *r, job *j)
{
    twill_arg args[MOST_ARGS + 2] = {TWILL_VALUE(j)};
    for (int k = 0; k < j->nargs; k++)
        args[k + 1] = twill_arg_tile(j->kind[k], twill_tile_at(r->a, j->tile[k], 0));
    args[j->nargs + 1] = TWILL_END;
    return twill_insert_args(r->g, j->manner == FAILS_IN_TEAM ? &team : &plain, args);
}

/* Insert until the graph has failed, and a little longer. True when something was made to fail. */
static bool insert_all(trial *r, bool may_fail)
{
    int cancel_at = may_fail ? (int)test_random(&r->state, 2 * MOST_TASKS) : -1;
    bool planted = false;
    int refused = 0;
    r->n = 0;
    while (r->n < MOST_TASKS && refused < 3) {
        job *j = &r->job[r->n];
        if (r->n == cancel_at) {
            twill_cancel(r->g);
            planted = true;
        }
        make_job(r, j, may_fail);
        twill_status status = insert(r, j);
        if (status == TWILL_OK) {
            planted |= j->manner >= FAILS;
            r->n++;
        } else {
            assert_true(planted);
            refused++;
        }
    }
    return planted;
}

/* ---- checking ----------------------------------------------------------------------------------
 */

static bool ordered(const job *a, const job *b)
{
    for (int i = 0; i < a->nargs; i++)
        for (int k = 0; k < b->nargs; k++)
            if (a->tile[i] == b->tile[k] &&
                (a->kind[i] != b->kind[k] ||
                 (a->kind[i] != TWILL_ARG_READ && a->kind[i] != TWILL_ARG_COMMUTE)))
                return true;
    return false;
}

static void check_closed(const trial *r)
{
    for (int k = 0; k < r->n; k++)
        for (int i = 0; i < k && atomic_load(&r->job[k].ran); i++)
            if (ordered(&r->job[i], &r->job[k]) && !atomic_load(&r->job[i].ran))
                fail_msg("task %d ran, and task %d, which comes before it, did not", k, i);
}

static void check_data(trial *r)
{
    for (int k = 0; k < r->n; k++) {
        int64_t *data[MOST_ARGS];
        for (int i = 0; i < r->job[k].nargs; i++)
            data[i] = &r->model[r->job[k].tile[i]];
        if (atomic_load(&r->job[k].ran))
            apply(&r->job[k], data);
    }
    for (int i = 0; i < TILES; i++)
        assert_int_equal(test_get(r->a, i), r->model[i]);
}

static void check_failure(trial *r, bool planted)
{
    twill_status status = twill_wait(r->g);
    int now = atomic_load(&started);
    if (planted)
        assert_true(status == TWILL_ERR_TASK || status == TWILL_ERR_NUMERICAL ||
                    status == TWILL_ERR_SYSTEM || status == TWILL_ERR_CANCELED);
    else
        assert_int_equal(status, TWILL_OK);
    if (status == TWILL_ERR_NUMERICAL)
        assert_in_range(twill_graph_info(r->g), 1, 100);
    check_closed(r);
    check_data(r);
    assert_int_equal(atomic_load(&started), now);
    OK(twill_wait(r->g));
}

static void run(uint64_t seed, twill *tw, foreign *f)
{
    trial *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->state = seed * 1000003;
    r->tw = tw;
    r->foreign = f;
    r->a = test_integers(tw, TILES);
    OK(twill_stf_begin(tw, &r->g));
    for (int i = 0; i < 3; i++) {
        check_failure(r, insert_all(r, i != 1));
        if (i == 1) /* everything ran, as after no failure */
            for (int k = 0; k < r->n; k++)
                assert_true(atomic_load(&r->job[k].ran));
    }
    twill_graph_free(r->g);
    twill_array_free(r->a);
    free(r);
}

/* Some of the programs of a setup in one context; returns the seed to go on with. */
static uint64_t run_some(const test_setup *setup, uint64_t seed, uint64_t end)
{
    char shadow[SHADOW_TEXT];
    int workers = (int)limit_pick("TW_WORKERS", tw_mix(seed), setup->workers);
    limit_begin(NULL, SECONDS, "starting, seed %llu", (unsigned long long)seed);
    twill *tw = test_start_with((twill_options){.size = sizeof(twill_options),
                                                .workers = workers,
                                                .sched = setup->sched,
                                                .bind = "off",
                                                .shadow = shadow_pick(shadow, seed)});
    foreign *f = foreign_start(1, seed, work);
    for (int i = 0; i < PER_CONTEXT && seed < end; i++, seed += (uint64_t)test_nsetups) {
        limit_begin(tw, SECONDS, "seed %llu, scheduler %s, %d workers, shadow %s",
                    (unsigned long long)seed, setup->sched, workers, shadow);
        run(seed, tw, f);
    }
    foreign_stop(f);
    twill_stop(tw);
    limit_end();
    return seed;
}

TEST(what_ran_is_what_could_run)
{
    uint64_t first = (uint64_t)limit_number("TW_SEED", 1);
    uint64_t end = first + (uint64_t)limit_number("TW_PROGRAMS", test_slow() ? 60 : 600);
    for (int s = 0; s < test_nsetups; s++)
        for (uint64_t seed = first + (uint64_t)s; seed < end;)
            seed = run_some(&test_setups[s], seed, end);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LIMITED_TEST(what_ran_is_what_could_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
