/* What every driver must do: device/driver.h has the promises. Devices that are not here are not
 * tested; PoCL makes one of OpenCL out of any machine. */
#include "support/devices.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const tw_driver *drivers[2];
static int count;

#define EACH(driver)                \
    const tw_driver *driver;        \
    for (int d = 0; d < count; d++) \
        if ((driver = drivers[d]))

TEST(a_device_says_what_it_is)
{
    EACH(driver)
    {
        tw_executor *e = device_executor(driver, 3);
        assert_int_equal(e->lanes, 3);
        CONTAINS(e->name, driver->name);
        assert_true(strlen(e->about) > 0 && e->place);
        assert_int_equal(e->is_cpu, driver->is_cpu(0));
        assert_int_equal(e->space->room, 64 << 20);
        e->close(e);
    }
}

TEST(a_device_that_is_not_there_is_refused)
{
    EACH(driver)
    {
        const tw_device_settings settings = {0};
        tw_executor *e = NULL;
        REFUSED(driver->open(driver->count(), &settings, &e), TWILL_ERR_UNSUPPORTED, "no device");
        REFUSED(driver->open(-1, &settings, &e), TWILL_ERR_UNSUPPORTED, "no device");
        assert_null(e);
    }
}

/* ---- memory ------------------------------------------------------------------------------ */

enum { ROWS = 37, COLS = 11, LD = 41 };

static void fill(unsigned char *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(seed + i * 7 + i / 251);
}

/* Host to device, inside of it, and back, with gaps between columns that nobody touches. */
TEST(copies_bring_what_they_should)
{
    EACH(driver)
    {
        static unsigned char from[LD * COLS], to[LD * COLS], wanted[LD * COLS];
        tw_executor *e = device_executor(driver, 1);
        char *a = e->space->alloc(e->space, sizeof from);
        char *b = e->space->alloc(e->space, sizeof from);
        fill(from, sizeof from, 3);
        fill(to, sizeof to, 100);
        memcpy(wanted, to, sizeof to);
        for (int j = 0; j < COLS; j++)
            memcpy(wanted + j * LD, from + j * LD, ROWS);
        OK(device_move(e, a + 3, ROWS, from, LD, ROWS, COLS, 1));
        OK(device_move(e, b + 5, ROWS + 1, a + 3, ROWS, ROWS, COLS, 1));
        OK(device_move(e, to, LD, b + 5, ROWS + 1, ROWS, COLS, 1));
        assert_memory_equal(to, wanted, sizeof to);
        OK(device_move(e, a, LD * COLS, from, LD * COLS, LD * COLS, 1, 1));
        OK(device_move(e, to, LD * COLS, a, LD * COLS, LD * COLS, 1, 1));
        assert_memory_equal(to, from, sizeof to);
        e->space->free(e->space, a, sizeof from);
        e->space->free(e->space, b, sizeof from);
        e->close(e);
    }
}

TEST(executors_of_a_device_reach_each_other)
{
    EACH(driver)
    {
        static unsigned char from[999], to[999];
        tw_executor *e = device_executor(driver, 1), *f = device_executor(driver, 2);
        char *a = e->space->alloc(e->space, sizeof from);
        char *b = f->space->alloc(f->space, sizeof from);
        fill(from, sizeof from, 9);
        assert_true(f->space->reaches(f->space, e->space));
        OK(device_move(e, a, 999, from, 999, 999, 1, 1));
        OK(device_move(f, b, 999, a, 999, 999, 1, 1));
        OK(device_move(f, to, 999, b, 999, 999, 1, 1));
        assert_memory_equal(to, from, sizeof to);
        e->space->free(e->space, a, sizeof from);
        f->space->free(f->space, b, sizeof from);
        e->close(e);
        f->close(f);
    }
}

TEST(addresses_are_those_of_one_block)
{
    EACH(driver)
    {
        enum { BLOCKS = 50, BYTES = 5000 };
        tw_executor *e = device_executor(driver, 1);
        char *block[BLOCKS];
        size_t offset = 1, inside = 0;
        for (int i = 0; i < BLOCKS; i++)
            assert_non_null(block[i] = e->space->alloc(e->space, BYTES));
        for (int i = 0; i < BLOCKS; i++) {
            void *memory = e->locate(e, block[i], &offset);
            assert_non_null(memory);
            void *same = e->locate(e, block[i] + 4999, &inside);
            assert_int_equal((char *)same + inside - ((char *)memory + offset), 4999);
        }
        assert_null(e->locate(e, &offset, &inside));
        for (int i = 0; i < BLOCKS; i++)
            e->space->free(e->space, block[(i * 7) % BLOCKS], BYTES);
        assert_null(e->space->alloc(e->space, (size_t)1 << 50));
        e->close(e);
    }
}

