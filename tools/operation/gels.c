/* twill gels: least squares and minimum norm solutions. */
#include "operation/flops.h"
#include "operation/operation.h"
#include "operation/qr_support.h"
#include "operation/transfer.h"

#include <stdlib.h>
#include <string.h>

static int operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'm', 'n', FILL_RANDOM, true};
    list[1] = (operand){"B", 'x', 'r', FILL_RANDOM, true};
    return 2;
}

static double flops(const problem *p)
{
    return flops_gels(p->element, p->m, p->n, p->nrhs);
}

/* Rows and columns of op(A). */
static bool transposed(const work *w)
{
    return problem_trans(w->p->trans) != TWILL_NO_TRANS;
}

static int64_t high(const work *w)
{
    return transposed(w) ? w->p->n : w->p->m;
}

static int64_t wide(const work *w)
{
    return transposed(w) ? w->p->m : w->p->n;
}

static twill_status insert(work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_gels_insert(graph, problem_trans(w->p->trans), w->x[0].array, w->own,
                             w->x[1].array, expert);
}

static twill_status run(work *w, int64_t *info)
{
    return reflectors_run(w, insert, info);
}

/* ---- the solution: the first rows of B --------------------------------------------------- */

static twill_status copy_tile(work *w, twill_array *x, int64_t i, int64_t j)
{
    void *to, *from;
    int64_t ld_to, ld_from;
    size_t size = twill_type_size(w->p->element);
    twill_view all = twill_view_all(w->x[1].array), tile = twill_view_tile(x, i, j);
    twill_view source =
        twill_view_sub(all, tile.start[0], tile.start[1], tile.extent[0], tile.extent[1]);
    twill_status status = twill_map(source, TWILL_READ, &from, &ld_from);
    if (status != TWILL_OK)
        return status;
    status = twill_map(tile, TWILL_WRITE, &to, &ld_to);
    for (int64_t c = 0; status == TWILL_OK && c < tile.extent[1]; c++)
        memcpy((char *)to + (size_t)(c * ld_to) * size, (char *)from + (size_t)(c * ld_from) * size,
               (size_t)tile.extent[0] * size);
    if (status == TWILL_OK)
        status = twill_unmap(tile, to);
    twill_status ended = twill_unmap(source, from);
    return status == TWILL_OK ? ended : status;
}

/* Its tiles are where those of B are. */
static twill_status copy_solution(work *w, twill_array *x)
{
    const twill_pattern *p = twill_array_pattern(x);
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < twill_pattern_blocks(p, 1); j++)
        for (int64_t i = 0; i < twill_pattern_blocks(p, 0) && status == TWILL_OK; i++)
            if (twill_owner_at(x, i, j) == twill_rank(w->tw))
                status = copy_tile(w, x, i, j);
    return status;
}

static twill_status make_solution(work *w, twill_array **x)
{
    twill_pattern p = *twill_array_pattern(w->x[1].array);
    p.extent[0] = wide(w);
    twill_status status = twill_array_create(w->tw, &p, w->p->element, 0, x);
    if (status == TWILL_OK)
        status = copy_solution(w, *x);
    return status;
}

static twill_status digest(work *w, uint64_t *digest)
{
    twill_array *x = NULL;
    twill_status status = make_solution(w, &x);
    if (status == TWILL_OK)
        status = twill_digest(x, TWILL_GENERAL, digest);
    twill_array_free(x);
    return status;
}

static int save(work *w)
{
    twill_array *x = NULL;
    twill_status status = make_solution(w, &x);
    int saved = status == TWILL_OK ? transfer_save(w->p, x, "X.npy")
                                   : complain_library(w->p->op, status, "--save");
    twill_array_free(x);
    return saved;
}

/* ---- the check --------------------------------------------------------------------------- */

/* Vectors of the check: `y` multiplies right-hand sides, x := X y, r := B y - op(A) X y, and s is
 * what must vanish besides. */
typedef struct vectors {
    probe_vectors y, x, r, s;
    double size_b; /* of B y */
} vectors;

