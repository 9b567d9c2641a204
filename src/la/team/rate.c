/* How long kernels take when teams run them. */
#include "base/clock.h"
#include "la/kernel/blocks.h"
#include "la/kernel/tiles.h"
#include "la/team/share.h"
#include "la/team/team.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Tiles of which none is in the cache when its turn comes, within reason. */
enum { SETS = 48 };
static const double footprint = 48e6, long_enough = 0.04;

typedef struct probe {
    const tw_kernels *k;
    twill_kernel kernel;
    int nb, cols;
    bool whole; /* as one call */
    int sets, runs;
    size_t a_bytes, c_bytes;
    char *a, *c, *fresh; /* `sets` of A and C, and what C is before the kernel */
    void *b;
    int info, members;
    double best, spent;
} probe;

static void run_whole(const probe *p, void *a, void *c)
{
    const tw_kernels *k = p->k;
    const twill_flow tile = {c, p->nb, p->nb, p->nb};
    tw_triangle left = {'L', 'L', 'N', 'N'};
    switch (p->kernel) {
    case TWILL_KERNEL_GEMM:
        tw_block_gemm(k, 'N', 'N', p->nb, p->cols, p->nb, k->minus_one, a, p->nb, p->b, p->nb,
                      k->one, c, p->nb);
        break;
    case TWILL_KERNEL_TRSM:
        tw_trsm_recursive(k, left, p->nb, p->cols, k->one, a, p->nb, c, p->nb);
        break;
    case TWILL_KERNEL_HERK:
        tw_block_herk(k, 'L', 'N', p->nb, p->nb, k->minus_one, a, p->nb, k->one, c, p->nb);
        break;
    default:
        tw_tile_potrf(k, 'L', &tile);
    }
}

static void run_cut(probe *p, twill_team *team, void *a, void *c)
{
    const tw_kernels *k = p->k;
    tw_triangle left = {'L', 'L', 'N', 'N'};
    switch (p->kernel) {
    case TWILL_KERNEL_GEMM:
        tw_team_gemm(k, team, 'N', 'N', p->nb, p->cols, p->nb, k->minus_one, a, p->nb, p->b, p->nb,
                     k->one, c, p->nb);
        break;
    case TWILL_KERNEL_TRSM:
        tw_team_trsm(k, team, left, p->nb, p->cols, k->one, a, p->nb, c, p->nb);
        break;
    case TWILL_KERNEL_HERK:
        tw_team_herk(k, team, 'L', 'N', p->nb, p->nb, k->minus_one, a, p->nb, k->one, c, p->nb);
        break;
    default:
        tw_team_potrf(k, team, 'L', p->nb, c, p->nb, &p->info);
    }
}

/* All members, once for each set of tiles. */
static twill_outcome body(twill_task *t, twill_team *team)
{
    probe *p = *(probe *const *)twill_task_data(t, 0);
    bool leads = twill_team_rank(team) == 0;
    if (leads)
        p->members = twill_team_size(team);
    for (int i = 0; i < p->runs; i++) {
        size_t set = (size_t)(i % p->sets);
        void *a = p->a + set * p->a_bytes, *c = p->c + set * p->c_bytes;
        if (leads && p->kernel == TWILL_KERNEL_POTRF)
            memcpy(c, p->fresh, p->c_bytes);
        twill_team_barrier(team);
        double start = tw_seconds();
        if (!p->whole)
            run_cut(p, team, a, c);
        else if (leads)
            run_whole(p, a, c);
        twill_team_barrier(team);
        double seconds = tw_seconds() - start;
        if (leads) {
            p->best = seconds < p->best ? seconds : p->best;
            p->spent += seconds;
        }
    }
    return TWILL_DONE;
}

/* Small numbers with a large diagonal: nothing grows, and there is a Cholesky factor. */
static void fill(const probe *p, void *x, int rows, int cols, double diagonal)
{
    float *single = x;
    double *twice = x;
    int parts = p->k->complex ? 2 : 1;
    for (int64_t i = 0; i < (int64_t)rows * cols * parts; i++) {
        bool real = i % parts == 0, on = real && i / parts % (rows + 1) == 0;
        double value = on ? diagonal : (double)(i % 7) * 1e-3;
        if (p->k->single)
            single[i] = (float)value;
        else
            twice[i] = value;
    }
}

