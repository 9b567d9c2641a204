/* Unlike devices in virtual time: what policies make of them, which know nothing of them at first.
 */
#include "support/test.h"

#include <twill/pattern.h>
#include <twill/simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Seconds on a worker, and how many times as fast devices are, by class. */
typedef struct kernel {
    const char *name;
    double seconds, faster;
} kernel;

static const kernel kernels[] = {
    {"potrf", 3e-3, 3}, {"trsm", 6e-3, 10}, {"syrk", 6e-3, 15}, {"gemm", 10e-3, 20}};

static double seconds_of(const char *name)
{
    for (int i = 0; i < COUNT(kernels); i++)
        if (strcmp(kernels[i].name, name) == 0)
            return kernels[i].seconds;
    return 0;
}

/* `arg` is the speed of each device, from 1, as a share of that of the fastest; 0: no such task. */
static double on_device(void *arg, const char *cls, double seconds, int device)
{
    double share = ((const double *)arg)[device];
    for (int i = 0; i < COUNT(kernels); i++)
        if (strcmp(kernels[i].name, cls) == 0)
            return share > 0 ? seconds / (share * kernels[i].faster) : 0;
    return 0;
}

static double over_pcie(void *arg, double bytes, int device)
{
    (void)arg, (void)device;
    return 10e-6 + bytes / 20e9;
}

static twill_simulation machine(const char *sched, int workers, int devices, double *speeds)
{
    return (twill_simulation){.size = sizeof(twill_simulation),
                              .sched = sched,
                              .workers = workers,
                              .devices = devices,
                              .device = on_device,
                              .arg = speeds,
                              .copy = over_pcie};
}

static twill_simulated run(const twill_model *m, twill_simulation s)
{
    twill_simulated cost = {.size = sizeof cost};
    OK(twill_simulate(m, &s, &cost));
    assert_int_equal(cost.tasks, twill_model_tasks(m));
    int64_t tasks = 0;
    for (int d = 0; d <= s.devices; d++) {
        tasks += cost.device_tasks[d];
        assert_true(cost.device_busy[d] <= cost.seconds * (d ? 1 : s.workers) * (1 + 1e-9));
    }
    assert_int_equal(tasks, cost.tasks);
    return cost;
}

/* ---- programs -------------------------------------------------------------------------------- */

enum { NB = 512, TILE = NB * NB * 8 };

static int64_t task(twill_model *m, const char *name)
{
    int64_t number;
    OK(twill_model_task(m, name, seconds_of(name), &number));
    return number;
}

static twill_model *products(int n)
{
    twill_model *m;
    OK(twill_model_make(&m));
    for (int i = 0; i < n; i++) {
        task(m, "gemm");
        OK(twill_model_data(m, i, TILE, true));
    }
    return m;
}

/* Cholesky on tiles. `owner` of a block column runs what writes there, or NULL. */
typedef struct cholesky {
    twill_model *m;
    int tiles;
    const int *owner;
    int64_t last[40][40]; /* that wrote the tile, or -1 */
} cholesky;

static void writes(cholesky *c, const char *name, int i, int j, const int (*reads)[2], int n)
{
    int64_t t = task(c->m, name);
    if (c->owner)
        OK(twill_model_place(c->m, c->owner[j]));
    for (int k = 0; k < n; k++) {
        OK(twill_model_data(c->m, reads[k][0] * c->tiles + reads[k][1], TILE, false));
        OK(twill_model_edge(c->m, c->last[reads[k][0]][reads[k][1]], t));
    }
    OK(twill_model_data(c->m, i * c->tiles + j, TILE, true));
    if (c->last[i][j] >= 0)
        OK(twill_model_edge(c->m, c->last[i][j], t));
    c->last[i][j] = t;
}

static twill_model *potrf(int tiles, const int *owner)
{
    cholesky c = {.tiles = tiles, .owner = owner};
    memset(c.last, -1, sizeof c.last);
    OK(twill_model_make(&c.m));
    for (int k = 0; k < tiles; k++) {
        writes(&c, "potrf", k, k, NULL, 0);
        for (int i = k + 1; i < tiles; i++)
            writes(&c, "trsm", i, k, (const int[][2]){{k, k}}, 1);
        for (int j = k + 1; j < tiles; j++) {
            writes(&c, "syrk", j, j, (const int[][2]){{j, k}}, 1);
            for (int i = j + 1; i < tiles; i++)
                writes(&c, "gemm", i, j, (const int[][2]){{i, k}, {j, k}}, 2);
        }
    }
    return c.m;
}

/* ---- independent tasks ----------------------------------------------------------------------- */

/* The best of all ways to give each executor a fixed number of equal tasks. */
static double best_split(int n, const double *seconds, const int *width, int executors)
{
    double low = 0, high = n * seconds[0];
    for (int step = 0; step < 100; step++) {
        double middle = (low + high) / 2;
        double done = 0;
        for (int e = 0; e < executors; e++)
            done += width[e] * floor(middle / seconds[e] + 1e-9);
        *(done >= n ? &high : &low) = middle;
    }
    return high;
}

