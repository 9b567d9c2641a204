/* Parameterised graphs on several ranks of one process: what they compute, late ranks, runs in a
 * row, graphs side by side, and failures. The graphs are in steps.jdf and late.jdf. */
#include "support/limit.h"
#include "support/ranks.h"

#include "late.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIMIT = 200, MOST = 8, B = 3, LIKE_BELOW = -1 };

static void nap(int64_t us)
{
    nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
}

static int rounds(int n)
{
    return test_slow() ? (n + 4) / 5 : n;
}

/* ---- arrays -------------------------------------------------------------------------------- */

/* So many tiles with a number each, over all ranks in turn. */
static twill_array *numbers(twill *tw, int64_t n, int ranks)
{
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){n}, (int64_t[]){1}, (int64_t[]){ranks});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static bool is_mine(twill_array *a, int64_t i, int64_t j)
{
    return twill_owner_at(a, i, j) == twill_rank(twill_array_context(a));
}

static void set(twill_array *a, int64_t i, int64_t number)
{
    void *data;
    int64_t ld;
    if (!is_mine(a, i, 0))
        return;
    OK(twill_map(twill_view_tile(a, i, 0), TWILL_WRITE, &data, &ld));
    *(int64_t *)data = number;
    OK(twill_unmap(twill_view_tile(a, i, 0), data));
}

static void expect(twill_array *a, int64_t i, int64_t number)
{
    void *data;
    int64_t ld;
    if (!is_mine(a, i, 0))
        return;
    OK(twill_map(twill_view_tile(a, i, 0), TWILL_READ, &data, &ld));
    assert_int_equal(*(int64_t *)data, number);
    OK(twill_unmap(twill_view_tile(a, i, 0), data));
}

/* ---- steps.jdf ----------------------------------------------------------------------------- */

/* What all ranks share. */
typedef struct plan {
    int ranks, runs, graphs;
    int64_t n, quiet;
    int64_t fails, cancels; /* steps of the first run; -1: none */
    int early;              /* a rank that cancels before the first run; -1: none */
    int late;               /* a rank that comes later than others; -1: none */
    twill_status status;    /* of the first run */
    const char *says;
} plan;

static const plan plain = {.ranks = 3,
                           .runs = 3,
                           .graphs = 1,
                           .n = MOST,
                           .quiet = -1,
                           .fails = -1,
                           .cancels = -1,
                           .early = -1,
                           .late = -1};

/* One rank of it; bodies get this. */
typedef struct side {
    const plan *plan;
    twill *tw;
    twill_array *a[2], *b[2];
    twill_graph *g[2];
    atomic_int ran, run;
} side;

twill_outcome take_step(twill_task *t, void *arg, int64_t k);
twill_outcome take_step(twill_task *t, void *arg, int64_t k)
{
    side *x = arg;
    bool first = x->run == 0;
    atomic_fetch_add(&x->ran, 1);
    if (first && k == x->plan->cancels)
        twill_cancel(x->g[0]);
    return first && k == x->plan->fails ? twill_task_fail(t, "as asked") : TWILL_DONE;
}

static void lag(const side *x)
{
    if (twill_rank(x->tw) == x->plan->late)
        nap(20000);
}

static void open_side(side *x, twill *tw, const plan *p)
{
    *x = (side){.plan = p, .tw = tw};
    for (int i = 0; i < p->graphs; i++) {
        x->a[i] = numbers(tw, p->n, p->ranks);
        x->b[i] = numbers(tw, p->n, p->ranks);
        lag(x);
        OK(twill_steps_new(tw, p->n, p->quiet, x->a[i], x->b[i], x, &x->g[i]));
    }
}

static void begin_run(side *x)
{
    const plan *p = x->plan;
    for (int i = 0; i < p->graphs; i++) {
        set(x->a[i], 0, 100 * i + x->run);
        if (x->run == 0 && p->early == twill_rank(x->tw))
            twill_cancel(x->g[i]);
        lag(x);
        OK(twill_ptg_run(x->g[i]));
    }
}

static void end_run(side *x)
{
    const plan *p = x->plan;
    for (int i = 0; i < p->graphs; i++) {
        if (x->run == 0 && p->status != TWILL_OK) {
            REFUSED(twill_wait(x->g[i]), p->status, p->says);
            continue;
        }
        OK(twill_wait(x->g[i]));
        expect(x->b[i], 0, 100 * i + x->run + p->n * (p->n + 1) / 2);
        expect(x->b[i], 1, 100 * i + x->run + p->n * (p->n + 1) / 2);
    }
}

static void play(twill *tw, void *arg)
{
    side x;
    open_side(&x, tw, arg);
    for (; x.run < x.plan->runs; x.run++) {
        begin_run(&x);
        end_run(&x);
    }
    for (int i = 0; i < x.plan->graphs; i++)
        twill_graph_free(x.g[i]);
}

