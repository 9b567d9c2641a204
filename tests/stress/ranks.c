/* Random inserted programs on several ranks of one process equal sequential execution.
 *
 * Tiles are numbers, dealt over a grid of one or two dimensions. All ranks insert the same program,
 * wait now and then, and compare their own tiles with the model. TW_PROGRAMS and TW_SEED choose
 * others. Under a launcher of MPI programs the ranks are processes (scripts/ranks). */
#include "support/ranks.h"
#include "base/mix.h"
#include "front/stf/ranks.h"
#include "support/limit.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4, COLS = 3, TILES = ROWS * COLS, MOST_ARGS = 4, TASKS = 60, ROUNDS = 3 };

typedef struct program {
    uint64_t seed;
    int64_t p, q, first;
    int64_t copies; /* of tiles of one rank that another one may have */
    int64_t early;  /* bytes of them that may come before their tasks */
} program;

typedef struct step {
    int nargs, tile[MOST_ARGS];
    twill_arg_kind kind[MOST_ARGS];
    uint64_t salt;
} step;

static step make_step(uint64_t *state)
{
    static const twill_arg_kind kinds[] = {TWILL_ARG_READ,    TWILL_ARG_READ,
                                           TWILL_ARG_WRITE,   TWILL_ARG_READ_WRITE,
                                           TWILL_ARG_COMMUTE, TWILL_ARG_REDUCE};
    step s = {.nargs = (int)test_random(state, MOST_ARGS + 1)};
    s.salt = tw_mix(test_random(state, INT32_MAX));
    for (int i = 0; i < s.nargs; i++) {
        s.tile[i] = (int)test_random(state, TILES);
        s.kind[i] = kinds[test_random(state, COUNT(kinds))];
    }
    return s;
}

/* What a task does to its numbers; those it adds to in any order it does not look at. */
static void apply(const step *s, uint64_t *const *data)
{
    uint64_t sum = s->salt;
    for (int i = 0; i < s->nargs; i++)
        if (s->kind[i] == TWILL_ARG_READ || s->kind[i] == TWILL_ARG_READ_WRITE)
            sum = tw_mix(sum ^ *data[i]);
    for (int i = 0; i < s->nargs; i++) {
        if (s->kind[i] == TWILL_ARG_WRITE)
            *data[i] = tw_mix(sum + (uint64_t)i);
        else if (s->kind[i] == TWILL_ARG_READ_WRITE)
            *data[i] ^= tw_mix(sum - (uint64_t)i);
        else if (s->kind[i] == TWILL_ARG_COMMUTE)
            *data[i] += s->salt;
        else if (s->kind[i] == TWILL_ARG_REDUCE)
            *data[i] += tw_mix(sum ^ (uint64_t)i);
    }
}

static twill_outcome step_body(twill_task *t)
{
    const step *s = twill_task_data(t, 0);
    uint64_t *data[MOST_ARGS];
    for (int i = 0; i < s->nargs; i++)
        data[i] = twill_task_data(t, i + 1);
    apply(s, data);
    return TWILL_DONE;
}

static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    *(uint64_t *)into = 0;
}

static void add(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                int64_t cols)
{
    (void)ld_into, (void)ld_from, (void)rows, (void)cols;
    *(uint64_t *)into += *(const uint64_t *)from;
}

static const twill_reduction plus = {
    .size = sizeof(twill_reduction), .name = "plus", .zero = zero, .combine = add};

static const twill_class step_class = {
    .size = sizeof(twill_class), .name = "step", .chores = {TWILL_CPU(step_body)}};

static twill_tile *tile_of(twill_array *a, int i)
{
    return twill_tile_at(a, i % ROWS, i / ROWS);
}

static void insert(twill_graph *g, twill_array *a, step s)
{
    twill_arg args[MOST_ARGS + 2] = {TWILL_VALUE(s)};
    for (int i = 0; i < s.nargs; i++)
        args[i + 1] = s.kind[i] == TWILL_ARG_REDUCE
                          ? TWILL_REDUCE(tile_of(a, s.tile[i]), &plus)
                          : twill_arg_tile(s.kind[i], tile_of(a, s.tile[i]));
    args[s.nargs + 1] = TWILL_END;
    OK(twill_insert_args(g, &step_class, args));
}

/* This rank's tiles are what the model says. */
static void check(twill_array *a, const uint64_t *model)
{
    for (int i = 0; i < TILES; i++) {
        void *data;
        int64_t ld;
        twill_view v = twill_view_tile(a, i % ROWS, i / ROWS);
        if (twill_owner_at(a, i % ROWS, i / ROWS) != twill_rank(twill_array_context(a)))
            continue;
        OK(twill_map(v, TWILL_READ, &data, &ld));
        assert_int_equal(*(uint64_t *)data, model[i]);
        OK(twill_unmap(v, data));
    }
}

