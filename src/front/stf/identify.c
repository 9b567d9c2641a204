/* What an insertion is, as a hash that ranks compare: the names of the class and of reductions, the
 * tiles and how they are used, integers and real numbers. Other values may hold addresses, and what
 * is only a hint need not be the same.
 *
 * Ranks may have made other arrays besides, so arrays are numbered in the order in which they are
 * first used. That two ranks exchange two arrays of one shape throughout is not noticed. */
#include "front/stf/ranks.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

/* One multiplication. */
static uint64_t add(uint64_t hash, uint64_t x)
{
    hash = (hash ^ x) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_text(const char *text)
{
    uint64_t hash = 1;
    for (; text && *text; text++)
        hash = add(hash, (unsigned char)*text);
    return hash;
}

static uint64_t hash_name(tw_stf_identities *x, const twill_class *cls)
{
    size_t i = (uintptr_t)cls / sizeof(void *) % TW_STF_CLASSES;
    if (x->name[i].cls != cls) {
        x->name[i].cls = cls;
        x->name[i].hash = hash_text(cls->name);
    }
    return x->name[i].hash;
}

/* ---- arrays ------------------------------------------------------------------------------ */

static uint64_t hash_shape(const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    uint64_t hash = add((uint64_t)p->ndim, a->element);
    for (int d = 0; d < p->ndim; d++) {
        hash = add(hash, (uint64_t)p->extent[d]);
        hash = add(hash, (uint64_t)p->block[d]);
        hash = add(hash, (uint64_t)p->grid[d]);
        hash = add(hash, (uint64_t)p->source[d]);
    }
    return add(hash, (uint64_t)p->first);
}

static tw_stf_number *place_of(const tw_stf_identities *x, uint64_t serial)
{
    uint64_t i = tw_mix(serial);
    while (x->array[i % x->room].serial && x->array[i % x->room].serial != serial)
        i++;
    return &x->array[i % x->room];
}

/* At most half of the table is used. */
static bool grow(tw_stf_identities *x)
{
    tw_stf_identities old = *x;
    uint32_t room = old.room ? 2 * old.room : 16;
    tw_stf_number *array = calloc(room, sizeof *array);
    if (!array)
        return false;
    x->array = array;
    x->room = room;
    for (uint32_t i = 0; i < old.room; i++)
        if (old.array[i].serial)
            *place_of(x, old.array[i].serial) = old.array[i];
    free(old.array);
    return true;
}

/* Look it up, or give it the next number. False without memory. */
TW_NOINLINE static bool find_number(tw_stf_identities *x, const twill_array *a)
{
    tw_stf_number *n = x->room ? place_of(x, a->serial) : NULL;
    if (!n || !n->serial) {
        if (2 * x->arrays >= x->room && !grow(x))
            return false;
        n = place_of(x, a->serial);
        *n = (tw_stf_number){a->serial, ++x->arrays, 0};
        n->hash = add(hash_shape(a), n->number);
    }
    x->last = *n;
    return true;
}

/* NULL without memory. Mostly it is that of the tile before. */
static const tw_stf_number *number_of(tw_stf_identities *x, const twill_array *a)
{
    bool known = tw_likely(x->last.serial == a->serial) || find_number(x, a);
    return known ? &x->last : NULL;
}

/* ---- insertions -------------------------------------------------------------------------- */

static bool add_tile(tw_stf_identities *x, const twill_tile *tile, tw_step *step)
{
    if (tw_tile_is_private(tile)) /* of partial results, which follow from the insertions */
        return true;
    const tw_stf_number *n = number_of(x, tile->array);
    if (!n)
        return false;
    int64_t index = tile - tile->array->tiles;
    if (!step->rows) {
        step->array = n->number;
        step->tile = index;
        step->rows = (int32_t)tile->array->blocks[0];
    }
    step->hash = add(step->hash, n->hash + (uint64_t)index);
    return true;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

bool tw_stf_identify(tw_stf_identities *x, const twill_class *cls, const twill_arg *args,
                     tw_step *step)
{
    *step = (tw_step){.hash = hash_name(x, cls), .name = cls->name};
    for (; args->kind != TWILL_ARG_END; args++) {
        if (args->kind >= TWILL_ARG_PRIORITY)
            continue;
        step->hash = add(step->hash, (uint64_t)args->kind);
        if (args->kind == TWILL_ARG_INT)
            step->hash = add(step->hash, (uint64_t)args->u.integer);
        else if (args->kind == TWILL_ARG_REAL)
            step->hash = add(step->hash, bits_of(args->u.real));
        else if (args->kind <= TWILL_ARG_REDUCE && !add_tile(x, args->u.tile, step))
            return false;
        if (args->kind == TWILL_ARG_REDUCE && args->v.reduction)
            step->hash = add(step->hash, hash_text(args->v.reduction->name));
    }
    return true;
}

void tw_stf_identities_clear(tw_stf_identities *x)
{
    if (x->arrays)
        memset(x->array, 0, x->room * sizeof *x->array);
    x->arrays = 0;
    x->last = (tw_stf_number){0};
}

void tw_stf_identities_free(tw_stf_identities *x)
{
    free(x->array);
}
