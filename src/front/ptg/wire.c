/* Parameterised graphs on several ranks: messages.
 *
 * A task that is over sends a message to each rank that has successors of it: its class and
 * parameters, then the parts in the order in which both sides find them; before that one to each
 * rank that has tiles which it stores into, with its address, which the answer names. A task that
 * waits for a tile of another rank asks for it by class, parameters and flow.
 *
 * To ranks that get the same parts goes the same message, down a tree: who gets it, and has others
 * below, finds them as the first sender did and sends it on, before anybody here sees the values. A
 * rank gets one message of a task, and each value once. */
#include "front/ptg/wire.h"

/* ---- outputs ----------------------------------------------------------------------------- */

static void push(tw_worker *w, tw_ready *ready)
{
    if (ready->n)
        tw_push(w, ready);
}

/* TW_PTG_OUTPUTS or TW_PTG_STORES that have come. */
typedef struct outputs {
    tw_message m;
    tw_worker *w;
    twill_graph *g;
    int kind;
    tw_ptg_class *cls;
    const int64_t *p;
    int64_t n; /* parts */
    size_t course_at;
    tw_course course;
    tw_ptg_parts parts;
    int first; /* of those for this rank */
} outputs;

static bool is_leaf(const outputs *o)
{
    return o->kind == TW_PTG_STORES ||
           tw_bcast_is_leaf((tw_bcast)o->course.tree, o->course.node, o->course.last);
}

static bool is_wrong_course(const outputs *o)
{
    int32_t ranks = o->g->tw->data.ranks;
    return o->course.tree < 0 || o->course.tree >= TW_BCASTS || o->course.last >= ranks ||
           (o->kind == TW_PTG_OUTPUTS && (o->course.node < 1 || o->course.node > o->course.last));
}

static bool read_head(outputs *o)
{
    o->p = tw_message_get_name(&o->m, o->g, &o->cls, &o->n);
    if (!o->p)
        return false;
    o->course_at = o->m.at;
    const tw_course *course = tw_message_get(&o->m, sizeof *course);
    if (!course)
        return tw_message_refuse(&o->m, o->g);
    o->course = *course;
    return is_wrong_course(o) ? tw_message_refuse(&o->m, o->g) : true;
}

/* The parts for this rank, and if it has to send them on, those for all. */
static bool find_parts(outputs *o)
{
    int64_t here = o->g->tw->data.rank;
    int n = 0;
    o->parts.only = o->kind == TW_PTG_STORES ? TW_PTG_TILES : TW_PTG_TASKS;
    if (!tw_ptg_destinations(o->cls, o->p, is_leaf(o) ? here : TW_PTG_OTHERS, &o->parts)) {
        tw_graph_fail(o->g, TWILL_ERR_MEMORY, "no memory for what another rank sends");
        return false;
    }
    while (o->first < o->parts.n && o->parts.part[o->first].rank != here)
        o->first++;
    if (o->first < o->parts.n)
        n = tw_ptg_end_of_rank(&o->parts, o->first) - o->first;
    if (n > 0 && n == o->n)
        return true;
    tw_graph_fail(o->g, TWILL_ERR_STATE,
                  "graph %s is not the same on all ranks: a task sends %lld values here, and "
                  "%d are expected",
                  ((tw_ptg *)o->g->front)->definition->name, (long long)o->n, n);
    return false;
}

static void drop_values(const outputs *o, const tw_received *got, int n)
{
    for (int i = 0; i < n; i++)
        if (got[i].value)
            tw_value_drop(tw_ptg_cache(o->g->front, o->w->index), got[i].value);
}

static bool read_values(outputs *o, tw_received *got)
{
    for (int i = 0; i < o->n; i++) {
        const tw_ptg_part *part = &o->parts.part[o->first + i];
        got[i] = (tw_received){NULL, -1};
        if (part->control || tw_message_get_value(&o->m, o->w, o->g, tw_ptg_type_of(part), &got[i]))
            continue;
        drop_values(o, got, i);
        return false;
    }
    return true;
}

