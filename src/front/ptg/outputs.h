/* What `release` of a class calls into. One walk over it serves several ends: a visitor says
 * which, and without one it is the release of a task where there is one rank. */
#ifndef TW_FRONT_PTG_OUTPUTS_H
#define TW_FRONT_PTG_OUTPUTS_H

#include "front/ptg/id.h"
#include "front/ptg/remote.h"

typedef struct tw_ptg_visitor {
    void (*output)(twill_ptg_outputs *out, int flow); /* what follows goes out of this flow */
    void (*edge)(twill_ptg_outputs *out, const tw_ptg_edge *e);
} tw_ptg_visitor;

enum { TW_NO_FLOW = -1, TW_VISITED_FLOW = -2 };

struct twill_ptg_outputs {
    const tw_ptg_visitor *visit; /* NULL: release.c, on the only rank */
    const tw_ptg *ptg;
    int n, limit; /* activations collected; a whole flow needs no question as long as n < limit */
    int flow;     /* the current one; before the first TW_NO_FLOW, or with a visitor the other */
};

/* Where `bind` of a class calls into. */
struct twill_ptg_inputs {
    void (*visit)(twill_ptg_inputs *in, const tw_ptg_origin *o); /* NULL: bind.c, on one rank */
    twill_task *task; /* that gets its data; NULL: nobody does */
    tw_value **value;
    bool reads_tile;
};

enum { TW_COLLECTOR_ROOM = 32 };

/* Activations that one value goes to, until they are delivered. */
typedef struct tw_ptg_collector {
    twill_ptg_outputs out;
    tw_worker *w;
    tw_ready *ready;
    /* of a task that is released: */
    twill_task *task;
    tw_region kept;      /* of the flow that memory is to keep, if these are the bytes of a tile */
    tw_region region;    /* of it that goes to the current activations */
    twill_datatype type; /* of that, if it is shaped */

    int used; /* words */
    tw_activation activations[TW_COLLECTOR_ROOM];
    int64_t words[TW_COLLECTOR_ROOM * TW_PTG_PARAMETERS];
} tw_ptg_collector;

static inline void tw_collect(tw_ptg_collector *c, tw_ptg_class *cls, int to, const int64_t *p)
{
    tw_activation *a = &c->activations[c->out.n++];
    a->cls = cls;
    a->flow = to;
    a->at = c->used;
    tw_ptg_copy(c->words + c->used, p, cls->cls->parameters);
    c->used += cls->cls->parameters;
    a->bucket = NULL;
    if (!cls->alone) { /* else it will not wait in the table */
        a->id = tw_instance_id(cls, p);
        a->bucket = tw_table_bucket(&cls->ptg->waiting, a->id);
    }
}

/* Deliver what is collected; `v` is the value they share, with a hold for each, or NULL. */
void tw_collected_deliver(tw_ptg_collector *c, tw_value *v);

/* Let others begin with what is ready so far. */
void tw_collected_push(tw_ptg_collector *c);

/* The value goes to that region of the tile; NULL, or why not. What of it is the tile's own, and so
 * to be kept, is added to `*kept`. */
const char *tw_ptg_store_value(tw_ptg_collector *c, twill_tile *tile, const tw_value *v,
                               const twill_datatype *type, tw_region *kept);

/* Tell the visitor of an output. */
void tw_ptg_visit_task(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                       const twill_datatype *type, const twill_datatype *remote);
void tw_ptg_visit_tile(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type,
                       const twill_datatype *remote);

#endif
