/* Rows that travel between ranks: packed, moved, and taken out.
 *
 * Tiles k+s, k+s+P, ... of a column are on the same rank, where P is the number of rows of the
 * grid: they are group s, and group 0 has the uppermost tile. */
#include "la/lu/exchange.h"

#include "engine/engine.h"
#include "front/stf/ranks.h"

#include <string.h>

/* ---- what the interchanges add up to ------------------------------------------------------- */

/* Row `to` becomes what row `from` was; rows are counted from the first of the uppermost tile. */
typedef struct move {
    int64_t to, from;
} move;

/* Of the row below, which may have taken part already. */
static move *find_below(move *below, int64_t *count, int64_t row)
{
    int64_t i = 0;
    while (i < *count && below[i].to != row)
        i++;
    if (i == *count)
        below[(*count)++] = (move){row, row};
    return &below[i];
}

/* moves[0 .. top-1] are the rows of the uppermost tile; returns how many there are with those
 * below, at most one more for each pivot. */
static int64_t add_up(move *moves, int64_t top, const int64_t *pivot, int64_t pivots,
                      int64_t offset)
{
    int64_t below = 0;
    for (int64_t i = 0; i < top; i++)
        moves[i] = (move){i, i};
    for (int64_t i = 0; i < pivots; i++) {
        int64_t with = pivot[i] - offset, row = moves[i].from;
        move *other = with < top ? &moves[with] : find_below(moves + top, &below, with);
        moves[i].from = other->from;
        other->from = row;
    }
    return top + below;
}

/* ---- the tasks ------------------------------------------------------------------------------- */

/* Then the tiles of the group, and what the class needs besides. */
enum { TILES, STEP, PIVOTS, OTHER, FLOWS, MOVES, LIST, COPY, FIRST };

/* What all of them know: OTHER is a tile, the packed rows or the uppermost tile, or nothing. */
typedef struct step {
    int64_t row, top;      /* first row of the matrix, rows of the uppermost tile */
    int64_t group, groups; /* this group; P */
} step;

typedef struct rows {
    const twill_task *t;
    const step *s;
    tw_rows tiles;
    const move *moves;
    int64_t count;
    tw_swap *list;
    int64_t listed;
} rows;

static rows open_rows(const twill_task *t)
{
    rows r = {.t = t,
              .s = twill_task_data(t, STEP),
              .tiles = tw_lu_rows(t, FIRST, twill_task_data(t, FLOWS)),
              .moves = twill_task_data(t, MOVES),
              .list = twill_task_data(t, LIST)};
    r.count = add_up(twill_task_data(t, MOVES), r.s->top, twill_task_data(t, PIVOTS),
                     twill_task_rows(t, PIVOTS), r.s->row + 1);
    return r;
}

/* The group that has the row. */
static int64_t group_of(const rows *r, int64_t row)
{
    return row / r->tiles.nb % r->s->groups;
}

static bool is_mine(const rows *r, int64_t row)
{
    return group_of(r, row) == r->s->group;
}

/* The row in the tiles of this group: every P-th tile is one of them. */
static char *in_tiles(const rows *r, int64_t row, size_t *apart)
{
    const twill_flow *tile = &r->tiles.tiles[row / r->tiles.nb / r->s->groups];
    *apart = (size_t)tile->ld * r->tiles.element;
    return (char *)tile->data + (size_t)(row % r->tiles.nb) * r->tiles.element;
}

static char *in_tile(const rows *r, int arg, int64_t row, size_t *apart)
{
    *apart = (size_t)twill_task_ld(r->t, arg) * r->tiles.element;
    return (char *)twill_task_data(r->t, arg) + (size_t)row * r->tiles.element;
}

static tw_swap *next(rows *r)
{
    return &r->list[r->listed++];
}

static void copy_listed(rows *r)
{
    tw_copy_rows(r->list, r->listed, r->tiles.element, twill_task_cols(r->t, FIRST));
    r->listed = 0;
}

