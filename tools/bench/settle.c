/* The same rate several times in a row. */
#include "bench/settle.h"

enum { SLICE = 1000000, SLICES = 60, STEADY = 3 };
static const double same = 0.98;

bool settle(bool (*plain)(void *arg, long iterations, double *rate), void *arg, double *best)
{
    *best = 0;
    for (int slice = 0, steady = 0; slice < SLICES && steady < STEADY; slice++) {
        double rate;
        if (!plain(arg, SLICE, &rate))
            return false;
        steady = rate > same * *best && rate < *best / same ? steady + 1 : 0;
        if (rate > *best)
            *best = rate;
    }
    return true;
}
