/* The controller of mode adaptive, in made-up time. */
#include "support/test.h"

#include <twill/critical.h>

#include <math.h>

/* A path of tasks of 1 second, of which a team does not share `alone`, and for each of them so many
 * seconds of work for the others. The path waits for these if it must. */
typedef struct world {
    int workers;
    double alone, work, now;
    int size;
} world;

static double path(const world *x, int size)
{
    return size > 1 ? x->alone + (1 - x->alone) / size : 1;
}

static double step(const world *x, int size)
{
    double work = size ? x->work / (x->workers - size) : (x->work + 1) / x->workers;
    return fmax(path(x, size), work);
}

/* So many tasks. Returns how many of them a team has run. */
static int go(world *x, twill_controller *c, int tasks)
{
    int teams = 0;
    for (int i = 0; i < tasks; i++) {
        double time = path(x, x->size), whole = step(x, x->size);
        double idle = x->workers - fmax(x->size, time / whole) - x->work / whole;
        teams += x->size > 1;
        x->size = twill_controller_note(c, x, x->size, x->now, x->now + time, fmax(idle, 0));
        x->now += whole;
    }
    return teams;
}

/* In a few tens of tasks it is close to the best size, whatever that is. */
TEST(it_finds_the_best_size)
{
    for (int workers = 3; workers <= 28; workers += 5)
        for (int alone = 0; alone <= 50; alone += 10)
            for (int work = 0; work <= 40; work += 3) {
                world x = {.workers = workers, .alone = alone / 100.0, .work = work};
                twill_controller *c;
                double best = step(&x, 0);
                OK(twill_controller_new(workers, &c));
                go(&x, c, 20);
                for (int q = 2; q < workers; q++)
                    best = fmin(best, step(&x, q));
                if (step(&x, x.size) > 1.2 * best)
                    fail_msg("%d workers, %d%% alone, work %d: %d takes %g, not %g", workers, alone,
                             work, x.size, step(&x, x.size), best);
                twill_controller_free(c);
            }
}

TEST(it_shrinks_when_the_path_is_not_the_limit_any_more)
{
    world x = {.workers = 14, .alone = 0.1, .work = 2};
    twill_controller *c;
    OK(twill_controller_new(14, &c));
    go(&x, c, 20);
    assert_true(x.size >= 3);
    x.work = 40;
    go(&x, c, 20);
    assert_int_equal(x.size, 0);
    twill_controller_free(c);
}

TEST(it_does_not_stay_where_a_larger_set_is_no_faster)
{
    world x = {.workers = 14, .alone = 1};
    twill_controller *c;
    OK(twill_controller_new(14, &c));
    int teams = go(&x, c, 1000);
    assert_in_range(teams, 2, 40); /* it looks again, each time later */
    assert_int_equal(x.size, 0);
    twill_controller_free(c);
}

/* Between two graphs nobody works; that does not say anything about either. */
TEST(a_pause_changes_nothing)
{
    world x = {.workers = 14, .alone = 0.1};
    twill_controller *c;
    OK(twill_controller_new(14, &c));
    go(&x, c, 30);
    int size = x.size;
    assert_true(size > 2);
    for (int i = 0; i < 20; i++) {
        x.now += 1000;
        go(&x, c, 1);
        assert_int_equal(x.size, size);
    }
    twill_controller_free(c);
}

TEST(it_leaves_one_worker_to_the_others_and_needs_two_for_itself)
{
    for (int workers = 1; workers < 6; workers++) {
        world x = {.workers = workers};
        twill_controller *c;
        OK(twill_controller_new(workers, &c));
        go(&x, c, 200);
        assert_int_equal(x.size, workers < 3 ? 0 : workers - 1);
        twill_controller_free(c);
    }
    REFUSED(twill_controller_new(0, NULL), TWILL_ERR_ARGUMENT, "NULL");
}

TEST(a_set_that_cannot_grow_is_taken_as_it_is)
{
    twill_controller *c;
    OK(twill_controller_new(8, &c));
    int wanted = 0;
    for (int i = 0; i < 40; i++)
        wanted =
            twill_controller_note(c, &wanted, 0, i, i + 1.0, 3); /* never gets the two it wants */
    assert_in_range(wanted, 0, 2);
    twill_controller_free(c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_finds_the_best_size),
        cmocka_unit_test(it_shrinks_when_the_path_is_not_the_limit_any_more),
        cmocka_unit_test(it_does_not_stay_where_a_larger_set_is_no_faster),
        cmocka_unit_test(a_pause_changes_nothing),
        cmocka_unit_test(it_leaves_one_worker_to_the_others_and_needs_two_for_itself),
        cmocka_unit_test(a_set_that_cannot_grow_is_taken_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
