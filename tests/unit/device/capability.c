/* What is learned of executors, from timings that are made up. */
#include "support/test.h"

#include "device/capability.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tw_capability *c;
static int cpu, gpu;
static tw_rated *gemm;

static int open_capability(void **state)
{
    (void)state;
    c = tw_capability_open();
    cpu = tw_capability_kind(c, "some processor, OpenBLAS");
    gpu = tw_capability_kind(c, "some GPU, driver 1.0");
    gemm = tw_capability_class(c, "gemm", 1.5);
    return gemm ? 0 : -1;
}

static int close_capability(void **state)
{
    (void)state;
    tw_capability_close(c);
    return 0;
}

static void near(double x, double y, double part)
{
    if (!(x >= y * (1 - part) && x <= y * (1 + part)))
        fail_msg("%g is not %g", x, y);
}

/* Some noise, up to 5% to either side. */
static double noisy(uint64_t *seed, double seconds)
{
    return seconds * (0.95 + 0.001 * (double)test_random(seed, 100));
}

TEST(names_are_known_again)
{
    assert_int_equal(tw_capability_kind(c, "some processor, OpenBLAS"), cpu);
    assert_int_not_equal(cpu, gpu);
    assert_int_equal(tw_capability_kind(c, "some GPU, driver 1.1"), 2);
    assert_ptr_equal(tw_capability_class(c, "gemm", 1.5), gemm);
    assert_ptr_not_equal(tw_capability_class(c, "trsm", 1.5), gemm);
    assert_ptr_equal(tw_rated_at(gemm, 1e6), tw_rated_at(gemm, 1.01e6));
    assert_ptr_not_equal(tw_rated_at(gemm, 1e6), tw_rated_at(gemm, 1.3e6));
}

TEST(there_are_no_more_kinds_than_there_is_room_for)
{
    char name[20];
    for (int i = 2; i < TW_KINDS; i++) {
        snprintf(name, sizeof name, "kind %d", i);
        assert_int_equal(tw_capability_kind(c, name), i);
    }
    assert_int_equal(tw_capability_kind(c, "one more"), -1);
}

TEST(estimates_follow_what_is_measured)
{
    uint64_t seed = 1;
    tw_rating *r = tw_rated_at(gemm, 1e6);
    assert_true(tw_rating_seconds(r, gpu) == 0);
    for (int i = 0; i < 40; i++) {
        tw_rating_note(r, gpu, noisy(&seed, 1e-4));
        tw_rating_note(r, cpu, noisy(&seed, 2e-3));
    }
    near(tw_rating_seconds(r, gpu), 1e-4, 0.05);
    near(tw_rating_seconds(r, cpu), 2e-3, 0.05);
}

TEST(what_is_no_time_is_not_learned)
{
    tw_rating *r = tw_rated_at(gemm, 1e6);
    tw_rating_note(r, gpu, 0);
    tw_rating_note(r, gpu, -1);
    assert_true(tw_rating_seconds(r, gpu) == 0);
}

/* Two in five are wrong by a factor of up to a thousand. */
TEST(outliers_do_not_move_an_estimate)
{
    uint64_t seed = 2;
    tw_rating *r = tw_rated_at(gemm, 1e6);
    for (int i = 0; i < 500; i++) {
        bool odd = i % 5 == 1 || i % 5 == 3;
        double factor = test_random(&seed, 2) ? 1000 : 0.001;
        tw_rating_note(r, gpu, odd ? factor * 1e-3 : noisy(&seed, 1e-3));
        if (i > 20)
            near(tw_rating_seconds(r, gpu), 1e-3, 0.06);
    }
}

/* Even when all were, for a while. */
TEST(an_estimate_recovers_after_a_burst_of_outliers)
{
    tw_rating *r = tw_rated_at(gemm, 1e6);
    for (int i = 0; i < 20; i++)
        tw_rating_note(r, gpu, 1e-3);
    for (int i = 0; i < 20; i++)
        tw_rating_note(r, gpu, 1);
    assert_true(tw_rating_seconds(r, gpu) > 0.5);
    for (int i = 0; i < 8; i++)
        tw_rating_note(r, gpu, 1e-3);
    near(tw_rating_seconds(r, gpu), 1e-3, 1e-6);
}

