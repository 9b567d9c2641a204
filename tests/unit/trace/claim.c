/* Contexts of one process with the same option write files of their own. */
#include "support/test.h"

#include "trace/output/claim.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void takes(const char *path, const char *wanted)
{
    char *claimed = tw_trace_claim(path);
    assert_non_null(claimed);
    assert_string_equal(claimed, wanted);
    free(claimed);
}

TEST(names_are_numbered_from_the_second_on)
{
    takes("a/b.c/run.twt", "a/b.c/run.twt");
    takes("a/b.c/run.twt", "a/b.c/run-2.twt");
    takes("other.twt", "other.twt");
    takes("a/b.c/run.twt", "a/b.c/run-3.twt");
}

/* Are these readable traces? Then they are removed. */
static void expect_trace(const char *path)
{
    twill_trace *t;
    OK(twill_trace_load(path, &t));
    twill_trace_free(t);
    assert_int_equal(unlink(path), 0);
}

TEST(contexts_side_by_side_and_one_after_the_other_write_one_file_each)
{
    twill_options options = {.size = sizeof options, .workers = 1, .trace = "claim.twt"};
    twill *first = test_start_with(options), *second = test_start_with(options);
    twill_stop(second);
    twill_stop(first);
    twill_stop(test_start_with(options));
    expect_trace("claim.twt");
    expect_trace("claim-2.twt");
    expect_trace("claim-3.twt");
}

TEST(a_folder_that_is_not_there_is_told_before_anything_runs)
{
    twill_options options = {.size = sizeof options, .trace = "no/such/folder/run.html"};
    twill *tw = NULL;
    assert_int_equal(twill_start(&tw, &options), TWILL_ERR_OPTION);
    assert_non_null(strstr(twill_message(), "no/such/folder"));
    assert_int_equal(twill_trace_check_path("no/such/folder/run.html"), TWILL_ERR_ARGUMENT);
    assert_int_equal(twill_trace_check_path("run.gif"), TWILL_ERR_ARGUMENT);
    OK(twill_trace_check_path("run.html"));
    OK(twill_trace_check_path("/tmp/run.html"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_numbered_from_the_second_on),
        cmocka_unit_test(contexts_side_by_side_and_one_after_the_other_write_one_file_each),
        cmocka_unit_test(a_folder_that_is_not_there_is_told_before_anything_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
