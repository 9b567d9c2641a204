/* What option devices may say. */
#include "support/test.h"

#include "device/list.h"

#include <string.h>

static tw_device_list read(const char *text)
{
    tw_device_list list;
    OK(tw_device_list_read(text, &list));
    return list;
}

TEST(words_stand_for_what_there_is)
{
    tw_device_list list = read("auto");
    assert_true(list.cpu && list.automatic && !list.with_cpus && list.n == 0);
    list = read("all");
    assert_true(list.cpu && list.automatic && list.with_cpus && list.n == 0);
    list = read("cpu");
    assert_true(list.cpu && !list.automatic && list.n == 0);
}

TEST(entries_say_which_devices_and_how)
{
    tw_device_list list = read("cpu,opencl:0*3/room=4G/lanes=2/slow=20/fail=0.01,cuda,host:1");
    assert_true(list.cpu && !list.automatic);
    assert_int_equal(list.n, 3);
    const tw_device_entry *e = list.entry;
    assert_string_equal(e->kind, "opencl");
    assert_int_equal(e->index, 0);
    assert_int_equal(e->times, 3);
    assert_true(e->settings.room == (size_t)4 << 30);
    assert_int_equal(e->settings.lanes, 2);
    assert_true(e->slow == 20 && e->fail == 0.01);
    assert_string_equal(e[1].kind, "cuda");
    assert_true(e[1].index == -1 && e[1].times == 1 && e[1].settings.room == 0);
    assert_true(e[1].settings.lanes == 0 && e[1].slow == 1 && e[1].fail == 0);
    assert_int_equal(e[2].index, 1);
    list = read("opencl/room=1.5K/fail=1");
    assert_true(!list.cpu && list.entry[0].settings.room == 1536 && list.entry[0].fail == 1);
}

TEST(everything_else_is_refused_with_the_entry_that_is_wrong)
{
    static const char *const wrong[] = {
        "",
        ",",
        "cpu,",
        "cpu,cpu",
        "cpu:0",
        "cpu*2",
        "auto,cpu",
        "cuda:0,all",
        "cuda:",
        "cuda:x",
        "cuda:-1",
        "cuda:0*",
        "cuda:0*0",
        "cuda:0*13",
        "cuda:0*2*2",
        "Cuda:0",
        "cuda:0 ",
        " cuda:0",
        "cuda:0/",
        "cuda/room=",
        "cuda/room=4X",
        "cuda/room=4GB",
        "cuda/room=0",
        "cuda/lanes=0",
        "cuda/slow=",
        "cuda/slow=0.5",
        "cuda/fail=2",
        "cuda/fail=-1",
        "cuda/lane=2",
        "cuda/fail=nan",
        "cuda:0;1",
        "cuda:0/room=4G/",
    };
    tw_device_list list;
    for (int i = 0; i < COUNT(wrong); i++)
        REFUSED(tw_device_list_read(wrong[i], &list), TWILL_ERR_OPTION, "option devices");
    REFUSED(tw_device_list_read("cpu,cuda:0/lanes=99", &list), TWILL_ERR_OPTION,
            "'cuda:0/lanes=99': lanes= is from 1 to 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stand_for_what_there_is),
        cmocka_unit_test(entries_say_which_devices_and_how),
        cmocka_unit_test(everything_else_is_refused_with_the_entry_that_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
