/* Products divided between devices and cores, run in virtual time. */
#include "support/test.h"

#include "la/hybrid/division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double flops(const tw_division *d, const tw_part *p)
{
    return 2.0 * (double)p->rows * (double)p->cols * (double)d->k;
}

/* What a run was like. */
typedef struct run {
    double seconds, done_by_cores;
    int64_t sent_a, sent_b; /* blocks */
    tw_rates measured;
} run;

/* Who is how fast in truth, and a share by which each part may take longer. */
typedef struct machine {
    tw_rates rates;
    double noise;
    uint64_t seed;
} machine;

/* Each element of C is computed once. */
static void mark(unsigned char *c, int64_t n, const tw_part *p, int64_t unit)
{
    for (int64_t i = p->row / unit; i < (p->row + p->rows + unit - 1) / unit; i++)
        for (int64_t j = p->col / unit; j < (p->col + p->cols + unit - 1) / unit; j++)
            c[i * ((n + unit - 1) / unit) + j]++;
}

static double take_time(machine *m, double seconds)
{
    return seconds * (1 + m->noise * 0.001 * (double)test_random(&m->seed, 1000));
}

/* Executor 0 is the cores. Whoever is free first asks next. */
static run simulate(tw_division *d, machine *m, unsigned char *c, int64_t unit)
{
    run r = {0};
    double until[TW_DIVIDED + 1] = {0}, busy[TW_DIVIDED + 1] = {0}, work[TW_DIVIDED + 1] = {0};
    bool over[TW_DIVIDED + 1] = {m->rates.cores == 0};
    for (;;) {
        int e = -1;
        for (int i = 0; i <= d->devices; i++)
            if (!over[i] && (e < 0 || until[i] < until[e]))
                e = i;
        if (e < 0)
            break;
        tw_part p = {0};
        if (!(e == 0 ? tw_division_next_of_cores(d, &p) : tw_division_next(d, e - 1, &p))) {
            over[e] = true;
            continue;
        }
        assert_true(p.rows > 0 && p.cols > 0 && p.row >= 0 && p.col >= 0);
        assert_true(p.row + p.rows <= d->m && p.col + p.cols <= d->n);
        mark(c, d->n, &p, unit);
        double rate = e == 0 ? m->rates.cores : m->rates.device[e - 1];
        double seconds = take_time(m, flops(d, &p) / rate);
        until[e] += seconds;
        busy[e] += seconds;
        work[e] += flops(d, &p);
        r.sent_a += e > 0 && p.needs_a;
        r.sent_b += e > 0 && p.needs_b;
    }
    for (int e = 0; e <= d->devices; e++) {
        r.seconds = fmax(r.seconds, until[e]);
        *(e == 0 ? &r.measured.cores : &r.measured.device[e - 1]) =
            busy[e] > 0 ? work[e] / busy[e] : 0;
    }
    r.done_by_cores = work[0];
    assert_int_equal(d->left, 0);
    return r;
}

static run multiply(int64_t m, int64_t n, int64_t k, int64_t tile, int devices,
                    const tw_rates *known, machine *machine)
{
    tw_division d;
    OK(tw_division_open(&d, m, n, k, tile, devices, known));
    /* parts begin at multiples of the tile */
    int64_t rows = (m + tile - 1) / tile, cols = (n + tile - 1) / tile;
    unsigned char *c = calloc((size_t)(rows * cols), 1);
    run r = simulate(&d, machine, c, tile);
    for (int64_t i = 0; i < rows * cols; i++)
        assert_int_equal(c[i], 1);
    free(c);
    tw_division_close(&d);
    return r;
}

