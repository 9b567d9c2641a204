/* The nearest known name to a misspelt one. */
#include "support/test.h"

#include "base/nearest.h"

#include <string.h>

static const char *const names[] = {"TWILL_WORKERS", "TWILL_SCHED", "TWILL_SCHED_SEED",
                                    "TWILL_BIND"};

static const struct {
    const char *word;
    int nearest;
} cases[] = {
    {"TWILL_WORKERS", 0},
    {"TWILL_WORKER", 0},
    {"TWILL_WROKERS", 0},
    {"twill_workers", 0},
    {"TWILL_SCHEDULER", 1},
    {"TWILL_SCHDE", 1},
    {"TWILL_SCED_SED", 2},
    {"TWILL_BOND", 3},
    {"XWILL_BIND", 3},
    {"entirely different", -1},
    {"", -1},
};

TEST(a_misspelt_name_finds_the_one_that_was_meant)
{
    for (int i = 0; i < COUNT(cases); i++)
        assert_int_equal(tw_nearest(cases[i].word, names, COUNT(names)), cases[i].nearest);
}

TEST(no_names_no_answer)
{
    assert_int_equal(tw_nearest("TWILL_WORKERS", names, 0), -1);
}

TEST(words_and_names_of_any_length_are_safe)
{
    char word[300];
    memset(word, 'T', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_int_equal(tw_nearest(word, names, COUNT(names)), -1);
    const char *const longest[] = {word, "TWILL_BIND"};
    assert_int_equal(tw_nearest("TWILL_BIN", longest, 2), 1);
    word[63] = '\0';
    assert_int_equal(tw_nearest(word, longest, 2), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_name_finds_the_one_that_was_meant),
        cmocka_unit_test(no_names_no_answer),
        cmocka_unit_test(words_and_names_of_any_length_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
