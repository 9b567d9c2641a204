/* How many workers are to run critical tasks together: a controller that measures, and compares
 * the bounds (3) and (4) of docs/critical-path.md for the next task of the path.
 *
 * It looks at the last few critical tasks since the set has changed: how long they took, and would
 * have taken one worker; how long the path waited between them; how many others had nothing to do.
 * From that follow, per task of the path, the work of all others, and so both bounds for each size.
 * How much faster a larger set is, it knows of sizes that were tried, and guesses for others by
 * Amdahl's law through the nearest one. One worker alone is no faster than any other, so sizes are
 * 0, 2, 3 and so on. */
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <twill/critical.h>

/* SIZES: the largest set has one less. RECENT, FEW: tasks that a decision looks at, at most and at
 * least. BOLD: the first size beyond none. PATIENCE: tasks until what cannot be is given up. */
enum { SIZES = 33, KINDS = 16, RECENT = 6, FEW = 2, BOLD = 4, PATIENCE = 24 };
enum { FORGET_FIRST = 32, FORGET_LAST = 1024 };

/* What one more worker must be worth, what a change must. Where the path has gaps shorter than this
 * share of the time and fewer workers than this are idle, both bounds seem to be reached; then the
 * work counts as if it were a tenth less, since the path cannot be put off and work can. A pause
 * that is no part of a run, in tasks; the share of a task that a team does not share, as long as
 * nothing is known. */
static const double price = 0.01, seamless = 0.02, nobody = 0.5, postponed = 0.9, worth = 0.03,
                    pause = 16, guess = 0.1;

/* Tasks that take equally long, we hope. */
typedef struct kind {
    const void *id;
    double alone; /* seconds of one worker; 0: not yet known */
} kind;

typedef struct seen {
    double seconds, alone, gap, idle;
} seen;

struct twill_controller {
    int workers, most;
    int wanted;
    kind kinds[KINDS];
    int nkinds;
    double ratio[SIZES]; /* seconds of a set of this size for one of a worker alone; */
    int tried[SIZES];    /* from so many tasks */
    seen recent[RECENT];
    int64_t n;          /* tasks that were seen since the size was last changed */
    int strange;        /* tasks that ran with another size than wanted */
    int quiet;          /* tasks since the set has become empty, */
    int forget;         /* and after how many of them what did not help is tried again */
    double last;        /* when a task ended */
    bool begun, rested; /* has one ended at all; and did nobody else have work then? */
};

twill_status twill_controller_new(int workers, twill_controller **out)
{
    if (!out || workers < 1)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_controller_new: %s",
                       out ? "there must be a worker" : "the place for it is NULL");
    twill_controller *c = calloc(1, sizeof *c);
    if (!c)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a controller");
    c->workers = workers;
    c->most = (workers < SIZES ? workers : SIZES) - 1;
    c->forget = FORGET_FIRST;
    *out = c;
    return TWILL_OK;
}

void twill_controller_free(twill_controller *c)
{
    free(c);
}

/* ---- what is known of teams --------------------------------------------------------------- */

/* Kinds beyond the last share its place. */
static kind *find_kind(twill_controller *c, const void *id)
{
    int i = 0;
    while (i < c->nkinds && c->kinds[i].id != id)
        i++;
    if (i == KINDS)
        return &c->kinds[KINDS - 1];
    if (i == c->nkinds)
        c->kinds[c->nkinds++].id = id;
    return &c->kinds[i];
}

/* Seconds that the task would have taken one worker. */
static double learn(twill_controller *c, kind *k, int size, double seconds)
{
    if (size < 2) {
        k->alone = k->alone > 0 ? 0.75 * k->alone + 0.25 * seconds : seconds;
        return seconds;
    }
    if (k->alone <= 0)
        return c->tried[size] ? seconds / c->ratio[size] : seconds;
    int n = c->tried[size] += c->tried[size] < RECENT;
    c->ratio[size] += (seconds / k->alone - c->ratio[size]) / n;
    return k->alone;
}

