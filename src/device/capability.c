/* What is learned of executors: medians for each class, size and kind. */
#include "device/capability.h"

#include "base/lock.h"
#include "base/stored.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIZES = 4 * 48, /* up to 2^48 bytes */
    SAMPLES = 15,   /* that an estimate is the median of */
    RECALLED = 3,   /* as many does one of an earlier run count for */
    SURE = 3,       /* measurements without which more are wanted */
    REACH = 16,     /* sizes that an estimate may be taken from are so near */
    PATIENCE = 64,  /* measurements on other kinds until one that was wanted is given up */
    BUCKETS = 256,
};

/* An executor is tried again when others have been busy for so many times its seconds. */
static const double fresh = 100, young = 10;

typedef struct estimate {
    _Atomic double seconds; /* the median; 0: never measured */
    float sample[SAMPLES];
    int n, next;      /* samples, and the place of the next one */
    double elsewhere; /* seconds on other kinds since the last sample */
    int wanted;       /* one is to come; counts down to when it is given up */
} estimate;

struct tw_rating {
    const tw_rated *cls;
    int size;
    tw_lock lock;
    estimate of[TW_KINDS];
};

struct tw_rated {
    tw_rated *next; /* of the bucket */
    tw_capability *all;
    char *name;
    double exponent;
    _Atomic(tw_rating *) at[SIZES];
};

struct tw_capability {
    tw_lock lock; /* of adding anything */
    int kinds;
    char *kind[TW_KINDS];
    _Atomic(tw_rated *) bucket[BUCKETS];
    tw_stored others; /* what the file says of other kinds */
};

tw_capability *tw_capability_open(void)
{
    return calloc(1, sizeof(tw_capability));
}

static void free_class(tw_rated *cls)
{
    for (int i = 0; i < SIZES; i++)
        free(atomic_load_explicit(&cls->at[i], memory_order_relaxed));
    free(cls->name);
    free(cls);
}

void tw_capability_close(tw_capability *c)
{
    if (!c)
        return;
    for (int i = 0; i < BUCKETS; i++)
        for (tw_rated *next, *cls = atomic_load_explicit(&c->bucket[i], memory_order_relaxed); cls;
             cls = next) {
            next = cls->next;
            free_class(cls);
        }
    for (int i = 0; i < c->kinds; i++)
        free(c->kind[i]);
    tw_stored_free(&c->others);
    free(c);
}

int tw_capability_kind(tw_capability *c, const char *name)
{
    int i = 0;
    while (i < c->kinds && strcmp(c->kind[i], name) != 0)
        i++;
    if (i < c->kinds)
        return i;
    char *copy = i < TW_KINDS && !strchr(name, '\n') ? strdup(name) : NULL;
    if (!copy)
        return -1;
    c->kind[c->kinds++] = copy;
    return i;
}

/* ---- classes and sizes ----------------------------------------------------------------------- */

static _Atomic(tw_rated *) *bucket_of(tw_capability *c, const char *name)
{
    unsigned h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return &c->bucket[h % BUCKETS];
}

/* Acquire pairs with the release of whoever has added it: what it points to is there. */
static tw_rated *find_class(_Atomic(tw_rated *) *bucket, const char *name)
{
    tw_rated *cls = atomic_load_explicit(bucket, memory_order_acquire);
    while (cls && strcmp(cls->name, name) != 0)
        cls = cls->next;
    return cls;
}

static tw_rated *add_class(tw_capability *c, _Atomic(tw_rated *) *bucket, const char *name,
                           double exponent)
{
    tw_rated *cls = calloc(1, sizeof *cls);
    if (!cls || !(cls->name = strdup(name))) {
        free(cls);
        return NULL;
    }
    cls->all = c;
    cls->exponent = exponent;
    cls->next = atomic_load_explicit(bucket, memory_order_relaxed);
    atomic_store_explicit(bucket, cls, memory_order_release);
    return cls;
}

tw_rated *tw_capability_class(tw_capability *c, const char *name, double exponent)
{
    _Atomic(tw_rated *) *bucket = bucket_of(c, name);
    tw_rated *cls = find_class(bucket, name);
    if (cls)
        return cls;
    tw_lock_take(&c->lock);
    cls = find_class(bucket, name);
    if (!cls)
        cls = add_class(c, bucket, name, exponent);
    tw_unlock(&c->lock);
    return cls;
}

static tw_rating *at_size(tw_rated *cls, int size)
{
    tw_rating *r = atomic_load_explicit(&cls->at[size], memory_order_acquire), *none = NULL;
    if (r)
        return r;
    if (!(r = calloc(1, sizeof *r)))
        return NULL;
    r->cls = cls;
    r->size = size;
    /* release pairs with the acquire above; acquire: somebody else was first */
    if (atomic_compare_exchange_strong_explicit(&cls->at[size], &none, r, memory_order_release,
                                                memory_order_acquire))
        return r;
    free(r);
    return none;
}

