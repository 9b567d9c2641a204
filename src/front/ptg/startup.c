/* Instances that need nobody: found one after the other, made beside other workers. */
#include "front/ptg/remote.h"

#include <string.h>

/* With several ranks: does this one run the instance at the cursor? */
static bool is_here(const tw_ptg *ptg, const tw_ptg_class *c)
{
    int64_t rank = tw_ptg_rank(c, ptg->cursor);
    if (rank < 0)
        tw_ptg_refuse_place(c, ptg->cursor);
    return rank == ptg->rank || tw_graph_failed(ptg->graph);
}

/* Move the cursor to the next instance of this rank that needs nobody; NULL when there is none. */
static const tw_ptg_class *next_start(tw_ptg *ptg)
{
    while (ptg->started < ptg->definition->classes) {
        const tw_ptg_class *c = &ptg->classes[ptg->started];
        bool first = !ptg->begun;
        if (first)
            memset(ptg->cursor, 0, ((size_t)c->cls->parameters + 1) * sizeof *ptg->cursor);
        ptg->begun = c->cls->startup && c->cls->startup(ptg->globals, ptg->cursor, first);
        if (!ptg->begun) {
            ptg->started++;
            continue;
        }
        ptg->any = true;
        if (tw_likely(ptg->ranks == 1) || is_here(ptg, c))
            return c;
    }
    return NULL;
}

/* An instance in words: the number of its class, then its parameters. */
bool tw_ptg_startup(twill_graph *g, tw_worker *w, tw_startup_batch *out)
{
    assert(tw_is_locked(&g->tw->startup_lock));
    tw_ptg *ptg = g->front;
    const tw_ptg_class *c = NULL;
    int64_t *word = out->word, *full = out->word + TW_STARTUP_WORDS - TW_PTG_PARAMETERS;
    while (out->to_make < TW_STARTUP_BATCH && word < full && !tw_graph_failed(g) &&
           (c = next_start(ptg))) {
        *word++ = c->number;
        for (int i = 0; i < c->cls->parameters; i++)
            *word++ = ptg->cursor[i];
        out->to_make++;
    }
    tw_graph_added(g, w, 0, out->to_make);
    bool more = c && !tw_graph_failed(g);
    if (!more && !ptg->any && !tw_graph_failed(g))
        tw_ptg_none_starts(ptg);
    if (!more)
        /* the generator: as long as it counts as a task the graph does not end */
        tw_graph_retired(g, w, 0, 1);
    return more;
}

/* A task that can run; NULL if the instance has to wait for tiles of other ranks, or failed. */
static twill_task *make_start(tw_worker *w, tw_ptg_class *c, const int64_t *p)
{
    twill_task *t = tw_ptg_check_place(c, p) ? tw_ptg_make(w, c, p) : NULL;
    return t && tw_unlikely(c->ptg->ranks > 1) ? tw_pending_fetch(w, t, p) : t;
}

void tw_ptg_make_batch(twill_graph *g, tw_worker *w, tw_startup_batch *out)
{
    tw_ptg *ptg = g->front;
    const int64_t *word = out->word;
    for (int i = 0; i < out->to_make; i++) {
        tw_ptg_class *c = &ptg->classes[*word++];
        twill_task *t = make_start(w, c, word);
        if (t)
            tw_ready_add(&out->ready, t);
        word += c->cls->parameters;
    }
    if (tw_unlikely(out->ready.n < out->to_make))
        tw_graph_retired(g, w, 0, out->to_make - out->ready.n);
}
