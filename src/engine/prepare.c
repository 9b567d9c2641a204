/* Between ready and running: in which memory a task runs, and its data there.
 *
 * A task whose data is on its way is parked: no worker waits for it. When the last copy has
 * arrived, whoever polled it pushes the task again. In a context without devices, tasks have
 * nothing to do here. */
#include "engine/prepare.h"

#include <stdlib.h>

/* ---- which values, and where ------------------------------------------------------------- */

/* What of a task is staged hangs behind its header, where chains and tables keep a link that they
 * do not need any more. */
static tw_staging **place_of(const twill_task *t)
{
    return (tw_staging **)(uintptr_t)t->slots;
}

static int list_slots(const twill_task *t, tw_staged *list)
{
    int n = 0;
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (!tw_slot_is_data(slot) || !slot->u.tile)
            continue;
        /* a partial result is freed behind its last reader, whoever copies it to make room */
        if (list)
            list[n] = (tw_staged){.value = &slot->u.tile->value,
                                  .reads = slot->mode != TW_WRITE,
                                  .writes = slot->mode != TW_READ,
                                  .home = !slot->u.tile->array->tiles};
        n++;
    }
    return n;
}

static int list_values(twill_task *t, tw_staged *list)
{
    return t->graph->ops->values ? t->graph->ops->values(t, list) : list_slots(t, list);
}

/* Regions of values are worked on where the whole is. */
static bool is_whole(const tw_value *v)
{
    return !v->whole && v->region == TW_FULL;
}

/* A task that waits for others, which need room where it has its data, might wait for ever. */
static bool may_leave(const twill_graph *g)
{
    for (; g->parent; g = g->parent->graph)
        if (tw_task_flags(g->parent) & TW_TASK_STAGED)
            return false;
    return true;
}

/* Is a value named before? */
static bool is_repeated(const tw_staging *s, int i)
{
    int k = 0;
    while (s->datum[k].value != s->datum[i].value)
        k++;
    return k < i;
}

/* Can all of it be in another memory? Then *bytes is what it takes there. */
static bool can_leave(const tw_staging *s, size_t *bytes)
{
    *bytes = 0;
    for (int i = 0; i < s->n; i++) {
        const tw_value *v = s->datum[i].value;
        if (!is_whole(v))
            return false;
        if (!is_repeated(s, i))
            *bytes += (size_t)v->rows * (size_t)v->cols * v->element;
    }
    return true;
}

/* Which memory the cores use: 0 is their own. */
static int choose(const twill *tw, const twill_task *t, const tw_staging *s)
{
    size_t bytes;
    if (!can_leave(s, &bytes))
        return TW_SPACE_HOST;
    for (int i = 1; i < tw->data.replicas.spaces; i++)
        if (tw->device[i]->wants && t->item.devices >> i & 1 &&
            bytes <= tw->device[i]->space->room && may_leave(t->graph) &&
            tw->device[i]->wants(tw->device[i], &t->item))
            return i;
    return TW_SPACE_HOST;
}

/* On the host, what has never been anywhere else is just there. */
static bool is_there(tw_staging *s)
{
    bool there = true;
    for (int i = 0; i < s->n; i++) {
        tw_value **v = &s->datum[i].value;
        *v = (*v)->whole ? (*v)->whole : *v;
        there = there && !tw_value_is_replicated(*v);
    }
    return there;
}

/* ---- staging ----------------------------------------------------------------------------- */

/* Nobody else has the task. */
static void set_staged(twill_task *t, bool staged)
{
    uint16_t flags = tw_task_flags(t) & (uint16_t)~TW_TASK_STAGED;
    flags |= staged ? TW_TASK_STAGED : 0;
    atomic_store_explicit(&t->flags, flags, memory_order_relaxed);
}

static void fail_copies(twill_task *t, const tw_staging *s)
{
    char title[TW_TITLE];
    const twill *tw = t->graph->tw;
    tw_graph_fail(t->graph, s->status, "task %s: its data cannot be had in the memory of %s: %s",
                  tw_task_title(t, title), s->space ? tw->device[s->space]->name : "the host",
                  s->status == TWILL_ERR_MEMORY ? "there is no room" : "a copy failed");
}

/* The last copy has arrived, or will not: who runs the task looks. */
static void arrived(tw_staging *s, void *poller)
{
    twill_task *t = s->owner;
    tw_worker *w = poller;
    tw_ready ready = {0};
    tw_ready_add(&ready, t);
    tw_push(w, &ready);
}

static tw_staging *new_staging(twill_task *t)
{
    int n = list_values(t, NULL);
    tw_staging *s = malloc(sizeof *s + (size_t)n * sizeof *s->datum);
    if (!s)
        return NULL;
    *s = (tw_staging){.owner = t, .ready = arrived, .n = n};
    list_values(t, s->datum);
    /* what is inside a task may be finer tiles on the bytes that the task has */
    for (int i = 0; i < n; i++)
        s->datum[i].home |= t->graph->ops->write_through || t->graph->parent;
    return s;
}

static tw_prepared staged(tw_worker *w, twill_task *t);

