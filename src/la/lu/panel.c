/* The panel: recursion over columns, work cut by pieces of rows.
 *
 * A piece belongs to one member of the team, and products are formed piece by piece, so who does
 * them does not show in the result. Columns of a leaf are factored from left to right: a column
 * first takes what the columns before it do to it, then the pivot is looked for. */
#include "la/lu/panel.h"

#include "la/kernel/blocks.h"

#include <math.h>
#include <string.h>

enum {
    PIECE = 128, /* rows, at most: enough for gemm, and so few that two members share a tile */
    LEAF = 16,   /* columns without products, in large tiles */
    CHUNK = 64   /* columns of a triangular solve that a member takes at a time */
};

/* ---- members and pieces ------------------------------------------------------------------ */

static int64_t rank_in(const twill_team *team)
{
    return team ? twill_team_rank(team) : 0;
}

static int64_t size_of(const twill_team *team)
{
    return team ? twill_team_size(team) : 1;
}

/* Who takes piece number q. */
static bool is_mine(const twill_team *team, int64_t q)
{
    return !team || q % twill_team_size(team) == twill_team_rank(team);
}

static void barrier(twill_team *team)
{
    if (team)
        twill_team_barrier(team);
}

/* Rows of a piece: tiles are cut evenly, in multiples of what vectors like. */
static int64_t piece_rows(int64_t nb)
{
    int64_t pieces = (nb + PIECE - 1) / PIECE;
    return ((nb + pieces - 1) / pieces + 15) / 16 * 16;
}

static int64_t pieces_per_tile(int64_t nb)
{
    return (nb + piece_rows(nb) - 1) / piece_rows(nb);
}

int64_t tw_panel_pieces(int64_t rows, int64_t nb)
{
    return (rows + nb - 1) / nb * pieces_per_tile(nb);
}

/* x / y; a small matrix has a single piece, and divisions would be most of its cost. */
static int64_t quotient(int64_t x, int64_t y)
{
    return x < y ? 0 : x / y;
}

/* The rows of a piece from row `from` on: how many, their tile and the first one in it. */
typedef struct piece {
    const twill_flow *tile;
    int64_t first, rows;
} piece;

static piece piece_from(const tw_panel *p, int64_t index, int64_t from)
{
    int64_t tile = quotient(index, p->per_tile);
    int64_t first = (index - tile * p->per_tile) * p->piece, end = first + p->piece;
    piece x = {&p->tiles[tile], first, 0};
    end = end < x.tile->rows ? end : x.tile->rows;
    from -= tile * p->nb;
    x.first = first > from ? first : from;
    x.rows = end > x.first ? end - x.first : 0;
    return x;
}

static char *at(const tw_panel *p, const twill_flow *tile, int64_t i, int64_t j)
{
    return (char *)tile->data + (size_t)(i + j * tile->ld) * p->kernels->size;
}

/* ---- a leaf ------------------------------------------------------------------------------ */

/* The rows of column j above row j, from j0 on, as U has them: every member finds them for itself,
 * because the matrix keeps the old ones until all have. */
static void solve_above(const tw_panel *p, int64_t j0, int64_t j, char *u)
{
    const twill_flow *top = p->tiles;
    memcpy(u, at(p, top, j0, j), (size_t)(j - j0) * p->kernels->size);
    tw_leaf_solve(p->leaf, j - j0, 1, at(p, top, j0, j0), top->ld, u, 0);
}

/* Bring column j of this member's pieces up to date, and look for its largest elements. */
static void update_column(const tw_panel *p, const twill_team *team, int64_t j0, int64_t j,
                          const char *u)
{
    int64_t first = quotient(j, p->piece);
    for (int64_t q = first; q < p->pieces; q++) {
        if (!is_mine(team, q))
            continue;
        piece x = piece_from(p, q, j);
        p->best[q] = -1;
        if (x.rows == 0)
            continue;
        char *column = at(p, x.tile, x.first, j);
        p->leaf->update(x.rows, j - j0, at(p, x.tile, x.first, j0), x.tile->ld, u, column);
        if (p->search)
            p->best[q] = p->leaf->largest(x.rows, column, q == first);
    }
}

/* The pivot of column j among those of the pieces, the uppermost of equals. */
static int64_t choose(const tw_panel *p, int64_t j)
{
    int64_t best = quotient(j, p->piece);
    for (int64_t q = best + 1; q < p->pieces; q++)
        if (p->best[q] > p->best[best])
            best = q;
    if (!p->search || isnan(p->best[best]))
        return j;
    piece x = piece_from(p, best, j);
    return (x.tile - p->tiles) * p->nb + x.first +
           p->leaf->find(x.rows, at(p, x.tile, x.first, j), p->best[best]);
}

/* Take the pivot, in the columns of the leaf. */
static void take_pivot(const tw_panel *p, int64_t j0, int64_t j, int64_t end, int64_t row,
                       const char *u)
{
    tw_swap swap;
    tw_rows rows = {p->tiles, p->nb, p->kernels->size};
    memcpy(at(p, p->tiles, j0, j), u, (size_t)(j - j0) * p->kernels->size);
    p->pivots[j] = p->offset + row + 1;
    int64_t count = tw_swap_list(&rows, j, 1, &row, 0, false, &swap);
    tw_swap_rows(&swap, count, p->kernels->size, j0, end - j0);
}

