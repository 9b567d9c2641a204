/* A tournament of tiles. Who plays whom depends on the number of tiles alone. */
#include "la/lu/tournament.h"

#include <string.h>

/* What one member needs for a match: rows of two proposals, and what factoring them takes. */
typedef struct arena {
    char *rows;       /* of 2 nb rows and nb columns */
    int64_t *numbers; /* of these rows in the panel */
    int64_t *pivots;
    double *best;
} arena;

/* The work space: an arena for each member, and the proposals of all tiles. */
typedef struct match {
    const tw_panel *p;
    arena mine;
    int64_t tiles;
    int64_t *proposals; /* nb rows for each tile, best first */
    int64_t *counts;    /* how many there are of each */
} match;

static size_t aligned(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t arena_bytes(int64_t nb, size_t element)
{
    return aligned((size_t)(2 * nb * nb) * element) + aligned((size_t)(3 * nb) * sizeof(int64_t)) +
           aligned((size_t)tw_panel_pieces(2 * nb, 2 * nb) * sizeof(double));
}

size_t tw_tournament_bytes(int64_t tiles, int64_t nb, size_t element, int members)
{
    return (size_t)members * arena_bytes(nb, element) +
           (size_t)(tiles * (nb + 1)) * sizeof(int64_t);
}

static match open_match(const tw_panel *p, const twill_team *team, char *work)
{
    size_t element = p->kernels->size, each = arena_bytes(p->nb, element);
    char *mine = work + (size_t)twill_team_rank(team) * each;
    match m = {.p = p, .tiles = (p->rows + p->nb - 1) / p->nb};
    m.mine.rows = mine;
    mine += aligned((size_t)(2 * p->nb * p->nb) * element);
    m.mine.numbers = (int64_t *)(void *)mine;
    m.mine.pivots = m.mine.numbers + 2 * p->nb;
    m.mine.best = (double *)(void *)(mine + aligned((size_t)(3 * p->nb) * sizeof(int64_t)));
    m.proposals = (int64_t *)(void *)(work + (size_t)twill_team_size(team) * each);
    m.counts = m.proposals + m.tiles * p->nb;
    return m;
}

/* Copy row `row` of the panel into the arena, whose columns are `ld` apart. */
static void copy_row(const match *m, int64_t row, int64_t to, int64_t ld)
{
    size_t size = m->p->kernels->size;
    const twill_flow *tile = &m->p->tiles[row / m->p->nb];
    const char *from = (const char *)tile->data + (size_t)(row % m->p->nb) * size;
    for (int64_t c = 0; c < m->p->cols; c++)
        memcpy(m->mine.rows + (size_t)(to + c * ld) * size, from + (size_t)(c * tile->ld) * size,
               size);
}

/* Order rows as partial pivoting takes them; returns how many of them win. */
static int64_t rank_rows(const match *m, int64_t *rows, int64_t count)
{
    twill_flow tile = {m->mine.rows, count, count, m->p->cols};
    tw_panel local = *m->p;
    local.tiles = &tile;
    local.rows = local.nb = count;
    local.offset = -1; /* pivots count from 0 then */
    local.pivots = m->mine.pivots;
    local.best = m->mine.best;
    local.search = true;
    for (int64_t i = 0; i < count; i++)
        copy_row(m, rows[i], i, count);
    tw_panel_factor(&local, NULL);
    int64_t wins = count < m->p->cols ? count : m->p->cols;
    for (int64_t i = 0; i < wins; i++) {
        int64_t row = rows[i];
        rows[i] = rows[m->mine.pivots[i]];
        rows[m->mine.pivots[i]] = row;
    }
    return wins;
}

static void propose(const match *m, int64_t tile)
{
    int64_t *rows = m->proposals + tile * m->p->nb, count = m->p->tiles[tile].rows;
    for (int64_t i = 0; i < count; i++)
        rows[i] = tile * m->p->nb + i;
    m->counts[tile] = rank_rows(m, rows, count);
}

/* The proposals of two tiles against one another; the winners become those of the first. */
static void play(const match *m, int64_t first, int64_t second)
{
    int64_t nb = m->p->nb, count = m->counts[first], *rows = m->mine.numbers;
    memcpy(rows, m->proposals + first * nb, (size_t)count * sizeof *rows);
    memcpy(rows + count, m->proposals + second * nb, (size_t)m->counts[second] * sizeof *rows);
    m->counts[first] = rank_rows(m, rows, count + m->counts[second]);
    memcpy(m->proposals + first * nb, rows, (size_t)m->counts[first] * sizeof *rows);
}

/* Turn the winners, rows of the panel in order, into interchanges: row j with pivots[j]. */
static void interchanges(const int64_t *rows, int64_t count, int64_t *pivots)
{
    for (int64_t j = 0; j < count; j++) {
        pivots[j] = rows[j];
        for (int64_t before = 0; before < j; before++)
            if (pivots[j] == before) /* this row has been moved out of the way */
                pivots[j] = pivots[before];
    }
}

/* Do the interchanges in this member's columns. */
static void permute(const match *m, const twill_team *team, const int64_t *pivots, int64_t count)
{
    enum { BATCH = 64 };
    tw_swap list[BATCH];
    const tw_panel *p = m->p;
    tw_rows rows = {p->tiles, p->nb, p->kernels->size};
    int64_t share = (p->cols + twill_team_size(team) - 1) / twill_team_size(team);
    int64_t first = share * twill_team_rank(team);
    int64_t cols = p->cols - first < share ? p->cols - first : share;
    for (int64_t j = 0; j < count; j += BATCH) {
        int64_t some = count - j < BATCH ? count - j : BATCH;
        int64_t swaps = tw_swap_list(&rows, j, some, pivots + j, 0, false, list);
        tw_swap_rows(list, swaps, rows.element, first, cols);
    }
}

static void play_all(const match *m, twill_team *team)
{
    int64_t rank = twill_team_rank(team), size = twill_team_size(team);
    for (int64_t t = rank; t < m->tiles; t += size)
        propose(m, t);
    twill_team_barrier(team);
    for (int64_t apart = 1; apart < m->tiles; apart *= 2) {
        for (int64_t t = 2 * apart * rank; t + apart < m->tiles; t += 2 * apart * size)
            play(m, t, t + apart);
        twill_team_barrier(team);
    }
}

void tw_tournament_factor(const tw_panel *p, twill_team *team, void *work)
{
    match m = open_match(p, team, work);
    if (m.tiles == 1) { /* nobody to play against */
        tw_panel_factor(p, team);
        return;
    }
    play_all(&m, team);
    int64_t count = m.counts[0], *pivots = m.mine.pivots;
    interchanges(m.proposals, count, pivots);
    permute(&m, team, pivots, count);
    twill_team_barrier(team);
    tw_panel rest = *p;
    rest.search = false;
    tw_panel_factor(&rest, team);
    for (int64_t j = 0; j < count && twill_team_rank(team) == 0; j++)
        p->pivots[j] = p->offset + pivots[j] + 1;
}
