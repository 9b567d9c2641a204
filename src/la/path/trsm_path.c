/* Solving op(A) X = alpha B as an explicit graph: a solve for each tile on the diagonal of A, and a
 * product for each other one. The critical path alternates between solves and the products next to
 * the diagonal.
 *
 * The products of a block of B all change it. They come in the order of the columns, or, with
 * `commute`, in any: then each works into memory of its own, and takes the result from the block
 * under a lock. */
#include "front/dag/dag.h"
#include "la/check.h"
#include "la/kernel/blocks.h"
#include "la/path/path.h"
#include "la/team/share.h"
#include "la/team/team.h"

#include <stdlib.h>
#include <twill/level3.h>

/* ---- the tasks ---------------------------------------------------------------------------------
 */

typedef struct solve_step {
    tw_triangle t;
    tw_element alpha;
    tw_lock lock; /* of the block of B that is solved here */
} solve_step;

enum { SOLVE_A, SOLVE_B, SOLVE_STEP };

static twill_outcome solve_together(twill_task *t, twill_team *team)
{
    const solve_step *s = twill_task_data(t, SOLVE_STEP);
    twill_flow a = tw_la_tile(t, SOLVE_A), b = tw_la_tile(t, SOLVE_B);
    tw_team_trsm(tw_la_kernels(t, SOLVE_A), team, s->t, (int)b.rows, (int)b.cols, &s->alpha, a.data,
                 (int)a.ld, b.data, (int)b.ld);
    return TWILL_DONE;
}

static twill_outcome solve_alone(twill_task *t)
{
    return solve_together(t, NULL);
}

typedef struct update_step {
    char trans;
    tw_element beta;
    tw_lock *lock; /* with `commute` */
} update_step;

/* op(A), X, B, the step, and memory for a product. */
enum { UPDATE_A, UPDATE_X, UPDATE_B, UPDATE_STEP, UPDATE_WORK };

/* C := alpha op(A) X + beta C. */
typedef void product(const tw_kernels *k, const twill_team *team, char ta, char tb, int m, int n,
                     int inner, const void *alpha, const void *a, int lda, const void *b, int ldb,
                     const void *beta, void *c, int ldc);

static void product_alone(const tw_kernels *k, const twill_team *team, char ta, char tb, int m,
                          int n, int inner, const void *alpha, const void *a, int lda,
                          const void *b, int ldb, const void *beta, void *c, int ldc)
{
    (void)team;
    tw_block_gemm(k, ta, tb, m, n, inner, alpha, a, lda, b, ldb, beta, c, ldc);
}

/* Some columns of the product from those of B; the first product of a block also scales it. */
static void subtract(const tw_kernels *k, const update_step *s, const twill_team *team,
                     const twill_flow *b, const void *work)
{
    tw_cut cut = tw_cut_for((int)b->cols);
    tw_share mine = tw_share_even(team, tw_cut_pieces(cut));
    tw_lock_take(s->lock);
    for (int q = mine.first; q < mine.end; q++) {
        int at = q * cut.width;
        tw_block_subtract(k, (int)b->rows, tw_cut_size(cut, q), tw_at_rw(k, b->data, 0, at, b->ld),
                          (int)b->ld, tw_at(k, work, 0, at, b->rows), (int)b->rows);
    }
    tw_unlock(s->lock);
}

static void update(twill_task *t, twill_team *team, product *multiply)
{
    const tw_kernels *k = tw_la_kernels(t, UPDATE_A);
    const update_step *s = twill_task_data(t, UPDATE_STEP);
    twill_flow a = tw_la_tile(t, UPDATE_A), x = tw_la_tile(t, UPDATE_X);
    twill_flow b = tw_la_tile(t, UPDATE_B);
    int m = (int)b.rows, n = (int)b.cols, inner = (int)x.rows;
    void *work = s->lock ? twill_task_data(t, UPDATE_WORK) : b.data;
    multiply(k, team, s->trans, 'N', m, n, inner, s->lock ? k->one : k->minus_one, a.data,
             (int)a.ld, x.data, (int)x.ld, s->lock ? k->zero : &s->beta, work,
             s->lock ? m : (int)b.ld);
    if (s->lock) {
        tw_team_wait(team); /* products are cut by rows or by columns */
        subtract(k, s, team, &b, work);
    }
}

