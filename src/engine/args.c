/* Measuring and filling. */
#include "engine/args.h"

#include "base/minmax.h"
#include "engine/hazard.h"
#include "engine/nest.h"

#include <string.h>

enum { MOST_ARGS = 4096 };

/* No machine has that much, and sums of such sizes do not wrap. */
static const size_t most_bytes = (size_t)1 << 48;

static size_t aligned16(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static twill_status measure_tile(const twill_graph *g, const twill_arg *arg, tw_shape *s)
{
    twill_tile *tile = arg->u.tile;
    if (tw_unlikely(!tile))
        return tw_fail(TWILL_ERR_ARGUMENT, "argument %u names no tile: is the tile index in range?",
                       s->slots);
    twill_array *a = tile->array;
    if (tw_unlikely(a->context != g->tw))
        return tw_fail(TWILL_ERR_ARGUMENT, "argument %u is a tile of another context", s->slots);
    if (!s->array)
        s->array = a;
    s->several |= s->array != a;
    /* acquire pairs with the release that opened the reduction */
    s->reduces |= arg->kind == TWILL_ARG_REDUCE ||
                  atomic_load_explicit(&tile->reducing, memory_order_acquire) != NULL;
    s->slots++;
    return tw_unlikely(g->parent != NULL) ? tw_nest_check(g, tile, arg->kind) : TWILL_OK;
}

static twill_status measure_plain(const twill_arg *arg, tw_shape *s, size_t *payload)
{
    bool scratch = arg->kind == TWILL_ARG_SCRATCH;
    if (scratch || arg->kind == TWILL_ARG_VALUE) {
        if (tw_unlikely(arg->v.size > most_bytes))
            return tw_fail(TWILL_ERR_MEMORY, "argument %u wants %zu bytes", s->slots, arg->v.size);
        if (scratch)
            s->flags |= TW_TASK_SCRATCH;
        else
            *payload += aligned16(arg->v.size);
    }
    s->slots++;
    return TWILL_OK;
}

twill_status tw_args_measure(const twill_graph *g, const twill_arg *args, tw_shape *s)
{
    *s = (tw_shape){0};
    size_t payload = 0;
    for (; args->kind != TWILL_ARG_END; args++) {
        if (args->kind <= TWILL_ARG_REDUCE) {
            if (args->kind == TWILL_ARG_COMMUTE)
                s->flags |= TW_TASK_COMMUTES;
            twill_status status = measure_tile(g, args, s);
            if (tw_unlikely(status != TWILL_OK))
                return status;
        } else if (args->kind <= TWILL_ARG_REAL) {
            twill_status status = measure_plain(args, s, &payload);
            if (tw_unlikely(status != TWILL_OK))
                return status;
        } else if (tw_unlikely(args->kind > TWILL_ARG_TEAM_SIZE)) {
            return tw_fail(TWILL_ERR_ARGUMENT, "argument %u is of unknown kind %d", s->slots,
                           (int)args->kind);
        }
    }
    if (tw_unlikely(s->slots > MOST_ARGS))
        return tw_fail(TWILL_ERR_ARGUMENT, "a task has at most %d arguments, not %u", MOST_ARGS,
                       s->slots);
    /* where there are devices, staging is noted behind the header (prepare.c) */
    bool bare = tw_unlikely(s->slots == 0) && g->tw->data.replicas.spaces > 1;
    size_t bytes = sizeof(twill_task) + (s->slots + bare) * sizeof(tw_slot) + payload;
    s->lines = (bytes + TW_LINE - 1) / TW_LINE;
    return TWILL_OK;
}

static void take_hint(twill_task *t, const twill_arg *arg)
{
    switch (arg->kind) {
    case TWILL_ARG_PRIORITY:
        t->item.priority = (int32_t)tw_clamp(arg->u.integer, INT32_MIN, INT32_MAX);
        break;
    case TWILL_ARG_NAME:
        t->name = arg->u.data;
        break;
    case TWILL_ARG_WORKER:
        t->item.worker = (int16_t)tw_clamp(arg->u.integer, -1, INT16_MAX);
        break;
    case TWILL_ARG_CPU_ONLY:
        t->item.devices = 1;
        break;
    case TWILL_ARG_CRITICAL:
        atomic_fetch_or_explicit(&t->flags, TW_TASK_CRITICAL, memory_order_relaxed);
        break;
    case TWILL_ARG_TEAM_SIZE:
        t->team = (int16_t)tw_clamp(arg->u.integer, 1, INT16_MAX);
        atomic_fetch_or_explicit(&t->flags, TW_TASK_SIZED, memory_order_relaxed);
        break;
    default:
        t->cost.flops = (float)arg->u.real;
        t->cost.bytes = (float)arg->v.bytes;
        break;
    }
}

static void set_plain(tw_slot *slot, const twill_arg *arg, char **payload)
{
    slot->kind = (uint8_t)arg->kind;
    slot->token = false;
    switch (arg->kind) {
    case TWILL_ARG_INT:
        slot->u.integer = arg->u.integer;
        break;
    case TWILL_ARG_REAL:
        slot->u.real = arg->u.real;
        break;
    case TWILL_ARG_VALUE:
        slot->u.data = *payload;
        if (arg->v.size)
            memcpy(*payload, arg->u.data, arg->v.size);
        *payload += aligned16(arg->v.size);
        break;
    default: /* scratch: memory when the task runs */
        slot->scratch = arg->v.size;
        break;
    }
}

/* A second mention of a tile has no tile and no epoch of its own, only the number of the first. */
static bool merge(twill_task *t, uint32_t index, twill_tile *tile, twill_arg_kind kind)
{
    for (uint32_t i = 0; i < index; i++) {
        tw_slot *first = &t->slots[i];
        if (tw_likely(!tw_slot_is_data(first) || first->u.tile != tile))
            continue;
        tw_slot_set_tile(t, index, kind, NULL);
        if (first->mode != t->slots[index].mode || first->mode == TW_COMMUTE)
            first->mode = TW_UPDATE;
        t->slots[index].repeated.first = i;
        return true;
    }
    return false;
}

void tw_args_fill(twill_task *t, twill_graph *g, const twill_class *cls, const tw_shape *shape,
                  const twill_arg *args)
{
    t->item = (twill_item){.worker = -1, .devices = UINT16_MAX};
    t->graph = g;
    t->cls = cls;
    t->nslots = shape->slots;
    t->name = NULL;
    t->cost.flops = t->cost.bytes = 0;
    if (tw_unlikely(shape->flags))
        atomic_fetch_or_explicit(&t->flags, shape->flags, memory_order_relaxed);
    char *payload =
        (char *)&t->slots[shape->slots]; /* slots are of 32 bytes, the task is aligned */
    uint32_t index = 0;
    int chains = 0;
    for (; args->kind != TWILL_ARG_END; args++) {
        if (args->kind <= TWILL_ARG_REDUCE) {
            if (!merge(t, index, args->u.tile, args->kind)) {
                tw_slot_set_tile(t, index, args->kind, args->u.tile);
                chains++;
            }
            index++;
        } else if (args->kind <= TWILL_ARG_REAL) {
            set_plain(&t->slots[index++], args, &payload);
        } else {
            take_hint(t, args);
        }
    }
    atomic_store_explicit(&t->wait, chains, memory_order_relaxed);
    tw_task_set_state(t, TW_TASK_WAITING);
}
