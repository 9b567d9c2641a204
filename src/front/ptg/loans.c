/* Large values travel without copies: from where they are, into the memory of a new one.
 *
 * The sender holds such a value until the transport does not need it any more, and sends it by
 * itself, before the message that names it by a number. The receiver makes the new one when the
 * transport asks where the bytes shall go; it waits in a list for the message. */
#include "front/ptg/loans.h"

#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

/* ---- sending ----------------------------------------------------------------------------- */

struct tw_ptg_loan {
    tw_ptg *ptg;
    tw_value *value;
    int64_t number;
};

static size_t bytes_of(const tw_value *v)
{
    return (size_t)v->rows * (size_t)v->cols * v->element;
}

static bool is_lendable(const tw_value *v, tw_area area)
{
    bool whole = v->region == TW_FULL && area.region == TW_FULL;
    bool contiguous = v->host.ld == v->rows || v->cols == 1;
    return whole && contiguous && bytes_of(v) >= TW_PTG_LEND;
}

tw_ptg_loan *tw_ptg_lend(tw_ptg *ptg, tw_value *v, tw_area area)
{
    tw_ptg_loan *l = is_lendable(v, area) ? malloc(sizeof *l) : NULL;
    if (!l)
        return NULL;
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    *l = (tw_ptg_loan){ptg, v, atomic_fetch_add_explicit(&ptg->loans, 1, memory_order_relaxed)};
    return l;
}

int64_t tw_ptg_loan_number(const tw_ptg_loan *l)
{
    return l->number;
}

void tw_ptg_loan_end(tw_ptg_loan *l, tw_worker *w)
{
    tw_value_drop(tw_ptg_cache(l->ptg, w->index), l->value);
    free(l);
}

/* Graphs end after their loans, so it is still there. */
static void sent(void *arg, twill_status status, void *poller)
{
    tw_ptg_loan *l = arg;
    twill_graph *g = l->ptg->graph;
    (void)status;
    tw_ptg_loan_end(l, poller);
    tw_shared_returned(g);
}

void tw_ptg_loan_send(tw_ptg_loan *l, int to)
{
    const tw_value *v = l->value;
    twill_graph *g = l->ptg->graph;
    const tw_shared_loan loan = {.word = {l->number, v->rows, v->cols, (int64_t)v->element},
                                 .bytes = v->host.data,
                                 .size = bytes_of(v),
                                 .sent = sent,
                                 .arg = l};
    if (!tw_shared_lend(g, to, &loan))
        tw_ptg_loan_end(l, tw_self(g->tw));
}

/* ---- receiving --------------------------------------------------------------------------- */

/* A value that is here, or on its way, but not the message that names it. Only who polls the
 * transport looks at these. */
struct tw_ptg_landing {
    tw_ptg_landing *next;
    tw_value *value;
    int from;
    int64_t number;
};

static tw_ptg_landing **find(tw_ptg *ptg, int from, int64_t number)
{
    tw_ptg_landing **link = &ptg->landings;
    while (*link && ((*link)->from != from || (*link)->number != number))
        link = &(*link)->next;
    return link;
}

static tw_ptg_landing *new_landing(tw_ptg *ptg, tw_worker *w, int from, const int64_t *word)
{
    tw_ptg_landing *l = malloc(sizeof *l);
    tw_value *v =
        l ? tw_value_new(tw_ptg_cache(ptg, w->index), word[1], word[2], (size_t)word[3]) : NULL;
    if (!v) {
        free(l);
        return NULL;
    }
    *l = (tw_ptg_landing){ptg->landings, v, from, word[0]};
    ptg->landings = l;
    return l;
}

void *tw_ptg_place(twill_graph *g, tw_worker *w, int from, const int64_t *word)
{
    const tw_ptg_landing *l = tw_graph_failed(g) ? NULL : new_landing(g->front, w, from, word);
    return l ? l->value->host.data : NULL;
}

void tw_ptg_land(twill_graph *g, tw_worker *w, int from, const int64_t *word, const void *bytes,
                 size_t size)
{
    const tw_ptg_landing *l = *find(g->front, from, word[0]);
    if (tw_graph_failed(g))
        return;
    if (!l)
        l = new_landing(g->front, w, from, word);
    if (!l)
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for data of another rank");
    else if (l->value->host.data != bytes)
        memcpy(l->value->host.data, bytes, size);
}

tw_value *tw_ptg_landed(tw_ptg *ptg, int from, int64_t number)
{
    tw_ptg_landing **link = find(ptg, from, number), *l = *link;
    if (!l)
        return NULL;
    tw_value *v = l->value;
    *link = l->next;
    free(l);
    return v;
}

void tw_ptg_landings_clear(tw_ptg *ptg, tw_worker *w)
{
    while (ptg->landings) {
        tw_ptg_landing *l = ptg->landings;
        ptg->landings = l->next;
        tw_value_drop(tw_ptg_cache(ptg, w->index), l->value);
        free(l);
    }
}