static twill_outcome path_update_together(twill_task *t, twill_team *team)
{
    update(t, team, tw_team_gemm);
    return TWILL_DONE;
}

static twill_outcome path_update_alone(twill_task *t)
{
    update(t, NULL, tw_team_gemm);
    return TWILL_DONE;
}

static twill_outcome update_alone(twill_task *t)
{
    update(t, NULL, product_alone);
    return TWILL_DONE;
}

/* ---- for traces --------------------------------------------------------------------------------
 */

static void about_solve(const twill_task *t, twill_about *about)
{
    double m = (double)twill_task_rows(t, SOLVE_B), n = (double)twill_task_cols(t, SOLVE_B);
    about->parameters = 2;
    twill_task_tile(t, SOLVE_B, &about->parameter[0], &about->parameter[1]);
    about->flops = tw_la_flops(twill_array_type(twill_task_array(t, SOLVE_B)), n * m * m / 2);
}

static void about_update(const twill_task *t, twill_about *about)
{
    double m = (double)twill_task_rows(t, UPDATE_B), n = (double)twill_task_cols(t, UPDATE_B);
    int64_t j;
    about->parameters = 3;
    twill_task_tile(t, UPDATE_X, &about->parameter[1], &j);
    twill_task_tile(t, UPDATE_B, &about->parameter[0], &about->parameter[2]);
    about->flops = tw_la_flops(twill_array_type(twill_task_array(t, UPDATE_B)),
                               m * n * (double)twill_task_rows(t, UPDATE_X));
}

static const twill_class solve = {.size = sizeof(twill_class),
                                  .name = "trsm",
                                  .chores = {TWILL_CPU(solve_alone), TWILL_TEAM(solve_together, 0)},
                                  .parameters = "i j",
                                  .describe = about_solve};
static const twill_class path_gemm = {
    .size = sizeof(twill_class),
    .name = "gemm",
    .chores = {TWILL_CPU(path_update_alone), TWILL_TEAM(path_update_together, 0)},
    .parameters = "i k j",
    .describe = about_update};
static const twill_class gemm = {.size = sizeof(twill_class),
                                 .name = "gemm",
                                 .chores = {TWILL_CPU(update_alone)},
                                 .parameters = "i k j",
                                 .describe = about_update};

/* ---- the graph ---------------------------------------------------------------------------------
 */

typedef struct plan {
    twill_graph *g;
    tw_triangle t;
    twill_scalar alpha;
    twill_array *a, *b;
    bool commute;

    /* Found out from it: */
    bool forward; /* from the first tile of the diagonal to the last */
    int64_t nt;
    int64_t *solves; /* of one tile column of B: the tasks */
} plan;

/* The tile that is taken at step s. */
static int64_t block(const plan *p, int64_t s)
{
    return p->forward ? s : p->nt - 1 - s;
}

static tw_element element(const plan *p, bool with_alpha)
{
    return tw_la_element(twill_array_type(p->b), with_alpha ? p->alpha : twill_real(1.0));
}

static twill_status add_solve(const plan *p, int64_t s, int64_t j)
{
    int64_t k = block(p, s);
    solve_step step = {.t = p->t, .alpha = element(p, s == 0)};
    return twill_dag_add(p->g, &p->solves[s], &solve, TWILL_R(twill_tile_at(p->a, k, k)),
                         TWILL_RW(twill_tile_at(p->b, k, j)), TWILL_VALUE(step));
}

/* It lies with the task that solves the block, which lives as long as the graph. */
static tw_lock *lock_of(const plan *p, int64_t s)
{
    const tw_dag *dag = p->g->front;
    solve_step *step = twill_task_data(tw_node_task(dag->nodes[p->solves[s]]), SOLVE_STEP);
    return &step->lock;
}

/* The product of the block of step `from` for that of step `to`. Scaling by alpha comes with the
 * first product, which the others then wait for even if they may come in any order. */
