/* The tasks of a panel on several ranks. */
#include "la/lu/sliced.h"

#include "engine/engine.h"
#include "la/lu/lu_about.h"
#include "la/lu/slice.h"

#include <string.h>

/* Then the tiles of the slice, and of the first slice, which has the uppermost one of all, the
 * pivots. */
enum { TILES, ABOUT, SLICE, FLOWS, BEST, TOP, FIRST };

typedef struct about {
    int64_t row; /* first row of the matrix */
    int64_t number, own, slices, stride;
} about;

/* Seconds that a body on another rank may take which is no panel: an update, on a slow core. */
static double patience(const tw_kernels *k, int64_t nb)
{
    double pairs = (double)nb * (double)nb * (double)nb;
    return 50e-6 + tw_la_flops(k->type, pairs) / 10e9;
}

/* Slices other than the first have a copy of the uppermost tile. */
static twill_flow copy_top(const twill_task *t, const tw_slice *s)
{
    twill_flow top = tw_la_tile(t, TOP), copy = {tw_slice_top(s), top.rows, top.rows, top.cols};
    size_t element = s->panel.kernels->size, column = (size_t)top.rows * element;
    if (tw_slice_is_new(s))
        for (int64_t c = 0; c < top.cols; c++)
            memcpy((char *)copy.data + (size_t)c * column,
                   (const char *)top.data + (size_t)(c * top.ld) * element, column);
    return copy;
}

static bool open_slice(twill_task *t, tw_slice *s)
{
    const about *x = twill_task_data(t, ABOUT);
    twill_flow *tiles = twill_task_data(t, FLOWS);
    int64_t ahead = x->own > 0, count = twill_task_int(t, TILES) + ahead;
    tw_rows rows = tw_lu_rows(t, FIRST, tiles + ahead);
    const tw_kernels *k = tw_la_kernels(t, FIRST);
    *s = (tw_slice){.panel = {.kernels = k,
                              .leaf = tw_leaf_of(k->type),
                              .tiles = tiles,
                              .rows = (count - 1) * rows.nb + tiles[count - 1].rows,
                              .cols = tiles[ahead].cols,
                              .nb = rows.nb,
                              .offset = x->row,
                              .best = twill_task_data(t, BEST),
                              .search = true},
                    .number = x->number,
                    .own = x->own,
                    .slices = x->slices,
                    .stride = x->stride,
                    .array = twill_task_array(t, FIRST),
                    .patience = patience(k, rows.nb)};
    twill_task_tile(t, FIRST, &s->row, &s->col);
    s->row -= x->own;
    s->box = tw_mailbox_open(t, x->number + x->own, tw_slice_bytes(x->slices, rows.nb, k->size));
    if (!s->box)
        return false;
    s->state = tw_mailbox_state(s->box);
    s->panel.pivots = ahead ? tw_slice_pivots(s) : twill_task_data(t, FIRST + (int)count);
    if (ahead)
        tiles[0] = copy_top(t, s);
    tw_panel_cut(&s->panel);
    return true;
}

static twill_outcome body(twill_task *t, twill_team *team)
{
    tw_slice *s = twill_task_data(t, SLICE);
    if (tw_panel_leads(team) && !open_slice(t, s))
        s->box = NULL;
    tw_panel_barrier(team);
    if (!s->box)
        return TWILL_ERROR;
    if (!tw_slice_factor(s, team))
        return TWILL_AGAIN;
    tw_panel_barrier(team);
    if (tw_panel_leads(team))
        tw_mailbox_close(s->box);
    return TWILL_DONE;
}

static void describe(const twill_task *t, twill_about *about)
{
    int64_t tiles = twill_task_int(t, TILES), rows = 0;
    for (int64_t i = 0; i < tiles; i++)
        rows += twill_task_rows(t, FIRST + (int)i);
    tw_about_panel(t, about, rows, FIRST);
}

static const twill_class alone = {.size = sizeof(twill_class),
                                  .name = "panel",
                                  .chores = {TWILL_TEAM(body, 1)},
                                  .parameters = "k",
                                  .describe = describe};
static const twill_class team = {.size = sizeof(twill_class),
                                 .name = "panel",
                                 .chores = {TWILL_TEAM(body, 0)},
                                 .parameters = "k",
                                 .describe = describe};

static twill_status insert_slice(twill_graph *g, const tw_sliced *panel, about x)
{
    const twill_pattern *p = twill_array_pattern(panel->x);
    int64_t nb = p->block[0], left = tw_la_mt(panel->x) - panel->k;
    int64_t tiles = (left - x.own + x.stride - 1) / x.stride, all = tiles + (x.own > 0);
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_VALUE(x),
                              TWILL_SCRATCH(sizeof(tw_slice)),
                              TWILL_SCRATCH((size_t)all * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)tw_panel_pieces(all * nb, nb) * sizeof(double)),
                              x.own ? TWILL_R(twill_tile_at(panel->x, panel->k, panel->k))
                                    : TWILL_INT(0),
                              TWILL_PRIORITY(panel->priority),
                              TWILL_END};
    return tw_lu_insert(g, panel->alone ? &alone : &team, args,
                        &(tw_lu_data){.a = panel->x,
                                      .row = panel->k + x.own,
                                      .stride = x.stride,
                                      .col = panel->k,
                                      .mode = TWILL_READ_WRITE,
                                      .more = x.own ? NULL : panel->ipiv,
                                      .first = panel->k,
                                      .end = panel->k + 1,
                                      .more_mode = TWILL_WRITE});
}

/* The first slice last: the others copy the uppermost tile before it. */
twill_status tw_sliced_insert(twill_graph *g, const tw_sliced *panel)
{
    const twill_pattern *p = twill_array_pattern(panel->x);
    about x = {.row = panel->k * p->block[0], .stride = p->grid[0]};
    twill_status status = TWILL_OK;
    x.slices = tw_min(x.stride, tw_la_mt(panel->x) - panel->k);
    x.number = tw_mailbox_numbers(g, x.slices);
    for (x.own = x.slices - 1; x.own >= 0 && status == TWILL_OK; x.own--)
        status = insert_slice(g, panel, x);
    return status;
}
