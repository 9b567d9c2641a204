/* Status names and the sentence of the last failure. */
#include "support/test.h"

#include "base/status.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

TEST(every_status_has_a_name_of_its_own)
{
    for (int i = TWILL_OK; i <= TWILL_ERR_UNSUPPORTED; i++) {
        assert_string_not_equal(twill_status_name((twill_status)i), "");
        assert_string_not_equal(twill_status_name((twill_status)i), "unknown status");
        for (int k = TWILL_OK; k < i; k++)
            assert_string_not_equal(twill_status_name((twill_status)i),
                                    twill_status_name((twill_status)k));
    }
    assert_string_equal(twill_status_name((twill_status)1000), "unknown status");
    assert_string_equal(twill_status_name((twill_status)-1), "unknown status");
}

TEST(a_failure_leaves_its_sentence)
{
    assert_int_equal(tw_fail(TWILL_ERR_STATE, "tile %d of %s", 7, "A"), TWILL_ERR_STATE);
    assert_string_equal(twill_message(), "tile 7 of A");
    assert_int_equal(tw_fail(TWILL_ERR_MEMORY, "other"), TWILL_ERR_MEMORY);
    assert_string_equal(twill_message(), "other");
}

TEST(a_sentence_may_quote_the_one_before)
{
    tw_fail(TWILL_ERR_TASK, "inner");
    tw_fail(TWILL_ERR_TASK, "outer: %s", twill_message());
    assert_string_equal(twill_message(), "outer: inner");
}

TEST(a_long_sentence_is_cut_and_terminated)
{
    char text[2 * TW_MESSAGE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    tw_fail(TWILL_ERR_TASK, "%s", text);
    assert_int_equal(strlen(twill_message()), TW_MESSAGE - 1);
}

static void *other_thread(void *arg)
{
    char *seen = arg;
    snprintf(seen, TW_MESSAGE, "before '%s'", twill_message());
    tw_fail(TWILL_ERR_STATE, "of the other");
    snprintf(seen + strlen(seen), TW_MESSAGE - strlen(seen), " after '%s'", twill_message());
    return NULL;
}

TEST(each_thread_has_a_sentence_of_its_own)
{
    char seen[TW_MESSAGE];
    pthread_t thread;
    tw_fail(TWILL_ERR_STATE, "of the first");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, seen), 0);
    pthread_join(thread, NULL);
    assert_string_equal(seen, "before '' after 'of the other'");
    assert_string_equal(twill_message(), "of the first");
}

TEST(the_library_says_the_version_of_its_header)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TWILL_VERSION_MAJOR, TWILL_VERSION_MINOR,
             TWILL_VERSION_PATCH);
    assert_string_equal(twill_version(), version);
    assert_int_equal(twill_version_number(), TWILL_VERSION);
    assert_int_equal(twill_abi(), TWILL_ABI);
}

TEST(programs_for_another_abi_or_a_newer_library_are_told)
{
    OK(twill_check_version());
    OK(twill_version_check(TWILL_ABI, 0));
    REFUSED(twill_version_check(TWILL_ABI, 990203), TWILL_ERR_STATE, "Twill 99.2.3");
    REFUSED(twill_version_check(TWILL_ABI, TWILL_VERSION + 1), TWILL_ERR_STATE, "or a newer one");
    REFUSED(twill_version_check(TWILL_ABI + 1, TWILL_VERSION), TWILL_ERR_STATE, "again");
    REFUSED(twill_version_check(TWILL_ABI - 1, TWILL_VERSION), TWILL_ERR_STATE, twill_version());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_name_of_its_own),
        cmocka_unit_test(a_failure_leaves_its_sentence),
        cmocka_unit_test(a_sentence_may_quote_the_one_before),
        cmocka_unit_test(a_long_sentence_is_cut_and_terminated),
        cmocka_unit_test(each_thread_has_a_sentence_of_its_own),
        cmocka_unit_test(the_library_says_the_version_of_its_header),
        cmocka_unit_test(programs_for_another_abi_or_a_newer_library_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
