/* What a member of a team does to its pieces of a panel: columns of a leaf, and products. */
#include "la/lu/steps.h"

#include "la/kernel/blocks.h"

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

bool tw_panel_leads(const twill_team *team)
{
    return rank_in(team) == 0;
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

void tw_panel_barrier(twill_team *team)
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

void tw_panel_cut(tw_panel *p)
{
    p->piece = piece_rows(p->nb);
    p->per_tile = pieces_per_tile(p->nb);
    p->pieces = tw_panel_pieces(p->rows, p->nb);
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

/* ---- a column of a leaf ------------------------------------------------------------------- */

/* Every member finds them for itself, because the matrix keeps the old ones until all have. */
void tw_column_above(const tw_panel *p, int64_t j0, int64_t j, char *u)
{
    const twill_flow *top = p->tiles;
    memcpy(u, at(p, top, j0, j), (size_t)(j - j0) * p->kernels->size);
    tw_leaf_solve(p->leaf, j - j0, 1, at(p, top, j0, j0), top->ld, u, 0);
}

void tw_column_set_above(const tw_panel *p, int64_t j0, int64_t j, const char *u)
{
    memcpy(at(p, p->tiles, j0, j), u, (size_t)(j - j0) * p->kernels->size);
}

void tw_column_update(const tw_panel *p, const twill_team *team, int64_t j0, int64_t j,
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

/* In which row of the panel is the largest element of a piece? */
static int64_t find_row(const tw_panel *p, int64_t index, int64_t j)
{
    piece x = piece_from(p, index, j);
    return (x.tile - p->tiles) * p->nb + x.first +
           p->leaf->find(x.rows, at(p, x.tile, x.first, j), p->best[index]);
}

tw_pivot tw_column_pivot(const tw_panel *p, int64_t j, int64_t first, int64_t end)
{
    int64_t best = first == 0 ? quotient(j, p->piece) : first * p->per_tile;
    end = end * p->per_tile < p->pieces ? end * p->per_tile : p->pieces;
    if (best >= end)
        return (tw_pivot){-1, j};
    for (int64_t q = best + 1; q < end; q++)
        if (p->best[q] > p->best[best])
            best = q;
    tw_pivot x = {p->best[best], j};
    if (x.size >= 0) /* neither NaN nor none */
        x.row = find_row(p, best, j);
    return x;
}

void tw_column_scale(const tw_panel *p, const twill_team *team, int64_t j)
{
    for (int64_t q = quotient(j + 1, p->piece); q < p->pieces; q++) {
        piece x = piece_from(p, q, j + 1);
        if (is_mine(team, q) && x.rows > 0)
            p->leaf->scale(x.rows, at(p, p->tiles, j, j), at(p, x.tile, x.first, j));
    }
}

/* ---- between leaves ---------------------------------------------------------------------- */

void tw_panel_swap(const tw_panel *p, const twill_team *team, const tw_swap *list, int64_t count,
                   int64_t j0, int64_t end)
{
    int64_t share = (p->cols + size_of(team) - 1) / size_of(team);
    int64_t first = share * rank_in(team), last = first + share;
    last = last < p->cols ? last : p->cols;
    int64_t left = last < j0 ? last : j0, right = first > end ? first : end;
    if (first < left)
        tw_swap_rows(list, count, p->kernels->size, first, left - first);
    if (right < last)
        tw_swap_rows(list, count, p->kernels->size, right, last - right);
}

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

void tw_panel_solve_right(const tw_panel *p, const twill_team *team, int64_t j0, int64_t mid,
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

void tw_panel_update(const tw_panel *p, twill_team *team, int64_t j0, int64_t mid, int64_t end)
{
    tw_panel_solve_right(p, team, j0, mid, end);
    tw_panel_barrier(team);
    update_right(p, team, j0, mid, end);
}

bool tw_panel_is_leaf(const tw_panel *p, int64_t cols)
{
    return cols <= (p->nb <= TW_LEAF ? TW_LEAF : LEAF);
}

int64_t tw_panel_half(int64_t cols)
{
    return (cols / 2 + LEAF - 1) / LEAF * LEAF;
}