static twill_status multiply(work *w, vectors *v)
{
    twill_trans trans = problem_trans(w->p->trans), no = TWILL_NO_TRANS;
    probe_matrix solution = {.array = w->x[1].array, .trans = no, .rows = wide(w)};
    probe_matrix before = {.array = w->before[1].array, .trans = no, .rows = high(w)};
    probe_matrix a = {.array = w->before[0].array, .trans = trans};
    twill_status status = probe_multiply(1.0, solution, v->y, v->x);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, before, v->y, v->r);
    v->size_b = probe_size(v->r, high(w));
    return status == TWILL_OK ? probe_multiply(-1.0, a, v->x, v->r) : status;
}

/* More rows than columns: A^H r = 0. */
static twill_status check_least_squares(work *w, vectors *v, double scale, double *ratio)
{
    twill_trans back = transposed(w) ? TWILL_NO_TRANS : TWILL_CONJ_TRANS;
    probe_matrix a = {.array = w->before[0].array, .trans = back};
    twill_status status = probe_multiply(1.0, a, v->r, v->s);
    *ratio = probe_ratio(probe_size(v->s, wide(w)), scale * v->size_b);
    return status;
}

/* Otherwise r = 0, and the solution has nothing outside the space that Q's first columns span. */
static twill_status check_least_norm(work *w, vectors *v, double scale, double *ratio)
{
    bool lq = w->p->m < w->p->n;
    int64_t rows = wide(w), k = high(w);
    double first = probe_ratio(probe_size(v->r, k), scale * probe_size(v->x, rows));
    memcpy(v->s, v->x, (size_t)(rows * PROBES) * sizeof *v->s);
    twill_status status =
        vectors_times_q(w, lq, lq ? TWILL_NO_TRANS : TWILL_CONJ_TRANS, rows, v->s);
    for (int j = 0; j < PROBES; j++)
        memset(v->s + j * rows, 0, (size_t)k * sizeof *v->s);
    double eps = probe_eps(w->p->element);
    double second =
        probe_ratio(probe_size(v->s, rows), (double)rows * probe_size(v->x, rows) * eps);
    *ratio = first >= second || first != first ? first : second;
    return status;
}

static twill_status check(work *w, vectors *v, double *ratio)
{
    double norm = 0;
    twill_status status =
        probe_norm((probe_matrix){.array = w->before[0].array, .trans = TWILL_NO_TRANS}, &norm);
    if (status == TWILL_OK)
        status = multiply(w, v);
    if (status != TWILL_OK)
        return status;
    double larger = (double)(w->p->m > w->p->n ? w->p->m : w->p->n);
    double scale = larger * norm * probe_eps(w->p->element);
    return high(w) > wide(w) ? check_least_squares(w, v, scale, ratio)
                             : check_least_norm(w, v, scale, ratio);
}

static twill_status residual(work *w, double *ratio)
{
    vectors v = {probe_random(w->p->nrhs, 17), probe_zeros(wide(w)), probe_zeros(high(w)),
                 probe_zeros(wide(w)), 0};
    twill_status status = TWILL_ERR_MEMORY;
    *ratio = 0;
    if (v.y && v.x && v.r && v.s) {
        vectors_fit(w, v.y, w->p->nrhs);
        /* with nothing to solve there is nothing to check */
        status = wide(w) && high(w) && w->p->nrhs ? check(w, &v, ratio) : TWILL_OK;
    }
    free(v.y);
    free(v.x);
    free(v.r);
    free(v.s);
    return status;
}

const operation gels_operation = {.name = "gels",
                                  .about = "least squares, or solution of least norm: op(A) X = B",
                                  .takes = "m n nrhs trans ib tree branches lookahead",
                                  .sizes = "its matrix A is m by n, and B has max(m, n) rows",
                                  .fronts = "stf",
                                  .operands = operands,
                                  .flops = flops,
                                  .prepare = reflectors_prepare,
                                  .finish = reflectors_finish,
                                  .run = run,
                                  .digest = digest,
                                  .residual = residual,
                                  .save = save,
                                  .add_json = reflectors_json,
                                  .info_means =
                                      "entry %lld of the diagonal of the triangle is exactly zero"};
