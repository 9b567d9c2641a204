/* Blocks dealt in turns that follow weights. */
#include "base/status.h"

#include <twill/pattern.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The blocks of each so far, as seconds: what it has, and with one more. */
typedef struct dealer {
    int64_t n;
    const double *weights;
    double sum;
    int64_t *count;
} dealer;

static double with_one_more(const dealer *d, int64_t r)
{
    return d->weights[r] > 0 ? (double)(d->count[r] + 1) / d->weights[r] : INFINITY;
}

static int64_t next_of(const dealer *d)
{
    int64_t best = 0;
    for (int64_t r = 1; r < d->n; r++)
        if (with_one_more(d, r) < with_one_more(d, best))
            best = r;
    return best;
}

static double longest(const dealer *d)
{
    double most = 0;
    for (int64_t r = 0; r < d->n; r++) {
        double seconds = d->count[r] ? (double)d->count[r] / d->weights[r] : 0;
        most = seconds > most ? seconds : most;
    }
    return most;
}

/* From the last to the first: so each tail is as good as it can be. */
static void deal(dealer *d, int64_t blocks, int64_t *owner)
{
    for (int64_t b = blocks - 1; b >= 0; b--) {
        int64_t r = next_of(d);
        d->count[r]++;
        if (owner)
            owner[b] = r;
    }
}

static twill_status open_dealer(dealer *d, const char *function, int64_t blocks, int64_t n,
                                const double *weights)
{
    *d = (dealer){.n = n, .weights = weights};
    bool good = blocks >= 0 && n >= 1;
    for (int64_t r = 0; good && r < n; r++) {
        good = weights[r] >= 0 && weights[r] < INFINITY;
        d->sum += weights[r];
    }
    if (!good || !(d->sum > 0))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "%s: %lld blocks for %lld weights: these are not negative, and not all 0",
                       function, (long long)blocks, (long long)n);
    d->count = calloc((size_t)n, sizeof *d->count);
    return d->count ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "%s: no memory", function);
}

twill_status twill_pattern_deal(int64_t blocks, int64_t n, const double *weights, int64_t *owner)
{
    dealer d;
    twill_status status = open_dealer(&d, "twill_pattern_deal", blocks, n, weights);
    if (status != TWILL_OK)
        return status;
    deal(&d, blocks, owner);
    free(d.count);
    return TWILL_OK;
}

/* Are those from `from` on dealt well enough as they are? Seconds that they must take: `best`. */
static bool is_good(dealer *d, int64_t blocks, int64_t from, double limit, const int64_t *owner)
{
    deal(d, blocks - from, NULL);
    double best = longest(d);
    memset(d->count, 0, (size_t)d->n * sizeof *d->count);
    for (int64_t b = from; b < blocks; b++) {
        if (d->weights[owner[b]] == 0)
            return false;
        d->count[owner[b]]++;
    }
    return longest(d) <= limit * best;
}

/* A block stays where it is unless its owner then had more than its share of those behind it. */
static int64_t deal_others(dealer *d, int64_t blocks, int64_t from, double limit, int64_t *owner)
{
    int64_t moved = 0;
    memset(d->count, 0, (size_t)d->n * sizeof *d->count);
    for (int64_t b = blocks - 1; b >= from; b--) {
        int64_t next = next_of(d);
        double share = (double)(blocks - b) / d->sum, least = with_one_more(d, next);
        if (with_one_more(d, owner[b]) > limit * (share > least ? share : least)) {
            owner[b] = next;
            moved++;
        }
        d->count[owner[b]]++;
    }
    return moved;
}

twill_status twill_pattern_deal_again(int64_t blocks, int64_t n, const double *weights,
                                      int64_t from, double tolerance, int64_t *owner,
                                      int64_t *moved)
{
    dealer d;
    twill_status status = open_dealer(&d, "twill_pattern_deal_again", blocks, n, weights);
    if (status != TWILL_OK)
        return status;
    bool good = from >= 0 && from <= blocks && tolerance >= 0;
    for (int64_t b = from; good && b < blocks; b++)
        good = owner[b] >= 0 && owner[b] < n;
    if (!good) {
        status = tw_fail(TWILL_ERR_ARGUMENT,
                         "twill_pattern_deal_again: blocks %lld to %lld have an owner each, 0 to "
                         "%lld, and the tolerance is not negative",
                         (long long)from, (long long)blocks - 1, (long long)n - 1);
        goto undo_dealer;
    }
    double limit = 1 + tolerance;
    bool stays = is_good(&d, blocks, from, limit, owner);
    int64_t changed = stays ? 0 : deal_others(&d, blocks, from, limit, owner);
    if (moved)
        *moved = changed;
undo_dealer:
    free(d.count);
    return status;
}
