/* Insertion: from a list of arguments to a task in its chains. */
#include "front/stf/stf.h"

#include "engine/hazard.h"
#include "engine/nest.h"

#include <string.h>

enum { LOOK_EVERY = 64, MOST_ARGS = 4096 };

/* What a first pass over the arguments finds out. */
typedef struct shape {
    uint32_t slots;
    uint32_t tiles;
    size_t payload; /* bytes of values kept behind the slots */
    uint8_t flags;
} shape;

static size_t aligned16(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

static twill_status check_tile(const twill_graph *g, const twill_arg *arg, uint32_t number)
{
    if (tw_unlikely(!arg->u.tile))
        return tw_fail(TWILL_ERR_ARGUMENT, "argument %u names no tile: is the tile index in range?",
                       number);
    if (tw_unlikely(arg->u.tile->array->context != g->tw))
        return tw_fail(TWILL_ERR_ARGUMENT, "argument %u is a tile of another context", number);
    return tw_unlikely(g->parent != NULL) ? tw_nest_check(g, arg->u.tile, arg->kind) : TWILL_OK;
}

static twill_status measure(const twill_graph *g, const twill_arg *args, shape *s)
{
    for (; args->kind != TWILL_ARG_END; args++) {
        switch (args->kind) {
        case TWILL_ARG_COMMUTE:
            s->flags |= TW_TASK_COMMUTES;
            /* fall through */
        case TWILL_ARG_READ:
        case TWILL_ARG_WRITE:
        case TWILL_ARG_READ_WRITE: {
            twill_status status = check_tile(g, args, s->slots);
            if (tw_unlikely(status != TWILL_OK))
                return status;
            s->tiles++;
            s->slots++;
            break;
        }
        case TWILL_ARG_SCRATCH:
            s->flags |= TW_TASK_SCRATCH;
            s->slots++;
            break;
        case TWILL_ARG_VALUE:
            s->payload += aligned16(args->v.size);
            s->slots++;
            break;
        case TWILL_ARG_INT:
        case TWILL_ARG_REAL:
            s->slots++;
            break;
        case TWILL_ARG_PRIORITY:
        case TWILL_ARG_NAME:
        case TWILL_ARG_WORKER:
        case TWILL_ARG_CPU_ONLY:
        case TWILL_ARG_COST:
            break;
        default:
            return tw_fail(TWILL_ERR_ARGUMENT, "argument %u is of unknown kind %d", s->slots,
                           (int)args->kind);
        }
    }
    if (s->slots > MOST_ARGS)
        return tw_fail(TWILL_ERR_ARGUMENT, "a task has at most %d arguments, not %u", MOST_ARGS,
                       s->slots);
    return TWILL_OK;
}

static void take_hint(twill_task *t, const twill_arg *arg)
{
    switch (arg->kind) {
    case TWILL_ARG_PRIORITY:
        t->item.priority = arg->u.integer > INT32_MAX   ? INT32_MAX
                           : arg->u.integer < INT32_MIN ? INT32_MIN
                                                        : (int32_t)arg->u.integer;
        break;
    case TWILL_ARG_NAME:
        t->name = arg->u.data;
        break;
    case TWILL_ARG_WORKER:
        t->item.worker = (int16_t)(arg->u.integer < 0 || arg->u.integer > INT16_MAX
                                       ? -1
                                       : arg->u.integer);
        break;
    case TWILL_ARG_CPU_ONLY:
        t->item.devices = 1;
        break;
    case TWILL_ARG_COST:
        t->cost.flops = (float)arg->u.real;
        t->cost.bytes = (float)arg->v.bytes;
        break;
    default:
        break;
    }
}

static void set_plain(twill_task *t, uint32_t index, const twill_arg *arg, char **payload)
{
    tw_slot *slot = &t->slots[index];
    slot->kind = (uint8_t)arg->kind;
    slot->token = false;
    slot->index = index;
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
    default: /* scratch: the size waits in the place of the epoch until the task runs */
        slot->access.epoch = (tw_epoch *)arg->v.size;
        break;
    }
}

