/* Large values between ranks: nothing is packed, nobody sees what others do to them later, and what
 * a failure leaves behind is freed. The graph is loans.jdf. */
#include "support/ranks.h"

#include "data/pack.h"

#include "loans.h"

enum { RANKS = 3, ROUNDS = 20, SIZE = 4096 };

/* Counted: see WRAP_unit.front.ptg.loans. */
static atomic_int packs;

void __real_tw_pack(const tw_value *v, tw_area area, void *to);
void __wrap_tw_pack(const tw_value *v, tw_area area, void *to);
void __wrap_tw_pack(const tw_value *v, tw_area area, void *to)
{
    atomic_fetch_add(&packs, 1);
    __real_tw_pack(v, area, to);
}

void fill_numbers(int64_t *x, int64_t k, int64_t i);
void fill_numbers(int64_t *x, int64_t k, int64_t i)
{
    for (int64_t n = 0; n < SIZE; n++)
        x[n] = (k * RANKS + i) * SIZE + n;
}

/* What all ranks share. */
typedef struct plan {
    int64_t fails; /* round whose readers do, -1: none */
    atomic_int read;
} plan;

twill_outcome check_numbers(twill_task *t, void *side, const int64_t *x, int64_t k, int64_t i);
twill_outcome check_numbers(twill_task *t, void *side, const int64_t *x, int64_t k, int64_t i)
{
    plan *p = side;
    if (k >= 0 && k == p->fails)
        return twill_task_fail(t, "as asked");
    for (int64_t n = 0; n < SIZE; n++)
        if (x[n] != (k * RANKS + i) * SIZE + n)
            return twill_task_fail(t, "number %d is wrong", (int)n);
    atomic_fetch_add(&p->read, 1);
    return TWILL_DONE;
}

static twill_array *tiles(twill *tw)
{
    twill_array *a = NULL;
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){RANKS * SIZE}, (int64_t[]){SIZE}, (int64_t[]){RANKS});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static void fill_own(twill_array *a)
{
    void *data;
    int64_t ld;
    twill_view own = twill_view_tile(a, twill_rank(twill_array_context(a)), 0);
    OK(twill_map(own, TWILL_WRITE, &data, &ld));
    fill_numbers(data, -1, twill_rank(twill_array_context(a)));
    OK(twill_unmap(own, data));
}

static void play(twill *tw, void *arg)
{
    plan *p = arg;
    twill_array *a = tiles(tw), *b = tiles(tw);
    twill_graph *g;
    fill_own(b);
    OK(twill_loans_new(tw, RANKS, ROUNDS, a, b, p, &g));
    OK(twill_ptg_run(g));
    if (p->fails >= 0)
        REFUSED(twill_wait(g), TWILL_ERR_TASK, "as asked");
    else
        OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
    twill_array_free(b);
}

static const tw_loopback_options networks[] = {{0}, {.seed = 1, .delay = 20, .reorder = true}};

static void large_values_travel_without_copies(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(networks); i++) {
        plan p = {.fails = -1};
        test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 2, .network = networks[i]}, play,
                      &p);
        assert_int_equal(p.read, ROUNDS * RANKS * RANKS + RANKS);
        assert_int_equal(packs, 0);
    }
}

static void a_failure_leaves_none_behind(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(networks); i++)
        for (int64_t round = 0; round < ROUNDS; round += 3) {
            plan p = {.fails = round};
            test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1, .network = networks[i]}, play,
                          &p);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_values_travel_without_copies),
        cmocka_unit_test(a_failure_leaves_none_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