TEST(sizes_in_between_are_interpolated)
{
    for (double n = 128; n <= 1024; n *= 8) /* 2 n^3 operations on n^2 elements */
        tw_rating_note(tw_rated_at(gemm, n * n * 24), gpu, 2 * n * n * n * 1e-12);
    near(tw_rating_seconds(tw_rated_at(gemm, 512.0 * 512 * 24), gpu), 2 * 512.0 * 512 * 512e-12,
         0.2);
    near(tw_rating_seconds(tw_rated_at(gemm, 2048.0 * 2048 * 24), gpu),
         2 * 2048.0 * 2048 * 2048e-12, 0.2);
    assert_true(tw_rating_seconds(tw_rated_at(gemm, 1), gpu) == 0); /* too far away */
    assert_true(tw_rating_seconds(tw_rated_at(gemm, 512.0 * 512 * 24), cpu) == 0);
}

TEST(links_have_a_bandwidth_and_a_latency)
{
    tw_rated *copies = tw_capability_class(c, "copy from 0", 1);
    for (double bytes = 4096; bytes < 1e8; bytes *= 4)
        tw_rating_note(tw_rated_at(copies, bytes), gpu, 1e-5 + bytes / 20e9);
    near(tw_rating_seconds(tw_rated_at(copies, 3e8), gpu), 3e8 / 20e9, 0.15);
    near(tw_rating_seconds(tw_rated_at(copies, 8192), gpu), 1e-5, 0.1);
}

/* ---- exploring ------------------------------------------------------------------------------- */

TEST(what_was_never_measured_is_wanted_once)
{
    tw_rating *r = tw_rated_at(gemm, 1e6);
    assert_true(tw_rating_explore(r, cpu));
    assert_false(tw_rating_explore(r, cpu));
    assert_true(tw_rating_explore(r, gpu));
    tw_rating_note(r, cpu, 1e-3);
    assert_false(tw_rating_explore(r, cpu));
}

/* It was wanted, but never ran there. */
TEST(what_was_wanted_in_vain_is_wanted_again)
{
    tw_rating *r = tw_rated_at(gemm, 1e6);
    assert_true(tw_rating_explore(r, cpu));
    int n = 0;
    while (!tw_rating_explore(r, cpu) && n < 1000) {
        tw_rating_note(r, gpu, 1e-4);
        n++;
    }
    assert_in_range(n, 10, 100);
}

/* A GPU does everything, as a CPU was slow: that it has become faster is noticed, and trying costs
 * hardly anything. */
TEST(a_change_elsewhere_is_noticed)
{
    tw_rating *r = tw_rated_at(gemm, 1e6);
    double slow = 20e-3, fast = 2e-4, on_gpu = 1e-3, gpu_time = 0, tried = 0;
    for (int i = 0; i < 200000; i++) {
        bool now = tw_rating_explore(r, cpu);
        double there = i < 100000 ? slow : fast;
        double known = tw_rating_seconds(r, cpu);
        if (now || (known > 0 && known < on_gpu)) {
            tw_rating_note(r, cpu, there);
            tried += i < 100000 ? there : 0;
        } else {
            tw_rating_note(r, gpu, on_gpu);
            gpu_time += i < 100000 ? on_gpu : 0;
        }
    }
    near(tw_rating_seconds(r, cpu), fast, 1e-6);
    assert_true(tried < 0.02 * gpu_time);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void save_some(const char *file)
{
    for (int i = 0; i < 9; i++) {
        tw_rating_note(tw_rated_at(gemm, 1e6), gpu, 1e-4);
        tw_rating_note(tw_rated_at(gemm, 1e6), cpu, 2e-3);
        tw_rating_note(tw_rated_at(tw_capability_class(c, "a class", 1), 1e5), gpu, 3e-5);
    }
    OK(tw_capability_save(c, file));
}

static void again(const char *other_gpu)
{
    tw_capability_close(c);
    c = tw_capability_open();
    gpu = tw_capability_kind(c, other_gpu); /* numbers are others now */
    cpu = tw_capability_kind(c, "some processor, OpenBLAS");
    gemm = tw_capability_class(c, "gemm", 1.5);
}

TEST(what_was_saved_is_known_in_the_next_run)
{
    save_some("deep/in/capability");
    again("some GPU, driver 1.0");
    assert_true(tw_capability_load(c, "deep/in/capability"));
    near(tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu), 1e-4, 1e-3);
    near(tw_rating_seconds(tw_rated_at(gemm, 1e6), cpu), 2e-3, 1e-3);
    near(tw_rating_seconds(tw_rated_at(tw_capability_class(c, "a class", 1), 1e5), gpu), 3e-5,
         1e-3);
    assert_false(tw_rating_explore(tw_rated_at(gemm, 1e6), gpu) &&
                 tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu) == 0);
}

