/* Cholesky factorization as an explicit graph. The critical path goes down the diagonal: the
 * factorization of a tile, the solve below it, and the update of the next tile on the diagonal. */
#include "la/check.h"
#include "la/cholesky/potrf_about.h"
#include "la/kernel/blocks.h"
#include "la/kernel/tiles.h"
#include "la/path/path.h"
#include "la/team/team.h"

#include <stdlib.h>

/* ---- the tasks ---------------------------------------------------------------------------------
 */

enum { POTRF_A, POTRF_UPLO, POTRF_ROW, POTRF_INFO };

static twill_outcome potrf_together(twill_task *t, twill_team *team)
{
    twill_flow a = tw_la_tile(t, POTRF_A);
    int *info = twill_task_data(t, POTRF_INFO);
    tw_team_potrf(tw_la_kernels(t, POTRF_A), team, (char)twill_task_int(t, POTRF_UPLO), (int)a.rows,
                  a.data, (int)a.ld, info);
    if (*info == 0 || (team && twill_team_rank(team) > 0))
        return TWILL_DONE;
    return twill_task_numerical(t, twill_task_int(t, POTRF_ROW) + *info);
}

/* The others: flows, then uplo. */
static twill_outcome trsm_together(twill_task *t, twill_team *team)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow l = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    char uplo = (char)twill_task_int(t, 2);
    tw_triangle triangle = {uplo == 'L' ? 'R' : 'L', uplo, 'C', 'N'};
    tw_team_trsm(k, team, triangle, (int)c.rows, (int)c.cols, k->one, l.data, (int)l.ld, c.data,
                 (int)c.ld);
    return TWILL_DONE;
}

static twill_outcome herk_together(twill_task *t, twill_team *team)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    char uplo = (char)twill_task_int(t, 2);
    tw_team_herk(k, team, uplo, uplo == 'L' ? 'N' : 'C', (int)c.rows,
                 (int)(uplo == 'L' ? a.cols : a.rows), k->minus_one, a.data, (int)a.ld, k->one,
                 c.data, (int)c.ld);
    return TWILL_DONE;
}

static twill_outcome potrf_alone(twill_task *t)
{
    return potrf_together(t, NULL);
}

static twill_outcome path_trsm_alone(twill_task *t)
{
    return trsm_together(t, NULL);
}

static twill_outcome path_herk_alone(twill_task *t)
{
    return herk_together(t, NULL);
}

static twill_outcome trsm_alone(twill_task *t)
{
    twill_flow l = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    tw_tile_trsm(tw_la_kernels(t, 0), (char)twill_task_int(t, 2), &l, &c);
    return TWILL_DONE;
}

static twill_outcome herk_alone(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), c = tw_la_tile(t, 1);
    char uplo = (char)twill_task_int(t, 2);
    tw_block_herk(k, uplo, uplo == 'L' ? 'N' : 'C', (int)c.rows,
                  (int)(uplo == 'L' ? a.cols : a.rows), k->minus_one, a.data, (int)a.ld, k->one,
                  c.data, (int)c.ld);
    return TWILL_DONE;
}

static twill_outcome gemm_alone(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    twill_flow a = tw_la_tile(t, 0), b = tw_la_tile(t, 1), c = tw_la_tile(t, 2);
    bool lower = twill_task_int(t, 3) == 'L';
    tw_tile_product(k, lower ? 'N' : 'C', lower ? 'C' : 'N', k->minus_one, lower ? &a : &b,
                    lower ? &b : &a, &c);
    return TWILL_DONE;
}

static const twill_class potrf = {.size = sizeof(twill_class),
                                  .name = "potrf",
                                  .chores = {TWILL_CPU(potrf_alone), TWILL_TEAM(potrf_together, 0)},
                                  .parameters = "k",
                                  .describe = tw_about_potrf};
static const twill_class path_trsm = {
    .size = sizeof(twill_class),
    .name = "trsm",
    .chores = {TWILL_CPU(path_trsm_alone), TWILL_TEAM(trsm_together, 0)},
    .parameters = "m k",
    .describe = tw_about_trsm};
static const twill_class path_herk = {
    .size = sizeof(twill_class),
    .name = "herk",
    .chores = {TWILL_CPU(path_herk_alone), TWILL_TEAM(herk_together, 0)},
    .parameters = "m k",
    .describe = tw_about_herk};
static const twill_class trsm = {.size = sizeof(twill_class),
                                 .name = "trsm",
                                 .chores = {TWILL_CPU(trsm_alone)},
                                 .parameters = "m k",
                                 .describe = tw_about_trsm};
static const twill_class herk = {.size = sizeof(twill_class),
                                 .name = "herk",
                                 .chores = {TWILL_CPU(herk_alone)},
                                 .parameters = "m k",
                                 .describe = tw_about_herk};
