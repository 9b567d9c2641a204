/* Instances that need nobody: found one after the other, made beside other workers. */
#include "front/ptg/ptg.h"

#include <string.h>

/* Move the cursor to the next instance that needs nobody; NULL when there is none. */
static const tw_ptg_class *next_start(tw_ptg *ptg)
{
    for (; ptg->started < ptg->definition->classes; ptg->started++) {
        const tw_ptg_class *c = &ptg->classes[ptg->started];
        bool first = !ptg->begun;
        if (first)
            memset(ptg->cursor, 0, ((size_t)c->cls->parameters + 1) * sizeof *ptg->cursor);
        ptg->begun = c->cls->startup && c->cls->startup(ptg->globals, ptg->cursor, first);
        if (ptg->begun)
            return c;
    }
    return NULL;
}

/* An instance in words: the number of its class, then its parameters. */
bool tw_ptg_startup(twill_graph *g, tw_worker *w, tw_startup_batch *out)
{
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
    if (!more)
        /* the generator: as long as it counts as a task the graph does not end */
        tw_graph_retired(g, w, 0, 1);
    return more;
}

void tw_ptg_make_batch(twill_graph *g, tw_worker *w, tw_startup_batch *out)
{
    tw_ptg *ptg = g->front;
    const int64_t *word = out->word;
    for (int i = 0; i < out->to_make; i++) {
        tw_ptg_class *c = &ptg->classes[*word++];
        twill_task *t = tw_ptg_check_place(c, word) ? tw_ptg_make(w, c, word) : NULL;
        if (t)
            tw_ready_add(&out->ready, t);
        word += c->cls->parameters;
    }
    if (tw_unlikely(out->ready.n < out->to_make))
        tw_graph_retired(g, w, 0, out->to_make - out->ready.n);
}