/* But it counts for less than what is measured now. */
TEST(what_was_saved_is_soon_overruled)
{
    save_some("capability");
    again("some GPU, driver 1.0");
    assert_true(tw_capability_load(c, "capability"));
    for (int i = 0; i < 4; i++)
        tw_rating_note(tw_rated_at(gemm, 1e6), gpu, 5e-4);
    near(tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu), 5e-4, 1e-3);
}

TEST(another_driver_is_another_kind_and_the_old_one_is_kept)
{
    save_some("capability");
    again("some GPU, driver 1.1");
    assert_true(tw_capability_load(c, "capability"));
    assert_true(tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu) == 0);
    near(tw_rating_seconds(tw_rated_at(gemm, 1e6), cpu), 2e-3, 1e-3);
    OK(tw_capability_save(c, "capability"));
    again("some GPU, driver 1.0");
    assert_true(tw_capability_load(c, "capability"));
    near(tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu), 1e-4, 1e-3);
}

TEST(a_damaged_file_is_no_file)
{
    save_some("capability");
    FILE *f = fopen("capability", "r+");
    assert_non_null(f);
    fseek(f, 60, SEEK_SET);
    fputc('#', f);
    fclose(f);
    again("some GPU, driver 1.0");
    assert_false(tw_capability_load(c, "capability"));
    assert_false(tw_capability_load(c, "is not there"));
    assert_true(tw_rating_seconds(tw_rated_at(gemm, 1e6), gpu) == 0);
}

TEST(a_file_that_cannot_be_written_is_an_error)
{
    save_some("capability");
    assert_int_equal(tw_capability_save(c, "capability/below"), TWILL_ERR_SYSTEM);
    assert_non_null(strstr(twill_message(), "cannot write capability/below"));
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *learn(void *arg)
{
    uint64_t seed = (uint64_t)(uintptr_t)arg;
    char name[20];
    for (int i = 0; i < 4000; i++) {
        snprintf(name, sizeof name, "class %d", (int)test_random(&seed, 9));
        double bytes = 1000.0 * (double)(1 + test_random(&seed, 50));
        tw_rating *r = tw_rated_at(tw_capability_class(c, name, 1), bytes);
        tw_rating_note(r, (int)test_random(&seed, 2), bytes * 1e-9);
        tw_rating_explore(r, 0);
        tw_rating_seconds(r, 1);
    }
    return NULL;
}

TEST(threads_learn_at_the_same_time)
{
    pthread_t thread[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, learn, (void *)(i + 1)), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 9; i++) {
        char name[20];
        snprintf(name, sizeof name, "class %d", i);
        tw_rating *r = tw_rated_at(tw_capability_class(c, name, 1), 30000);
        near(tw_rating_seconds(r, 0), 3e-5, 0.1);
        near(tw_rating_seconds(r, 1), 3e-5, 0.1);
    }
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_capability, close_capability)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(names_are_known_again),
        test(there_are_no_more_kinds_than_there_is_room_for),
        test(estimates_follow_what_is_measured),
        test(what_is_no_time_is_not_learned),
        test(outliers_do_not_move_an_estimate),
        test(an_estimate_recovers_after_a_burst_of_outliers),
        test(sizes_in_between_are_interpolated),
        test(links_have_a_bandwidth_and_a_latency),
        test(what_was_never_measured_is_wanted_once),
        test(what_was_wanted_in_vain_is_wanted_again),
        test(a_change_elsewhere_is_noticed),
        test(what_was_saved_is_known_in_the_next_run),
        test(what_was_saved_is_soon_overruled),
        test(another_driver_is_another_kind_and_the_old_one_is_kept),
        test(a_damaged_file_is_no_file),
        test(a_file_that_cannot_be_written_is_an_error),
        test(threads_learn_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