static void run(twill *tw, void *arg)
{
    const program *x = arg;
    uint64_t state = x->seed, model[TILES] = {0};
    twill_pattern p = twill_block_cyclic(ROWS, COLS, 1, 1, x->p, x->q);
    p.source[0] = x->first % x->p;
    p.source[1] = x->first % x->q;
    twill_array *a;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(uint64_t), &a));
    OK(twill_stf_begin(tw, &g));
    ((tw_stf_ranks *)g->front)->most = x->copies;
    ((tw_stf_ranks *)g->front)->most_early = x->early;
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < TASKS; k++) {
            step s = make_step(&state);
            uint64_t *data[MOST_ARGS];
            /* a tile that is named twice would be two numbers of the model */
            for (int i = 1; i < s.nargs; i++)
                for (int j = 0; j < i; j++)
                    if (s.tile[i] == s.tile[j])
                        s.nargs = i;
            for (int i = 0; i < s.nargs; i++)
                data[i] = &model[s.tile[i]];
            apply(&s, data);
            test_call();
            insert(g, a, s);
        }
        OK(twill_wait(g));
        check(a, model);
    }
    twill_graph_free(g);
    twill_array_free(a);
}

/* ---- failures ------------------------------------------------------------------------------ */

static twill_outcome copy_body(twill_task *t)
{
    *(uint64_t *)twill_task_data(t, 1) = *(const uint64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static twill_outcome set_body(twill_task *t)
{
    *(uint64_t *)twill_task_data(t, 0) = (uint64_t)twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome slow_failure(twill_task *t)
{
    test_sleep_ms(5); /* what others send has come meanwhile */
    return twill_task_fail(t, "on purpose");
}

static const twill_class copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};
static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class fail_class = {
    .size = sizeof(twill_class), .name = "fail", .chores = {TWILL_CPU(slow_failure)}};

/* Rank 0 sends tile 0 to rank 1, where a task before the one that wants it fails: so nobody
 * receives it. The next run has a transfer of the same number, and other bytes. */
static void fail_once(twill *tw, void *arg)
{
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){2}, (int64_t[]){1}, (int64_t[]){2});
    twill_array *a;
    twill_graph *g;
    (void)arg;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(uint64_t), &a));
    OK(twill_stf_begin(tw, &g));
    twill_tile *zero = twill_tile_at(a, 0, 0), *one = twill_tile_at(a, 1, 0);
    for (int64_t run = 0; run < 6; run++) {
        bool fails = run % 2 == 0;
        twill_insert(g, &set_class, TWILL_W(zero), TWILL_INT(100 + run));
        twill_insert(g, fails ? &fail_class : &set_class, TWILL_W(one), TWILL_INT(run));
        twill_insert(g, &copy_class, TWILL_R(zero), TWILL_RW(one));
        twill_status status = twill_wait(g);
        assert_int_equal(status, fails ? TWILL_ERR_TASK : TWILL_OK);
        if (!fails && twill_rank(tw) == 1)
            assert_int_equal(test_get(a, 1), 100 + run);
    }
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(a_failed_run_leaves_nothing_to_the_next)
{
    limit_begin(NULL, 60, "runs that fail");
    for (int i = 0; i < 10; i++)
        test_on_ranks(&(test_ranks){.ranks = 2, .workers = 1 + i % 2}, fail_once, NULL);
    limit_end();
}

/* -------------------------------------------------------------------------------------------- */

static int64_t setting(const char *name, int64_t fallback)
{
    const char *text = getenv(name);
    return text ? atoll(text) : fallback;
}

TEST(random_programs_on_ranks_equal_sequential_execution)
{
    static const struct {
        int64_t p, q;
    } grids[] = {{1, 1}, {2, 1}, {1, 3}, {2, 2}, {3, 2}, {4, 1},
                 {1, 2}, {2, 3}, {5, 1}, {1, 7}, {2, 4}, {8, 1}};
    int64_t programs = setting("TW_PROGRAMS", test_slow() ? 8 : 40);
    uint64_t seed = (uint64_t)setting("TW_SEED", 1);
    for (int64_t i = 0; i < programs; i++) {
        program x = {.seed = tw_mix(seed + (uint64_t)i),
                     .p = grids[i % COUNT(grids)].p,
                     .q = grids[i % COUNT(grids)].q,
                     .first = i % 5,
                     .early = i % 3 ? (int64_t)sizeof(uint64_t) * (i % 5) : TW_STF_EARLY,
                     .copies = i % 7 ? 1 + i % 4 : TW_STF_COPIES};
        test_ranks setup = {
            .ranks = (int)(x.p * x.q),
            .workers = test_launched() ? 1 : 1 + (int)(i % 3),
            .sched = i % 4 == 3 ? "rand" : "lws",
            .network = {.seed = x.seed, .delay = (unsigned)(i % 3) * 4, .reorder = true}};
        limit_begin(NULL, 60, "program %lld", (long long)i);
        test_on_ranks(&setup, run, &x);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_run_leaves_nothing_to_the_next),
        cmocka_unit_test(random_programs_on_ranks_equal_sequential_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
