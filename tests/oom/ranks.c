/* A parameterised graph on two ranks that run out of memory: both get an error or none does, nobody
 * waits for ever, and the next run is as good as new. The graph is in late.jdf. */
#include "support/ranks.h"
#include "support/inject.h"
#include "support/limit.h"

#include "late.h"

#include <pthread.h>

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

static twill_status run(twill_graph *g)
{
    twill_status status = twill_ptg_run(g);
    return status == TWILL_OK ? twill_wait(g) : status;
}

static void run_short(twill *tw, shortage *s, twill_graph *g)
{
    pthread_barrier_wait(&s->all);
    if (twill_rank(tw) == 0)
        inject_again(s->first, s->n);
    pthread_barrier_wait(&s->all);
    s->status[twill_rank(tw)] = run(g);
    pthread_barrier_wait(&s->all);
    if (twill_rank(tw) == 0) {
        s->refused = inject_refused();
        inject_end();
    }
    pthread_barrier_wait(&s->all);
}

static void act(twill *tw, void *arg)
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
    run_short(tw, s, g);
    if (s->status[twill_rank(tw)] == TWILL_OK)
        exchange(a, false);
    exchange(a, true);
    OK(run(g));
    exchange(a, false);
    twill_graph_free(g);
}

static bool is_refused(shortage *s)
{
    test_ranks setup = {.ranks = RANKS, .workers = s->workers, .sched = "lws"};
    pthread_barrier_init(&s->all, NULL, RANKS);
    limit_begin(NULL, 120, "two ranks, %d workers, %lld requests from %lld on refused", s->workers,
                (long long)s->n, (long long)s->first);
    inject_begin(1, 0);
    test_on_ranks(&setup, act, s);
    limit_end();
    pthread_barrier_destroy(&s->all);
    assert_int_equal(inject_left(), 0);
    assert_int_equal(s->status[0] == TWILL_OK, s->status[1] == TWILL_OK);
    for (int i = 0; i < RANKS; i++)
        assert_true(s->status[i] == TWILL_OK || (s->refused && s->status[i] == TWILL_ERR_MEMORY));
    return s->refused;
}

TEST(all_ranks_learn_of_a_lack_of_memory)
{
    static const int64_t lengths[] = {1, 7, 60};
    for (int workers = 1; workers <= 2; workers++)
        for (int i = 0; i < COUNT(lengths); i++)
            for (int64_t k = 1;; k += 1 + test_slow()) {
                shortage s = {.first = k, .n = lengths[i], .workers = workers};
                if (!is_refused(&s))
                    break;
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_ranks_learn_of_a_lack_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
