/* Rates of cores and devices by the size of a product, corrected by each call. */
#include "la/hybrid/division.h"

#include <math.h>

/* How much a new measurement counts. */
static const double weight = 0.5;

static int size_of(int64_t m, int64_t n)
{
    int size = (int)log2((double)m * (double)n + 1);
    return size < TW_DIVIDERS ? size : TW_DIVIDERS - 1;
}

static bool is_known(const tw_rates *r, int devices)
{
    bool known = r->cores > 0;
    for (int i = 0; i < devices; i++)
        known = known && r->device[i] > 0;
    return known;
}

tw_rates tw_divider_rates(const tw_divider *d, int64_t m, int64_t n, int devices,
                          const tw_rates *guess)
{
    int size = size_of(m, n);
    for (int far = 0; far < TW_DIVIDERS; far++)
        for (int side = -1; side <= 1; side += 2) {
            int i = size + side * far;
            if (i >= 0 && i < TW_DIVIDERS && is_known(&d->at[i], devices))
                return d->at[i];
        }
    return *guess;
}

static void correct(double *rate, double measured)
{
    if (measured > 0)
        *rate = *rate > 0 ? (1 - weight) * *rate + weight * measured : measured;
}

void tw_divider_note(tw_divider *d, int64_t m, int64_t n, int devices, const tw_rates *measured)
{
    tw_rates *at = &d->at[size_of(m, n)];
    correct(&at->cores, measured->cores);
    for (int i = 0; i < devices; i++)
        correct(&at->device[i], measured->device[i]);
}
