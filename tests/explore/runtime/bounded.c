/* Exhaustive search with a bound on deviations, for small programs.
 *
 * Without deviations a thread runs until it blocks or yields, and then the next one does. At every
 * point where more than one can run, another choice is a deviation: a preemption, or another
 * successor of a thread that blocks. Few suffice for most bugs, and all schedules with at most so
 * many can be run: bound 0, then 1, then 2. */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_POINTS = 1 << 20, DEEPEST = 8 };

typedef struct deviation {
    uint32_t point; /* number of the choice in its run */
    uint32_t choice;
} deviation;

static deviation wanted[DEEPEST];
static int nwanted;

/* Shared with the run: for each choice how many others there were. */
static struct {
    uint32_t points;
    uint8_t others[MOST_POINTS];
} * seen;

/* ---- inside the process of a run ------------------------------------------------------------ */

static int next_wanted;

static void bounded_begin(void)
{
    next_wanted = 0;
    ex.next_choice = 0; /* every step */
    if (seen)
        seen->points = 0;
}

/* The k-th that can run, counted from the one after `me`, round robin. */
static ex_thread *after(const ex_thread *me, uint32_t mask, uint32_t k)
{
    for (int i = 1;; i++) {
        int id = (me->id + i) % EX_THREADS;
        if (mask & 1u << id && k-- == 0)
            return &ex_threads[id];
    }
}

/* 0 for the usual choice. */
static uint32_t deviate(int others)
{
    if (!seen) /* a replay without deviations */
        return 0;
    uint32_t point = seen->points;
    if (point < MOST_POINTS) {
        seen->others[point] = (uint8_t)others;
        seen->points++;
    }
    if (next_wanted == nwanted || wanted[next_wanted].point != point)
        return 0;
    return wanted[next_wanted++].choice;
}

static ex_thread *bounded(ex_thread *me, bool yields)
{
    bool able = me->state == EX_RUNNABLE;
    uint32_t others = ex.runnable & ~(1u << me->id);
    int n = __builtin_popcount(others);
    if (!n)
        return able ? me : NULL;
    if (able && (ex_spins(me) || yields)) { /* where to is no choice, or there would be no end */
        me->since = ex.steps;
        return after(me, others, 0);
    }
    if (!able)
        return after(me, others, n > 1 ? deviate(n - 1) : 0);
    uint32_t k = deviate(n);
    return k ? after(me, others, k - 1) : me;
}

const ex_strategy ex_bounded = {"bound", bounded_begin, bounded};

/* ---- outside ------------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t runs, failed, steps;
    double until;
    bool over; /* the time is up */
} tally;

static void map_seen(void)
{
    if (!seen)
        seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

bool ex_set_choices(const char *text)
{
    map_seen();
    char *end;
    for (nwanted = 0; *text && nwanted < DEEPEST; nwanted++) {
        wanted[nwanted].point = (uint32_t)strtoul(text, &end, 10);
        if (*end != ':')
            return false;
        wanted[nwanted].choice = (uint32_t)strtoul(end + 1, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
    return !*text;
}

static const char *choices_text(void)
{
    static char text[DEEPEST * 24];
    size_t at = 0;
    text[0] = 0;
    for (int i = 0; i < nwanted; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%u:%u", i ? "," : "",
                               wanted[i].point, wanted[i].choice);
    return text;
}

/* Steps of this size visit all of n points, the early ones not first: when time is short, the
 * search has been everywhere. */
static uint32_t stride(uint32_t n)
{
    for (uint32_t s = (uint32_t)(0.618 * n) + 1;; s++) {
        uint32_t a = n, b = s;
        while (b) {
            uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return s;
    }
}

/* Run what is wanted so far, then everything with one more deviation behind the last one. */
static void descend(const ex_search *s, tally *t, int bound)
{
    if (t->over || (t->failed && !s->all))
        return;
    t->over = ex_seconds() >= t->until || t->runs >= s->seeds;
    ex_result r;
    int end = ex_run_one(s, s->first, false, &r);
    if (nwanted == bound) {
        t->runs++;
        t->steps += r.steps;
        if (end != EX_OK) {
            t->failed++;
            ex_print_failure(&r, end, s->first, choices_text());
        }
        return;
    }
    uint32_t from = nwanted ? wanted[nwanted - 1].point + 1 : 0;
    uint32_t n = seen->points > from ? seen->points - from : 0;
    uint8_t *others = malloc(n + 1);
    if (!others)
        return;
    memcpy(others, seen->others + from, n);
    int level = nwanted++;
    for (uint64_t i = 0, step = stride(n); i < n && !t->over; i++)
        for (uint32_t k = 1, at = (uint32_t)(i * step % n); k <= others[at]; k++) {
            wanted[level] = (deviation){from + at, k};
            nwanted = level + 1;
            descend(s, t, bound);
        }
    nwanted = level;
    free(others);
}

uint64_t ex_search_bounded(const ex_search *s)
{
    tally t = {.until = s->seconds > 0 ? ex_seconds() + s->seconds : 1e300};
    double begin = ex_seconds();
    map_seen();
    for (int bound = 0; bound <= s->bound && bound < DEEPEST && !t.over; bound++) {
        if (t.failed && !s->all)
            break;
        uint64_t before = t.runs;
        nwanted = 0;
        descend(s, &t, bound);
        printf("bound %d: %llu schedules, %s\n", bound, (unsigned long long)(t.runs - before),
               t.over                ? "not all"
               : t.failed && !s->all ? "stopped"
                                     : "all of them");
    }
    printf("%llu runs, %llu failed, %.2f million steps, %.2f s\n", (unsigned long long)t.runs,
           (unsigned long long)t.failed, 1e-6 * (double)t.steps, ex_seconds() - begin);
    return t.failed;
}
