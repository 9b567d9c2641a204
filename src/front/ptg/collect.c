/* What one value goes to is collected first and delivered together, so that the value is counted
 * once for all receivers, none of which can run before the count is right, and the lines they are
 * in are on their way when they are needed. */
#include "front/ptg/outputs.h"

void tw_collected_deliver(tw_ptg_collector *c, tw_value *v)
{
    const tw_activation *first = c->activations, *end = first + c->out.n;
    if (c->out.n > 1) /* a single one would only wait here */
        for (const tw_activation *a = first; a < end; a++)
            if (a->bucket)
                tw_bucket_prefetch(a->bucket, a->id, v);
    for (const tw_activation *a = first; a < end; a++) {
        twill_task *t = tw_pending_arrive(c->w, a, c->words + a->at, v);
        if (t)
            tw_ready_add(c->ready, t);
    }
    c->out.n = c->used = 0;
}

void tw_collected_push(tw_ptg_collector *c)
{
    if (!c->ready->n)
        return;
    tw_graph_added(c->out.ptg->graph, c->w, 0, c->ready->n);
    tw_push(c->w, c->ready);
    *c->ready = (tw_ready){0};
}

const char *tw_ptg_store_value(tw_ptg_collector *c, twill_tile *tile, const tw_value *v,
                               const twill_datatype *type, tw_region *kept)
{
    tw_area area;
    const char *why = tw_ptg_area(type, &tile->value, &area);
    if (why)
        return why;
    if (!tw_value_store(&tile->value, v, area, tw_ptg_cache(c->out.ptg, c->w->index)))
        why = tw_ptg_no_memory;
    if (v == &tile->value || v->whole == &tile->value)
        *kept |= area.region;
    tw_area_drop(area);
    return why;
}
