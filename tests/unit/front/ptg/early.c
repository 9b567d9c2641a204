/* A rank that is far ahead: it has begun many runs that another one has not, whose messages wait
 * there, and must not hold up those of the run that it is in. The graph is steps.jdf. */
#include "support/limit.h"
#include "support/ranks.h"

#include "steps.h"

enum { LIMIT = 60, RANKS = 2, GRAPHS = 24, N = 6 };

twill_outcome take_step(twill_task *t, void *side, int64_t k);
twill_outcome take_step(twill_task *t, void *side, int64_t k)
{
    (void)t, (void)side, (void)k;
    return TWILL_DONE;
}

static twill_array *numbers(twill *tw)
{
    twill_array *a = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){1}, (int64_t[]){RANKS});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

/* Rank 0 begins all runs at once, rank 1 one after the other: each goes to and fro several times.
 */
static void play(twill *tw, void *arg)
{
    twill_graph *g[GRAPHS];
    bool ahead = twill_rank(tw) == *(int *)arg;
    for (int i = 0; i < GRAPHS; i++)
        OK(twill_steps_new(tw, N, -1, numbers(tw), numbers(tw), NULL, &g[i]));
    for (int i = 0; i < GRAPHS && ahead; i++)
        OK(twill_ptg_run(g[i]));
    for (int i = 0; i < GRAPHS; i++) {
        if (!ahead)
            OK(twill_ptg_run(g[i]));
        OK(twill_wait(g[i]));
        twill_graph_free(g[i]);
    }
}

TEST(early_messages_hold_up_no_other_run)
{
    for (int ahead = 0; ahead < RANKS; ahead++)
        for (int seed = 0; seed < 4; seed++) {
            limit_begin(NULL, LIMIT, "rank %d is ahead, seed %d", ahead, seed);
            test_on_ranks(
                &(test_ranks){.ranks = RANKS,
                              .workers = 1,
                              .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed * 3}},
                play, &ahead);
            limit_end();
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(early_messages_hold_up_no_other_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