/* What is expected of a size. */
static double ratio_of(const twill_controller *c, int size)
{
    if (size < 2)
        return 1;
    if (c->tried[size])
        return c->ratio[size];
    double alone = guess;
    for (int d = 1; d < SIZES; d++) {
        int near = size - d > 1 && c->tried[size - d] ? size - d : size + d;
        if (near >= SIZES || !c->tried[near])
            continue;
        alone = (near * c->ratio[near] - 1) / (near - 1);
        alone = alone < 0 ? 0 : alone > 1 ? 1 : alone;
        break;
    }
    return alone + (1 - alone) / size;
}

/* ---- deciding ------------------------------------------------------------------------------ */

/* The means of what was seen, and the work of others, all in seconds per task of the path. */
typedef struct means {
    double alone, wait, work;
} means;

static means take_means(const twill_controller *c)
{
    int n = (int)(c->n < RECENT ? c->n : RECENT), size = c->wanted;
    seen sum = {0};
    for (int i = 0; i < n; i++) {
        sum.seconds += c->recent[i].seconds / n;
        sum.alone += c->recent[i].alone / n;
        sum.gap += c->recent[i].gap / n;
        sum.idle += c->recent[i].idle / n;
    }
    double step = sum.seconds + sum.gap;
    double reserved = size > 0 ? size * step : sum.seconds;
    double work = (c->workers - sum.idle) * step - reserved;
    if (sum.gap < seamless * step && sum.idle < nobody)
        work *= postponed;
    /* a path that waits while others are idle waits for another path, not for workers */
    return (means){sum.alone, sum.gap * fmin(sum.idle, 1), fmax(work, 0)};
}

/* The larger of both bounds, and the price of the workers. */
static double cost(const twill_controller *c, const means *m, int size)
{
    double path = m->alone * ratio_of(c, size) + m->wait;
    double work = size > 0 ? m->work / (c->workers - size) : (m->work + m->alone) / c->workers;
    return fmax(path, work) * (1 + price * size);
}

static int choose(const twill_controller *c, const means *m)
{
    int bold = c->wanted > 0 ? 2 * c->wanted : BOLD, most = bold < c->most ? bold : c->most;
    int best = 0;
    double least = cost(c, m, 0), now = cost(c, m, c->wanted);
    for (int size = 2; size <= most; size++) {
        double with = cost(c, m, size);
        if (with < least) {
            least = with;
            best = size;
        }
    }
    return least < (1 - worth) * now ? best : c->wanted;
}

static void want(twill_controller *c, int size)
{
    c->wanted = size;
    c->n = 0;
    c->strange = 0;
    c->quiet = 0;
}

/* What did not help may help later. */
static void forget(twill_controller *c)
{
    if (c->wanted > 0 || ++c->quiet < c->forget)
        return;
    c->quiet = 0;
    c->forget = c->forget < FORGET_LAST ? 2 * c->forget : FORGET_LAST;
    for (int i = 0; i < SIZES; i++)
        c->tried[i] = 0;
}

static void decide(twill_controller *c)
{
    forget(c);
    if (c->n < FEW)
        return;
    means m = take_means(c);
    int size = choose(c, &m);
    if (size != c->wanted)
        want(c, size);
}

/* The set has not changed yet, and perhaps cannot. */
static void wait_for_size(twill_controller *c, int size)
{
    if (++c->strange > PATIENCE)
        want(c, size > 1 ? size : 0);
}

int twill_controller_note(twill_controller *c, const void *id, int size, double begin, double end,
                          double idle)
{
    double seconds = end - begin, gap = c->begun ? fmax(begin - c->last, 0) : 0;
    double alone = learn(c, find_kind(c, id), size < SIZES ? size : SIZES - 1, seconds);
    bool counts = c->begun && !(c->rested && gap > pause * seconds); /* not the first of a graph */
    c->last = end;
    c->begun = true;
    c->rested = idle >= c->workers - (size > 1 ? size : 1);
    if ((size > 1 ? size : 0) != c->wanted) {
        wait_for_size(c, size);
    } else if (counts) {
        c->recent[c->n++ % RECENT] = (seen){seconds, alone, gap, idle};
        decide(c);
    }
    return c->wanted;
}
