/* LU factorization: with partial pivoting, tournament pivoting, and without. */
#include "la/choose.h"
#include "la/kernel/inverse.h"
#include "la/kernel/packs.h"
#include "la/kernel/recursive.h"
#include "la/kernel/tiles.h"
#include "la/lu/exchange.h"
#include "la/lu/lu.h"
#include "la/lu/lu_about.h"
#include "la/lu/panel.h"
#include "la/lu/sliced.h"
#include "la/lu/tournament.h"

/* ---- the tasks --------------------------------------------------------------------------- */

static const tw_leaf *leaf_of(const twill_task *t, int arg)
{
    return tw_leaf_of(twill_array_type(twill_task_array(t, arg)));
}

/* Then the tiles, and the pivots. */
enum { PANEL_TILES, PANEL_ROW, PANEL_METHOD, PANEL_FLOWS, PANEL_BEST, PANEL_WORK, PANEL_FIRST };

static twill_outcome panel_body(twill_task *t, twill_team *team)
{
    twill_flow *tiles = twill_task_data(t, PANEL_FLOWS);
    int64_t count = twill_task_int(t, PANEL_TILES);
    if (twill_team_rank(team) == 0)
        tw_lu_rows(t, PANEL_FIRST, tiles);
    twill_team_barrier(team);
    twill_array *a = twill_task_array(t, PANEL_FIRST);
    int64_t nb = twill_array_pattern(a)->block[0];
    tw_panel p = {.kernels = tw_la_kernels(t, PANEL_FIRST),
                  .leaf = tw_leaf_of(twill_array_type(a)),
                  .tiles = tiles,
                  .rows = (count - 1) * nb + tiles[count - 1].rows,
                  .cols = tiles[0].cols,
                  .nb = nb,
                  .offset = twill_task_int(t, PANEL_ROW),
                  .pivots = twill_task_data(t, PANEL_FIRST + (int)count),
                  .best = twill_task_data(t, PANEL_BEST),
                  .search = twill_task_int(t, PANEL_METHOD) != TWILL_METHOD_NO_PIVOTING};
    if (twill_task_int(t, PANEL_METHOD) == TWILL_METHOD_TOURNAMENT)
        tw_tournament_factor(&p, team, twill_task_data(t, PANEL_WORK));
    else
        tw_panel_factor(&p, team);
    return TWILL_DONE;
}

/* A tile of U: the one of L is argument `arg`, and has so many columns. */
static void solve_tile(const twill_task *t, int arg, int64_t order, const twill_flow *u)
{
    const tw_kernels *k = tw_la_kernels(t, arg);
    twill_flow l = tw_la_tile(t, arg);
    if (twill_array_pattern(twill_task_array(t, arg))->block[0] <= TW_LEAF)
        tw_panel_solve(k, leaf_of(t, arg), order, u->cols, l.data, l.ld, u->data, u->ld);
    else
        tw_trsm_recursive(k, (tw_triangle){'L', 'L', 'N', 'U'}, (int)order, (int)u->cols, k->one,
                          l.data, (int)l.ld, u->data, (int)u->ld);
}

/* Row swaps of one step in one tile column, and the tile of U that this gives. */
enum { RIGHT_TILES, RIGHT_PIVOTS, RIGHT_ROW, RIGHT_L, RIGHT_FLOWS, RIGHT_LIST, RIGHT_FIRST };

static twill_outcome right_body(twill_task *t)
{
    tw_rows rows = tw_lu_rows(t, RIGHT_FIRST, twill_task_data(t, RIGHT_FLOWS));
    tw_swap *list = twill_task_data(t, RIGHT_LIST);
    int64_t pivots = twill_task_rows(t, RIGHT_PIVOTS), cols = twill_task_cols(t, RIGHT_FIRST);
    int64_t count = tw_swap_list(&rows, 0, pivots, twill_task_data(t, RIGHT_PIVOTS),
                                 twill_task_int(t, RIGHT_ROW) + 1, false, list);
    tw_swap_rows(list, count, rows.element, 0, cols);
    solve_tile(t, RIGHT_L, pivots, rows.tiles);
    return TWILL_DONE;
}

