/* What a body may ask and say. */
#include "engine/prepare.h"

#include <stdio.h>

static const tw_slot *slot_of(const twill_task *t, int arg)
{
    return arg >= 0 && (uint32_t)arg < t->nslots ? &t->slots[arg] : NULL;
}

/* A second mention of a tile keeps no tile of its own: find the first. */
static const twill_tile *tile_of(const twill_task *t, int arg)
{
    const tw_slot *slot = slot_of(t, arg);
    if (!slot || !tw_slot_is_data(slot))
        return NULL;
    return slot->u.tile ? slot->u.tile : t->slots[slot->repeated.first].u.tile;
}

/* Where the task finds a tile, which may be another memory. */
static tw_host_bytes bytes_of(const twill_task *t, const twill_tile *tile)
{
    if (tw_likely(!(tw_task_flags(t) & TW_TASK_STAGED)))
        return tile->value.host;
    const tw_replica *r = tw_task_replica(t, &tile->value);
    return (tw_host_bytes){r->data, r->ld};
}

void *twill_task_data(const twill_task *t, int arg)
{
    const twill_tile *tile = tile_of(t, arg);
    if (tile)
        return bytes_of(t, tile).data;
    const tw_slot *slot = slot_of(t, arg);
    bool bytes = slot && (slot->kind == TWILL_ARG_VALUE || slot->kind == TWILL_ARG_SCRATCH);
    return bytes ? slot->u.data : NULL;
}

int64_t twill_task_ld(const twill_task *t, int arg)
{
    const twill_tile *tile = tile_of(t, arg);
    return tile ? bytes_of(t, tile).ld : 0;
}

int64_t twill_task_rows(const twill_task *t, int arg)
{
    const twill_tile *tile = tile_of(t, arg);
    return tile ? tile->value.rows : 0;
}

int64_t twill_task_cols(const twill_task *t, int arg)
{
    const twill_tile *tile = tile_of(t, arg);
    return tile ? tile->value.cols : 0;
}

void twill_task_tile(const twill_task *t, int arg, int64_t *i, int64_t *j)
{
    const twill_tile *tile = tile_of(t, arg);
    int64_t block[TWILL_DIMS] = {0};
    *i = *j = -1;
    if (!tile || !tile->array->tiles || tile->array->pattern.ndim > 2)
        return;
    tw_tile_block(tile, block);
    *i = block[0];
    *j = block[1];
}

twill_array *twill_task_array(const twill_task *t, int arg)
{
    const twill_tile *tile = tile_of(t, arg);
    return tile && tile->array->tiles ? tile->array : NULL;
}

int64_t twill_task_int(const twill_task *t, int arg)
{
    const tw_slot *slot = slot_of(t, arg);
    return slot && slot->kind == TWILL_ARG_INT ? slot->u.integer : 0;
}

double twill_task_real(const twill_task *t, int arg)
{
    const tw_slot *slot = slot_of(t, arg);
    return slot && slot->kind == TWILL_ARG_REAL ? slot->u.real : 0.0;
}

const char *twill_task_name(const twill_task *t)
{
    return t->name ? t->name : t->cls->name ? t->cls->name : "(no name)";
}

const char *tw_task_title(const twill_task *t, char text[TW_TITLE])
{
    if (!t->graph->ops->describe)
        return twill_task_name(t);
    t->graph->ops->describe(t, text, TW_TITLE);
    return text;
}

twill_graph *twill_task_graph(const twill_task *t)
{
    return t->graph;
}

int twill_task_worker(const twill_task *t)
{
    return t->runner;
}

twill_outcome twill_task_fail(twill_task *t, const char *format, ...)
{
    char why[TW_MESSAGE / 2], title[TW_TITLE];
    va_list args;
    va_start(args, format);
    vsnprintf(why, sizeof why, format, args);
    va_end(args);
    tw_graph_fail(t->graph, TWILL_ERR_TASK, "task %s failed: %s", tw_task_title(t, title), why);
    atomic_fetch_or_explicit(&t->flags, TW_TASK_FAILED, memory_order_relaxed);
    return TWILL_ERROR;
}

twill_outcome twill_task_numerical(twill_task *t, int64_t info)
{
    twill_graph *g = t->graph;
    char title[TW_TITLE];
    tw_graph_numerical(g, info);
    tw_graph_fail(g, TWILL_ERR_NUMERICAL, "task %s: numerical failure, info = %lld",
                  tw_task_title(t, title), (long long)info);
    atomic_fetch_or_explicit(&t->flags, TW_TASK_FAILED, memory_order_relaxed);
    return TWILL_ERROR;
}
