/* Multiplying and adding for a few milliseconds, and looking at the clock. */
#include "base/peak.h"

#include "base/clock.h"
#include "base/fma.h"

/* Slices of some 10 microseconds: the best of them tells what the core does when its clock is up
 * and nobody else has it. */
enum { ROUNDS = 4096, SLICES = 16 };
static const double seconds = 4e-3;

double tw_peak(const char **kind)
{
    const tw_fma *fma = tw_fma_widest();
    double start = tw_seconds(), best = 0, now = start;
    for (int slices = 0; slices < SLICES || now < start + seconds; slices++) {
        double before = tw_seconds();
        fma->run(ROUNDS);
        now = tw_seconds();
        double rate = 1e-9 * ROUNDS * fma->flops / (now - before);
        best = rate > best ? rate : best;
    }
    *kind = fma->name;
    return best;
}