/* The latter alone. */
static twill_outcome solve_body(twill_task *t)
{
    twill_flow u = tw_la_tile(t, 1);
    solve_tile(t, 0, tw_min(twill_task_rows(t, 0), twill_task_cols(t, 0)), &u);
    return TWILL_DONE;
}

/* Without pivoting, tiles of L below the diagonal: C := C U^-1. */
static twill_outcome below_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    tw_triangle triangle = {'R', 'U', 'N', 'N'};
    tw_trsm_recursive(k, triangle, (int)twill_task_rows(t, 1), (int)twill_task_cols(t, 1), k->one,
                      twill_task_data(t, 0), (int)twill_task_ld(t, 0), twill_task_data(t, 1),
                      (int)twill_task_ld(t, 1));
    return TWILL_DONE;
}

/* C -= L U, of which other updates share the factors: as many as there are tiles left. */
typedef struct update {
    int64_t rows, cols, column;
} update;

static twill_outcome gemm_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    const update *u = twill_task_data(t, 3);
    if (twill_array_pattern(twill_task_array(t, 0))->block[0] <= TW_LEAF)
        tw_leaf_multiply(leaf_of(t, 0), c.rows, c.cols, a.cols, a.data, a.ld, b.data, b.ld, c.data,
                         c.ld);
    else
        tw_packs_gemm(t, k, u->column, &(tw_pack){&a, 0, 'N', u->cols > 1},
                      &(tw_pack){&b, 1, 'N', u->rows > 1}, &c);
    return TWILL_DONE;
}

/* ---- for traces -------------------------------------------------------------------------- */

static void about_panel(const twill_task *t, twill_about *about)
{
    int64_t tiles = twill_task_int(t, PANEL_TILES), rows = 0;
    for (int64_t i = 0; i < tiles; i++)
        rows += twill_task_rows(t, PANEL_FIRST + (int)i);
    tw_about_panel(t, about, rows, PANEL_FIRST);
}

static void about_right(const twill_task *t, twill_about *about)
{
    tw_about_solve(t, about, RIGHT_L, RIGHT_FIRST);
}

static void about_solve(const twill_task *t, twill_about *about)
{
    tw_about_solve(t, about, 0, 1);
}

static const twill_class panel_alone = {.size = sizeof(twill_class),
                                        .name = "panel",
                                        .chores = {TWILL_TEAM(panel_body, 1)},
                                        .parameters = "k",
                                        .describe = about_panel};
static const twill_class panel_team = {.size = sizeof(twill_class),
                                       .name = "panel",
                                       .chores = {TWILL_TEAM(panel_body, 0)},
                                       .parameters = "k",
                                       .describe = about_panel};
static const twill_class right = {.size = sizeof(twill_class),
                                  .name = "laswp_trsm",
                                  .chores = {TWILL_CPU(right_body)},
                                  .parameters = "n k",
                                  .describe = about_right};
static const twill_class solve = {.size = sizeof(twill_class),
                                  .name = "trsm",
                                  .chores = {TWILL_CPU(solve_body)},
                                  .parameters = "n k",
                                  .describe = about_solve};
static const twill_class below = {.size = sizeof(twill_class),
                                  .name = "trsm",
                                  .chores = {TWILL_CPU(below_body)},
                                  .parameters = "m k",
                                  .describe = tw_about_below};
static const twill_class gemm = {.size = sizeof(twill_class),
                                 .name = "gemm",
                                 .chores = {TWILL_CPU(gemm_body)},
                                 .parameters = "m n k",
                                 .describe = tw_about_update};

/* ---- the algorithm ----------------------------------------------------------------------- */

enum { LOOKAHEAD = 2 }; /* more columns that come first delay the end of the others */

