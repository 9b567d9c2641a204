/* Graphs on two ranks that run out of memory: both get an error or none does, nobody waits for
 * ever, and the next run is as good as new. The parameterised graph is in late.jdf; the other one
 * is by insertion. */
#include "support/ranks.h"
#include "support/inject.h"
#include "support/limit.h"

#include "front/stf/ranks.h"
#include "late.h"

#include <pthread.h>
#include <twill/lu.h>

enum { N = 3, RANKS = 2, B = 3 };

int64_t sum_of(const twill_flow *t);
void add_to(const twill_flow *t, int64_t what);

int64_t sum_of(const twill_flow *t)
{
    return *(int64_t *)t->data;
}

void add_to(const twill_flow *t, int64_t what)
{
    *(int64_t *)t->data += what;
}

/* Requests `first` to `first` + `n` - 1 of both ranks together are refused during the first run. */
typedef struct shortage {
    int64_t first, n, refused;
    int workers;
    void (*act)(twill *tw, void *shortage);
    twill_status status[RANKS];
    pthread_barrier_t all;
} shortage;

static twill_array *numbers(twill *tw)
{
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){1}, (int64_t[]){RANKS});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static twill_array *squares(twill *tw, int64_t cols)
{
    twill_array *a = NULL;
    twill_pattern p = twill_block_cyclic(N * B, cols * B, B, B, RANKS, 1);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static void exchange(twill_array *a, bool fill)
{
    for (int64_t k = 0; k < N; k++) {
        void *data;
        int64_t ld;
        twill_view v = twill_view_tile(a, k, 0);
        if (twill_owner_at(a, k, 0) != twill_rank(twill_array_context(a)))
            continue;
        OK(twill_map(v, fill ? TWILL_WRITE : TWILL_READ, &data, &ld));
        if (fill)
            *(int64_t *)data = k;
        else
            assert_int_equal(*(int64_t *)data, 3 * (1000 + k));
        OK(twill_unmap(v, data));
    }
}

static void run_short(twill *tw, shortage *s, twill_status (*run)(twill_graph *g, void *arg),
                      twill_graph *g, void *arg)
{
    pthread_barrier_wait(&s->all);
    if (twill_rank(tw) == 0)
        inject_again(s->first, s->n);
    pthread_barrier_wait(&s->all);
    s->status[twill_rank(tw)] = run(g, arg);
    pthread_barrier_wait(&s->all);
    if (twill_rank(tw) == 0) {
        s->refused = inject_refused();
        inject_end();
    }
    pthread_barrier_wait(&s->all);
}

/* ---- a parameterised graph ----------------------------------------------------------------- */

static twill_status run(twill_graph *g, void *arg)
{
    (void)arg;
    twill_status status = twill_ptg_run(g);
    return status == TWILL_OK ? twill_wait(g) : status;
}

static void run_late(twill *tw, void *arg)
{
    static const twill_datatype lower = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_LOWER};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_STRICTLY_UPPER};
    shortage *s = arg;
    twill_array *a = numbers(tw), *c = numbers(tw), *d = numbers(tw);
    twill_graph *g;
    OK(twill_late_new(tw, N, a, c, d, squares(tw, 1), squares(tw, N), &lower, &upper, &g));
    exchange(a, true);
    run_short(tw, s, run, g, NULL);
    if (s->status[twill_rank(tw)] == TWILL_OK)
        exchange(a, false);
    exchange(a, true);
    OK(run(g, NULL));
    exchange(a, false);
    twill_graph_free(g);
}

/* ---- insertion ------------------------------------------------------------------------------ */

enum { TILES = 6 };

static twill_outcome set_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) += *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class add_class = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* Tile 0 becomes the sum of others, twice and by a reduction; with copies that are forgotten, and
 * tiles that another rank writes first. It goes on whatever the insertions return. */
static twill_status insert(twill_graph *g, void *arg)
{
    twill_array *a = arg;
    twill_tile *sum = twill_tile_at(a, 0, 0);
    (void)twill_insert(g, &set_class, TWILL_W(sum), TWILL_INT(0));
    for (int64_t i = 1; i < TILES; i++)
        (void)twill_insert(g, &set_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(i));
    for (int64_t i = 1; i < TILES; i++)
        (void)twill_insert(g, &add_class, TWILL_R(twill_tile_at(a, i, 0)),
                           TWILL_REDUCE(sum, &test_plus));
    for (int64_t i = 1; i < TILES; i++)
        (void)twill_insert(g, &add_class, TWILL_R(twill_tile_at(a, i, 0)), TWILL_RW(sum));
    (void)twill_insert(g, &add_class, TWILL_R(sum),
                       TWILL_REDUCE(twill_tile_at(a, 1, 0), &test_plus));
    return twill_wait(g);
}

