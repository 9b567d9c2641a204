/* Messages: writing, and reading what others have written. */
#include "front/ptg/message.h"

#include "data/pack.h"

#include <stdlib.h>
#include <string.h>

/* In front of the bytes of a value; `region` 0: there is no data; LENT: it has come by itself, with
 * the number in `rows`. */
enum { LENT = -1 };
typedef struct shape {
    int64_t rows, cols, element, region;
} shape;

bool tw_message_make(tw_message *m, twill_graph *g, size_t size)
{
    *m = (tw_message){.bytes = malloc(size), .size = size};
    if (m->bytes) /* what is between its parts travels too */
        memset(m->bytes, 0, size);
    else
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a message of %zu bytes", size);
    return m->bytes;
}

void tw_message_put(tw_message *m, const void *bytes, size_t size)
{
    memcpy(m->bytes + m->at, bytes, size);
    m->at += tw_message_room(size);
}

const void *tw_message_get(tw_message *m, size_t size)
{
    const void *bytes = m->bytes + m->at;
    if (size > m->size - m->at || tw_message_room(size) > m->size - m->at)
        return NULL;
    m->at += tw_message_room(size);
    return bytes;
}

TW_NOINLINE bool tw_message_refuse(const tw_message *m, twill_graph *g)
{
    tw_graph_fail(g, TWILL_ERR_STATE,
                  "graph %s: what rank %d has sent is no message of this graph: is it the same on "
                  "all ranks?",
                  ((tw_ptg *)g->front)->definition->name, m->from);
    return false;
}

/* ---- names ------------------------------------------------------------------------------- */

static size_t words_size(const tw_ptg_class *c)
{
    return (2 + (size_t)c->cls->parameters) * sizeof(int64_t);
}

size_t tw_message_name_size(const tw_ptg_class *c)
{
    return tw_message_room(words_size(c));
}

void tw_message_put_name(tw_message *m, const tw_ptg_class *c, const int64_t *p, int64_t number)
{
    int64_t words[2 + TW_PTG_PARAMETERS] = {c->number, number};
    tw_ptg_copy(words + 2, p, c->cls->parameters);
    tw_message_put(m, words, words_size(c));
}

const int64_t *tw_message_get_name(tw_message *m, twill_graph *g, tw_ptg_class **c, int64_t *number)
{
    const int64_t *words = (const int64_t *)(const void *)(m->bytes + m->at);
    bool known = m->size - m->at >= 2 * sizeof *words && words[0] >= 0 && words[0] < INT32_MAX;
    *c = known ? tw_ptg_class_number(g, (int)words[0]) : NULL;
    /* one that is not in its space may have outputs without end */
    if (!*c || !tw_message_get(m, words_size(*c)) ||
        (*c)->cls->inputs((*c)->ptg->globals, words + 2) < 0) {
        tw_message_refuse(m, g);
        return NULL;
    }
    *number = words[1];
    return words + 2;
}

/* ---- writing values ---------------------------------------------------------------------- */

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

static void fail_value(twill_graph *g, const char *why)
{
    tw_graph_fail(g, tw_ptg_status(why, TWILL_ERR_UNSUPPORTED), "graph %s: %s",
                  ((tw_ptg *)g->front)->definition->name, why);
}

size_t tw_message_value_size(twill_graph *g, tw_value *v, const twill_datatype *type,
                             tw_ptg_loan **loan)
{
    tw_area area;
    size_t head = tw_message_room(sizeof(shape));
    if (!v || !v->host.data)
        return head;
    const char *why = area_of(v, type, &area);
    if (why) {
        fail_value(g, why);
        return 0;
    }
    *loan = tw_ptg_lend(g->front, v, area);
    size_t size = head + (*loan ? 0 : tw_message_room(tw_pack_size(v, area)));
    tw_area_drop(area);
    return size;
}

void tw_message_put_value(tw_message *m, const tw_value *v, const twill_datatype *type,
                          const tw_ptg_loan *loan)
{
    tw_area area;
    shape s = {0};
    if (loan)
        s = (shape){.rows = tw_ptg_loan_number(loan), .region = LENT};
    else if (v && v->host.data)
        s = (shape){v->rows, v->cols, (int64_t)v->element, v->region};
    tw_message_put(m, &s, sizeof s);
    if (loan || !s.region || area_of(v, type, &area))
        return;
    tw_pack(v, area, m->bytes + m->at);
    m->at += tw_message_room(tw_pack_size(v, area));
    tw_area_drop(area);
}

/* ---- reading values ---------------------------------------------------------------------- */

static bool get_lent(const tw_message *m, twill_graph *g, int64_t number, tw_received *out)
{
    *out = (tw_received){tw_ptg_landed(g->front, number), number};
    return out->value || tw_message_refuse(m, g);
}

/* A region of a tile or buffer that there can be. */
static bool is_valid(const shape *s)
{
    return s->region > 0 && s->region <= TW_FULL && tw_ptg_bytes(s->rows, s->cols, s->element) >= 0;
}

/* A value like this one, which has no bytes, from those in the message. */
static bool get_packed(tw_message *m, tw_worker *w, twill_graph *g, const twill_datatype *type,
                       const tw_value *like, tw_received *out)
{
    tw_area area;
    const char *why = area_of(like, type, &area);
    if (why) {
        fail_value(g, why);
        return false;
    }
    const void *bytes = tw_message_get(m, tw_pack_size(like, area));
    tw_value *v = bytes ? tw_value_new(tw_ptg_cache(g->front, w->index), like->rows, like->cols,
                                       like->element)
                        : NULL;
    if (v) {
        v->region = like->region;
        tw_unpack(v, area, bytes);
        tw_value_limit(v, area);
        out->value = v;
        return true;
    }
    tw_area_drop(area);
    if (bytes)
        fail_value(g, tw_ptg_no_memory);
    return bytes ? false : tw_message_refuse(m, g);
}

bool tw_message_get_value(tw_message *m, tw_worker *w, twill_graph *g, const twill_datatype *type,
                          tw_received *out)
{
    const shape *s = tw_message_get(m, sizeof *s);
    *out = (tw_received){NULL, -1};
    if (s && s->region == LENT)
        return get_lent(m, g, s->rows, out);
    if (s && !s->region)
        return true;
    if (!s || !is_valid(s))
        return tw_message_refuse(m, g);
    const tw_value like = {.rows = s->rows,
                           .cols = s->cols,
                           .element = (size_t)s->element,
                           .region = (uint8_t)s->region};
    return get_packed(m, w, g, type, &like, out);
}