static void act(plan p, int seed)
{
    test_ranks setup = {
        .ranks = p.ranks,
        .workers = 1 + seed % 3,
        .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed % 5, .reorder = seed % 2}};
    test_on_ranks(&setup, play, &p);
}

TEST(a_chain_goes_from_rank_to_rank)
{
    limit_begin(NULL, LIMIT, "chains over ranks");
    for (int ranks = 1; ranks <= 6; ranks++)
        for (int seed = 0; seed < rounds(5); seed++) {
            plan p = plain;
            p.ranks = ranks;
            act(p, seed);
        }
    limit_end();
}

TEST(ranks_that_own_nothing_take_part)
{
    limit_begin(NULL, LIMIT, "empty ranks");
    for (int seed = 0; seed < rounds(5); seed++) {
        plan p = plain;
        p.ranks = 6;
        p.n = 2;
        act(p, seed);
    }
    limit_end();
}

/* Whoever is done begins the next run, while others are still at the one before. */
TEST(runs_follow_each_other)
{
    limit_begin(NULL, LIMIT, "many runs");
    for (int seed = 0; seed < 2; seed++) {
        plan p = plain;
        p.runs = rounds(100);
        act(p, seed);
    }
    limit_end();
}

TEST(a_rank_may_come_late)
{
    limit_begin(NULL, LIMIT, "late ranks");
    for (int late = 0; late < 3; late++)
        for (int graphs = 1; graphs <= 2; graphs++) {
            plan p = plain;
            p.late = late;
            p.graphs = graphs;
            act(p, late);
        }
    limit_end();
}

TEST(graphs_run_side_by_side)
{
    limit_begin(NULL, LIMIT, "two graphs");
    for (int seed = 0; seed < rounds(10); seed++) {
        plan p = plain;
        p.graphs = 2;
        p.runs = 5;
        act(p, seed);
    }
    limit_end();
}

TEST(a_step_that_fails_fails_everywhere)
{
    limit_begin(NULL, LIMIT, "failing steps");
    for (int64_t k = 0; k < MOST; k++)
        for (int ranks = 1; ranks <= 4; ranks++) {
            plan p = plain;
            p.ranks = ranks;
            p.fails = k;
            p.status = TWILL_ERR_TASK;
            p.says = "as asked";
            act(p, (int)k);
        }
    limit_end();
}

TEST(what_one_rank_cancels_is_canceled_everywhere)
{
    limit_begin(NULL, LIMIT, "canceled graphs");
    for (int64_t k = 0; k < MOST; k++) {
        plan p = plain;
        p.status = TWILL_ERR_CANCELED;
        p.says = "canceled";
        p.cancels = k;
        act(p, (int)k);
        p.cancels = -1;
        p.early = (int)k % p.ranks;
        act(p, (int)k);
    }
    limit_end();
}

TEST(a_graph_is_stuck_on_all_ranks)
{
    limit_begin(NULL, LIMIT, "stuck graphs");
    for (int ranks = 1; ranks <= 4; ranks++) {
        plan p = plain;
        p.ranks = ranks;
        p.runs = 1;
        p.quiet = p.n - 2; /* the last step and FINISH wait: on some ranks nothing does */
        p.status = TWILL_ERR_STUCK;
        p.says = "stuck with";
        act(p, ranks);
    }
    limit_end();
}

/* ---- late failures ------------------------------------------------------------------------- */

/* A rank cancels at any time: others may learn of it when their run is over and the graph gone. */
static void cancel_late(twill *tw, void *arg)
{
    const plan *p = arg;
    for (int i = 0; i < rounds(60); i++) {
        side x;
        open_side(&x, tw, p);
        begin_run(&x);
        if (twill_rank(tw) == i % p->ranks) {
            nap(i * 7 % 300);
            twill_cancel(x.g[0]);
        }
        twill_status status = twill_wait(x.g[0]);
        assert_true(status == TWILL_OK || status == TWILL_ERR_CANCELED);
        twill_graph_free(x.g[0]);
        twill_array_free(x.a[0]);
        twill_array_free(x.b[0]);
    }
}

TEST(a_graph_may_be_canceled_when_it_ends)
{
    limit_begin(NULL, LIMIT, "late cancels");
    for (int seed = 0; seed < rounds(5); seed++) {
        plan p = plain;
        test_ranks setup = {.ranks = p.ranks,
                            .workers = 2,
                            .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed * 4}};
        test_on_ranks(&setup, cancel_late, &p);
    }
    limit_end();
}

/* ---- late.jdf ------------------------------------------------------------------------------ */

int64_t sum_of(const twill_flow *t);
void add_to(const twill_flow *t, int64_t what);

/* Of what is on and below the diagonal. */
int64_t sum_of(const twill_flow *t)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = j; i < t->rows; i++)
            sum += ((int64_t *)t->data)[i + j * t->ld];
    return sum;
}

