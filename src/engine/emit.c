/* Events about tasks and messages. */
#include "engine/engine.h"

static void ask_for_events(twill *tw, bool wanted)
{
    for (int i = 0; i <= tw->workers; i++)
        if (wanted)
            atomic_fetch_or_explicit(&tw->worker[i].requests, TW_REQUEST_EVENTS,
                                     memory_order_relaxed);
        else
            atomic_fetch_and_explicit(&tw->worker[i].requests, (uint8_t)~TW_REQUEST_EVENTS,
                                      memory_order_relaxed);
}

void tw_add_sink(twill *tw, tw_sink *sink)
{
    tw_lock_take(&tw->sink_lock);
    atomic_store_explicit(&sink->next, atomic_load_explicit(&tw->sink, memory_order_relaxed),
                          memory_order_relaxed);
    /* release pairs with the acquire in tw_emit_then */
    atomic_store_explicit(&tw->sink, sink, memory_order_release);
    ask_for_events(tw, true);
    tw_unlock(&tw->sink_lock);
}

/* Whoever is at it goes on to those behind it: it keeps its `next`. */
bool tw_remove_sink(twill *tw, tw_sink *sink)
{
    tw_lock_take(&tw->sink_lock);
    tw_sink_place *place = &tw->sink;
    tw_sink *at = atomic_load_explicit(place, memory_order_relaxed);
    while (at && at != sink) {
        place = &at->next;
        at = atomic_load_explicit(place, memory_order_relaxed);
    }
    if (at)
        atomic_store_explicit(place, atomic_load_explicit(&at->next, memory_order_relaxed),
                              memory_order_release);
    if (!atomic_load_explicit(&tw->sink, memory_order_relaxed))
        ask_for_events(tw, false);
    tw_unlock(&tw->sink_lock);
    return at;
}

/* The integers among the arguments: what tells one task of a class from another, if it has no
 * better way to say so. */
static void list_integers(const twill_task *t, twill_about *about)
{
    for (uint32_t i = 0; i < t->nslots && about->parameters < TWILL_PARAMETERS; i++)
        if (t->slots[i].kind == TWILL_ARG_INT)
            about->parameter[about->parameters++] = t->slots[i].u.integer;
}

/* What its data amounts to, once for each direction: it has to come from somewhere. A tile that is
 * named twice is there once. */
static double data_bytes(const twill_task *t)
{
    double bytes = 0;
    for (uint32_t i = 0; i < t->nslots; i++) {
        const tw_slot *slot = &t->slots[i];
        if (tw_slot_is_data(slot) && slot->u.tile)
            bytes +=
                tw_value_bytes(&slot->u.tile->value) * (slot->kind == TWILL_ARG_READ_WRITE ? 2 : 1);
    }
    return bytes;
}

static void describe(const twill_task *t, twill_about *about)
{
    about->flops = t->cost.flops;
    about->bytes = t->cost.bytes > 0 ? t->cost.bytes : data_bytes(t);
    if (t->graph->ops->about)
        t->graph->ops->about(t, about);
    else if (!t->cls->describe)
        list_integers(t, about);
    if (t->cls->describe)
        t->cls->describe(t, about);
}

void tw_emit_begin(tw_worker *w, twill_task *t)
{
    tw_event_about about;
    about.task.size = sizeof about.task;
    about.task.parameters = 0;
    describe(t, &about.task);
    if (about.task.parameters < 0 || about.task.parameters > TWILL_PARAMETERS)
        about.task.parameters = 0; /* nothing is better than what is not there */
    about.cls = t->cls;
    about.name = t->cls->name ? t->cls->name : "(no name)";
    about.parameters = t->cls->parameters;
    about.front = t->graph->ops->name;
    about.graph = t->graph->serial;
    about.priority = t->item.priority;
    about.critical = tw_task_flags(t) & TW_TASK_CRITICAL;
    tw_emit_now(
        &w->tw->sink,
        &(tw_event){.subject = t, .kind = TW_EVENT_BEGIN, .worker = w->index, .about = &about});
}

void tw_emit_end(tw_worker *w, const twill_task *t, twill_outcome outcome)
{
    tw_emit_now(&w->tw->sink, &(tw_event){.subject = t,
                                          .kind = TW_EVENT_END,
                                          .worker = w->index,
                                          .detail = (int)outcome});
}

void tw_emit_enable(tw_worker *w, const twill_task *t, const twill_task *by)
{
    tw_emit_now(
        &w->tw->sink,
        &(tw_event){.subject = t, .other = by, .kind = TW_EVENT_ENABLE, .worker = w->index});
}

void tw_emit_grant(tw_worker *w, const twill_task *t)
{
    if (atomic_load_explicit(&t->flags, memory_order_relaxed) & TW_TASK_USE)
        return;
    if (!w->releasing)
        tw_emit_enable(w, t, NULL);
    else /* its end was the last event, and this follows from it */
        tw_emit_then(&w->tw->sink, &(tw_event){.subject = t,
                                               .other = w->releasing,
                                               .kind = TW_EVENT_ENABLE,
                                               .worker = w->index});
}

void tw_emit_ready(tw_worker *w, const tw_ready *ready)
{
    for (const twill_item *i = ready->head; i; i = i->next)
        tw_emit_enable(w, (const twill_task *)i, NULL);
}

void tw_emit_reserve(twill *tw, int first, int members, int wanted)
{
    if (tw_has_sink(&tw->sink))
        tw_emit_now(&tw->sink, &(tw_event){.kind = TW_EVENT_RESERVE,
                                           .worker = -1,
                                           .peer = first,
                                           .detail = members,
                                           .amount = wanted});
}

void tw_emit_send(twill *tw, int to, uint32_t number, size_t size)
{
    const tw_worker *w = tw_self(tw);
    if (tw_has_sink(&tw->sink))
        tw_emit_now(&tw->sink, &(tw_event){.kind = TW_EVENT_SEND,
                                           .worker = w ? w->index : -1,
                                           .peer = to,
                                           .detail = (int)number,
                                           .amount = (int64_t)size});
}

void tw_emit_receive(tw_worker *w, int from, uint32_t number, size_t size)
{
    if (tw_has_sink(&w->tw->sink))
        tw_emit_now(&w->tw->sink, &(tw_event){.kind = TW_EVENT_RECEIVE,
                                              .worker = w->index,
                                              .peer = from,
                                              .detail = (int)number,
                                              .amount = (int64_t)size});
}

void tw_emit_handled(tw_worker *w)
{
    tw_emit(&w->tw->sink, TW_EVENT_HANDLED, w->index, NULL, -1, 0);
}
