/* Ranks that take no part: one that stops, one that could not make a graph, and one that has freed
 * it while others go on with it. Others must not wait for them. Nor must this rank wait for others
 * when its transport has failed.
 *
 * Rank 0 finds the ends of runs, so it is told, fails what the rank is missing in, and asks one
 * less; all others learn of it as of any failure. If rank 0 is missing, all others are told, and
 * each ends its part alone. Nobody leaves before it knows the end of its last run, and rank 0 knows
 * of an end before all others: so a rank that leaves has not begun what is open there. */
#include "engine/remote/messages.h"

#include <string.h>

static int rank_of(const twill *tw)
{
    return tw->data.rank;
}

/* The next rank that has to know, after so many; rank 0 tells all. False: there is none. */
static bool next_to_tell(const twill *tw, int told, int *to)
{
    *to = rank_of(tw) == 0 ? told + 1 : 0;
    return rank_of(tw) == 0 ? *to < tw->data.ranks : told == 0;
}

/* Tell all who have to know, after `*told` of them; false without memory for one of them. */
static bool tell(twill *tw, const tw_remote_head *head, int *told)
{
    for (int to; next_to_tell(tw, *told, &to); ++*told)
        if (tw_remote_send(tw, to, head, NULL, 0) != TWILL_OK)
            return false;
    return true;
}

void tw_absence_leave(twill *tw)
{
    const tw_remote_head head = {.what = TW_REMOTE_LEFT};
    for (int told = 0; !tell(tw, &head, &told);)
        told++; /* there is no later poll */
}

static void owe(tw_absence *a, const tw_remote_head *head)
{
    if (a->owed == TW_REMOTE_OWED)
        return;
    a->owes[a->owed].head = *head;
    a->owes[a->owed++].told = 0;
}

void tw_absence_refuse(twill *tw, int64_t graph, twill_status status)
{
    owe(tw_absence_of(tw),
        &(tw_remote_head){
            .graph = (uint64_t)graph, .run = 1, .what = TW_REMOTE_LEFT, .kind = status});
    tw_absence_tell(tw);
}

void tw_absence_leave_graph(const tw_shared *s)
{
    twill *tw = s->graph->tw;
    owe(tw_absence_of(tw), &(tw_remote_head){.graph = (uint64_t)s->graph->id,
                                             .run = s->run + 1,
                                             .what = TW_REMOTE_LEFT});
    tw_absence_tell(tw);
}

void tw_absence_tell(twill *tw)
{
    tw_absence *a = tw_absence_of(tw);
    while (a->owed > 0 && tell(tw, &a->owes[a->owed - 1].head, &a->owes[a->owed - 1].told))
        a->owed--; /* else at a later poll */
}

/* Noted at once: that may be long before a run that it is about. */
static void learn_of_graph(tw_shared *s, const tw_remote_head *head)
{
    s->away[head->from] = true;
    if (s->left)
        return;
    s->left = head->run;
    s->left_by = head->from;
    s->left_unmade = head->kind != TWILL_OK;
}

bool tw_absence_learn(twill *tw, tw_shared *s, const tw_remote_head *head)
{
    tw_absence *a = tw_absence_of(tw);
    if (rank_of(tw) != 0 && head->from != 0)
        return true;
    if (s) {
        learn_of_graph(s, head);
    } else if (!head->graph) {
        a->away[head->from] = true;
        a->gone++;
        a->last = head->from;
    }
    return s || !head->graph || tw_graph_was(tw, (int64_t)head->graph);
}

static bool is_left(const tw_shared *s)
{
    return s->left && s->run >= s->left;
}

int tw_absence_count(const tw_shared *s)
{
    const tw_absence *a = tw_absence_of(s->graph->tw);
    int n = 0;
    if (tw_likely(!a->gone && !is_left(s)))
        return 0;
    if (a->cut_off)
        return s->graph->tw->data.ranks - 1;
    for (int r = 0; r < s->graph->tw->data.ranks; r++)
        n += a->away[r] || (is_left(s) && s->away[r]);
    return n;
}

void tw_absence_cut_off(twill *tw)
{
    tw_absence *a = tw_absence_of(tw);
    a->cut_off = true;
    a->gone++;
    a->owed = 0; /* nobody hears it */
}

bool tw_absence_is_alone(const twill *tw)
{
    return rank_of(tw) != 0 || tw_absence_of(tw)->cut_off;
}

void tw_absence_fail(const tw_shared *s)
{
    if (tw_absence_of(s->graph->tw)->cut_off) {
        tw_graph_fail(s->graph, TWILL_ERR_SYSTEM, "%s", tw_remote_failure(s->graph->tw));
        return;
    }
    bool stopped = !is_left(s);
    tw_graph_fail(s->graph, TWILL_ERR_STATE,
                  "rank %d %s: all ranks make and run the same graphs in the same order",
                  stopped ? tw_absence_of(s->graph->tw)->last : s->left_by,
                  stopped          ? "has stopped"
                  : s->left_unmade ? "could not make the graph"
                                   : "has freed the graph");
}
