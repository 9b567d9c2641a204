/* Rows that travel between ranks: packed, sent, and put where they belong.
 *
 * Tiles k+s, k+s+P, ... of a column are on the same rank, where P is the number of rows of the
 * grid: they are group s, and group 0 has the uppermost tile. */
#include "la/lu/exchange.h"

#include "front/stf/mailbox.h"

/* ---- what the interchanges add up to ------------------------------------------------------- */

/* Row `to` becomes what row `from` was; rows are counted from the first of the uppermost tile. Of
 * rows below that, `index` counts those of the same group. */
typedef struct move {
    int64_t to, from, index;
} move;

/* Of the row below, which may have taken part already. */
static move *find_below(move *below, int64_t *count, int64_t row)
{
    int64_t i = 0;
    while (i < *count && below[i].to != row)
        i++;
    if (i == *count)
        below[(*count)++] = (move){row, row, 0};
    return &below[i];
}

/* moves[0 .. top-1] are the rows of the uppermost tile; returns how many there are below, at most
 * one for each pivot. */
static int64_t add_up(move *moves, int64_t top, const int64_t *pivot, int64_t pivots,
                      int64_t offset)
{
    int64_t below = 0;
    for (int64_t i = 0; i < top; i++)
        moves[i] = (move){i, i, 0};
    for (int64_t i = 0; i < pivots; i++) {
        int64_t with = pivot[i] - offset, row = moves[i].from;
        move *other = with < top ? &moves[with] : find_below(moves + top, &below, with);
        moves[i].from = other->from;
        other->from = row;
    }
    return below;
}

/* ---- the task ------------------------------------------------------------------------------ */

/* Then the tiles of the group. */
enum { TILES, STEP, PIVOTS, FLOWS, MOVES, LIST, FIRST };

typedef struct step {
    int64_t row, top;              /* first row of the matrix, rows of the uppermost tile */
    int64_t group, groups, stride; /* this group; how many have tiles; P */
    int64_t number;                /* of the mailbox of group 0; others follow */
} step;

/* In the mailbox: what has come, and how many rows each group exchanges. */
typedef struct exchanged {
    bool sent;
    int64_t got; /* groups that nothing more is expected from */
    struct {
        int64_t rows;
        const tw_mail *mail;
    } of[];
} exchanged;

typedef struct rows {
    const twill_task *t;
    const step *s;
    tw_rows tiles;
    move *below;
    int64_t count; /* of them */
    int64_t cols;
    tw_swap *list;
    int64_t listed;
    tw_mailbox *box;
    exchanged *x;
} rows;

/* The group that has the row. */
static int64_t group_of(const rows *r, int64_t row)
{
    return row / r->tiles.nb % r->s->stride;
}

/* Number the rows below, group by group. */
static void count_rows(const rows *r)
{
    for (int64_t i = 0; i < r->s->groups; i++)
        r->x->of[i].rows = 0;
    for (int64_t i = 0; i < r->count; i++)
        r->below[i].index = r->x->of[group_of(r, r->below[i].to)].rows++;
}

static bool open_rows(twill_task *t, rows *r)
{
    const step *s = twill_task_data(t, STEP);
    move *moves = twill_task_data(t, MOVES);
    *r = (rows){.t = t,
                .s = s,
                .tiles = tw_lu_rows(t, FIRST, twill_task_data(t, FLOWS)),
                .below = moves + s->top,
                .cols = twill_task_cols(t, FIRST),
                .list = twill_task_data(t, LIST)};
    r->count =
        add_up(moves, s->top, twill_task_data(t, PIVOTS), twill_task_rows(t, PIVOTS), s->row + 1);
    r->box = tw_mailbox_open(t, s->number + s->group,
                             sizeof *r->x + (size_t)s->groups * sizeof *r->x->of);
    if (!r->box)
        return false;
    r->x = tw_mailbox_state(r->box);
    count_rows(r);
    return true;
}

/* The row in the tiles of this group: every P-th tile is one of them. */
static char *in_tiles(const rows *r, int64_t row, size_t *apart)
{
    const twill_flow *tile = &r->tiles.tiles[row / r->tiles.nb / r->s->stride];
    *apart = (size_t)tile->ld * r->tiles.element;
    return (char *)tile->data + (size_t)(row % r->tiles.nb) * r->tiles.element;
}

/* In the message from or to a group. */
static char *in_message(const rows *r, void *message, int64_t group, int64_t index, size_t *apart)
{
    *apart = (size_t)r->x->of[group].rows * r->tiles.element;
    return (char *)message + (size_t)index * r->tiles.element;
}

static tw_swap *next(rows *r)
{
    return &r->list[r->listed++];
}

static void copy_listed(rows *r)
{
    tw_copy_rows(r->list, r->listed, r->tiles.element, r->cols);
    r->listed = 0;
}