static twill_status make(probe *p, twill *tw, twill_type type)
{
    const tw_blas *blas;
    twill_status status = tw_blas_get(tw, &blas);
    if (status != TWILL_OK)
        return status;
    p->k = &blas->kernels[type];
    int cols = p->kernel < TWILL_KERNEL_HERK ? p->cols : p->nb;
    p->a_bytes = (size_t)p->nb * (size_t)p->nb * p->k->size;
    p->c_bytes = (size_t)p->nb * (size_t)cols * p->k->size;
    double sets = footprint / (double)(p->a_bytes + p->c_bytes);
    p->sets = sets < 2 ? 2 : sets < SETS ? (int)sets : SETS;
    p->a = malloc((size_t)p->sets * p->a_bytes);
    p->c = malloc((size_t)p->sets * p->c_bytes);
    p->fresh = malloc(p->c_bytes);
    p->b = malloc(p->c_bytes);
    if (!p->a || !p->c || !p->fresh || !p->b)
        return tw_fail(TWILL_ERR_MEMORY, "no memory to measure a kernel");
    for (int i = 0; i < p->sets; i++) {
        fill(p, p->a + (size_t)i * p->a_bytes, p->nb, p->nb, 2.0);
        fill(p, p->c + (size_t)i * p->c_bytes, p->nb, cols, 2.0 + p->nb);
    }
    fill(p, p->fresh, p->nb, cols, 2.0 + p->nb);
    fill(p, p->b, p->nb, cols, 1);
    return TWILL_OK;
}

/* Again while it was too short, or while workers came too late to a team. */
static twill_status measure(probe *p, twill *tw, int members)
{
    enum { TRIES = 20 };
    const twill_class cls = {
        .size = sizeof(twill_class), .name = "kernel", .chores = {TWILL_TEAM(body, members)}};
    twill_graph *g;
    twill_status status = twill_stf_begin(tw, &g);
    if (status != TWILL_OK)
        return status;
    double best = INFINITY, spent = 0;
    for (int i = 0; i < TRIES && spent < long_enough && status == TWILL_OK; i++) {
        p->best = INFINITY;
        p->spent = 0;
        status = twill_insert(g, &cls, TWILL_VALUE(p));
        if (status == TWILL_OK)
            status = twill_wait(g);
        if (p->members == members) {
            best = p->best < best ? p->best : best;
            spent += p->spent;
        }
        p->runs = 2 * p->sets;
    }
    twill_graph_free(g);
    p->best = best;
    if (status == TWILL_OK && isinf(best))
        status = tw_fail(TWILL_ERR_SYSTEM, "kernel_seconds: no team of %d came together", members);
    return status;
}

twill_status twill_kernel_seconds(twill *tw, twill_kernel kernel, twill_type type, int64_t nb,
                                  int64_t cols, int members, double *seconds)
{
    enum { MOST = 1 << 15 };
    if (kernel < TWILL_KERNEL_GEMM || kernel > TWILL_KERNEL_POTRF || twill_type_size(type) == 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "kernel_seconds: there is no such kernel, or type");
    if (nb < 1 || nb > MOST || cols < 1 || cols > MOST)
        return tw_fail(TWILL_ERR_ARGUMENT, "kernel_seconds: nb %lld and cols %lld are not in 1..%d",
                       (long long)nb, (long long)cols, MOST);
    if (members < 0 || members > twill_workers(tw))
        return tw_fail(TWILL_ERR_ARGUMENT, "kernel_seconds: %d members of %d workers", members,
                       twill_workers(tw));
    probe p = {
        .kernel = kernel, .nb = (int)nb, .cols = (int)cols, .whole = members == 0, .runs = 2};
    twill_status status = make(&p, tw, type);
    if (status == TWILL_OK)
        status = measure(&p, tw, members > 1 ? members : 1);
    if (status == TWILL_OK)
        *seconds = p.best;
    free(p.a);
    free(p.c);
    free(p.fresh);
    free(p.b);
    return status;
}