tw_rating *tw_rated_at(tw_rated *cls, double bytes)
{
    double size = bytes > 1 ? rint(4 * log2(bytes)) : 0;
    return at_size(cls, size < SIZES ? (int)size : SIZES - 1);
}

/* ---- estimates ------------------------------------------------------------------------------- */

static double median(const estimate *e)
{
    float sorted[SAMPLES];
    for (int i = 0; i < e->n; i++) {
        int k = i;
        for (; k > 0 && sorted[k - 1] > e->sample[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = e->sample[i];
    }
    return sorted[(e->n - 1) / 2]; /* of two the smaller: the first run of all is often slow */
}

/* Under the lock. */
static void add_sample(estimate *e, double seconds)
{
    e->sample[e->next] = (float)seconds;
    e->next = (e->next + 1) % SAMPLES;
    e->n += e->n < SAMPLES;
    atomic_store_explicit(&e->seconds, median(e), memory_order_relaxed);
}

void tw_rating_note(tw_rating *r, int kind, double seconds)
{
    if (!(seconds > 0))
        return;
    tw_lock_take(&r->lock);
    for (int i = 0; i < r->cls->all->kinds; i++) {
        r->of[i].elsewhere += seconds;
        r->of[i].wanted -= r->of[i].wanted > 0;
    }
    estimate *e = &r->of[kind];
    add_sample(e, seconds);
    e->elsewhere = 0;
    e->wanted = 0;
    tw_unlock(&r->lock);
}

/* What was measured at a size near that of r, in the direction of `step`. */
static double measured(const tw_rating *r, int kind, int step, int *size)
{
    for (int i = 1; i <= REACH; i++) {
        *size = r->size + i * step;
        if (*size < 0 || *size >= SIZES)
            break;
        const tw_rating *other = atomic_load_explicit(&r->cls->at[*size], memory_order_acquire);
        double seconds =
            other ? atomic_load_explicit(&other->of[kind].seconds, memory_order_relaxed) : 0;
        if (seconds > 0)
            return seconds;
    }
    return 0;
}

double tw_rating_seconds(const tw_rating *r, int kind)
{
    double own = atomic_load_explicit(&r->of[kind].seconds, memory_order_relaxed);
    if (own > 0)
        return own;
    int less, more;
    double below = measured(r, kind, -1, &less), above = measured(r, kind, 1, &more);
    if (below > 0 && above > 0)
        return below * pow(above / below, (double)(r->size - less) / (more - less));
    double nearest = below > 0 ? below : above;
    int from = below > 0 ? less : more;
    return nearest > 0 ? nearest * exp2((r->size - from) / 4.0 * r->cls->exponent) : 0;
}

bool tw_rating_explore(tw_rating *r, int kind)
{
    estimate *e = &r->of[kind];
    double seconds = tw_rating_seconds(r, kind);
    tw_lock_take(&r->lock);
    bool wanted = e->wanted == 0 && e->elsewhere >= (e->n < SURE ? young : fresh) * seconds;
    if (wanted)
        e->wanted = PATIENCE;
    tw_unlock(&r->lock);
    return wanted;
}

/* ---- for the file ---------------------------------------------------------------------------- */

int tw_capability_kinds(const tw_capability *c)
{
    return c->kinds;
}

const char *tw_capability_kind_name(const tw_capability *c, int kind)
{
    return c->kind[kind];
}

tw_stored *tw_capability_others(tw_capability *c)
{
    return &c->others;
}

void tw_capability_each(tw_capability *c, int kind,
                        void (*visit)(void *arg, const char *cls, double exponent, int size,
                                      double seconds),
                        void *arg)
{
    for (int b = 0; b < BUCKETS; b++) {
        const tw_rated *cls = atomic_load_explicit(&c->bucket[b], memory_order_acquire);
        for (; cls; cls = cls->next)
            for (int i = 0; i < SIZES; i++) {
                const tw_rating *r = atomic_load_explicit(&cls->at[i], memory_order_acquire);
                double seconds =
                    r ? atomic_load_explicit(&r->of[kind].seconds, memory_order_relaxed) : 0;
                if (seconds > 0)
                    visit(arg, cls->name, cls->exponent, i, seconds);
            }
    }
}

bool tw_capability_recall(tw_capability *c, int kind, const char *name, double exponent, int size,
                          double seconds)
{
    if (size < 0 || size >= SIZES || !(seconds > 0 && seconds < 1e9) ||
        !(exponent >= 0 && exponent < 10))
        return false;
    tw_rated *cls = tw_capability_class(c, name, exponent);
    tw_rating *r = cls ? at_size(cls, size) : NULL;
    for (int i = 0; r && i < RECALLED; i++)
        add_sample(&r->of[kind], seconds);
    return r;
}