typedef struct plan {
    twill_array *a, *ipiv, *b; /* b: columns to the right of A that are not factored; may be NULL */
    bool travels, travels_b;   /* rows of A, and of b, between ranks */
    int64_t mt, nt, steps, nb;
    twill_method method;
    bool priority;
    int64_t lookahead;
} plan;

/* Without pivoting nothing happens between tiles: a panel is its uppermost tile. */
static int64_t panel_end(const plan *p, int64_t k)
{
    return p->method == TWILL_METHOD_NO_PIVOTING ? k + 1 : p->mt;
}

/* Columns near the panel come first, so that the next panel can start; the others in the order of
 * steps. */
static int64_t urgency(const plan *p, int64_t j, int64_t k, int64_t bonus)
{
    if (!p->priority)
        return 0;
    return 3 * (j - k <= p->lookahead ? 2 * p->nt - j : p->nt - k) + bonus;
}

/* While there is a column for each of the other cores to update, a panel needs one worker. Near the
 * end, and in matrices with few columns, all of them work on it. */
static const twill_class *panel_class(const plan *p, int64_t k)
{
    bool busy = p->nt - k - 1 >= tw_choose_width(twill_array_context(p->a));
    return busy || panel_end(p, k) - k < 2 ? &panel_alone : &panel_team;
}

/* A tournament is played at the owner of the uppermost tile. */
static bool is_sliced(const plan *p, int64_t k)
{
    return p->travels && p->method != TWILL_METHOD_TOURNAMENT && panel_end(p, k) - k > 1;
}

static twill_status insert_panel(twill_graph *g, const plan *p, int64_t k)
{
    int64_t tiles = panel_end(p, k) - k;
    if (is_sliced(p, k))
        return tw_sliced_insert(g, &(tw_sliced){.x = p->a,
                                                .ipiv = p->ipiv,
                                                .k = k,
                                                .priority = urgency(p, k, k, 2),
                                                .alone = panel_class(p, k) == &panel_alone});
    int64_t pieces = tw_panel_pieces(tiles * p->nb, p->nb);
    int workers = twill_workers(twill_array_context(p->a));
    bool plays = p->method == TWILL_METHOD_TOURNAMENT;
    size_t work = plays ? tw_tournament_bytes(tiles, p->nb, twill_array_element(p->a), workers) : 0;
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_INT(k * p->nb),
                              TWILL_INT(p->method),
                              TWILL_SCRATCH((size_t)tiles * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)pieces * sizeof(double)),
                              TWILL_SCRATCH(work),
                              TWILL_PRIORITY(urgency(p, k, k, 2)),
                              TWILL_END};
    return tw_lu_insert(g, panel_class(p, k), args,
                        &(tw_lu_data){.a = p->a,
                                      .row = k,
                                      .stride = 1,
                                      .col = k,
                                      .mode = TWILL_READ_WRITE,
                                      .more = p->ipiv,
                                      .first = k,
                                      .end = k + 1,
                                      .more_mode = TWILL_WRITE});
}

static twill_status insert_right(twill_graph *g, const plan *p, int64_t k, twill_array *x,
                                 int64_t j, int64_t priority)
{
    int64_t tiles = panel_end(p, k) - k;
    const twill_arg args[] = {TWILL_INT(tiles),
                              TWILL_R(twill_tile_at(p->ipiv, k, 0)),
                              TWILL_INT(k * p->nb),
                              TWILL_R(twill_tile_at(p->a, k, k)),
                              TWILL_SCRATCH((size_t)tiles * sizeof(twill_flow)),
                              TWILL_SCRATCH((size_t)p->nb * sizeof(tw_swap)),
                              TWILL_PRIORITY(priority),
                              TWILL_END};
    return tw_lu_insert(
        g, &right, args,
        &(tw_lu_data){.a = x, .row = k, .stride = 1, .col = j, .mode = TWILL_READ_WRITE});
}

