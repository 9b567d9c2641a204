/* Structs of two versions: what is common is copied, nothing beyond either is touched. */
#include "base/abi.h"

#include "support/test.h"

/* The first version, and a later one. */
typedef struct small {
    size_t size;
    int64_t a;
} small;

typedef struct large {
    size_t size;
    int64_t a, b;
} large;

/* As much memory as the later version has, of which the program knows a part. */
typedef union both {
    small small;
    large large;
} both;

TEST(what_an_old_program_does_not_have_is_zero)
{
    both theirs = {.large = {.size = sizeof(small), .a = 1, .b = 7}};
    large ours = {.b = 5};
    OK(TW_ABI_IN(large, a, &ours, &theirs));
    assert_int_equal(ours.size, sizeof ours);
    assert_int_equal(ours.a, 1);
    assert_int_equal(ours.b, 0);
    assert_true(TW_ABI_HAS(large, &theirs.large, a));
    assert_false(TW_ABI_HAS(large, &theirs.large, b));
}

TEST(an_old_program_gets_what_it_has_room_for)
{
    both theirs = {.large = {.size = sizeof(small), .b = 7}};
    const large ours = {.size = sizeof ours, .a = 1, .b = 2};
    OK(TW_ABI_OUT(large, a, &theirs, &ours));
    assert_int_equal(theirs.large.size, sizeof(small));
    assert_int_equal(theirs.large.a, 1);
    assert_int_equal(theirs.large.b, 7);
}

TEST(a_new_program_gets_zeros_from_an_old_library)
{
    large theirs = {.size = sizeof theirs, .b = 7};
    const small ours = {.size = sizeof ours, .a = 1};
    OK(TW_ABI_OUT(small, a, &theirs, &ours));
    assert_int_equal(theirs.size, sizeof theirs);
    assert_int_equal(theirs.a, 1);
    assert_int_equal(theirs.b, 0);
}

TEST(a_new_program_may_not_rely_on_what_an_old_library_lacks)
{
    large theirs = {.size = sizeof theirs, .a = 1};
    small ours = {0};
    OK(TW_ABI_IN(small, a, &ours, &theirs));
    assert_int_equal(ours.a, 1);
    theirs.b = 1;
    ours.a = 5;
    REFUSED(TW_ABI_IN(small, a, &ours, &theirs), TWILL_ERR_ARGUMENT, "does not know");
    assert_int_equal(ours.a, 5);
}

TEST(a_struct_says_its_size)
{
    large ours = {0}, theirs = {.a = 1};
    for (theirs.size = 0; theirs.size < sizeof(small); theirs.size++) {
        REFUSED(TW_ABI_IN(large, a, &ours, &theirs), TWILL_ERR_ARGUMENT, ".size = sizeof(large)");
        REFUSED(TW_ABI_OUT(large, a, &theirs, &ours), TWILL_ERR_ARGUMENT, ".size = sizeof(large)");
        REFUSED(TW_ABI_CHECK(large, a, &theirs), TWILL_ERR_ARGUMENT, ".size = sizeof(large)");
    }
    assert_int_equal(theirs.a, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_old_program_does_not_have_is_zero),
        cmocka_unit_test(an_old_program_gets_what_it_has_room_for),
        cmocka_unit_test(a_new_program_gets_zeros_from_an_old_library),
        cmocka_unit_test(a_new_program_may_not_rely_on_what_an_old_library_lacks),
        cmocka_unit_test(a_struct_says_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
