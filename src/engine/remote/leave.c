/* Ranks that take no part: one that stops, and one that could not make a graph. Others must not
 * wait for them.
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

void tw_absence_leave(twill *tw)
{
    const tw_remote_head head = {.what = TW_REMOTE_LEFT};
    for (int told = 0, to; next_to_tell(tw, told, &to); told++)
        (void)tw_remote_send(tw, to, &head, NULL, 0);
}

void tw_absence_tell(twill *tw)
{
    tw_absence *a = tw_absence_of(tw);
    for (int to; a->refusals > 0;) {
        int last = a->refusals - 1;
        while (next_to_tell(tw, a->refused[last].told, &to)) {
            if (tw_remote_send(tw, to, &a->refused[last].head, NULL, 0) != TWILL_OK)
                return; /* at a later poll */
            a->refused[last].told++;
        }
        a->refusals--;
    }
}

void tw_absence_learn(twill *tw, const tw_remote_head *head)
{
    tw_absence *a = tw_absence_of(tw);
    if (rank_of(tw) != 0 && head->from != 0)
        return;
    a->gone++;
    a->last = head->from;
}

void tw_absence_fail(twill_graph *g, int rank, const char *text)
{
    tw_graph_fail(g, TWILL_ERR_STATE,
                  "rank %d %s: all ranks make and run the same graphs in the same order", rank,
                  text);
}
