/* Parameterised graphs on several ranks: messages.
 *
 * A task that is over sends one message to each rank that has successors of it: its class and
 * parameters, then the parts in the order in which both sides find them; before that one to each
 * rank that has tiles which it stores into, with its address, which the answer names. A task that
 * waits for a tile of another rank asks for it by class, parameters and flow. */
#include "front/ptg/loans.h"
#include "front/ptg/remote.h"

#include "data/pack.h"
#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

/* Kinds of messages. */
enum { OUTPUTS, STORES, STORED, REQUEST, REPLY };

/* In front of the bytes of a value; `region` 0: there is no data; LENT: it has come by itself, with
 * the number in `rows`. */
enum { LENT = -1 };
typedef struct shape {
    int64_t rows, cols, element, region;
} shape;

/* A message as it is written or read. */
typedef struct message {
    char *bytes;
    size_t size, at;
    int from; /* rank, if it is read */
} message;

static size_t rounded(size_t size)
{
    return (size + 15) / 16 * 16;
}

static size_t name_size(const tw_ptg_class *c)
{
    return rounded((2 + (size_t)c->cls->parameters) * sizeof(int64_t));
}

static void put(message *m, const void *bytes, size_t size)
{
    memcpy(m->bytes + m->at, bytes, size);
    m->at += rounded(size);
}

static const void *get(message *m, size_t size)
{
    const void *bytes = m->bytes + m->at;
    m->at += rounded(size);
    return bytes;
}

/* An instance, and a number that the kind of message explains. */
static void put_name(message *m, const tw_ptg_class *c, const int64_t *p, int64_t number)
{
    int64_t words[2 + TW_PTG_PARAMETERS] = {c->number, number};
    tw_ptg_copy(words + 2, p, c->cls->parameters);
    put(m, words, (2 + (size_t)c->cls->parameters) * sizeof *words);
}

static const int64_t *get_name(message *m, const twill_graph *g, tw_ptg_class **c, int64_t *number)
{
    const int64_t *words = (const int64_t *)(const void *)(m->bytes + m->at);
    *c = tw_ptg_class_number(g, (int)words[0]);
    *number = words[1];
    m->at += name_size(*c);
    return words + 2;
}

static bool make_message(message *m, twill_graph *g, size_t size)
{
    *m = (message){.bytes = calloc(1, size), .size = size};
    if (!m->bytes)
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a message of %zu bytes", size);
    return m->bytes;
}

/* ---- values ------------------------------------------------------------------------------ */

/* What of a value with that region travels as this type; the caller drops it. NULL, or why not. */
static const char *area_of(const tw_value *v, const twill_datatype *type, tw_area *area)
{
    tw_area wanted;
    if (v->region & TW_MASKED)
        return "a region that only a mask can tell does not travel between ranks";
    const char *why = tw_ptg_area(type, v, &wanted);
    if (why)
        return why;
    bool known = tw_area_both(tw_area_of(v->region), wanted, v->rows, v->cols, area);
    tw_area_drop(wanted);
    return known ? NULL : tw_ptg_no_memory;
}

static const twill_datatype *type_of(const tw_ptg_part *part)
{
    return part->typed ? &part->type : NULL;
}

/* Bytes that a value takes, 0 after failing the graph; and the loan, if it goes by itself. */
static size_t value_size(twill_graph *g, tw_value *v, const twill_datatype *type,
                         tw_ptg_loan **loan)
{
    tw_area area;
    size_t head = rounded(sizeof(shape));
    if (!v || !v->host.data)
        return head;
    const char *why = area_of(v, type, &area);
    if (why) {
        tw_graph_fail(g, tw_ptg_status(why, TWILL_ERR_UNSUPPORTED), "graph %s: %s",
                      ((tw_ptg *)g->front)->definition->name, why);
        return 0;
    }
    *loan = tw_ptg_lend(g->front, v, area);
    size_t size = head + (*loan ? 0 : rounded(tw_pack_size(v, area)));
    tw_area_drop(area);
    return size;
}

static void put_value(message *m, const tw_value *v, const twill_datatype *type,
                      const tw_ptg_loan *loan)
{
    tw_area area;
    shape s = {0};
    if (loan)
        s = (shape){.rows = tw_ptg_loan_number(loan), .region = LENT};
    else if (v && v->host.data)
        s = (shape){v->rows, v->cols, (int64_t)v->element, v->region};
    put(m, &s, sizeof s);
    if (loan || !s.region || area_of(v, type, &area))
        return;
    tw_pack(v, area, m->bytes + m->at);
    m->at += rounded(tw_pack_size(v, area));
    tw_area_drop(area);
}

