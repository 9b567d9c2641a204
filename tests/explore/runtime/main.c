/* The command line of an explored program. */
#include "heap.h"
#include "race.h"
#include "search.h"

#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

ex_plan ex_the_plan = {
    .strategy = &ex_walk, .depth = 3, .budget = 3000000, .races = true, .leaks = true};

static const char usage[] =
    "options, then -- and those of the program:\n"
    "  --seeds N      how many (1000, or what fits the time)\n"
    "  --first S      the first one (1)\n"
    "  --seconds T    stop after that time\n"
    "  --all          go on after the first failure\n"
    "  --replay S     run one seed and report\n"
    "  --pct D        priorities with D-1 change points instead of the random walk\n"
    "  --bound B      all schedules with at most B deviations instead\n"
    "  --choices C    with --replay: the deviations that such a search has printed\n"
    "  --weak         loads may return older values, as C's memory orders allow\n"
    "  --plain        plain accesses are points, too\n"
    "  --oom          one allocation fails; which one belongs to the seed\n"
    "  --no-races, --no-leaks\n"
    "  --budget N     steps without progress until a run counts as endless\n"
    "  --step NS      virtual time per step (drawn: 1, 5 or 25)\n";

static uint64_t replay;
static bool replays;

/* Options without a value. */
static bool set_flag(const char *o, ex_search *s)
{
    ex_plan *p = &ex_the_plan;
    if (!strcmp(o, "--all"))
        s->all = true;
    else if (!strcmp(o, "--weak"))
        p->weak = true;
    else if (!strcmp(o, "--plain"))
        p->plain = true;
    else if (!strcmp(o, "--oom"))
        p->oom = true;
    else if (!strcmp(o, "--no-races"))
        p->races = false;
    else if (!strcmp(o, "--no-leaks"))
        p->leaks = false;
    else
        return false;
    return true;
}

static bool set_value(const char *o, const char *v, ex_search *s)
{
    ex_plan *p = &ex_the_plan;
    uint64_t n = strtoull(v, NULL, 0);
    if (!strcmp(o, "--seeds"))
        s->seeds = n;
    else if (!strcmp(o, "--first"))
        s->first = n;
    else if (!strcmp(o, "--seconds"))
        s->seconds = atof(v);
    else if (!strcmp(o, "--replay"))
        replay = n, replays = true;
    else if (!strcmp(o, "--budget"))
        p->budget = n;
    else if (!strcmp(o, "--step"))
        p->step_ns = n;
    else if (!strcmp(o, "--pct"))
        p->strategy = &ex_pct, p->depth = (int)n;
    else if (!strcmp(o, "--bound"))
        p->strategy = &ex_bounded, s->bound = (int)n;
    else if (!strcmp(o, "--choices"))
        return p->strategy = &ex_bounded, ex_set_choices(v);
    else
        return false;
    return p->depth >= 1 && p->depth <= EX_CHANGES;
}

/* The index of the first argument that is not an option, or 0. */
static int parse(int argc, char **argv, ex_search *s)
{
    int i;
    for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
        if (set_flag(argv[i], s))
            continue;
        if (i + 1 == argc || !set_value(argv[i], argv[i + 1], s))
            return 0;
        i++;
    }
    return i;
}

/* The same addresses in each process. */
static void fix_addresses(char **argv)
{
    int kind = personality(0xffffffff);
    if (!(kind & ADDR_NO_RANDOMIZE)) {
        personality((unsigned long)kind | ADDR_NO_RANDOMIZE);
        execv("/proc/self/exe", argv);
    }
    mallopt(M_ARENA_MAX, 1);
}

static int replay_one(const ex_search *s)
{
    ex_result r;
    if (ex_the_plan.strategy == &ex_pct) { /* the change points depend on the length */
        int depth = ex_the_plan.depth;
        ex_the_plan.depth = 1;
        ex_run_one(s, 0, false, &r);
        ex_the_plan.depth = depth;
        ex_the_plan.length = r.contested;
    }
    int end = ex_run_one(s, replay, true, &r);
    printf("seed %llu: %s, %llu steps, %llu switches, %llu allocations, schedule %016llx\n",
           (unsigned long long)replay, end ? ex_end_name(end) : "ok", (unsigned long long)r.steps,
           (unsigned long long)r.switches, (unsigned long long)r.allocations,
           (unsigned long long)r.hash);
    return end ? 1 : 0;
}

int main(int argc, char **argv)
{
    fix_addresses(argv);
    ex_search s = {.first = 1};
    int i = parse(argc, argv, &s);
    if (!i) {
        fputs(usage, stderr);
        return 2;
    }
    if (!s.seeds)
        s.seeds = s.seconds > 0 ? UINT64_MAX : 1000;
    s.argc = argc - i;
    s.argv = argv + i;
    if (i == argc) {
        s.argc = 1;
        s.argv = (char *[]){argv[0], NULL};
    } else {
        s.argv[0] = argv[0];
    }
    setenv("TWILL_BIND", "off", 0);
    ex_heap_open();
    ex_races_open();
    ex_fibers_make();
    if (replays)
        return replay_one(&s);
    uint64_t failed =
        ex_the_plan.strategy == &ex_bounded ? ex_search_bounded(&s) : ex_search_seeds(&s);
    return failed ? 1 : 0;
}