static double ideal(int64_t m, int64_t n, int64_t k, int devices, const tw_rates *r)
{
    double rate = r->cores;
    for (int i = 0; i < devices; i++)
        rate += r->device[i];
    return 2.0 * (double)m * (double)n * (double)k / rate;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

TEST(tiles_fit_the_problem)
{
    assert_int_equal(tw_division_tile(40000, 40000, 1024, 1, 0), 4096);
    assert_int_equal(tw_division_tile(700, 40000, 1024, 1, 0), 4096);
    assert_int_equal(tw_division_tile(2000, 2000, 1024, 1, 0), 512);
    assert_in_range(tw_division_tile(8192, 8192, 1024, 2, 0), 1024, 2048);
    assert_int_equal(tw_division_tile(10, 10, 10, 1, 0), 512);
    /* 4096 columns of A are too much for this device */
    int64_t tile = tw_division_tile(40000, 40000, 2048, 1, 100000000);
    assert_in_range(tile, 512, 3072);
}

TEST(every_element_is_computed_once)
{
    static const int64_t shapes[][2] = {{5000, 5000}, {100, 20000}, {20000, 100}, {1, 1},
                                        {513, 511},   {4096, 4096}, {3000, 7777}};
    for (int i = 0; i < COUNT(shapes); i++)
        for (int devices = 1; devices <= 3; devices++)
            for (int cores = 0; cores <= 2; cores++) {
                machine m = {{0.5 * cores, {1, 0.5, 0.2}}, 0.3, (uint64_t)i};
                multiply(shapes[i][0], shapes[i][1], 100, 512, devices, &m.rates, &m);
            }
}

TEST(operands_are_sent_once)
{
    machine m = {{0, {1}}, 0, 1};
    run r = multiply(8192, 4096, 1024, 1024, 1, &m.rates, &m);
    assert_int_equal(r.sent_a, 8);
    assert_int_equal(r.sent_b, 4);
    /* several: A to each of them, B to one */
    machine three = {{0, {1, 1, 1}}, 0, 1};
    r = multiply(8192, 6144, 1024, 1024, 3, &three.rates, &three);
    assert_int_equal(r.sent_a, 3 * 8);
    assert_int_equal(r.sent_b, 6);
}

/* ---- time ------------------------------------------------------------------------------------ */

/* 32768 on a GPU and cores that have a sixth of its rate; and on three unlike GPUs. */
TEST(rates_add_up)
{
    machine one = {{10e12, {55e12}}, 0.05, 1}, three = {{2e12, {10e12, 8e12, 5e12}}, 0.05, 2};
    run r = multiply(32768, 32768, 4096, 2048, 1, &one.rates, &one);
    double best = ideal(32768, 32768, 4096, 1, &one.rates) * 1.025;
    print_message("GPU and cores: %.4f s, ideal %.4f s\n", r.seconds, best);
    assert_true(best / r.seconds >= 0.95);
    r = multiply(32768, 32768, 4096, 2048, 3, &three.rates, &three);
    best = ideal(32768, 32768, 4096, 3, &three.rates) * 1.025;
    print_message("three GPUs and cores: %.4f s, ideal %.4f s\n", r.seconds, best);
    assert_true(best / r.seconds >= 0.94);
}

/* Whatever the shape, and however slow the cores. */
TEST(cores_do_not_delay_devices)
{
    static const int64_t shapes[][2] = {{16384, 16384}, {1000, 30000}, {30000, 1000}, {9000, 5000}};
    for (int i = 0; i < COUNT(shapes); i++)
        for (double cores = 1e9; cores < 1e13; cores *= 10) {
            machine m = {{cores, {20e12}}, 0, 1}, alone = {{0, {20e12}}, 0, 1};
            int64_t tile = tw_division_tile(shapes[i][0], shapes[i][1], 1024, 1, 0);
            run both = multiply(shapes[i][0], shapes[i][1], 1024, tile, 1, &m.rates, &m);
            run gpu = multiply(shapes[i][0], shapes[i][1], 1024, tile, 1, &alone.rates, &alone);
            assert_true(both.seconds <= gpu.seconds * (1 + 1e-9));
        }
}

/* Cores are thought to be twice, or half, as fast as they are: the second and third phase help at
 * once, and later calls know better. */
TEST(wrong_rates_are_corrected)
{
    for (double wrong = 0.25; wrong <= 4; wrong *= 4) {
        machine m = {{10e12, {40e12}}, 0.02, 3};
        tw_divider divider = {0};
        tw_rates guess = {10e12 * wrong, {40e12}};
        double best = ideal(20480, 20480, 2048, 1, &m.rates) * 1.01;
        double first = 0, last = 0;
        for (int call = 0; call < 6; call++) {
            tw_rates known = tw_divider_rates(&divider, 20480, 20480, 1, &guess);
            run r = multiply(20480, 20480, 2048, 1024, 1, &known, &m);
            tw_divider_note(&divider, 20480, 20480, 1, &r.measured);
            first = call == 0 ? r.seconds : first;
            last = r.seconds;
        }
        print_message("cores taken for %.2f times as fast: %.4f s, then %.4f s, ideal %.4f s\n",
                      wrong, first, last, best);
        assert_true(best / last >= 0.95);
        assert_true(wrong > 1 || best / first >= 0.9);
    }
}

TEST(sizes_are_told_apart)
{
    tw_divider d = {0};
    tw_rates guess = {1, {2}}, small = {5, {6}}, large = {5, {60}};
    assert_true(tw_divider_rates(&d, 1000, 1000, 1, &guess).device[0] == 2);
    tw_divider_note(&d, 1000, 1000, 1, &small);
    tw_divider_note(&d, 30000, 30000, 1, &large);
    assert_true(tw_divider_rates(&d, 1000, 1000, 1, &guess).device[0] == 6);
    assert_true(tw_divider_rates(&d, 500, 2000, 1, &guess).device[0] == 6);
    assert_true(tw_divider_rates(&d, 40000, 40000, 1, &guess).device[0] == 60);
    assert_true(tw_divider_rates(&d, 1000, 1000, 2, &guess).device[0] == 2); /* one more device */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_fit_the_problem),
        cmocka_unit_test(every_element_is_computed_once),
        cmocka_unit_test(operands_are_sent_once),
        cmocka_unit_test(rates_add_up),
        cmocka_unit_test(cores_do_not_delay_devices),
        cmocka_unit_test(wrong_rates_are_corrected),
        cmocka_unit_test(sizes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
