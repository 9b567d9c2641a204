/* How many workers are to run critical tasks together: a controller that tries and measures.
 *
 * It looks at windows of some critical tasks. The path is the limit where its tasks follow one
 * another without a gap and other workers have nothing to do: then one of these is worth more in
 * the set, which is tried for a window and kept if tasks have become shorter. The path is not the
 * limit where the set waits and nobody else does: then it gives a worker back. In between all is
 * well. One worker alone is no faster than any other, so sizes are 0, 2, 3 and so on. */
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <twill/critical.h>

enum { WINDOW = 6, FEW = 2, MANY = 64, PATIENCE = 24 };

/* Shares of the time of the path, and numbers of idle workers, that say which is the limit; what a
 * larger set must at least save. */
static const double path_limits = 0.85, path_waits = 0.5, somebody = 0.75, nobody = 0.5,
                    gain = 0.05;

struct twill_controller {
    int most;          /* the largest size */
    int wanted;        /* the size of now, */
    int before;        /* and that of before the trial */
    bool trial;        /* is it worth it? */
    double mean;       /* of a task before the trial */
    int hold, penance; /* windows until the next trial; and after the next one that fails */
    int n, strange;    /* tasks of this window; those that ran with another size than wanted */
    double from, last, busy, idle;
};

twill_status twill_controller_new(int workers, twill_controller **out)
{
    if (!out || workers < 1)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_controller_new: %s",
                       out ? "there must be a worker" : "the place for it is NULL");
    twill_controller *c = calloc(1, sizeof *c);
    if (!c)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a controller");
    c->most = workers - 1;
    c->penance = FEW;
    *out = c;
    return TWILL_OK;
}

void twill_controller_free(twill_controller *c)
{
    free(c);
}

static void judge_trial(twill_controller *c, double mean)
{
    c->trial = false;
    if (mean <= (1 - gain) * c->mean) {
        c->penance = FEW;
        return;
    }
    c->wanted = c->before;
    c->hold = c->penance;
    c->penance = c->penance < MANY ? 2 * c->penance : MANY;
}

static void begin_trial(twill_controller *c, double mean)
{
    int larger = c->wanted == 0 ? 2 : c->wanted + 1;
    if (larger > c->most)
        return;
    c->before = c->wanted;
    c->mean = mean;
    c->trial = true;
    c->wanted = larger;
}

static void decide(twill_controller *c)
{
    double mean = c->busy / c->n, idle = c->idle / c->n, time = c->last - c->from;
    double share = time > 0 ? c->busy / time : 1;
    if (c->trial)
        judge_trial(c, mean);
    else if (c->hold > 0)
        c->hold--;
    else if (share > path_limits && idle >= somebody)
        begin_trial(c, mean);
    if (!c->trial && share < path_waits && idle < nobody)
        c->wanted = c->wanted <= 2 ? 0 : c->wanted - 1;
}

static void begin_window(twill_controller *c)
{
    c->n = c->strange = 0;
    c->busy = c->idle = 0;
    c->from = c->last;
}

int twill_controller_note(twill_controller *c, int size, double begin, double end, double idle)
{
    if (size != c->wanted) { /* the set has not changed yet, and perhaps cannot */
        c->last = end;
        int strange = c->strange + 1;
        begin_window(c);
        c->strange = strange;
        if (strange > PATIENCE) {
            c->wanted = size > 1 ? size : 0;
            c->trial = false;
            c->strange = 0;
        }
        return c->wanted;
    }
    if (c->n == 0 && c->last == 0)
        c->from = begin;
    c->last = end;
    c->busy += end - begin;
    c->idle += idle;
    if (++c->n < WINDOW)
        return c->wanted;
    decide(c);
    begin_window(c);
    return c->wanted;
}