void add_to(const twill_flow *t, int64_t what)
{
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            ((int64_t *)t->data)[i + j * t->ld] += what;
}

typedef struct tiles {
    twill *tw;
    twill_array *a, *c, *d, *t, *u;
    int64_t n;
} tiles;

/* Element i, j of a tile at first. */
static int64_t at_first(int64_t k, int64_t i, int64_t j)
{
    return 100 * k + 10 * i + j;
}

/* Fill the tiles of this rank, or see that they have so much more on and below the diagonal, if
 * `below` tells how much, and so much above it. */
static void look(twill_array *a, bool fill, int64_t (*below)(int64_t k), int64_t above)
{
    const twill_pattern *p = twill_array_pattern(a);
    for (int64_t tj = 0; tj < twill_pattern_blocks(p, 1); tj++)
        for (int64_t k = 0; k < twill_pattern_blocks(p, 0); k++) {
            twill_view v = twill_view_tile(a, k, tj);
            int64_t ld;
            void *data;
            if (!is_mine(a, k, tj))
                continue;
            OK(twill_map(v, fill ? TWILL_WRITE : TWILL_READ, &data, &ld));
            for (int64_t j = 0; j < v.extent[1]; j++)
                for (int64_t i = 0; i < v.extent[0]; i++) {
                    int64_t *here = (int64_t *)data + i + j * ld;
                    bool like = i >= j || above == LIKE_BELOW;
                    int64_t more = like && below ? below(k) : above;
                    if (fill)
                        *here = at_first(k, i, j);
                    else if (i < j || below)
                        assert_int_equal(*here, at_first(k, i, j) + more);
                }
            OK(twill_unmap(v, data));
        }
}

static int64_t added_to_leaf(int64_t k)
{
    int64_t sum = 100;
    for (int64_t j = 0; j < B; j++)
        for (int64_t i = j; i < B; i++)
            sum += at_first(k, i, j) + 1;
    return sum;
}

static void fill(const tiles *x, int64_t run)
{
    for (int64_t k = 0; k < x->n; k++) {
        set(x->a, k, 10 * run + k);
        set(x->c, k, -1);
        set(x->d, k, -1);
    }
    look(x->t, true, NULL, 0);
    look(x->u, true, NULL, 0);
}

static void check(const tiles *x, int64_t run)
{
    for (int64_t k = 0; k < x->n; k++) {
        expect(x->a, k, 3 * (1000 + 10 * run + k));
        expect(x->c, (k + 1) % x->n, 1000 + 10 * run + k);
    }
    look(x->t, false, NULL, 1);
    look(x->u, false, added_to_leaf, LIKE_BELOW);
}

static twill_array *squares(twill *tw, int64_t rows, int64_t cols, int ranks)
{
    twill_array *a = NULL;
    twill_pattern p = twill_block_cyclic(rows * B, cols * B, B, B, ranks, 1);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static void store_and_take(twill *tw, void *arg)
{
    static const twill_datatype lower = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_LOWER};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_STRICTLY_UPPER};
    int ranks = *(int *)arg;
    tiles x = {.tw = tw, .n = 5};
    twill_graph *g;
    x.a = numbers(tw, x.n, ranks);
    x.c = numbers(tw, x.n, ranks);
    x.d = numbers(tw, x.n, ranks);
    x.t = squares(tw, x.n, 1, ranks);
    x.u = squares(tw, x.n, x.n, 1);
    OK(twill_late_new(tw, x.n, x.a, x.c, x.d, x.t, x.u, &lower, &upper, &g));
    for (int64_t run = 0; run < 4; run++) {
        fill(&x, run);
        OK(twill_ptg_run(g));
        OK(twill_wait(g));
        check(&x, run);
    }
    twill_graph_free(g);
}

TEST(what_is_stored_is_there_for_whoever_comes_after)
{
    limit_begin(NULL, LIMIT, "late reads");
    for (int ranks = 1; ranks <= 5; ranks++)
        for (int seed = 0; seed < rounds(8); seed++) {
            test_ranks setup = {
                .ranks = ranks,
                .workers = 1 + seed % 3,
                .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed % 7, .reorder = true}};
            test_on_ranks(&setup, store_and_take, &ranks);
        }
    limit_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_goes_from_rank_to_rank),
        cmocka_unit_test(ranks_that_own_nothing_take_part),
        cmocka_unit_test(runs_follow_each_other),
        cmocka_unit_test(a_rank_may_come_late),
        cmocka_unit_test(graphs_run_side_by_side),
        cmocka_unit_test(a_step_that_fails_fails_everywhere),
        cmocka_unit_test(what_one_rank_cancels_is_canceled_everywhere),
        cmocka_unit_test(a_graph_is_stuck_on_all_ranks),
        cmocka_unit_test(a_graph_may_be_canceled_when_it_ends),
        cmocka_unit_test(what_is_stored_is_there_for_whoever_comes_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