/* The same of a column that several ranks share. */
static twill_status insert_exchange(twill_graph *g, const plan *p, int64_t k, twill_array *x,
                                    int64_t j, int64_t priority)
{
    tw_exchange e = {x, p->ipiv, k, j, priority};
    twill_status status = tw_exchange_insert(g, &e);
    if (status == TWILL_OK)
        status = twill_insert(g, &solve, TWILL_R(twill_tile_at(p->a, k, k)),
                              TWILL_RW(twill_tile_at(x, k, j)), TWILL_PRIORITY(priority));
    return status;
}

/* What step k does to tile column j of A, or of what is to the right of it. */
static twill_status insert_column(twill_graph *g, const plan *p, int64_t k, twill_array *x,
                                  int64_t j, int64_t priority)
{
    bool travels = x == p->a ? p->travels : p->travels_b;
    twill_status status = (travels ? insert_exchange : insert_right)(g, p, k, x, j, priority + 1);
    for (int64_t i = k + 1; i < p->mt && status == TWILL_OK; i++) {
        update u = {p->mt - k - 1, p->nt - k - 1, p->mt};
        status = twill_insert(g, &gemm, TWILL_R(twill_tile_at(p->a, i, k)),
                              TWILL_R(twill_tile_at(x, k, j)), TWILL_RW(twill_tile_at(x, i, j)),
                              TWILL_VALUE(u), TWILL_PRIORITY(priority));
    }
    return status;
}

static twill_status insert_step(twill_graph *g, const plan *p, int64_t k)
{
    twill_status status = insert_panel(g, p, k);
    for (int64_t i = panel_end(p, k); i < p->mt && status == TWILL_OK; i++)
        status =
            twill_insert(g, &below, TWILL_R(twill_tile_at(p->a, k, k)),
                         TWILL_RW(twill_tile_at(p->a, i, k)), TWILL_PRIORITY(urgency(p, k, k, 1)));
    for (int64_t j = k + 1; j < p->nt && status == TWILL_OK; j++)
        status = insert_column(g, p, k, p->a, j, urgency(p, j, k, 0));
    for (int64_t j = 0; p->b && j < tw_la_nt(p->b) && status == TWILL_OK; j++)
        status = insert_column(g, p, k, p->b, j, 0);
    return status;
}

/* Interchanges in L to the left of its panels need not happen step by step: many of them together
 * cost far less. They are done for the first steps when the last ones begin, whose panels leave
 * workers with nothing else to do, and for the last steps at the end. */
static twill_status insert_left(twill_graph *g, const plan *p, int64_t first, int64_t end)
{
    twill_status status = TWILL_OK;
    for (int64_t j = 0; first < end && j + 1 < end && status == TWILL_OK; j++)
        status = tw_lu_insert_swap(g, p->a, j, p->ipiv, j + 1 > first ? j + 1 : first, end, false);
    return status;
}

static twill_status insert_steps(twill_graph *g, const plan *p)
{
    int64_t late = p->steps - p->steps / 4;
    bool pivoting = p->method != TWILL_METHOD_NO_PIVOTING;
    twill_status status = TWILL_OK;
    for (int64_t k = 0; k < p->steps && status == TWILL_OK; k++) {
        status = insert_step(g, p, k);
        if (status == TWILL_OK && k + 1 == late && pivoting)
            status = insert_left(g, p, 0, late);
    }
    if (status == TWILL_OK && pivoting)
        status = insert_left(g, p, late, p->steps);
    return status;
}

static const tw_lu_numbers numbers = {.who = "getrf", .a = 3, .ipiv = 5};

static plan make_plan(twill_array *a, twill_array *ipiv, twill_array *b,
                      const twill_la_options *options)
{
    int64_t mt = tw_la_mt(a), nt = tw_la_nt(a);
    return (plan){.a = a,
                  .ipiv = ipiv,
                  .b = b,
                  .mt = mt,
                  .nt = nt,
                  .steps = mt < nt ? mt : nt,
                  .nb = twill_array_pattern(a)->block[0],
                  .method = options ? options->method : TWILL_METHOD_AUTO,
                  .priority = !options || !options->no_priority,
                  .lookahead = options && options->lookahead ? options->lookahead : LOOKAHEAD};
}

