/* What a context learns of its executors. */
#include "engine/device/rates.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/stored.h"
#include "engine/device/executors.h"

#include <twill/device.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per second, until copies have been measured. */
static const double usual_link = 10e9;

typedef struct tw_rates {
    tw_capability *learned;
    tw_rated *in, *out;  /* copies to a device, and from it */
    int kind[TW_SPACES]; /* of each device */
    char file[4096];     /* "": none */
} tw_rates;

static tw_rates *rates_of(const twill *tw)
{
    return tw->executors ? tw->executors->rates : NULL;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static void choose_file(const twill *tw, tw_rates *r)
{
    const char *wanted = tw->options.text[TW_OPT_TUNE];
    if (strchr(wanted, '/'))
        snprintf(r->file, sizeof r->file, "%s.capability", wanted);
    else if (strcmp(wanted, "off") != 0)
        tw_stored_place("capability", tw->topo.machine.cpu, r->file, sizeof r->file);
}

/* Names say what changes rates: hardware, drivers and libraries, and what tests ask for. Devices of
 * equal name learn together. */
static bool name_kinds(twill *tw, tw_rates *r)
{
    char name[1024];
    char *const *option = tw->options.text;
    snprintf(name, sizeof name, "%d workers of %s, twill %d, blas %s, lapack %s, kernels %s",
             tw->workers, tw->topo.machine.cpu, TWILL_VERSION, option[TW_OPT_BLAS],
             option[TW_OPT_LAPACK], option[TW_OPT_KERNELS]);
    r->kind[0] = tw_capability_kind(r->learned, name);
    bool good = r->kind[0] >= 0;
    for (int d = 1; good && d <= tw->executors->n; d++) {
        const tw_executor_record *e = tw->executors->executor[d];
        snprintf(name, sizeof name, "%s, %s, twill %d, slow %g", e->executor->name,
                 e->executor->about, TWILL_VERSION, e->slow);
        r->kind[d] = tw_capability_kind(r->learned, name);
        good = r->kind[d] >= 0;
    }
    return good;
}

static void measured(tw_replicas *all, int from, int to, size_t bytes, double seconds)
{
    twill *tw = (twill *)(void *)((char *)all - offsetof(twill, data.replicas));
    tw_rates *r = rates_of(tw);
    int device = to ? to : from, n = tw->executors->n;
    tw_rating *rating = tw_rated_at(to ? r->in : r->out, (double)bytes);
    if (rating && device <= n)
        tw_rating_note(rating, r->kind[device], seconds);
}

void tw_rates_open(twill *tw)
{
    tw_rates *r = calloc(1, sizeof *r);
    r = r && (r->learned = tw_capability_open()) ? r : (free(r), NULL);
    if (!r)
        return;
    r->in = tw_capability_class(r->learned, "(copy in)", 1);
    r->out = tw_capability_class(r->learned, "(copy out)", 1);
    if (!r->in || !r->out || !name_kinds(tw, r)) {
        tw_capability_close(r->learned);
        free(r);
        return;
    }
    choose_file(tw, r);
    if (*r->file)
        tw_capability_load(r->learned, r->file);
    tw->executors->rates = r;
    tw->data.replicas.measured = measured;
}

void tw_rates_close(twill *tw)
{
    tw_rates *r = rates_of(tw);
    if (!r)
        return;
    if (*r->file)
        (void)tw_capability_save(r->learned, r->file); /* the next run learns again */
    tw_capability_close(r->learned);
    free(r);
    tw->executors->rates = NULL;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

/* Bytes that go with operations, as in products of square tiles: where these are known, they say
 * more than the data does. */
static double size_of(const twill_task *t)
{
    if (t->cost.flops > 0)
        return pow((double)t->cost.flops, 2.0 / 3);
    double bytes = 0;
    for (uint32_t i = 0; i < t->nslots && !t->graph->ops->values; i++)
        if (tw_slot_is_data(&t->slots[i]) && t->slots[i].u.tile)
            bytes += tw_value_bytes(&t->slots[i].u.tile->value);
    return bytes;
}

tw_rating *tw_rates_of(const twill *tw, const twill_task *t)
{
    const tw_rates *r = rates_of(tw);
    if (!r || !(t->item.devices & (uint16_t)~1))
        return NULL;
    tw_rated *cls = tw_capability_class(r->learned, t->cls->name ? t->cls->name : "", 1.5);
    return cls ? tw_rated_at(cls, size_of(t)) : NULL;
}

void tw_rates_note(const twill *tw, tw_rating *rating, int device, double seconds)
{
    if (rating)
        tw_rating_note(rating, rates_of(tw)->kind[device], seconds);
}

double tw_rates_cost(const twill_sched_env *env, const twill_item *item, int device)
{
    const twill *tw = env->engine;
    const tw_rating *rating = tw_rates_of(tw, (const twill_task *)(const void *)item);
    return rating ? tw_rating_seconds(rating, rates_of(tw)->kind[device]) : 0;
}

bool tw_rates_explore(const twill_sched_env *env, const twill_item *item, int device)
{
    const twill *tw = env->engine;
    tw_rating *rating = tw_rates_of(tw, (const twill_task *)(const void *)item);
    return rating && tw_rating_explore(rating, rates_of(tw)->kind[device]);
}

double tw_rates_now(const twill_sched_env *env)
{
    (void)env;
    return tw_seconds();
}

/* ---- data ------------------------------------------------------------------------------------ */

static double copy_seconds(const twill *tw, double bytes, bool home, int device)
{
    const tw_rates *r = rates_of(tw);
    const tw_rating *rating = r ? tw_rated_at(home ? r->out : r->in, bytes) : NULL;
    double known = rating ? tw_rating_seconds(rating, r->kind[device]) : 0;
    return known > 0 ? known : bytes / usual_link;
}

/* What only other memories have: bytes that come home from each of them. A guess: others write. */
static double missing(const twill_task *t, int device, double *away, int *from)
{
    double bytes = 0;
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (!tw_slot_is_data(slot) || !slot->u.tile || slot->mode == TW_WRITE)
            continue;
        const tw_value *v = &slot->u.tile->value;
        unsigned valid = atomic_load_explicit(&v->valid, memory_order_relaxed);
        unsigned where = valid & TW_REPLICATED ? valid & ~(unsigned)TW_REPLICATED : 1;
        if (where == 0 || where >> device & 1)
            continue;
        bytes += tw_value_bytes(v);
        if (!(where & 1)) {
            *away += tw_value_bytes(v);
            *from = __builtin_ctz(where);
        }
    }
    return bytes;
}

double tw_rates_transfer(const twill_sched_env *env, const twill_item *item, int device)
{
    const twill *tw = env->engine;
    const twill_task *t = (const twill_task *)(const void *)item;
    double away = 0, seconds = 0;
    int from = 0;
    if (t->graph->ops->values)
        return 0; /* what it works on is not known yet */
    double bytes = missing(t, device, &away, &from);
    if (away > 0 && from <= tw->executors->n)
        seconds += copy_seconds(tw, away, true, from);
    if (bytes > 0 && device > 0)
        seconds += copy_seconds(tw, bytes, false, device);
    return seconds;
}

/* ---- the question ---------------------------------------------------------------------------- */

twill_status twill_device_weights(twill *tw, const char *cls, double bytes, double *weights)
{
    if (!tw || !cls || !weights || !(bytes >= 0))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_device_weights: %s",
                       tw && cls && weights ? "bytes are negative" : "an argument is NULL");
    const tw_rates *r = rates_of(tw);
    tw_rated *rated = r ? tw_capability_class(r->learned, cls, 1.5) : NULL;
    const tw_rating *rating = rated ? tw_rated_at(rated, bytes) : NULL;
    for (int d = 0; d <= twill_devices(tw); d++) {
        double seconds = rating ? tw_rating_seconds(rating, r->kind[d]) : 0;
        weights[d] = seconds > 0 ? 1 / seconds : 0;
    }
    return TWILL_OK;
}