/* A tile named twice is entered once, in the stronger of the two ways. */
static bool merge(twill_task *t, uint32_t index, twill_tile *tile, twill_arg_kind kind)
{
    for (uint32_t i = 0; i < index; i++) {
        tw_slot *first = &t->slots[i];
        if (tw_likely(!tw_slot_is_data(first) || first->u.tile != tile))
            continue;
        tw_slot_set_tile(t, index, kind, NULL);
        if (first->mode != t->slots[index].mode || first->mode == TW_COMMUTE)
            first->mode = TW_UPDATE;
        t->slots[index].access.next = (tw_access *)(uintptr_t)i;
        return true;
    }
    return false;
}

/* Fill the task; the number of chains to enter. */
static int fill(twill_task *t, const twill_arg *args)
{
    char *payload = (char *)&t->slots[t->nslots];
    payload = (char *)(((uintptr_t)payload + 15) / 16 * 16);
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
            set_plain(t, index++, args, &payload);
        } else {
            take_hint(t, args);
        }
    }
    return chains;
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for a task");
}

twill_status tw_stf_link(tw_worker *w, twill_graph *g, const twill_class *cls,
                         const twill_arg *args, tw_ready *ready)
{
    shape s = {0};
    twill_status status = measure(g, args, &s);
    if (tw_unlikely(status != TWILL_OK))
        return status;
    size_t bytes = sizeof(twill_task) + s.slots * sizeof(tw_slot) + s.payload;
    twill_task *t = tw_task_get(w, (bytes + TW_LINE - 1) / TW_LINE);
    if (tw_unlikely(!t))
        return no_memory();
    if (tw_unlikely(s.flags))
        atomic_fetch_or_explicit(&t->flags, s.flags, memory_order_relaxed);
    t->item = (twill_item){.worker = -1, .devices = UINT16_MAX};
    t->graph = g;
    t->cls = cls;
    t->nslots = s.slots;
    t->name = NULL;
    t->cost.flops = t->cost.bytes = 0;
    atomic_store_explicit(&t->wait, fill(t, args), memory_order_relaxed);
    tw_graph_added(g, w, 1);
    if (!tw_hazards_enter(w, t, g))
        return TWILL_OK;
    if (tw_likely(!(s.flags & TW_TASK_COMMUTES)) || tw_tokens_take(t))
        tw_ready_add(ready, t);
    return TWILL_OK;
}

/* With an immediate scheduler, tasks run here; so do those that they enable. */
static void run_now(tw_worker *w)
{
    tw_worker *before = tw_become(w);
    bool looping = w->looping;
    w->looping = false;
    twill_item *item;
    while ((item = w->tw->sched->pop(w->tw->sched_state, w->index)))
        tw_run(w, (twill_task *)item);
    w->looping = looping;
    if (!before && w->last) {
        tw_graph_look(w->last, w);
        w->last = NULL;
    }
    tw_become(before);
}

void tw_stf_dispatch(tw_worker *w, tw_ready *ready)
{
    if (ready->n == 0)
        return;
    tw_push(w, ready);
    if (tw_unlikely(w->tw->sched->immediate) && w->index == 0)
        run_now(w);
}

/* Now and then, look whether the window is full; if so, work. Inside tasks insertion never blocks. */
static void keep_window(tw_worker *w, twill_graph *g)
{
    tw_tally *tally = &g->tally[w->index];
    if (tw_likely(--tally->countdown > 0))
        return;
    tally->countdown = g->tw->window < LOOK_EVERY ? g->tw->window : LOOK_EVERY;
    if (tw_graph_in_flight(g) >= g->tw->window && !tw_self(g->tw))
        tw_help(w, g);
}

twill_status twill_insert_args(twill_graph *g, const twill_class *cls, const twill_arg *args)
{
    if (tw_unlikely(!g || !cls || !args || (!cls->cpu && !cls->team)))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_insert: the graph, the class or its body is NULL");
    if (tw_unlikely(tw_graph_failed(g)))
        return tw_graph_report(g);
    tw_ready ready = {0};
    tw_worker *w = tw_enter(g->tw);
    twill_status status = tw_unlikely(tw_reduce_concerns(args))
                              ? tw_reduce_insert(w, g, cls, args, &ready)
                              : tw_stf_link(w, g, cls, args, &ready);
    tw_stf_dispatch(w, &ready);
    keep_window(w, g);
    tw_exit(w);
    return status;
}