/* Send a group the rows of group 0 that it gets; or group 0 those that it gets of this one. */
static bool send_rows(rows *r, int64_t to)
{
    int64_t group = to ? to : r->s->group, row, col;
    size_t size = (size_t)(r->x->of[group].rows * r->cols) * r->tiles.element;
    void *message = size ? tw_mailbox_message(r->box, size) : NULL;
    if (!message)
        return size == 0;
    for (const move *m = r->below; m < r->below + r->count; m++)
        if (group_of(r, m->to) == group) {
            tw_swap *c = next(r);
            c->a = in_tiles(r, to ? m->from : m->to, &c->step_a);
            c->b = in_message(r, message, group, m->index, &c->step_b);
        }
    copy_listed(r);
    twill_task_tile(r->t, FIRST, &row, &col);
    row += to - r->s->group;
    tw_mailbox_post(r->box, (int)twill_owner_at(twill_task_array(r->t, FIRST), row, col),
                    r->s->number + to, r->s->group, message, size);
    return true;
}

/* Group 0 exchanges rows with all others, and they with none but that. */
static bool send_all(rows *r)
{
    bool sent = true;
    if (r->s->group > 0)
        return send_rows(r, 0);
    for (int64_t to = 1; to < r->s->groups && sent; to++)
        sent = send_rows(r, to);
    return sent;
}

/* False: something has not come yet. */
static bool receive_all(const rows *r)
{
    exchanged *x = r->x;
    int64_t end = r->s->group ? 1 : r->s->groups;
    for (; x->got < end; x->got++) {
        int64_t from = x->got, group = from ? from : r->s->group;
        if (group == 0 || x->of[group].rows == 0)
            continue;
        x->of[group].mail = tw_mailbox_take(r->box, from, 0);
        if (!x->of[group].mail)
            return false;
    }
    return true;
}

static char *in_mail(const rows *r, const move *m, size_t *apart)
{
    int64_t group = group_of(r, m->to);
    void *bytes = (void *)(uintptr_t)r->x->of[group].mail->bytes;
    return in_message(r, bytes, group, m->index, apart);
}

/* Rows that come down. */
static void take_rows(rows *r)
{
    for (const move *m = r->below; m < r->below + r->count; m++)
        if (group_of(r, m->to) == r->s->group) {
            tw_swap *c = next(r);
            c->a = in_mail(r, m, &c->step_a);
            c->b = in_tiles(r, m->to, &c->step_b);
        }
    copy_listed(r);
}

/* Group 0 does all interchanges, one after the other: rows of others are in their messages. */
static void swap_all(rows *r)
{
    const int64_t *pivot = twill_task_data(r->t, PIVOTS);
    for (int64_t i = 0; i < twill_task_rows(r->t, PIVOTS); i++) {
        int64_t with = pivot[i] - r->s->row - 1;
        if (with == i)
            continue;
        tw_swap *c = next(r);
        c->a = in_tiles(r, i, &c->step_a);
        c->b = group_of(r, with) == 0
                   ? in_tiles(r, with, &c->step_b)
                   : in_mail(r, find_below(r->below, &r->count, with), &c->step_b);
    }
    tw_swap_rows(r->list, r->listed, r->tiles.element, 0, r->cols);
}

static twill_outcome swap_body(twill_task *t)
{
    rows r;
    if (!open_rows(t, &r))
        return TWILL_ERROR;
    if (!r.x->sent && !send_all(&r))
        return TWILL_ERROR;
    r.x->sent = true;
    if (!receive_all(&r))
        return TWILL_AGAIN;
    if (r.s->group == 0)
        swap_all(&r);
    else
        take_rows(&r);
    tw_mailbox_close(r.box);
    return TWILL_DONE;
}

static const twill_class swap = {
    .size = sizeof(twill_class), .name = "laswp", .chores = {TWILL_CPU(swap_body)}};

/* ---- insertion ------------------------------------------------------------------------------- */

static twill_status insert_group(twill_graph *g, const tw_exchange *e, step s)
{
    const twill_pattern *p = twill_array_pattern(e->x);
    int64_t nb = p->block[0], left = tw_la_mt(e->x) - e->k - s.group;
    int64_t tiles = (left + s.stride - 1) / s.stride;
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_VALUE(s),
                              TWILL_R(twill_tile_at(e->ipiv, e->k, 0)),
                              TWILL_SCRATCH((size_t)tiles * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)(2 * nb) * sizeof(move)),
                              TWILL_SCRATCH((size_t)nb * sizeof(tw_swap)),
                              TWILL_PRIORITY(e->priority),
                              TWILL_END};
    return tw_lu_insert(g, &swap, args,
                        &(tw_lu_data){.a = e->x,
                                      .row = e->k + s.group,
                                      .stride = s.stride,
                                      .col = e->j,
                                      .mode = TWILL_READ_WRITE});
}

twill_status tw_exchange_insert(twill_graph *g, const tw_exchange *e)
{
    const twill_pattern *p = twill_array_pattern(e->x);
    step s = {.row = e->k * p->block[0],
              .top = twill_pattern_block_extent(p, 0, e->k),
              .groups = tw_min(p->grid[0], tw_la_mt(e->x) - e->k),
              .stride = p->grid[0]};
    twill_status status = TWILL_OK;
    s.number = tw_mailbox_numbers(g, s.groups);
    for (; s.group < s.groups && status == TWILL_OK; s.group++)
        status = insert_group(g, e, s);
    return status;
}

bool tw_exchange_is_needed(const twill_graph *g, const twill_array *x)
{
    return g->shared && twill_array_pattern(x)->grid[0] > 1;
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