/* With pivots, rows have to travel. */
static twill_status insert_pivoting(twill_graph *g, plan *p)
{
    twill_array *a = p->a, *b = p->b;
    twill_status status = tw_exchange_begin(g, a, &p->a);
    if (status == TWILL_OK && b)
        status = tw_exchange_begin(g, b, &p->b);
    if (status == TWILL_OK) {
        p->travels = tw_exchange_is_needed(g, p->a);
        p->travels_b = b && tw_exchange_is_needed(g, p->b);
        status = insert_steps(g, p);
    }
    if (status == TWILL_OK)
        status = tw_exchange_end(g, a, p->a);
    return status == TWILL_OK && b ? tw_exchange_end(g, b, p->b) : status;
}

twill_status tw_getrf_insert(twill_graph *g, twill_array *a, twill_array *ipiv, twill_array *b,
                             const twill_la_options *options)
{
    plan p = make_plan(a, ipiv, b, options);
    return p.method == TWILL_METHOD_NO_PIVOTING ? insert_steps(g, &p) : insert_pivoting(g, &p);
}

twill_status twill_getrf_insert(twill_graph *g, twill_array *a, twill_array *ipiv,
                                const twill_la_options *options)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = tw_lu_check(&numbers, a, ipiv, NULL);
    if (status == TWILL_OK && options && options->lookahead < 0)
        status = tw_fail(TWILL_ERR_ARGUMENT, "getrf: lookahead must not be negative");
    return status == TWILL_OK ? tw_getrf_insert(g, a, ipiv, NULL, options) : status;
}

/* ---- synchronous ------------------------------------------------------------------------- */

typedef struct call {
    twill_array *a, *ipiv;
} call;

static twill_status insert_call(twill_graph *g, void *arg)
{
    const call *o = arg;
    return tw_getrf_insert(g, o->a, o->ipiv, NULL, NULL);
}

/* A matrix of one tile is its own panel. */
static void factor_panel(const tw_kernels *k, const tw_leaf *leaf, const twill_flow *x)
{
    double best[TW_DIRECT_ORDER / 16]; /* no piece has fewer rows */
    tw_panel p = {.kernels = k,
                  .leaf = leaf,
                  .tiles = x,
                  .rows = x->rows,
                  .cols = x->cols,
                  .nb = x->rows > x->cols ? x->rows : x->cols,
                  .pivots = x[1].data,
                  .best = best,
                  .search = true};
    tw_panel_factor(&p, NULL);
}

int64_t tw_getrf_whole(const tw_kernels *k, const twill_flow *x, const void *unused)
{
    (void)unused;
    const tw_leaf *leaf = tw_leaf_of(k->type);
    if (x->rows <= TW_LEAF && x->cols <= TW_LEAF)
        leaf->factor(x->rows, x->cols, x->data, x->ld, x[1].data);
    else
        factor_panel(k, leaf, x);
    twill_flow square = *x;
    square.rows = tw_min(x->rows, x->cols);
    return tw_tile_zero(k, &square);
}

twill_status twill_getrf(twill_array *a, twill_array *ipiv, int64_t *info)
{
    tw_direct d = {"getrf", tw_getrf_whole, NULL, {{a, TWILL_READ_WRITE}, {ipiv, TWILL_WRITE}}};
    twill_status status = tw_lu_check(&numbers, a, ipiv, info);
    if (status != TWILL_OK || tw_direct_done(&d, info, &status))
        return status;
    status = tw_la_run(twill_array_context(a), insert_call, &(call){a, ipiv}, NULL);
    return status == TWILL_OK ? twill_getrf_info(a, info) : status;
}