static void scale_column(const tw_panel *p, const twill_team *team, int64_t j)
{
    for (int64_t q = quotient(j + 1, p->piece); q < p->pieces; q++) {
        piece x = piece_from(p, q, j + 1);
        if (is_mine(team, q) && x.rows > 0)
            p->leaf->scale(x.rows, at(p, p->tiles, j, j), at(p, x.tile, x.first, j));
    }
}

/* Do the swaps of a leaf in the other columns of the panel. */
static void swap_others(const tw_panel *p, const twill_team *team, int64_t j0, int64_t end)
{
    tw_swap list[TW_LEAF];
    tw_rows rows = {p->tiles, p->nb, p->kernels->size};
    int64_t count = tw_swap_list(&rows, j0, end - j0, p->pivots + j0, p->offset + 1, false, list);
    int64_t share = (p->cols + size_of(team) - 1) / size_of(team);
    int64_t first = share * rank_in(team), last = first + share;
    last = last < p->cols ? last : p->cols;
    int64_t left = last < j0 ? last : j0, right = first > end ? first : end;
    if (first < left)
        tw_swap_rows(list, count, p->kernels->size, first, left - first);
    if (right < last)
        tw_swap_rows(list, count, p->kernels->size, right, last - right);
}

static void factor_leaf(const tw_panel *p, twill_team *team, int64_t j0, int64_t end)
{
    char u[TW_LEAF * 16];
    for (int64_t j = j0; j < end; j++) {
        solve_above(p, j0, j, u);
        update_column(p, team, j0, j, u);
        barrier(team);
        if (rank_in(team) == 0)
            take_pivot(p, j0, j, end, choose(p, j), u);
        barrier(team);
        scale_column(p, team, j);
    }
    barrier(team);
    swap_others(p, team, j0, end);
    barrier(team);
}

/* ---- recursion --------------------------------------------------------------------------- */

void tw_panel_solve(const tw_kernels *k, const tw_leaf *leaf, int64_t n, int64_t cols,
                    const void *l, int64_t ldl, void *x, int64_t ldx)
{
    if (n <= TW_LEAF) {
        tw_leaf_solve(leaf, n, cols, l, ldl, x, ldx);
        return;
    }
    int64_t first = (n / 2 + TW_LEAF - 1) / TW_LEAF * TW_LEAF;
    int h = (int)first, rest = (int)(n - first), wide = (int)cols, la = (int)ldl, lx = (int)ldx;
    const char *below = (const char *)l + (size_t)first * k->size;
    char *second = (char *)x + (size_t)first * k->size;
    tw_panel_solve(k, leaf, first, cols, l, ldl, x, ldx);
    tw_block_gemm(k, 'N', 'N', rest, wide, h, k->minus_one, below, la, x, lx, k->one, second, lx);
    tw_panel_solve(k, leaf, n - first, cols, below + (size_t)(first * ldl) * k->size, ldl, second,
                   ldx);
}

/* U12 := L11^-1 A12, where L11 is in columns j0 .. mid-1 and A12 in columns mid .. end-1. */
static void solve_right(const tw_panel *p, const twill_team *team, int64_t j0, int64_t mid,
                        int64_t end)
{
    const twill_flow *top = p->tiles;
    int64_t chunk = rank_in(team);
    for (int64_t c = mid + chunk * CHUNK; c < end; c += size_of(team) * CHUNK) {
        int64_t cols = end - c < CHUNK ? end - c : CHUNK;
        tw_panel_solve(p->kernels, p->leaf, mid - j0, cols, at(p, top, j0, j0), top->ld,
                       at(p, top, j0, c), top->ld);
    }
}

/* A22 -= L21 U12 in this member's pieces. */
static void update_right(const tw_panel *p, const twill_team *team, int64_t j0, int64_t mid,
                         int64_t end)
{
    const tw_kernels *k = p->kernels;
    int cols = (int)(end - mid), inner = (int)(mid - j0), ldu = (int)p->tiles->ld;
    for (int64_t q = quotient(mid, p->piece); q < p->pieces; q++) {
        piece x = piece_from(p, q, mid);
        int rows = (int)x.rows, ld = (int)x.tile->ld;
        if (!is_mine(team, q) || rows == 0)
            continue;
        tw_block_gemm(k, 'N', 'N', rows, cols, inner, k->minus_one, at(p, x.tile, x.first, j0), ld,
                      at(p, p->tiles, j0, mid), ldu, k->one, at(p, x.tile, x.first, mid), ld);
    }
}

/* Whole leaves in the first half. */
static int64_t half(int64_t cols)
{
    return (cols / 2 + LEAF - 1) / LEAF * LEAF;
}

static void factor(const tw_panel *p, twill_team *team, int64_t j0, int64_t end)
{
    if (end - j0 <= (p->nb <= TW_LEAF ? TW_LEAF : LEAF)) {
        factor_leaf(p, team, j0, end);
        return;
    }
    int64_t mid = j0 + half(end - j0);
    factor(p, team, j0, mid);
    solve_right(p, team, j0, mid, end);
    barrier(team);
    update_right(p, team, j0, mid, end);
    factor(p, team, mid, end);
}

void tw_panel_factor(const tw_panel *given, twill_team *team)
{
    tw_panel p = *given;
    int64_t steps = p.rows < p.cols ? p.rows : p.cols;
    p.piece = piece_rows(p.nb);
    p.per_tile = pieces_per_tile(p.nb);
    p.pieces = tw_panel_pieces(p.rows, p.nb);
    factor(&p, team, 0, steps);
    solve_right(&p, team, 0, steps, p.cols); /* of a panel that is wider than high */
}