/* Which node of its group is this rank, and of how many? The other rank has found the same. */
static bool is_expected(const outputs *o)
{
    const tw_ptg_part *here = &o->parts.part[o->first];
    tw_ptg_members members = {.parts = &o->parts, .leader = here->leader};
    members.root = tw_ptg_rank(o->cls, o->p);
    const tw_ptg_part *part;
    do
        part = tw_ptg_next_member(&members);
    while (part && part != here);
    return part && members.node == o->course.node &&
           o->parts.part[here->leader].ranks == o->course.last;
}

/* Large values are held once more until they are sent. */
static bool lend_on(const outputs *o, const tw_received *got, tw_ptg_loan **loan)
{
    for (int i = 0; i < o->n; i++) {
        loan[i] = got[i].lent < 0 ? NULL : tw_ptg_lend_on(o->g->front, got[i].value, got[i].lent);
        if (loan[i] || got[i].lent < 0)
            continue;
        tw_ptg_loans_end(o->w, loan, i);
        tw_graph_fail(o->g, TWILL_ERR_MEMORY, "no memory to send a value on");
        return false;
    }
    return true;
}

/* The same message goes to those below this node. False after failing the graph. */
static bool send_on(outputs *o, const tw_received *got)
{
    tw_ptg_loan *loan[o->n];
    tw_ptg_find_groups(&o->parts);
    if (!is_expected(o))
        return tw_message_refuse(&o->m, o->g);
    if (!lend_on(o, got, loan))
        return false;
    const tw_broadcast b = {.g = o->g,
                            .kind = TW_PTG_OUTPUTS,
                            .bytes = o->m.bytes,
                            .size = o->m.size,
                            .course_at = o->course_at,
                            .course = o->course,
                            .loan = loan,
                            .loans = (int)o->n};
    tw_broadcast_send(&b, (tw_ptg_members){.parts = &o->parts,
                                           .leader = o->parts.part[o->first].leader,
                                           .root = tw_ptg_rank(o->cls, o->p)});
    tw_ptg_loans_end(o->w, loan, (int)o->n);
    return true;
}

static void receive_parts(outputs *o)
{
    tw_received got[o->n];
    tw_value *value[o->n];
    tw_ready ready = {0};
    if (!read_values(o, got))
        return;
    if (!is_leaf(o) && !send_on(o, got)) {
        drop_values(o, got, (int)o->n);
        return;
    }
    for (int i = 0; i < o->n; i++)
        value[i] = got[i].value;
    tw_ptg_arrive(o->w, o->cls, o->p, &o->parts.part[o->first], value, (int)o->n, &ready);
    push(o->w, &ready);
}

static void send_stored(twill_graph *g, int to, uint64_t task)
{
    tw_message m;
    if (!tw_message_make(&m, g, tw_message_room(sizeof task)))
        return;
    tw_message_put(&m, &task, sizeof task);
    tw_shared_send(g, to, TW_PTG_STORED, m.bytes, m.size);
}

static void receive_outputs(const tw_message *m, tw_worker *w, twill_graph *g, int kind)
{
    outputs o = {.m = *m, .w = w, .g = g, .kind = kind};
    bool known = read_head(&o);
    if (known && find_parts(&o))
        receive_parts(&o);
    if (known && kind == TW_PTG_STORES)
        send_stored(g, m->from, o.course.task);
    tw_ptg_parts_free(&o.parts);
}

static void receive_stored(tw_message *m, tw_worker *w, twill_graph *g)
{
    const uint64_t *task = tw_message_get(m, sizeof *task);
    tw_ready ready = {0};
    if (!task || !tw_ptg_stored(w, g->front, (const twill_task *)(uintptr_t)*task, &ready))
        tw_message_refuse(m, g);
    push(w, &ready);
}

/* ---- tiles ------------------------------------------------------------------------------- */

static void send_request(tw_worker *w, tw_ptg_class *c, const int64_t *p, const tw_ptg_origin *o)
{
    tw_message m;
    (void)w;
    if (!tw_message_make(&m, c->ptg->graph, tw_message_name_size(c)))
        return;
    tw_message_put_name(&m, c, p, o->flow);
    tw_shared_send(c->ptg->graph, (int)o->rank, TW_PTG_REQUEST, m.bytes, m.size);
}

/* A tile that an instance of another rank wants. */
typedef struct wanted {
    tw_worker *w;
    tw_ptg_class *cls;
    const int64_t *p;
    int flow, from;
} wanted;

