/* Large values travel without copies: from where they are, into the memory of a new one.
 *
 * The sender holds such a value until the transport does not need it any more, and sends it by
 * itself, before the message that names it by a number. The receiver makes the new one when the
 * transport asks where the bytes shall go; it waits in a list for the message. Who has to send the
 * message on lends the new one in turn. */
#include "front/ptg/loans.h"

#include "engine/remote/remote.h"

#include <stdlib.h>
#include <string.h>

/* No number of rows or columns is larger: so walking over a shape that another rank has sent takes
 * a bounded time. */
enum { MOST = INT32_MAX };

int64_t tw_ptg_bytes(int64_t rows, int64_t cols, int64_t element)
{
    int64_t bytes;
    if (rows < 0 || rows > MOST || cols < 0 || cols > MOST || element <= 0 ||
        __builtin_mul_overflow(rows * cols, element, &bytes))
        return -1;
    return bytes;
}

/* ---- sending ----------------------------------------------------------------------------- */

struct tw_ptg_loan {
    tw_ptg *ptg;
    tw_value *value;
    int64_t number;
    atomic_int users; /* who may still send it, and sends under way */
};

static size_t bytes_of(const tw_value *v)
{
    return (size_t)v->rows * (size_t)v->cols * v->element;
}

static bool is_lendable(const tw_ptg *ptg, const tw_value *v, tw_area area)
{
    bool whole = v->region == TW_FULL && area.region == TW_FULL;
    bool contiguous = v->host.ld == v->rows || v->cols == 1;
    return whole && contiguous && bytes_of(v) >= ptg->lend;
}

tw_ptg_loan *tw_ptg_lend_on(tw_ptg *ptg, tw_value *v, int64_t number)
{
    tw_ptg_loan *l = malloc(sizeof *l);
    if (!l)
        return NULL;
    atomic_fetch_add_explicit(&v->refs, 1, memory_order_relaxed);
    *l = (tw_ptg_loan){.ptg = ptg, .value = v, .number = number, .users = 1};
    return l;
}

tw_ptg_loan *tw_ptg_lend(tw_ptg *ptg, tw_value *v, tw_area area)
{
    if (!is_lendable(ptg, v, area))
        return NULL;
    int64_t loans = atomic_fetch_add_explicit(&ptg->loans, 1, memory_order_relaxed);
    return tw_ptg_lend_on(ptg, v, loans * ptg->ranks + ptg->rank);
}

int64_t tw_ptg_loan_number(const tw_ptg_loan *l)
{
    return l->number;
}

size_t tw_ptg_loan_bytes(const tw_ptg_loan *l)
{
    return bytes_of(l->value);
}

void tw_ptg_loan_end(tw_ptg_loan *l, tw_worker *w)
{
    /* acquire and release: the last one lets the value go after all others have read it */
    if (atomic_fetch_sub_explicit(&l->users, 1, memory_order_acq_rel) > 1)
        return;
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
    atomic_fetch_add_explicit(&l->users, 1, memory_order_relaxed);
    if (!tw_shared_lend(g, to, &loan))
        tw_ptg_loan_end(l, tw_self(g->tw));
}

/* ---- receiving --------------------------------------------------------------------------- */

/* A value that is here, or on its way, but not the message that names it. Only who polls the
 * transport looks at these. */
struct tw_ptg_landing {
    tw_ptg_landing *next;
    tw_value *value;
    int64_t number;
    bool arriving; /* the transport writes its bytes */
};

static tw_ptg_landing **find(tw_ptg *ptg, int64_t number)
{
    tw_ptg_landing **link = &ptg->landings;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

/* Are these bytes what the words say? */
static bool is_valid(const int64_t *word, size_t size)
{
    int64_t bytes = tw_ptg_bytes(word[1], word[2], word[3]);
    return bytes >= 0 && (size_t)bytes == size;
}

static tw_ptg_landing *new_landing(tw_ptg *ptg, tw_worker *w, const int64_t *word)
{
    tw_ptg_landing *l = malloc(sizeof *l);
    tw_value *v =
        l ? tw_value_new(tw_ptg_cache(ptg, w->index), word[1], word[2], (size_t)word[3]) : NULL;
    if (!v) {
        free(l);
        return NULL;
    }
    *l = (tw_ptg_landing){.next = ptg->landings, .value = v, .number = word[0]};
    ptg->landings = l;
    return l;
}

void *tw_ptg_place(twill_graph *g, tw_worker *w, const int64_t *word, size_t size)
{
    bool wanted = !tw_graph_failed(g) && is_valid(word, size);
    tw_ptg_landing *l = wanted ? new_landing(g->front, w, word) : NULL;
    if (!l)
        return NULL;
    l->arriving = true;
    tw_shared_arriving(g, 1);
    return l->value->host.data;
}

/* A failed graph has to wait for them as well: it owns the memory. */
static void arrived(twill_graph *g, tw_ptg_landing *l)
{
    if (l && l->arriving)
        tw_shared_arriving(g, -1);
    if (l)
        l->arriving = false;
}

void tw_ptg_land(twill_graph *g, tw_worker *w, int from, const int64_t *word, const void *bytes,
                 size_t size)
{
    tw_ptg_landing *l = *find(g->front, word[0]);
    arrived(g, l);
    if (tw_graph_failed(g))
        return;
    if (!is_valid(word, size) || (l && bytes_of(l->value) != size)) {
        tw_graph_fail(g, TWILL_ERR_STATE, "rank %d has sent %zu bytes for a value of another size",
                      from, size);
        return;
    }
    if (!l)
        l = new_landing(g->front, w, word);
    if (!l)
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for data of another rank");
    else if (l->value->host.data != bytes)
        memcpy(l->value->host.data, bytes, size);
}

tw_value *tw_ptg_landed(tw_ptg *ptg, int64_t number)
{
    tw_ptg_landing **link = find(ptg, number), *l = *link;
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
        if (!l->arriving) /* else a transport that has failed may still write there */
            tw_value_drop(tw_ptg_cache(ptg, w->index), l->value);
        free(l);
    }
}