static void check_sum(twill_array *a)
{
    int64_t sum = TILES * (TILES - 1);
    if (twill_rank(twill_array_context(a)) == 0)
        assert_int_equal(test_get(a, 0), sum);
    else
        assert_int_equal(test_get(a, 1), sum + 1);
}

static void run_inserted(twill *tw, void *arg)
{
    shortage *s = arg;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){TILES}, (int64_t[]){1}, (int64_t[]){RANKS});
    twill_array *a;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_stf_begin(tw, &g));
    ((tw_stf_ranks *)g->front)->most = 1;
    run_short(tw, s, insert, g, a);
    if (s->status[twill_rank(tw)] == TWILL_OK)
        check_sum(a);
    OK(insert(g, a));
    check_sum(a);
    twill_graph_free(g);
    twill_array_free(a);
}

/* ---- LU, whose panels send messages --------------------------------------------------------- */

enum { ORDER = 6, ORDER_NB = 2 };

typedef struct factors {
    twill_array *a, *ipiv;
} factors;

static twill_status factor(twill_graph *g, void *arg)
{
    const factors *f = arg;
    twill_status status = twill_getrf_insert(g, f->a, f->ipiv, NULL), waited = twill_wait(g);
    return status == TWILL_OK ? waited : status;
}

/* Ones from the lower left to the upper right corner: rows change places, and U is the identity. */
static void fill(twill_array *a)
{
    double full[ORDER * ORDER] = {0};
    for (int i = 0; i < ORDER; i++)
        full[i + (ORDER - 1 - i) * ORDER] = 1;
    test_scatter(a, full);
}

static void check_factors(twill_array *a)
{
    double full[ORDER * ORDER];
    for (int i = 0; i < ORDER * ORDER; i++)
        full[i] = i % (ORDER + 1) == 0;
    test_collect(a, full);
    for (int i = 0; i < ORDER * ORDER; i++)
        assert_true(full[i] == (i % (ORDER + 1) == 0));
}

static void run_factored(twill *tw, void *arg)
{
    shortage *s = arg;
    twill_pattern p = twill_block_cyclic(ORDER, ORDER, ORDER_NB, ORDER_NB, RANKS, 1);
    factors f;
    twill_graph *g;
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &f.a));
    OK(twill_pivots_create(f.a, &f.ipiv));
    OK(twill_stf_begin(tw, &g));
    fill(f.a);
    OK(factor(g, &f)); /* finds the BLAS */
    fill(f.a);
    run_short(tw, s, factor, g, &f);
    if (s->status[twill_rank(tw)] == TWILL_OK)
        check_factors(f.a);
    fill(f.a);
    OK(factor(g, &f));
    check_factors(f.a);
    twill_graph_free(g);
    twill_array_free(f.a);
    twill_array_free(f.ipiv);
}

/* -------------------------------------------------------------------------------------------- */

static bool is_refused(shortage *s)
{
    test_ranks setup = {.ranks = RANKS, .workers = s->workers, .sched = "lws"};
    pthread_barrier_init(&s->all, NULL, RANKS);
    limit_begin(NULL, 120, "two ranks, %d workers, %lld requests from %lld on refused", s->workers,
                (long long)s->n, (long long)s->first);
    inject_begin(1, 0);
    test_on_ranks(&setup, s->act, s);
    limit_end();
    pthread_barrier_destroy(&s->all);
    assert_int_equal(inject_left(), 0);
    assert_int_equal(s->status[0] == TWILL_OK, s->status[1] == TWILL_OK);
    for (int i = 0; i < RANKS; i++)
        assert_true(s->status[i] == TWILL_OK || (s->refused && s->status[i] == TWILL_ERR_MEMORY));
    return s->refused;
}

static void go_through(void (*act)(twill *tw, void *shortage))
{
    static const int64_t lengths[] = {1, 7, 60};
    for (int workers = 1; workers <= 2; workers++)
        for (int i = 0; i < COUNT(lengths); i++)
            for (int64_t k = 1;; k += 1 + test_slow()) {
                shortage s = {.first = k, .n = lengths[i], .workers = workers, .act = act};
                if (!is_refused(&s))
                    break;
            }
}

TEST(all_ranks_learn_of_a_lack_of_memory)
{
    go_through(run_late);
}

TEST(all_ranks_learn_of_a_lack_of_memory_for_inserted_tasks)
{
    go_through(run_inserted);
}

TEST(all_ranks_learn_of_a_lack_of_memory_for_messages_of_panels)
{
    for (int64_t k = 1;; k += test_slow() ? 11 : 3) {
        shortage s = {.first = k, .n = 1 + k % 9, .workers = 1 + k % 2, .act = run_factored};
        if (!is_refused(&s))
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ranks_learn_of_a_lack_of_memory),
        cmocka_unit_test(all_ranks_learn_of_a_lack_of_memory_for_inserted_tasks),
        cmocka_unit_test(all_ranks_learn_of_a_lack_of_memory_for_messages_of_panels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
