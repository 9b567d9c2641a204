/* Who takes what of a kernel that a team runs. */
#include "la/team/share.h"

/* Pieces are multiples of what vectors like, and not so narrow that packing the other factor is
 * most of a product. */
tw_cut tw_cut_for(int n)
{
    enum { PIECES = 8, LEAST = 32, MOST = 128, VECTOR = 16 };
    int width = (n / PIECES + VECTOR - 1) / VECTOR * VECTOR;
    return (tw_cut){n, width < LEAST ? LEAST : width > MOST ? MOST : width};
}

tw_share tw_share_even(const twill_team *team, int pieces)
{
    int64_t rank = tw_team_rank(team), size = tw_team_size(team);
    return (tw_share){(int)(pieces * rank / size), (int)(pieces * (rank + 1) / size)};
}

/* Elements of the first x rows of a lower triangle of order n, or of its first x columns. */
static double elements(int n, int x, bool grows)
{
    double h = x;
    return grows ? h * (h + 1) / 2 : h * n - h * (h - 1) / 2;
}

/* Blocks are built from one end to the other; one ends where the load so far reaches the share of
 * those up to it. */
static int first_of(tw_cut cut, bool grows, int rank, int size)
{
    double share = elements(cut.n, cut.n, grows) * rank / size;
    int piece = 0, pieces = tw_cut_pieces(cut);
    if (rank == size)
        return pieces;
    while (piece < pieces && elements(cut.n, piece * cut.width, grows) < share)
        piece++;
    return piece;
}

tw_share tw_share_triangle(const twill_team *team, tw_cut cut, bool grows)
{
    int rank = tw_team_rank(team), size = tw_team_size(team);
    return (tw_share){first_of(cut, grows, rank, size), first_of(cut, grows, rank + 1, size)};
}