static void independent_tasks(void **state)
{
    double speeds[] = {0, 1, 0.3, 0.1};
    const double seconds[] = {10e-3, 10e-3 / 20, 10e-3 / 6, 10e-3 / 2};
    const int width[] = {8, 1, 1, 1};
    twill_model *m = products(2000);
    double best = best_split(2000, seconds, width, 4), rate = 0;
    for (int e = 0; e < 4; e++)
        rate += width[e] / seconds[e];
    twill_simulated c = run(m, machine(*state, 8, 3, speeds));
    print_message("%s: %.4f s; best static split %.4f s, ideal %.4f s\n", (const char *)*state,
                  c.seconds, best, 2000 / rate);
    assert_true(c.seconds <= 1.1 * best);
    twill_model_free(m);
}

/* ---- Cholesky -------------------------------------------------------------------------------- */

static double time_of(const twill_model *m, const char *sched, int workers, int devices,
                      double *speeds)
{
    twill_simulation s = machine(sched, workers, devices, speeds);
    s.known = 1;
    return run(m, s).seconds;
}

/* Slow cores must not hold up a GPU. The cores alone have no devices. */
static void cores_do_not_delay_a_gpu(void **state)
{
    double speeds[] = {0, 1};
    for (int tiles = 4; tiles <= 28; tiles += 8) {
        int owner[40];
        for (int j = 0; j < tiles; j++)
            owner[j] = 1;
        twill_model *alone = potrf(tiles, owner), *m = potrf(tiles, NULL);
        double gpu = time_of(alone, *state, 1, 1, speeds);
        for (int workers = 1; workers <= 16; workers *= 4) {
            double both = time_of(m, *state, workers, 1, speeds);
            print_message("%s: %d tiles, GPU and %d cores %.4f s, GPU alone %.4f s\n",
                          (const char *)*state, tiles, workers, both, gpu);
            assert_true(both <= 1.01 * gpu);
        }
        twill_model_free(alone);
        twill_model_free(m);
    }
}

/* A GPU that is no faster than the cores together. */
static void rates_add_up(void **state)
{
    double speeds[] = {0, 0.2};
    int owner[40];
    for (int j = 0; j < 32; j++)
        owner[j] = 1;
    twill_model *alone = potrf(32, owner), *m = potrf(32, NULL);
    double gpu = time_of(alone, *state, 1, 1, speeds);
    double cores = time_of(m, *state, 4, 0, NULL);
    double both = time_of(m, *state, 4, 1, speeds);
    print_message("%s: GPU %.4f s, cores %.4f s, both %.4f s, ideal %.4f s\n", (const char *)*state,
                  gpu, cores, both, 1 / (1 / gpu + 1 / cores));
    assert_true(1 / both >= 0.9 * (1 / gpu + 1 / cores));
    twill_model_free(alone);
    twill_model_free(m);
}

/* ---- block columns that devices own ------------------------------------------------------------
 */

/* Columns of `tiles` dealt by weights, or in turns. */
static double time_dealt(int tiles, int devices, const double *weights, double *speeds)
{
    int64_t dealt[40];
    int owner[40];
    OK(twill_pattern_deal(tiles, devices, weights, dealt));
    for (int j = 0; j < tiles; j++)
        owner[j] = 1 + (int)dealt[j];
    twill_model *m = potrf(tiles, owner);
    double seconds = time_of(m, "cw", 1, devices, speeds);
    twill_model_free(m);
    return seconds;
}

/* The machine of the report: three devices, 10 : 8 : 5, and others that are less alike. */
TEST(weights_deal_columns_better_than_turns_do)
{
    static const double machines[][4] = {{3, 1, 0.8, 0.5}, {2, 1, 0.5}, {2, 1, 0.25}};
    for (int i = 0; i < COUNT(machines); i++) {
        double speeds[4] = {0}, equal[3] = {1, 1, 1}, sum = 0;
        int devices = (int)machines[i][0];
        memcpy(speeds + 1, machines[i] + 1, (size_t)devices * sizeof *speeds);
        for (int d = 1; d <= devices; d++)
            sum += speeds[d];
        double plain = time_dealt(40, devices, equal, speeds);
        double guided = time_dealt(40, devices, speeds + 1, speeds);
        print_message("%d devices: in turns %.3f s, by weights %.3f s: %.2f times as fast\n",
                      devices, plain, guided, plain / guided);
        assert_true(plain / guided >= 1.15);
    }
}

#define for_policy(name, sched)                                      \
    {                                                                \
#name ": " sched, name, NULL, NULL, (void *)(uintptr_t)sched \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        for_policy(independent_tasks, "cw"),
        for_policy(independent_tasks, "dmda"),
        for_policy(cores_do_not_delay_a_gpu, "cw"),
        for_policy(cores_do_not_delay_a_gpu, "dmda"),
        for_policy(rates_add_up, "cw"),
        for_policy(rates_add_up, "dmda"),
        cmocka_unit_test(weights_deal_columns_better_than_turns_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