static void send_tile(const tw_ptg_origin *o, void *arg)
{
    const wanted *r = arg;
    twill_graph *g = r->cls->ptg->graph;
    tw_buffer_cache *cache = tw_ptg_cache(r->cls->ptg, r->w->index);
    if (o->flow != r->flow || o->rank != g->tw->data.rank)
        return;
    tw_value *v = tw_value_current(&o->tile->value, tw_area_of(TW_FULL), cache);
    tw_ptg_loan *loan = NULL;
    size_t size = v ? tw_message_value_size(g, v, o->remote, &loan) : 0;
    tw_message m;
    if (size && tw_message_make(&m, g, tw_message_name_size(r->cls) + size)) {
        tw_message_put_name(&m, r->cls, r->p, r->flow);
        tw_message_put_value(&m, v, o->remote, loan);
        if (loan)
            tw_ptg_loan_send(loan, r->from);
        tw_shared_send(g, r->from, TW_PTG_REPLY, m.bytes, m.size);
    }
    tw_ptg_loans_end(r->w, &loan, 1);
    if (v)
        tw_value_drop(cache, v);
    else
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a tile that another rank wants");
}

/* An instance, and a flow of it; NULL after failing the graph. */
static const int64_t *get_flow(tw_message *m, twill_graph *g, tw_ptg_class **c, int *flow)
{
    int64_t number;
    const int64_t *p = tw_message_get_name(m, g, c, &number);
    if (p && (number < 0 || number >= (*c)->cls->flows)) {
        tw_message_refuse(m, g);
        return NULL;
    }
    *flow = p ? (int)number : -1;
    return p;
}

static void receive_request(tw_message *m, tw_worker *w, twill_graph *g)
{
    wanted r = {.w = w, .from = m->from};
    r.p = get_flow(m, g, &r.cls, &r.flow);
    if (r.p)
        tw_ptg_each_origin(r.cls, r.p, send_tile, &r);
}

/* The tile of another rank that a flow waits for. */
typedef struct awaited {
    int64_t here;
    int flow;
    const tw_value *tile; /* its shape; NULL: there is none */
    const twill_datatype *type;
} awaited;

static void find_tile(const tw_ptg_origin *o, void *arg)
{
    awaited *a = arg;
    if (o->flow != a->flow || o->rank < 0 || o->rank == a->here)
        return;
    a->tile = &o->tile->value;
    a->type = o->remote;
}

static bool is_like(const tw_value *v, const tw_value *tile)
{
    return v && v->rows == tile->rows && v->cols == tile->cols && v->element == tile->element;
}

static void receive_reply(tw_message *m, tw_worker *w, twill_graph *g)
{
    tw_ptg_class *c;
    awaited a = {.here = g->tw->data.rank};
    tw_received got = {NULL, -1};
    tw_ready ready = {0};
    const int64_t *p = get_flow(m, g, &c, &a.flow);
    if (p)
        tw_ptg_each_origin(c, p, find_tile, &a);
    if (!p || (a.tile && !tw_message_get_value(m, w, g, a.type, &got)))
        return;
    if (a.tile && is_like(got.value, a.tile)) {
        tw_ptg_fetched(w, c, p, a.flow, got.value, &ready);
        push(w, &ready);
        return;
    }
    tw_message_refuse(m, g);
    if (got.value)
        tw_value_drop(tw_ptg_cache(g->front, w->index), got.value);
}

/* ------------------------------------------------------------------------------------------ */

const tw_ptg_transport tw_ptg_wire = {
    .pack = tw_ptg_pack_parts, .send = tw_ptg_send_parts, .fetch = send_request};

void tw_ptg_receive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                    size_t size)
{
    tw_message m = {(char *)(uintptr_t)bytes, size, 0, from};
    if (tw_graph_failed(g))
        return; /* whoever waits for it is forgotten at the end */
    if (kind == TW_PTG_OUTPUTS || kind == TW_PTG_STORES)
        receive_outputs(&m, w, g, kind);
    else if (kind == TW_PTG_STORED)
        receive_stored(&m, w, g);
    else if (kind == TW_PTG_REQUEST)
        receive_request(&m, w, g);
    else if (kind == TW_PTG_REPLY)
        receive_reply(&m, w, g);
    else
        tw_message_refuse(&m, g);
}