/* A copy that cannot be made fails; those around it do not. */
TEST(a_copy_that_cannot_be_made_is_said)
{
    EACH(driver)
    {
        unsigned char host[64] = {1, 2, 3}, other[64] = {0};
        tw_executor *e = device_executor(driver, 1);
        char *a = e->space->alloc(e->space, sizeof host);
        assert_true(device_move(e, other, 64, host, 64, 64, 1, 1) != TWILL_OK);
        CONTAINS(twill_message(), e->name);
        OK(device_move(e, a, 64, host, 64, 64, 1, 1));
        OK(device_move(e, other, 64, a, 64, 64, 1, 1));
        assert_memory_equal(host, other, sizeof host);
        e->space->free(e->space, a, sizeof host);
        e->close(e);
    }
}

/* ---- launches ---------------------------------------------------------------------------- */

TEST(as_many_launches_are_under_way_as_there_are_lanes)
{
    EACH(driver)
    {
        tw_launch launch[3] = {0};
        int32_t info[2] = {7, 7};
        tw_executor *e = device_executor(driver, 2);
        device_begin(e, &launch[0]);
        device_begin(e, &launch[1]);
        assert_ptr_not_equal(launch[0].lane, launch[1].lane);
        assert_false(e->begin(e, &launch[2]));
        OK(device_end(e, &launch[1], TWILL_OK, info));
        assert_true(info[0] == 0 && info[1] == 0);
        device_begin(e, &launch[2]);
        OK(device_end(e, &launch[2], TWILL_OK, NULL));
        OK(device_end(e, &launch[0], TWILL_OK, NULL));
        e->close(e);
    }
}

/* Small whole numbers, so that results are exact; one launch after the other on what is there. */
TEST(products_are_right)
{
    EACH(driver)
    {
        enum { M = 19, N = 13, K = 7 };
        double a[M * K], b[K * N], c[M * N], wanted[M * N], alpha = 2, beta = -1;
        for (int i = 0; i < M * K; i++)
            a[i] = i % 5 - 2;
        for (int i = 0; i < K * N; i++)
            b[i] = i % 7 - 3;
        for (int j = 0; j < N; j++)
            for (int i = 0; i < M; i++) {
                c[i + j * M] = wanted[i + j * M] = i - j;
                for (int round = 0; round < 2; round++) {
                    double sum = 0;
                    for (int p = 0; p < K; p++)
                        sum += a[i + p * M] * b[p + j * K];
                    wanted[i + j * M] = alpha * sum + beta * wanted[i + j * M];
                }
            }
        tw_executor *e = device_executor(driver, 1);
        tw_launch launch;
        tw_place da = device_store(e, a, M, M, K, 8), db = device_store(e, b, K, K, N, 8);
        tw_place dc = device_store(e, c, M, M, N, 8);
        for (int round = 0; round < 2; round++) {
            device_begin(e, &launch);
            twill_status status =
                e->blas->gemm(&launch, TWILL_FLOAT64, 'N', 'N', M, N, K, &alpha, da, db, &beta, dc);
            OK(device_end(e, &launch, status, NULL));
        }
        device_fetch(e, c, M, dc, M, N, 8);
        assert_memory_equal(c, wanted, sizeof c);
        device_drop(e, da, M, K, 8);
        device_drop(e, db, K, N, 8);
        device_drop(e, dc, M, N, 8);
        e->close(e);
    }
}

/* Memory that is none: the routine, or the launch, says so; the lane works on. */
TEST(a_launch_that_fails_is_over_too)
{
    EACH(driver)
    {
        double one = 1, number = 3;
        tw_executor *e = device_executor(driver, 1);
        tw_launch launch;
        tw_place bad = {.at = NULL, .ld = 1};
        device_begin(e, &launch);
        twill_status status =
            e->blas->gemm(&launch, TWILL_FLOAT64, 'N', 'N', 1, 1, 1, &one, bad, bad, &one, bad);
        assert_true(device_end(e, &launch, status, NULL) != TWILL_OK);
        CONTAINS(twill_message(), e->name);
        tw_place place = device_store(e, &number, 1, 1, 1, 8);
        device_begin(e, &launch);
        status = e->blas->gemm(&launch, TWILL_FLOAT64, 'N', 'N', 1, 1, 1, &one, place, place, &one,
                               place);
        OK(device_end(e, &launch, status, NULL));
        device_fetch(e, &number, 1, place, 1, 1, 8);
        assert_true(number == 12);
        device_drop(e, place, 1, 1, 8);
        e->close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_says_what_it_is),
        cmocka_unit_test(a_device_that_is_not_there_is_refused),
        cmocka_unit_test(copies_bring_what_they_should),
        cmocka_unit_test(executors_of_a_device_reach_each_other),
        cmocka_unit_test(addresses_are_those_of_one_block),
        cmocka_unit_test(a_copy_that_cannot_be_made_is_said),
        cmocka_unit_test(as_many_launches_are_under_way_as_there_are_lanes),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(a_launch_that_fails_is_over_too),
    };
    count = device_drivers(drivers);
    if (count == 0) {
        puts("no driver finds a device here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
