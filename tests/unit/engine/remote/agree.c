/* Rank 0 compares what ranks insert while its program goes on inserting: what it has read of its
 * own sequence before the last insertion is not the end of it. */
#include "support/limit.h"
#include "support/ranks.h"

#include "engine/remote/agree.h"

#include <sched.h>

enum { LIMIT = 60, RANKS = 2, SOME = 2 /* insertions before rank 0 compares */ };

static atomic_bool compares; /* rank 0, with what rank 1 has said when it waits */
static atomic_bool looked;   /* it has read how much it has inserted itself */
static _Atomic(tw_shared *) first;

void __real_tw_agree_receive(tw_shared *s, const tw_remote_head *head, const char *text,
                             size_t size);
void __wrap_tw_agree_receive(tw_shared *s, const tw_remote_head *head, const char *text,
                             size_t size);
int64_t __real_tw_sequence_length(tw_sequence *s, uint64_t *hash);
int64_t __wrap_tw_sequence_length(tw_sequence *s, uint64_t *hash);

void __wrap_tw_agree_receive(tw_shared *s, const tw_remote_head *head, const char *text,
                             size_t size)
{
    bool last = s == atomic_load(&first) && head->what == TW_REMOTE_STATE && head->word[2];
    atomic_store(&compares, last);
    __real_tw_agree_receive(s, head, text, size);
    atomic_store(&compares, false);
}

/* The program inserts the rest, and waits, between this look and what follows from it. */
int64_t __wrap_tw_sequence_length(tw_sequence *s, uint64_t *hash)
{
    int64_t n = __real_tw_sequence_length(s, hash);
    if (!atomic_load(&compares) || atomic_exchange(&looked, true))
        return n;
    assert_int_equal(n, SOME);
    while (!atomic_load(&atomic_load(&first)->closing))
        sched_yield();
    return n;
}

/* Until rank 0 has compared. */
static twill_outcome hold_body(twill_task *t)
{
    while (!atomic_load(&looked))
        sched_yield();
    *(int64_t *)twill_task_data(t, 0) = 1;
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) += *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class hold = {
    .size = sizeof(twill_class), .name = "hold", .chores = {TWILL_CPU(hold_body)}};
static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

/* Rank 0 expects a tile, so it is polled while its program has not waited yet. */
static void insert_slowly(twill *tw, void *unused)
{
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){RANKS}, (int64_t[]){1}, (int64_t[]){RANKS});
    twill_array *a;
    twill_graph *g;
    (void)unused;
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    OK(twill_stf_begin(tw, &g));
    twill_tile *here = twill_tile_at(a, 0, 0), *there = twill_tile_at(a, 1, 0);
    if (twill_rank(tw) == 0)
        atomic_store(&first, g->shared);
    OK(twill_insert(g, &hold, TWILL_RW(there)));
    OK(twill_insert(g, &add, TWILL_R(there), TWILL_RW(here)));
    while (twill_rank(tw) == 0 && !atomic_load(&looked))
        sched_yield();
    OK(twill_insert(g, &add, TWILL_R(there), TWILL_RW(here)));
    OK(twill_wait(g));
    twill_graph_free(g);
    twill_array_free(a);
}

TEST(insertions_while_rank_0_compares_are_no_difference)
{
    limit_begin(NULL, LIMIT, "an insertion while rank 0 compares");
    test_on_ranks(&(test_ranks){.ranks = RANKS, .workers = 1}, insert_slowly, NULL);
    limit_end();
    assert_true(atomic_load(&looked));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(insertions_while_rank_0_compares_are_no_difference),
    };
    if (test_launched()) /* it looks into both ranks */
        return 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
