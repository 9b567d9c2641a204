/* The outputs of an instance and the tiles that it takes, one by one. */
#include "front/ptg/outputs.h"

/* ---- outputs ----------------------------------------------------------------------------- */

void tw_ptg_visit_task(twill_ptg_outputs *out, int cls, int to, const int64_t *p,
                       const twill_datatype *type, const twill_datatype *remote)
{
    tw_ptg_class *c = &out->ptg->classes[cls];
    out->visit->edge(out, &(tw_ptg_edge){.flow = out->flow,
                                         .cls = c,
                                         .p = p,
                                         .to = to,
                                         .rank = tw_ptg_rank(c, p),
                                         .type = type,
                                         .remote = remote ? remote : type});
}

void tw_ptg_visit_tile(twill_ptg_outputs *out, twill_tile *tile, const twill_datatype *type,
                       const twill_datatype *remote)
{
    out->visit->edge(out, &(tw_ptg_edge){.flow = out->flow,
                                         .tile = tile,
                                         .rank = tw_ptg_owner(tile),
                                         .type = type,
                                         .remote = remote ? remote : type});
}

typedef struct output_list {
    twill_ptg_outputs out;
    tw_ptg_edge_visit *visit;
    void *arg;
} output_list;

static void list_output(twill_ptg_outputs *out, int flow)
{
    out->flow = flow;
}

static void list_edge(twill_ptg_outputs *out, const tw_ptg_edge *e)
{
    const output_list *list = (const output_list *)out;
    list->visit(e, list->arg);
}

void tw_ptg_each_output(const tw_ptg_class *c, const int64_t *p, tw_ptg_edge_visit *visit,
                        void *arg)
{
    static const tw_ptg_visitor listing = {.output = list_output, .edge = list_edge};
    output_list list = {{.visit = &listing, .ptg = c->ptg, .flow = TW_VISITED_FLOW}, visit, arg};
    if (c->cls->release)
        c->cls->release(&list.out, c->ptg->globals, p);
}

/* ---- tiles that are taken ---------------------------------------------------------------- */

typedef struct origin_list {
    twill_ptg_inputs in;
    tw_ptg_origin_visit *visit;
    void *arg;
} origin_list;

static void list_origin(twill_ptg_inputs *in, const tw_ptg_origin *o)
{
    const origin_list *list = (const origin_list *)in;
    list->visit(o, list->arg);
}

void tw_ptg_each_origin(const tw_ptg_class *c, const int64_t *p, tw_ptg_origin_visit *visit,
                        void *arg)
{
    origin_list list = {{.visit = list_origin}, visit, arg};
    if (c->cls->bind)
        c->cls->bind(&list.in, c->ptg->globals, p);
}

typedef struct origin_count {
    int64_t here;
    int32_t elsewhere;
} origin_count;

static void count_origin(const tw_ptg_origin *o, void *arg)
{
    origin_count *n = arg;
    n->elsewhere += o->rank >= 0 && o->rank != n->here;
}

int32_t tw_ptg_remote_origins(const tw_ptg_class *c, const int64_t *p)
{
    origin_count n = {c->ptg->rank, 0};
    tw_ptg_each_origin(c, p, count_origin, &n);
    return n.elsewhere;
}
