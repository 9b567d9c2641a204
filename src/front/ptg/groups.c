/* Ranks that get the same parts of an instance. Every rank that has the list of all parts finds the
 * same groups, in the same order: so whoever has to send a message on knows to whom. */
#include "front/ptg/remote.h"

static bool is_same_part(const tw_ptg_part *a, const tw_ptg_part *b)
{
    return a->flow == b->flow && a->typed == b->typed &&
           (!a->typed || tw_ptg_same_type(&a->type, &b->type));
}

/* Do the ranks that these are the first parts of get the same? */
static bool is_same(const tw_ptg_parts *parts, int i, int j)
{
    int n = tw_ptg_end_of_rank(parts, i) - i, k = 0;
    if (tw_ptg_end_of_rank(parts, j) - j != n)
        return false;
    while (k < n && is_same_part(&parts->part[i + k], &parts->part[j + k]))
        k++;
    return k == n;
}

void tw_ptg_find_groups(tw_ptg_parts *parts)
{
    for (int i = 0; i < parts->n; i = tw_ptg_end_of_rank(parts, i)) {
        int j = 0;
        while (j < i && (parts->part[j].leader != j || !is_same(parts, j, i)))
            j = tw_ptg_end_of_rank(parts, j);
        parts->part[i].leader = j;
        parts->part[j].ranks++;
    }
}

const tw_ptg_part *tw_ptg_next_member(tw_ptg_members *m)
{
    const tw_ptg_parts *parts = m->parts;
    for (;;) {
        if (m->at >= parts->n) {
            if (m->wrapped)
                return NULL;
            m->wrapped = true;
            m->at = 0;
        }
        const tw_ptg_part *part = &parts->part[m->at];
        bool turn = m->wrapped ? part->rank < m->root : part->rank > m->root;
        m->at = tw_ptg_end_of_rank(parts, m->at);
        if (turn && part->leader == m->leader) {
            m->node++;
            return part;
        }
    }
}
