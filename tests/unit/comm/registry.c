/* Registered memory: keys that are valid, old, and made up. */
#include "comm/registry.h"

#include "support/test.h"

#include <string.h>

enum { SLOTS = 100 };

static bool copy_in(tw_registry *r, const tw_comm_key *key, uint64_t offset, char byte)
{
    void *place;
    return tw_registry_copy(r, key, offset, &byte, 1, true, &place);
}

TEST(bytes_go_in_and_out)
{
    tw_registry r;
    tw_comm_key key = {0};
    char memory[] = "abcdef", out[4] = {0};
    void *place = NULL;
    tw_registry_open(&r);
    OK(tw_registry_add(&r, memory, 6, &key));
    assert_true(tw_registry_copy(&r, &key, 2, "XY", 2, true, &place));
    assert_ptr_equal(place, memory + 2);
    assert_string_equal(memory, "abXYef");
    assert_true(tw_registry_copy(&r, &key, 3, out, 3, false, &place));
    assert_string_equal(out, "Yef");
    assert_true(tw_registry_copy(&r, &key, 6, NULL, 0, true, &place));
    tw_registry_close(&r);
}

TEST(what_is_outside_is_left_alone)
{
    tw_registry r;
    tw_comm_key key = {0};
    char memory[] = "abcdef";
    tw_registry_open(&r);
    OK(tw_registry_add(&r, memory + 1, 4, &key));
    assert_true(copy_in(&r, &key, 3, 'e'));
    assert_false(copy_in(&r, &key, 4, 'X'));
    assert_false(copy_in(&r, &key, UINT64_MAX, 'X'));
    tw_comm_key wrong = key;
    wrong.token[0]++;
    assert_false(copy_in(&r, &wrong, 0, 'X'));
    wrong = key, wrong.token[1]++;
    assert_false(copy_in(&r, &wrong, 0, 'X'));
    wrong = key, wrong.token[1] = 0;
    assert_false(copy_in(&r, &wrong, 0, 'X'));
    assert_string_equal(memory, "abcdef");
    tw_registry_close(&r);
}

TEST(slots_are_used_again_and_old_keys_are_not_valid)
{
    tw_registry r;
    tw_comm_key old[SLOTS], key[SLOTS];
    char memory[SLOTS] = {0};
    tw_registry_open(&r);
    for (int i = 0; i < SLOTS; i++)
        OK(tw_registry_add(&r, &memory[i], 1, &old[i]));
    for (int i = 0; i < SLOTS; i += 2) {
        tw_registry_remove(&r, &old[i]);
        tw_registry_remove(&r, &old[i]); /* nothing more happens */
    }
    size_t used = r.used;
    for (int i = 0; i < SLOTS; i += 2)
        OK(tw_registry_add(&r, &memory[i], 1, &key[i]));
    assert_int_equal(r.used, used);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(copy_in(&r, &old[i], 0, 1), i % 2);
        assert_true(i % 2 || copy_in(&r, &key[i], 0, 2));
        assert_int_equal(memory[i], i % 2 ? 1 : 2);
    }
    tw_registry_close(&r);
}

TEST(no_bytes_are_registered_like_others)
{
    tw_registry r;
    tw_comm_key key;
    void *place;
    tw_registry_open(&r);
    OK(tw_registry_add(&r, NULL, 0, &key));
    assert_true(tw_registry_copy(&r, &key, 0, NULL, 0, false, &place));
    assert_false(copy_in(&r, &key, 0, 'X'));
    tw_registry_remove(&r, &key);
    assert_false(tw_registry_copy(&r, &key, 0, NULL, 0, false, &place));
    tw_registry_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_go_in_and_out),
        cmocka_unit_test(what_is_outside_is_left_alone),
        cmocka_unit_test(slots_are_used_again_and_old_keys_are_not_valid),
        cmocka_unit_test(no_bytes_are_registered_like_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
