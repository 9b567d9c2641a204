/* The controller of mode adaptive, in made-up time. */
#include "support/test.h"

#include <twill/critical.h>

/* Tasks of 1 second that a set of q makes shorter by its efficiency, with gaps between; returns the
 * size that it comes to after so many tasks. */
static int settle(twill_controller *c, int tasks, double efficiency, double gap, double idle,
                  int *size)
{
    static double now;
    for (int i = 0; i < tasks; i++) {
        int q = *size > 1 ? *size : 1;
        double time = q > 1 ? 1.0 / (q * efficiency) : 1.0;
        double left = idle - (q - 1) > 0 ? idle - (q - 1) : 0;
        *size = twill_controller_note(c, *size, now, now + time, left);
        now += time + gap;
    }
    return *size;
}

TEST(it_grows_while_the_path_is_the_limit_and_shrinks_when_it_is_not)
{
    twill_controller *c;
    int size = 0;
    OK(twill_controller_new(14, &c));
    assert_int_equal(settle(c, 60, 0.8, 0, 3, &size), 4); /* until nobody is idle any more */
    assert_int_equal(settle(c, 60, 0.8, 5, 0, &size), 0); /* now it waits for the others */
    twill_controller_free(c);
}

TEST(it_does_not_stay_where_a_larger_set_is_no_faster)
{
    twill_controller *c;
    int size = 0;
    OK(twill_controller_new(14, &c));
    settle(c, 13, 0.5, 0, 8, &size); /* two workers take as long as one */
    assert_int_equal(size, 0);
    twill_controller_free(c);
}

TEST(it_leaves_one_worker_to_the_others_and_needs_two_for_itself)
{
    for (int workers = 1; workers < 6; workers++) {
        twill_controller *c;
        int size = 0;
        OK(twill_controller_new(workers, &c));
        settle(c, 200, 1, 0, 100, &size);
        assert_int_equal(size, workers < 3 ? 0 : workers - 1);
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
        wanted = twill_controller_note(c, 0, i, i + 1.0, 3); /* never gets the two it wants */
    assert_in_range(wanted, 0, 2);
    twill_controller_free(c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_while_the_path_is_the_limit_and_shrinks_when_it_is_not),
        cmocka_unit_test(it_does_not_stay_where_a_larger_set_is_no_faster),
        cmocka_unit_test(it_leaves_one_worker_to_the_others_and_needs_two_for_itself),
        cmocka_unit_test(a_set_that_cannot_grow_is_taken_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