/* NULL: there is no data, or (*failed) no memory. */
static tw_value *get_value(message *m, tw_worker *w, twill_graph *g, const twill_datatype *type,
                           bool *failed)
{
    shape s;
    memcpy(&s, get(m, sizeof s), sizeof s);
    if (!s.region)
        return NULL;
    if (s.region == LENT) {
        tw_value *landed = tw_ptg_landed(g->front, m->from, s.rows);
        *failed = !landed;
        if (!landed)
            tw_graph_fail(g, TWILL_ERR_STATE, "a value of rank %d has not come with its message",
                          m->from);
        return landed;
    }
    tw_area area;
    tw_value *v = tw_value_new(tw_ptg_cache(g->front, w->index), s.rows, s.cols, (size_t)s.element);
    if (v)
        v->region = (uint8_t)s.region;
    *failed = !v || area_of(v, type, &area);
    if (*failed) {
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for data of another rank");
        return v;
    }
    const void *bytes = m->bytes + m->at;
    m->at += rounded(tw_pack_size(v, area));
    tw_unpack(v, area, bytes);
    tw_value_limit(v, area);
    return v;
}

/* ---- outputs ----------------------------------------------------------------------------- */

/* The parts of one rank. */
static void pack_parts(twill_task *t, tw_ptg_part *part, int n)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    tw_value *const *value = tw_ptg_values(t);
    size_t size = name_size(c) + rounded(sizeof(uint64_t));
    uint64_t address = (uintptr_t)t;
    message m;
    for (int i = 0; i < n; i++) {
        size_t more = part[i].control ? 0
                                      : value_size(t->graph, value[part[i].flow], type_of(&part[i]),
                                                   &part[i].loan);
        if (!part[i].control && !more)
            return;
        size += more;
    }
    if (!make_message(&m, t->graph, size))
        return;
    put_name(&m, c, tw_ptg_words(t), n);
    put(&m, &address, sizeof address);
    for (int i = 0; i < n; i++)
        if (!part[i].control)
            put_value(&m, value[part[i].flow], type_of(&part[i]), part[i].loan);
    part->message = m.bytes;
    part->size = m.size;
}

/* Behind the parts that go to the same rank as this one. */
static int end_of_rank(const tw_ptg_parts *parts, int i)
{
    int next = i + 1;
    while (next < parts->n && parts->part[next].rank == parts->part[i].rank)
        next++;
    return next;
}

static void pack_all(twill_task *t, tw_ptg_parts *parts)
{
    for (int i = 0, next; i < parts->n; i = next) {
        next = end_of_rank(parts, i);
        pack_parts(t, &parts->part[i], next - i);
    }
}

/* Values that go by themselves are there when the message names them. */
static void send_loans(twill_graph *g, tw_ptg_part *part, int n, bool named)
{
    for (int i = 0; i < n; i++) {
        if (part[i].loan && named)
            tw_ptg_loan_send(part[i].loan, (int)part[i].rank);
        else if (part[i].loan)
            tw_ptg_loan_end(part[i].loan, tw_self(g->tw));
    }
}

static void send_all(twill_task *t, tw_ptg_parts *parts)
{
    twill_graph *g = t->graph; /* the task may be gone when its stores are on their way */
    int kind = parts->only == TW_PTG_TILES ? STORES : OUTPUTS;
    for (int i = 0, next; i < parts->n; i = next) {
        tw_ptg_part *part = &parts->part[i];
        next = end_of_rank(parts, i);
        send_loans(g, part, next - i, part->message);
        if (part->message)
            tw_shared_send(g, (int)part->rank, kind, part->message, part->size);
    }
}

static void push(tw_worker *w, tw_ready *ready)
{
    if (ready->n)
        tw_push(w, ready);
}

static void drop_values(tw_worker *w, twill_graph *g, tw_value **value, int n)
{
    for (int i = 0; i < n; i++)
        if (value[i])
            tw_value_drop(tw_ptg_cache(g->front, w->index), value[i]);
}

static void receive_parts(message *m, tw_worker *w, twill_graph *g, const tw_ptg_class *c,
                          const int64_t *p, const tw_ptg_parts *parts)
{
    tw_value *value[parts->n + 1];
    tw_ready ready = {0};
    bool failed = false;
    int n = 0;
    for (; n < parts->n && !failed; n++)
        value[n] =
            parts->part[n].control ? NULL : get_value(m, w, g, type_of(&parts->part[n]), &failed);
    if (failed) {
        drop_values(w, g, value, n);
        return;
    }
    tw_ptg_arrive(w, c, p, parts->part, value, parts->n, &ready);
    push(w, &ready);
}