/* In the space that the staging names. */
static tw_prepared stage_there(tw_worker *w, twill_task *t, tw_staging *s)
{
    if (s->n == 0 || (s->space == TW_SPACE_HOST && is_there(s))) {
        set_staged(t, false);
        free(s);
        return TW_PREPARED;
    }
    *place_of(t) = s;
    set_staged(t, true);
    tw_task_set_state(t, TW_TASK_STAGING);
    return tw_stage(&w->tw->data.replicas, s, w) ? staged(w, t) : TW_PREPARE_PARKED;
}

/* Its staging is over. A task that was refused room elsewhere runs on the cores. */
TW_NOINLINE static tw_prepared staged(tw_worker *w, twill_task *t)
{
    tw_staging *s = *place_of(t);
    if (s->status == TWILL_OK)
        return TW_PREPARED;
    if (!s->pinned && s->space != TW_SPACE_HOST) {
        s->space = TW_SPACE_HOST;
        return stage_there(w, t, s);
    }
    fail_copies(t, s);
    return TW_PREPARE_FAILED;
}

TW_NOINLINE static tw_prepared stage(tw_worker *w, twill_task *t)
{
    tw_staging *s = new_staging(t);
    if (!s) {
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory to stage the data of a task");
        return TW_PREPARE_FAILED;
    }
    s->space = choose(w->tw, t, s);
    return stage_there(w, t, s);
}

tw_prepared tw_prepare(tw_worker *w, twill_task *t)
{
    const tw_graph_ops *ops = t->graph->ops;
    if (tw_unlikely(tw_task_flags(t) & TW_TASK_STAGED))
        return staged(w, t); /* it was parked */
    if (ops->prepare && tw_unlikely(!ops->prepare(t)))
        return TW_PREPARE_FAILED;
    return tw_likely(w->tw->data.replicas.spaces == 1) ? TW_PREPARED : stage(w, t);
}

tw_prepared tw_prepare_there(tw_worker *w, twill_task *t, int space,
                             void (*arrived)(tw_staging *s, void *poller), size_t *bytes)
{
    const tw_graph_ops *ops = t->graph->ops;
    if (ops->prepare && !ops->prepare(t))
        return TW_PREPARE_FAILED;
    tw_staging *s = new_staging(t);
    if (!s) {
        tw_graph_fail(t->graph, TWILL_ERR_MEMORY, "no memory to stage the data of a task");
        return TW_PREPARE_FAILED;
    }
    if (!can_leave(s, bytes) || *bytes > w->tw->device[space]->space->room) {
        free(s);
        return TW_PREPARE_REFUSED;
    }
    s->space = space;
    s->ready = arrived;
    *place_of(t) = s;
    set_staged(t, true);
    tw_task_set_state(t, TW_TASK_STAGING);
    return tw_stage(&w->tw->data.replicas, s, w) ? TW_PREPARED : TW_PREPARE_PARKED;
}

void tw_prepare_undo(tw_worker *w, twill_task *t)
{
    tw_staging *s = *place_of(t);
    set_staged(t, false);
    tw_unstage(&w->tw->data.replicas, s, false, w);
    free(s);
}

tw_staging *tw_task_staging(const twill_task *t)
{
    return *place_of(t);
}

const tw_replica *tw_task_replica(const twill_task *t, const tw_value *v)
{
    return tw_staged_replica(*place_of(t), v);
}

static tw_packed_table *packed_of(const twill_task *t)
{
    return &t->graph->tw->data.replicas.packed;
}

tw_packed *tw_task_packed(const twill_task *t, int flow, int layout, size_t bytes, int64_t most)
{
    atomic_int *readers;
    const tw_graph_ops *ops = t->graph->ops;
    const tw_value *v = ops->reads ? ops->reads(t, flow, &readers) : NULL;
    return v ? tw_packed_get(packed_of(t), v, readers, layout, bytes, most) : NULL;
}

void tw_task_packed_put(const twill_task *t, tw_packed *p)
{
    tw_packed_put(packed_of(t), p);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* What the task has written is on the host as well: now it is over. */
static void came_home(tw_staging *s, void *poller)
{
    twill_task *t = s->owner;
    twill_graph *g = t->graph;
    tw_worker *w = poller;
    bool failed = s->status != TWILL_OK;
    if (failed)
        fail_copies(t, s);
    tw_unstage(&w->tw->data.replicas, s, true, w);
    free(s);
    tw_complete(w, t, failed);
    tw_graph_look(g, w);
}

/* Keep what was written and must come home; how many that is. */
static int keep_written(tw_staging *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (s->datum[i].writes && s->datum[i].home)
            s->datum[n++] = (tw_staged){.value = s->datum[i].value, .reads = true, .home = true};
    return s->n = n;
}

bool tw_task_unstage(tw_worker *w, twill_task *t, bool failed)
{
    tw_staging *s = *place_of(t);
    tw_replicas *all = &w->tw->data.replicas;
    bool through = !failed && s->space != TW_SPACE_HOST;
    set_staged(t, false);
    tw_unstage(all, s, !failed, w);
    if (!through || keep_written(s) == 0) {
        free(s);
        return true;
    }
    s->space = TW_SPACE_HOST;
    s->ready = came_home;
    if (tw_stage(all, s, w))
        came_home(s, w);
    return false;
}
