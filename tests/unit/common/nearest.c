/* Mistakes in a word, and the name with the fewest of them. */
#include "support/test.h"

#include "common/nearest.h"

#include <limits.h>
#include <string.h>

static int mistakes(const char *word, const char *name, int how)
{
    tw_nearest_search search = {.word = word, .limit = INT_MAX, .how = how};
    assert_true(tw_nearest_offer(&search, name));
    assert_ptr_equal(search.best, name);
    return search.mistakes;
}

TEST(what_counts_as_a_mistake)
{
    enum { BOTH = TW_NEAREST_ANY_CASE | TW_NEAREST_SWAPS };
    assert_int_equal(mistakes("", "", 0), 0);
    assert_int_equal(mistakes("", "abc", 0), 3);
    assert_int_equal(mistakes("abc", "", 0), 3);
    assert_int_equal(mistakes("kitten", "sitting", 0), 3);
    assert_int_equal(mistakes("abc", "aBc", 0), 1);
    assert_int_equal(mistakes("abc", "aBc", TW_NEAREST_ANY_CASE), 0);
    assert_int_equal(mistakes("abcd", "acbd", 0), 2);
    assert_int_equal(mistakes("abcd", "acbd", TW_NEAREST_SWAPS), 1);
    assert_int_equal(mistakes("abcd", "aCbd", TW_NEAREST_SWAPS), 2);
    assert_int_equal(mistakes("abcd", "aCbd", BOTH), 1);
    assert_int_equal(mistakes("ca", "abc", BOTH), 3);
}

TEST(the_first_of_the_nearest_within_the_limit_is_best)
{
    tw_nearest_search search = {.word = "tasks", .limit = 2};
    assert_false(tw_nearest_offer(&search, "workers"));
    assert_null(search.best);
    assert_true(tw_nearest_offer(&search, "mask"));
    assert_false(tw_nearest_offer(&search, "disks"));
    assert_string_equal(search.best, "mask");
    assert_true(tw_nearest_offer(&search, "task"));
    assert_string_equal(search.best, "task");
    assert_int_equal(search.mistakes, 1);
}

TEST(words_of_any_length_are_safe)
{
    char word[200];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    assert_int_equal(mistakes(word, word, 0), 2 * (int)(sizeof word - 1));
    word[63] = '\0';
    assert_int_equal(mistakes(word, word, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_counts_as_a_mistake),
        cmocka_unit_test(the_first_of_the_nearest_within_the_limit_is_best),
        cmocka_unit_test(words_of_any_length_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