/* Rows that go up: packed where they will be. */
static twill_outcome pack_body(twill_task *t)
{
    rows r = open_rows(t);
    for (int64_t i = 0; i < r.s->top; i++) {
        const move *m = &r.moves[i];
        if (m->from < r.s->top || !is_mine(&r, m->from))
            continue;
        tw_swap *c = next(&r);
        c->a = in_tiles(&r, m->from, &c->step_a);
        c->b = in_tile(&r, OTHER, m->to, &c->step_b);
    }
    copy_listed(&r);
    return TWILL_DONE;
}

/* Rows that come down, from the uppermost tile as it was. */
static twill_outcome unpack_body(twill_task *t)
{
    rows r = open_rows(t);
    for (int64_t i = r.s->top; i < r.count; i++) {
        const move *m = &r.moves[i];
        if (!is_mine(&r, m->to))
            continue;
        tw_swap *c = next(&r);
        c->a = in_tile(&r, OTHER, m->from, &c->step_a);
        c->b = in_tiles(&r, m->to, &c->step_b);
    }
    copy_listed(&r);
    return TWILL_DONE;
}

/* A copy of the uppermost tile, without gaps. */
static char *copy_top(const rows *r)
{
    const twill_flow *top = r->tiles.tiles;
    char *copy = twill_task_data(r->t, COPY);
    size_t column = (size_t)top->rows * r->tiles.element;
    for (int64_t c = 0; c < top->cols; c++)
        memcpy(copy + (size_t)c * column,
               (const char *)top->data + (size_t)(c * top->ld) * r->tiles.element, column);
    return copy;
}

/* Where a row of the uppermost tile comes from. */
static char *source(const rows *r, const move *m, char *copy, size_t *apart)
{
    if (m->from >= r->s->top && is_mine(r, m->from))
        return in_tiles(r, m->from, apart);
    if (m->from >= r->s->top) {
        int packed = FIRST + (int)(twill_task_int(r->t, TILES) + group_of(r, m->from)) - 1;
        return in_tile(r, packed, m->to, apart);
    }
    *apart = (size_t)r->s->top * r->tiles.element;
    return copy + (size_t)m->from * r->tiles.element;
}

/* Group 0, with the packed rows of all others behind its tiles. */
static twill_outcome swap_body(twill_task *t)
{
    rows r = open_rows(t);
    char *copy = copy_top(&r);
    for (int64_t i = 0; i < r.count; i++) {
        const move *m = &r.moves[i];
        if (i == r.s->top) /* rows below are overwritten when they have been read */
            copy_listed(&r);
        if (m->from == m->to || !is_mine(&r, m->to))
            continue;
        tw_swap *c = next(&r);
        c->a = source(&r, m, copy, &c->step_a);
        c->b = in_tiles(&r, m->to, &c->step_b);
    }
    copy_listed(&r);
    return TWILL_DONE;
}

static const twill_class pack = {
    .size = sizeof(twill_class), .name = "pack", .chores = {TWILL_CPU(pack_body)}};
static const twill_class unpack = {
    .size = sizeof(twill_class), .name = "unpack", .chores = {TWILL_CPU(unpack_body)}};
static const twill_class swap = {
    .size = sizeof(twill_class), .name = "laswp", .chores = {TWILL_CPU(swap_body)}};

/* ---- insertion ------------------------------------------------------------------------------- */

static int64_t grid_rows(const twill_array *x)
{
    return twill_array_pattern(x)->grid[0];
}

/* The tile in which group s packs at step k: on its own rank, and next to those of other groups. */
static int64_t packed_row(const tw_exchange *e, int64_t s)
{
    return e->k % grid_rows(e->x) + s;
}