static void send_stored(twill_graph *g, int to, const uint64_t *address)
{
    message m;
    if (!make_message(&m, g, rounded(sizeof *address)))
        return;
    put(&m, address, sizeof *address);
    tw_shared_send(g, to, STORED, m.bytes, m.size);
}

static void receive_outputs(message *m, tw_worker *w, twill_graph *g, int from, int kind)
{
    tw_ptg_class *c;
    int64_t n;
    tw_ptg_parts parts = {.only = kind == STORES ? TW_PTG_TILES : TW_PTG_TASKS};
    const int64_t *p = get_name(m, g, &c, &n);
    const uint64_t *address = get(m, sizeof *address);
    if (!tw_ptg_destinations(c, p, g->tw->data.rank, &parts))
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for what another rank sends");
    else if (parts.n == n)
        receive_parts(m, w, g, c, p, &parts);
    else
        tw_graph_fail(g, TWILL_ERR_STATE,
                      "graph %s is not the same on all ranks: a task sends %lld values here, and "
                      "%d are expected",
                      ((tw_ptg *)g->front)->definition->name, (long long)n, parts.n);
    if (kind == STORES)
        send_stored(g, from, address);
    tw_ptg_parts_free(&parts);
}

static void receive_stored(message *m, tw_worker *w, twill_graph *g)
{
    const uint64_t *address = get(m, sizeof *address);
    tw_ready ready = {0};
    tw_ptg_stored(w, g->front, (const twill_task *)(uintptr_t)*address, &ready);
    push(w, &ready);
}

/* ---- tiles ------------------------------------------------------------------------------- */

static void send_request(tw_worker *w, tw_ptg_class *c, const int64_t *p, const tw_ptg_origin *o)
{
    message m;
    (void)w;
    if (!make_message(&m, c->ptg->graph, name_size(c)))
        return;
    put_name(&m, c, p, o->flow);
    tw_shared_send(c->ptg->graph, (int)o->rank, REQUEST, m.bytes, m.size);
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
    size_t size = v ? value_size(g, v, o->remote, &loan) : 0;
    message m;
    if (size && make_message(&m, g, name_size(r->cls) + size)) {
        put_name(&m, r->cls, r->p, r->flow);
        put_value(&m, v, o->remote, loan);
        if (loan)
            tw_ptg_loan_send(loan, r->from);
        tw_shared_send(g, r->from, REPLY, m.bytes, m.size);
    } else if (loan) {
        tw_ptg_loan_end(loan, r->w);
    }
    if (v)
        tw_value_drop(cache, v);
    else
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a tile that another rank wants");
}

static void receive_request(message *m, tw_worker *w, twill_graph *g, int from)
{
    tw_ptg_class *c;
    int64_t flow;
    const int64_t *p = get_name(m, g, &c, &flow);
    wanted r = {w, c, p, (int)flow, from};
    tw_ptg_each_origin(c, p, send_tile, &r);
}

typedef struct typed_flow {
    int flow;
    const twill_datatype *type;
} typed_flow;

static void find_type(const tw_ptg_origin *o, void *arg)
{
    typed_flow *f = arg;
    if (o->flow == f->flow)
        f->type = o->remote;
}

static void receive_reply(message *m, tw_worker *w, twill_graph *g)
{
    tw_ptg_class *c;
    int64_t flow;
    tw_ready ready = {0};
    bool failed = false;
    const int64_t *p = get_name(m, g, &c, &flow);
    typed_flow f = {(int)flow, NULL};
    tw_ptg_each_origin(c, p, find_type, &f);
    tw_value *v = get_value(m, w, g, f.type, &failed);
    if (failed)
        drop_values(w, g, &v, 1);
    else
        tw_ptg_fetched(w, c, p, (int)flow, v, &ready);
    push(w, &ready);
}

/* ------------------------------------------------------------------------------------------ */

const tw_ptg_transport tw_ptg_wire = {.pack = pack_all, .send = send_all, .fetch = send_request};

void tw_ptg_receive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                    size_t size)
{
    message m = {(char *)(uintptr_t)bytes, size, 0, from};
    if (tw_graph_failed(g))
        return; /* whoever waits for it is forgotten at the end */
    if (kind == OUTPUTS || kind == STORES)
        receive_outputs(&m, w, g, from, kind);
    else if (kind == STORED)
        receive_stored(&m, w, g);
    else if (kind == REQUEST)
        receive_request(&m, w, g, from);
    else
        receive_reply(&m, w, g);
}
