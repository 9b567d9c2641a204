/* Instances that need nobody: found one after the other, made beside other workers. */
#include "front/ptg/ptg.h"

#include <string.h>

/* Move the cursor to the next instance that needs nobody; NULL when there is none. */
static const tw_kind *next_start(tw_ptg *ptg)
{
    for (; ptg->started < ptg->definition->classes; ptg->started++) {
        const tw_kind *kind = &ptg->kinds[ptg->started];
        bool first = !ptg->begun;
        if (first)
            memset(ptg->cursor, 0, ((size_t)kind->cls->parameters + 1) * sizeof *ptg->cursor);
        ptg->begun = kind->cls->startup && kind->cls->startup(ptg->globals, ptg->cursor, first);
        if (ptg->begun)
            return kind;
    }
    return NULL;
}

/* An instance in words: the number of its kind, then its parameters. */
bool tw_ptg_startup(twill_graph *g, tw_worker *w, tw_handout *out)
{
    tw_ptg *ptg = g->front;
    const tw_kind *kind = NULL;
    int64_t *word = out->word, *full = out->word + TW_HANDOUT_WORDS - TW_PTG_PARAMETERS;
    while (out->to_make < TW_HANDOUT && word < full && !tw_graph_failed(g) &&
           (kind = next_start(ptg))) {
        *word++ = kind->number;
        for (int i = 0; i < kind->cls->parameters; i++)
            *word++ = ptg->cursor[i];
        out->to_make++;
    }
    tw_graph_added(g, w, 0, out->to_make);
    bool more = kind && !tw_graph_failed(g);
    if (!more)
        /* the generator: as long as it counts as a task the graph does not end */
        tw_graph_retired(g, w, 0, 1);
    return more;
}

void tw_ptg_make_handout(twill_graph *g, tw_worker *w, tw_handout *out)
{
    tw_ptg *ptg = g->front;
    const int64_t *word = out->word;
    for (int i = 0; i < out->to_make; i++) {
        tw_kind *kind = &ptg->kinds[*word++];
        twill_task *t = tw_ptg_check_place(kind, word) ? tw_ptg_make(w, kind, word) : NULL;
        if (t)
            tw_ready_add(&out->ready, t);
        word += kind->cls->parameters;
    }
    if (tw_unlikely(out->ready.n < out->to_make))
        tw_graph_retired(g, w, 0, out->to_make - out->ready.n);
}
