/* Random programs have the result of their sequential execution, whatever the scheduler and the
 * number of workers.
 *
 * TW_PROGRAMS programs with the seeds TW_SEED, TW_SEED + 1, ... run; the seed also decides the
 * scheduler, the number of workers and the options of the context unless TW_SCHED and TW_WORKERS
 * do; TW_WORKERS=3-16 leaves it a choice. With TW_SHADOW=random it also decides what a second
 * memory is like, where tasks run. A failure names the seed: TW_SEED=that TW_PROGRAMS=1 runs it
 * again, and TW_PRINT=1 prints it first. */
#include "base/mix.h"
#include "support/limit.h"
#include "support/program.h"
#include "support/shadow.h"

#include <stdio.h>
#include <stdlib.h>

enum { PER_CONTEXT = 8, SECONDS = 30 };

typedef struct setting {
    char sched[16], seed[24], shadow[SHADOW_TEXT];
    twill_options options;
} setting;

/* What the programs with seeds from PER_CONTEXT * number on run in. */
static void choose(setting *s, uint64_t number)
{
    static const char *const schedulers[] = {"lws", "prio", "eager", "rand", "serial"};
    static const int64_t windows[] = {0, 0, 1, 7, 64, 500};
    static const int64_t spins[] = {0, 0, 1, 100};
    uint64_t r = tw_mix(number);
    const char *sched = getenv("TW_SCHED");
    snprintf(s->sched, sizeof s->sched, "%s", sched ? sched : schedulers[number % 5]);
    snprintf(s->seed, sizeof s->seed, "%u", (unsigned)r);
    s->options = (twill_options){
        .size = sizeof(twill_options),
        .workers = (int)limit_pick("TW_WORKERS", r / 64, (int64_t)(1 + number / 5 % 8)),
        .sched = s->sched,
        .sched_seed = s->seed,
        .bind = "off",
        .window = windows[r / 2 % (uint64_t)COUNT(windows)],
        .spin_us = spins[r / 16 % (uint64_t)COUNT(spins)],
        .patience_us = r & 1 ? 20 : 0,
        .shadow = shadow_pick(s->shadow, r / 1024),
    };
}

static void run_one(uint64_t seed, const setting *s, twill *tw, foreign *f)
{
    program *p = prog_make(seed);
    if (limit_number("TW_PRINT", 0))
        prog_print(p);
    limit_begin(tw, SECONDS, "seed %llu, scheduler %s, %d workers, shadow %s",
                (unsigned long long)seed, s->sched, s->options.workers, s->shadow);
    const char *wrong = prog_run(p, tw, f);
    if (wrong)
        fail_msg("seed %llu, scheduler %s, %d workers, shadow %s: %s", (unsigned long long)seed,
                 s->sched, s->options.workers, s->shadow, wrong);
    prog_free(p);
}

TEST(results_are_those_of_sequential_execution)
{
    uint64_t first = (uint64_t)limit_number("TW_SEED", 1);
    uint64_t end = first + (uint64_t)limit_number("TW_PROGRAMS", test_slow() ? 300 : 4000);
    for (uint64_t seed = first; seed < end;) {
        setting s;
        uint64_t number = seed / PER_CONTEXT;
        choose(&s, number);
        limit_begin(NULL, SECONDS, "starting, seed %llu", (unsigned long long)seed);
        twill *tw = test_start_with(s.options);
        foreign *f = foreign_start(1 + (int)(number % 2), number, prog_perform_foreign);
        for (; seed < end && seed / PER_CONTEXT == number; seed++)
            run_one(seed, &s, tw, f);
        limit_begin(tw, SECONDS, "stopping after seed %llu", (unsigned long long)seed - 1);
        foreign_stop(f);
        twill_stop(tw);
        limit_end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(results_are_those_of_sequential_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
