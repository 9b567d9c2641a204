/* Linear algebra with tiles on devices: random calls of all routines, of all types and odd sizes,
 * with the residuals of LAPACK's tests, on one device and on several that one is opened as. */
#include "support/devices.h"
#include "support/limit.h"
#include "support/sweep.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <twill/device.h>

enum { SECONDS = 30 };

static twill *start(const char *devices)
{
    return test_start_with(
        (twill_options){.size = sizeof(twill_options), .workers = 2, .devices = devices});
}

static int64_t tasks_of(twill *tw, int device)
{
    twill_device_info info = {.size = sizeof info};
    OK(twill_device_get(tw, device, &info));
    return info.tasks;
}

static void run_cases(const char *devices, uint64_t first, int cases)
{
    double worst = 0;
    char text[400];
    twill *tw = start(devices);
    for (uint64_t number = first; number < first + (uint64_t)cases; number++) {
        sweep_case c = sweep_draw(number);
        sweep_describe(&c, text, sizeof text);
        limit_begin(tw, SECONDS, "%s on %s", text, devices);
        sweep_run(tw, &c, true, &worst);
    }
    limit_end();
    twill_stop(tw);
}

TEST(random_calls_are_right_on_devices)
{
    int cases = test_slow() ? 10 : 40;
    run_cases("opencl:0", 1, cases);
    run_cases("cpu,opencl:0*2", 1001, cases);
    run_cases("opencl:0*3/room=1M", 2001, cases);
}

/* Of a factorization and a product, all tasks that a device can take are its. */
TEST(devices_do_the_work)
{
    enum { N = 150, NB = 40, TILES = 4 };
    twill *tw = start("opencl:0*2");
    twill_array *a, *b, *c;
    int64_t info = -1;
    a = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    b = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    c = test_matrix(tw, TWILL_FLOAT64, N, N, NB);
    OK(twill_fill_spd(a, 1));
    OK(twill_fill_random(b, 2));
    OK(twill_fill_random(c, 3));
    assert_int_equal(twill_devices(tw), 2);
    int64_t before = tasks_of(tw, 1) + tasks_of(tw, 2);
    OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(info, 0);
    int64_t after = tasks_of(tw, 1) + tasks_of(tw, 2);
    assert_int_equal(after - before, TILES * (TILES + 1) * (TILES + 2) / 6);
    OK(twill_gemm(TWILL_NO_TRANS, TWILL_CONJ_TRANS, twill_real(1), a, b, twill_real(1), c));
    assert_true(tasks_of(tw, 1) + tasks_of(tw, 2) > after);
    twill_stop(tw);
}

static void fail_to_factor(twill *tw, int bad)
{
    enum { N = 90, NB = 16 };
    twill_array *a;
    int64_t info = -1;
    a = test_matrix(tw, TWILL_COMPLEX128, N, N, NB);
    OK(twill_fill_spd(a, 1));
    void *full = test_unpack(a);
    test_store(full, TWILL_COMPLEX128, (bad - 1) * (N + 1), -1);
    test_pack(a, full);
    free(full);
    OK(twill_potrf(TWILL_UPPER, a, &info));
    assert_int_equal(info, bad);
    twill_array_free(a);
}

/* The first pivot that is not positive, as on the cores; and the wait ends, although what a device
 * does last is to skip tasks. */
TEST(a_failed_factorization_is_told_from_a_device)
{
    enum { TIMES = 60 };
    twill *tw = start("opencl:0*2");
    limit_begin(tw, SECONDS, "a failed factorization");
    for (int i = 0; i < TIMES; i++)
        fail_to_factor(tw, 1 + i);
    limit_end();
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(devices_do_the_work),
        LIMITED_TEST(a_failed_factorization_is_told_from_a_device),
        LIMITED_TEST(random_calls_are_right_on_devices),
    };
    const tw_driver *opencl;
    if (tw_driver_load("opencl", &opencl) != TWILL_OK || opencl->count() == 0) {
        puts("there is no OpenCL device here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