static const twill_class gemm = {.size = sizeof(twill_class),
                                 .name = "gemm",
                                 .chores = {TWILL_CPU(gemm_alone)},
                                 .parameters = "m n k",
                                 .describe = tw_about_gemm};

/* ---- the graph ---------------------------------------------------------------------------------
 */

typedef struct plan {
    twill_graph *g;
    twill_array *a;
    twill_uplo uplo;
    int64_t nt;
    int64_t *writer; /* of tile (i, j): the last task so far that writes it, or -1 */
} plan;

static twill_tile *tile(const plan *p, int64_t i, int64_t j)
{
    return p->uplo == TWILL_LOWER ? twill_tile_at(p->a, i, j) : twill_tile_at(p->a, j, i);
}

static int64_t *writer(const plan *p, int64_t i, int64_t j)
{
    return &p->writer[i + j * p->nt];
}

static twill_status after(const plan *p, int64_t task, int64_t i, int64_t j)
{
    int64_t before = *writer(p, i, j);
    return before < 0 ? TWILL_OK : twill_dag_edge(p->g, before, task);
}

static twill_status add_potrf(const plan *p, int64_t k)
{
    int64_t task, row = k * twill_array_pattern(p->a)->block[0];
    twill_status status =
        twill_dag_add(p->g, &task, &potrf, TWILL_RW(tile(p, k, k)), TWILL_INT(p->uplo),
                      TWILL_INT(row), TWILL_SCRATCH(sizeof(int)));
    if (status == TWILL_OK)
        status = after(p, task, k, k);
    *writer(p, k, k) = task;
    return status;
}

static twill_status add_trsm(const plan *p, int64_t m, int64_t k)
{
    int64_t task;
    twill_status status =
        twill_dag_add(p->g, &task, m == k + 1 ? &path_trsm : &trsm, TWILL_R(tile(p, k, k)),
                      TWILL_RW(tile(p, m, k)), TWILL_INT(p->uplo));
    if (status == TWILL_OK)
        status = after(p, task, k, k);
    if (status == TWILL_OK)
        status = after(p, task, m, k);
    *writer(p, m, k) = task;
    return status;
}

static twill_status add_update(const plan *p, int64_t m, int64_t n, int64_t k)
{
    int64_t task;
    twill_status status =
        m == n ? twill_dag_add(p->g, &task, m == k + 1 ? &path_herk : &herk, TWILL_R(tile(p, m, k)),
                               TWILL_RW(tile(p, m, m)), TWILL_INT(p->uplo))
               : twill_dag_add(p->g, &task, &gemm, TWILL_R(tile(p, m, k)), TWILL_R(tile(p, n, k)),
                               TWILL_RW(tile(p, m, n)), TWILL_INT(p->uplo));
    if (status == TWILL_OK)
        status = after(p, task, m, k);
    if (status == TWILL_OK && m != n)
        status = after(p, task, n, k);
    if (status == TWILL_OK)
        status = after(p, task, m, n);
    *writer(p, m, n) = task;
    return status;
}

static twill_status add_step(const plan *p, int64_t k)
{
    twill_status status = add_potrf(p, k);
    for (int64_t m = k + 1; m < p->nt && status == TWILL_OK; m++)
        status = add_trsm(p, m, k);
    for (int64_t n = k + 1; n < p->nt; n++)
        for (int64_t m = n; m < p->nt && status == TWILL_OK; m++)
            status = add_update(p, m, n, k);
    return status;
}

static twill_status build(plan *p)
{
    twill_status status = TWILL_OK;
    p->nt = tw_la_nt(p->a);
    p->writer = malloc((size_t)(p->nt * p->nt + 1) * sizeof *p->writer);
    if (!p->writer)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a graph of potrf");
    for (int64_t i = 0; i < p->nt * p->nt; i++)
        p->writer[i] = -1;
    for (int64_t k = 0; k < p->nt && status == TWILL_OK; k++)
        status = add_step(p, k);
    free(p->writer);
    return status;
}

twill_status twill_potrf_dag(twill_uplo uplo, twill_array *a, twill_graph **graph)
{
    tw_check c = {"potrf", TWILL_OK};
    plan p = {.a = a, .uplo = uplo};
    tw_check_uplo(&c, 1, uplo);
    tw_check_matrix(&c, 2, a, NULL);
    tw_check_stores(&c, 2, a, uplo);
    twill_status status = c.status == TWILL_OK ? tw_la_check_square("potrf", a) : c.status;
    if (status == TWILL_OK)
        status = tw_path_begin("potrf", a, &p.g);
    return status == TWILL_OK ? tw_path_end(build(&p), p.g, graph) : status;
}