static twill_status add_update(const plan *p, int64_t from, int64_t to, int64_t j, int64_t *last)
{
    int64_t k = block(p, from), i = block(p, to), task;
    bool scales = from == 0 && (p->alpha.re != 1.0 || p->alpha.im != 0.0);
    bool locks = p->commute && !scales;
    const twill_pattern *b = twill_array_pattern(p->b);
    twill_tile *a = p->t.trans == 'N' ? twill_tile_at(p->a, i, k) : twill_tile_at(p->a, k, i);
    update_step step = {
        .trans = p->t.trans, .beta = element(p, from == 0), .lock = locks ? lock_of(p, to) : NULL};
    size_t work = locks ? (size_t)(b->block[0] * b->block[1]) * twill_array_element(p->b) : 0;
    twill_status status =
        twill_dag_add(p->g, &task, to == from + 1 ? &path_gemm : &gemm, TWILL_R(a),
                      TWILL_R(twill_tile_at(p->b, k, j)), TWILL_RW(twill_tile_at(p->b, i, j)),
                      TWILL_VALUE(step), TWILL_SCRATCH(work));
    if (status == TWILL_OK)
        status = twill_dag_edge(p->g, p->solves[from], task);
    if (status == TWILL_OK && *last >= 0)
        status = twill_dag_edge(p->g, *last, task);
    if (status == TWILL_OK)
        status = twill_dag_edge(p->g, task, p->solves[to]);
    if (!p->commute || scales)
        *last = task;
    return status;
}

static twill_status add_column(const plan *p, int64_t j)
{
    twill_status status = TWILL_OK;
    for (int64_t s = 0; s < p->nt && status == TWILL_OK; s++)
        status = add_solve(p, s, j);
    for (int64_t to = 1; to < p->nt; to++) {
        int64_t last = -1;
        for (int64_t from = 0; from < to && status == TWILL_OK; from++)
            status = add_update(p, from, to, j, &last);
    }
    return status;
}

static twill_status build(plan *p)
{
    twill_status status = TWILL_OK;
    p->nt = tw_la_nt(p->a);
    p->forward = (p->t.uplo == 'L') == (p->t.trans == 'N');
    p->solves = malloc((size_t)(p->nt + 1) * sizeof *p->solves);
    if (!p->solves)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph of trsm");
    for (int64_t j = 0; j < tw_la_nt(p->b) && status == TWILL_OK; j++)
        status = add_column(p, j);
    free(p->solves);
    return status;
}

static twill_status check(const plan *p)
{
    tw_check c = {"trsm", TWILL_OK};
    tw_check_uplo(&c, 2, (twill_uplo)p->t.uplo);
    tw_check_trans(&c, 3, (twill_trans)p->t.trans);
    tw_check_diag(&c, 4, (twill_diag)p->t.diag);
    tw_check_matrix(&c, 8, p->a, NULL);
    tw_check_matrix(&c, 10, p->b, p->a);
    tw_check_stores(&c, 8, p->a, (twill_uplo)p->t.uplo);
    tw_check_stores(&c, 10, p->b, TWILL_GENERAL);
    tw_check_scalar(&c, 7, p->alpha, p->a);
    tw_check_result(&c, 10, p->b, p->a);
    if (c.status != TWILL_OK || tw_la_check_square("trsm", p->a) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    if (twill_array_pattern(p->a)->extent[0] != twill_array_pattern(p->b)->extent[0] ||
        !tw_la_cut_alike(twill_array_pattern(p->a), twill_array_pattern(p->b), 0))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "trsm: an explicit graph wants tiles of B as high as those of A");
    return TWILL_OK;
}

twill_status twill_trsm_dag(twill_uplo uplo, twill_trans trans, twill_diag diag, twill_scalar alpha,
                            twill_array *a, twill_array *b, bool commute, twill_graph **graph)
{
    plan p = {.t = {'L', (char)uplo, (char)trans, (char)diag},
              .alpha = alpha,
              .a = a,
              .b = b,
              .commute = commute};
    twill_status status = check(&p);
    if (status == TWILL_OK)
        status = tw_path_begin("trsm", b, &p.g);
    return status == TWILL_OK ? tw_path_end(build(&p), p.g, graph) : status;
}
