/* Random calls of the level 3 BLAS: routine, type, letters, sizes, tile sizes, factors, layouts,
 * schedulers and workers. The bits are the same in another context, which some calls look at.
 *
 * TW_CALLS calls with the seeds TW_SEED, TW_SEED + 1, ... are made. A failure tells the call;
 * TW_SEED=that TW_CALLS=1 makes it again. */
#include "support/level3.h"
#include "base/mix.h"
#include "support/limit.h"
#include "support/test.h"

enum { PER_CONTEXT = 50, SECONDS = 60, LARGEST = 90 };

static uint64_t pick(uint64_t *seed, uint64_t n)
{
    return test_random(seed, n);
}

/* Mostly small, often near a multiple of the tile size. */
static int64_t size(uint64_t *seed, int64_t tile)
{
    int64_t near = tile * (int64_t)pick(seed, 4) + (int64_t)pick(seed, 3) - 1;
    if (pick(seed, 2) && near >= 0 && near <= LARGEST)
        return near;
    return (int64_t)pick(seed, pick(seed, 4) ? 40 : LARGEST);
}

static double complex factor(uint64_t *seed, bool real)
{
    double re = (double)pick(seed, 9) / 4 - 1.0, im = (double)pick(seed, 9) / 4 - 1.0;
    return real ? re : re + im * I;
}

static level3_call make_call(uint64_t number)
{
    static const twill_trans transposes[] = {TWILL_NO_TRANS, TWILL_TRANS, TWILL_CONJ_TRANS};
    uint64_t seed = tw_mix(number) | 1;
    level3_call o = {.routine = (level3_routine)pick(&seed, LEVEL3_ROUTINES),
                     .type = &test_types[pick(&seed, 4)],
                     .side = pick(&seed, 2) ? TWILL_LEFT : TWILL_RIGHT,
                     .uplo = pick(&seed, 2) ? TWILL_LOWER : TWILL_UPPER,
                     .transa = transposes[pick(&seed, 3)],
                     .transb = transposes[pick(&seed, 3)],
                     .diag = pick(&seed, 2) ? TWILL_UNIT : TWILL_NON_UNIT,
                     .mb = 1 + (int64_t)pick(&seed, 50),
                     .nb = 1 + (int64_t)pick(&seed, 50),
                     .kb = 1 + (int64_t)pick(&seed, 50),
                     .wrapped = (unsigned)pick(&seed, 8),
                     .triangle = pick(&seed, 3) == 0,
                     .part = pick(&seed, 3) == 0,
                     .inserted = pick(&seed, 2),
                     .no_priority = pick(&seed, 2),
                     .seed = number};
    o.m = size(&seed, o.mb), o.n = size(&seed, o.nb), o.k = size(&seed, o.kb);
    bool real = o.type->type == TWILL_FLOAT32 || o.type->type == TWILL_FLOAT64;
    o.alpha = factor(&seed, real || o.routine == LEVEL3_HERK);
    o.beta = factor(&seed, real || o.routine == LEVEL3_HERK || o.routine == LEVEL3_HER2K);
    if (!level3_allowed(&o))
        o.transa = TWILL_NO_TRANS;
    return o;
}

TEST(random_calls_are_right)
{
    static const char *const schedulers[] = {"lws", "prio", "eager", "rand", "serial"};
    uint64_t first = (uint64_t)limit_number("TW_SEED", 1);
    uint64_t end = first + (uint64_t)limit_number("TW_CALLS", test_slow() ? 500 : 3000);
    double worst = 0.0;
    for (uint64_t seed = first; seed < end;) {
        uint64_t number = seed / PER_CONTEXT;
        const char *sched = schedulers[number % 5];
        limit_begin(NULL, SECONDS, "starting, seed %llu", (unsigned long long)seed);
        twill *tw = test_start((int)(1 + number / 5 % 4), sched);
        twill *other = test_start((int)(1 + number % 4), schedulers[(number / 5 + 1) % 5]);
        for (; seed < end && seed / PER_CONTEXT == number; seed++) {
            limit_begin(tw, SECONDS, "seed %llu, scheduler %s", (unsigned long long)seed, sched);
            level3_call o = make_call(seed);
            double error = level3_check(tw, &o);
            worst = error > worst ? error : worst;
            if (seed % 4 == 0 && level3_digest(tw, &o) != level3_digest(other, &o))
                fail_msg("the bits depend on the order of tasks");
        }
        limit_begin(tw, SECONDS, "stopping after seed %llu", (unsigned long long)seed - 1);
        twill_stop(tw);
        twill_stop(other);
        limit_end();
    }
    print_message("worst error %.2f eps\n", worst);
    assert_true(worst > 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(random_calls_are_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
