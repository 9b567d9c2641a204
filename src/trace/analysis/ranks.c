/* What each rank did, and messages between them. */
#include "trace/analysis/analysis.h"

#include <stdlib.h>

bool tw_by_rank_open(const twill_trace *t, tw_by_rank *b)
{
    b->ranks = tw_trace_ranks(t);
    b->first = calloc((size_t)b->ranks + 2, sizeof *b->first);
    b->task = malloc((size_t)(t->ntasks + 1) * sizeof *b->task);
    if (!b->first || !b->task) {
        tw_by_rank_close(b);
        return false;
    }
    int64_t *next = b->first + 1; /* where the next task of a rank goes, and in the end its last */
    for (int64_t i = 0; i < t->ntasks; i++)
        next[t->row_rank[t->row[i]] + 1]++;
    for (int r = 1; r <= b->ranks; r++)
        next[r] += next[r - 1];
    for (int64_t i = 0; i < t->ntasks; i++)
        b->task[next[t->row_rank[t->row[i]]]++] = i;
    return true;
}

void tw_by_rank_close(tw_by_rank *b)
{
    free(b->first);
    free(b->task);
    *b = (tw_by_rank){0};
}

static void add_rows(const twill_trace *t, tw_analysis *a)
{
    for (int64_t i = 0; i < t->nrows; i++) {
        const twill_worker_stats *w = &a->workers[i];
        twill_rank_stats *r = &a->ranks[t->row_rank[i]];
        r->workers++;
        r->busy += w->busy;
        r->idle += w->idle;
        r->overhead += w->overhead;
        r->tasks += w->tasks;
    }
}

static void add_messages(const twill_trace *t, tw_analysis *a)
{
    for (int64_t i = 0; i < t->npoints; i++) {
        twill_rank_stats *r = &a->ranks[t->row_rank[t->point_row[i]]];
        if (t->point_kind[i] == TW_POINT_SEND) {
            r->sent++;
            r->sent_bytes += t->point_amount[i];
            a->total.messages++;
            a->total.message_bytes += t->point_amount[i];
        } else if (t->point_kind[i] == TW_POINT_RECEIVE) {
            r->received++;
            r->received_bytes += t->point_amount[i];
        }
    }
}

bool tw_analyse_ranks(const twill_trace *t, tw_analysis *a)
{
    int ranks = tw_trace_ranks(t);
    a->ranks = calloc((size_t)ranks, sizeof *a->ranks);
    a->messages = tw_messages_match(t, &a->nmessages);
    if (!a->ranks || !a->messages)
        return false;
    a->total.ranks = ranks;
    for (int r = 0; r < ranks; r++)
        a->ranks[r].rank = r;
    add_rows(t, a);
    add_messages(t, a);
    return true;
}
