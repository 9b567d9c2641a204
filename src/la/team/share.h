/* Who takes what of a kernel that a team runs.
 *
 * Work is cut into pieces by the shape of the matrices alone, and a piece is one call of the BLAS,
 * whoever makes it: so the bits do not depend on the size of the team. Only which pieces are whose
 * does. The functions take NULL for a team of one. */
#ifndef TW_LA_SHARE_H
#define TW_LA_SHARE_H

#include "la/la.h"

#include <twill/task.h>

static inline int tw_team_rank(const twill_team *team)
{
    return team ? twill_team_rank(team) : 0;
}

static inline int tw_team_size(const twill_team *team)
{
    return team ? twill_team_size(team) : 1;
}

static inline void tw_team_wait(twill_team *team)
{
    if (team)
        twill_team_barrier(team);
}

/* Pieces first .. end-1. */
typedef struct tw_share {
    int first, end;
} tw_share;

/* Elements n, cut into pieces of `width`; the last may have fewer. */
typedef struct tw_cut {
    int n, width;
} tw_cut;

static inline int tw_cut_pieces(tw_cut cut)
{
    return (cut.n + cut.width - 1) / cut.width;
}

static inline int tw_cut_size(tw_cut cut, int piece)
{
    int left = cut.n - piece * cut.width;
    return left < cut.width ? left : cut.width;
}

/* Cut n elements for the calls of a kernel: pieces that the BLAS does well, and, if n allows, some
 * for each of a few members. */
tw_cut tw_cut_for(int n);

/* What this member takes of as many pieces, which are all alike. */
tw_share tw_share_even(const twill_team *team, int pieces);

/* The same of the columns of a triangle, or of its rows: balanced by elements. With `grows` the
 * first piece is the tip. */
tw_share tw_share_triangle(const twill_team *team, tw_cut cut, bool grows);

#endif