static twill_status insert_group(twill_graph *g, const tw_exchange *e, const twill_class *cls,
                                 int64_t s, twill_arg other, tw_lu_data data)
{
    const twill_pattern *p = twill_array_pattern(e->x);
    int64_t nb = p->block[0], left = tw_la_mt(e->x) - e->k - s;
    int64_t tiles = (left + p->grid[0] - 1) / p->grid[0];
    step about = {e->k * nb, twill_pattern_block_extent(p, 0, e->k), s, p->grid[0]};
    size_t copy = cls == &swap ? (size_t)(nb * p->block[1]) * twill_array_element(e->x) : 0;
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_VALUE(about),
                              TWILL_R(twill_tile_at(e->ipiv, e->k, 0)),
                              other,
                              TWILL_SCRATCH((size_t)tiles * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)(2 * nb) * sizeof(move)),
                              TWILL_SCRATCH((size_t)nb * sizeof(tw_swap)),
                              TWILL_SCRATCH(copy),
                              TWILL_PRIORITY(e->priority),
                              TWILL_END};
    data.a = e->x;
    data.row = e->k + s;
    data.stride = p->grid[0];
    data.col = e->j;
    return tw_lu_insert(g, cls, args, &data);
}

twill_status tw_exchange_insert(twill_graph *g, const tw_exchange *e)
{
    int64_t groups = tw_min(grid_rows(e->x), tw_la_mt(e->x) - e->k);
    twill_status status = TWILL_OK;
    for (int64_t s = 1; s < groups && status == TWILL_OK; s++)
        status =
            insert_group(g, e, &pack, s, TWILL_W(twill_tile_at(e->work, packed_row(e, s), e->j)),
                         (tw_lu_data){.mode = TWILL_READ});
    for (int64_t s = 1; s < groups && status == TWILL_OK; s++)
        status = insert_group(g, e, &unpack, s, TWILL_R(twill_tile_at(e->x, e->k, e->j)),
                              (tw_lu_data){.mode = TWILL_READ_WRITE});
    if (status == TWILL_OK)
        status = insert_group(g, e, &swap, 0, TWILL_INT(0),
                              (tw_lu_data){.mode = TWILL_READ_WRITE,
                                           .more = e->work,
                                           .first = packed_row(e, 1),
                                           .end = packed_row(e, groups),
                                           .more_col = e->j,
                                           .more_mode = TWILL_READ});
    return status;
}

/* Twice as many rows of tiles as the grid has, so that those of a step are neighbours. */
twill_status tw_exchange_work(twill_graph *g, twill_array *x, twill_array **work)
{
    const twill_pattern *p = twill_array_pattern(x);
    *work = NULL;
    if (p->grid[0] == 1) /* or an owner function that leaves columns on one rank */
        return TWILL_OK;
    twill_pattern q =
        tw_pattern_like(p, 2 * p->grid[0] * p->block[0], p->extent[1], p->block[0], p->block[1]);
    return tw_stf_create(g, &q, twill_array_type(x), work);
}

/* ---- other owners ------------------------------------------------------------------------------
 */

/* Does every column have one owner? */
static bool has_whole_columns(const twill_array *x)
{
    const twill_pattern *p = twill_array_pattern(x);
    bool whole = true;
    if (!p->owner)
        return p->grid[0] == 1;
    for (int64_t j = 0; j < tw_la_nt(x) && whole; j++)
        for (int64_t i = 1; i < tw_la_mt(x) && whole; i++)
            whole = twill_owner_at(x, i, j) == twill_owner_at(x, 0, j);
    return whole;
}

twill_status tw_exchange_begin(twill_graph *g, twill_array *x, twill_array **regular)
{
    const twill_pattern *p = twill_array_pattern(x);
    *regular = x;
    if (!g->shared || tw_pattern_is_cyclic(p, 0) || has_whole_columns(x))
        return TWILL_OK;
    twill_ptg_grid ranks = twill_ptg_grid_of(g->tw);
    twill_pattern q = twill_block_cyclic(p->extent[0], p->extent[1], p->block[0], p->block[1],
                                         ranks.rows, ranks.cols);
    twill_status status = tw_stf_create(g, &q, twill_array_type(x), regular);
    return status == TWILL_OK ? twill_copy_insert(g, TWILL_GENERAL, x, *regular) : status;
}

twill_status tw_exchange_end(twill_graph *g, twill_array *x, twill_array *regular)
{
    return regular == x ? TWILL_OK : twill_copy_insert(g, TWILL_GENERAL, regular, x);
}
