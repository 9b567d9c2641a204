/* twill geqrf, gelqf: QR and LQ factorization. */
#include "flops.h"
#include "operation.h"
#include "probe.h"
#include "qr_vectors.h"
#include "transfer.h"

#include <stdlib.h>
#include <string.h>

static bool is_lq(const work *w)
{
    return strcmp(w->p->op, "gelqf") == 0;
}

static int operands(const problem *p, operand *list)
{
    (void)p;
    list[0] = (operand){"A", 'm', 'n', FILL_RANDOM, true};
    return 1;
}

static double flops_of_geqrf(const problem *p)
{
    return flops_geqrf(p->element, p->m, p->n);
}

static double flops_of_gelqf(const problem *p)
{
    return flops_gelqf(p->element, p->m, p->n);
}

static twill_status prepare(work *w)
{
    twill_la_options expert = operation_expert(w->p);
    twill_reflectors *h = NULL;
    twill_status status = twill_reflectors_create(w->tw, &expert, &h);
    w->own = h;
    return status;
}

static void finish(work *w)
{
    twill_reflectors_free(w->own);
}

/* Report the tree and inner block that were chosen. */
static void learn(work *w)
{
    static const char *const names[] = {[TWILL_TREE_FLAT] = "flat",
                                        [TWILL_TREE_BINARY] = "binary",
                                        [TWILL_TREE_GREEDY] = "greedy",
                                        [TWILL_TREE_FIBONACCI] = "fibonacci"};
    twill_tree tree;
    if (twill_reflectors_info(w->own, &tree, &w->p->ib) == TWILL_OK)
        w->p->tree = names[tree];
}

static twill_status run(work *w, int64_t *info)
{
    twill_la_options expert = operation_expert(w->p);
    twill_graph *graph;
    twill_status status = twill_stf_begin(w->tw, &graph);
    if (status != TWILL_OK)
        return status;
    status = is_lq(w) ? twill_gelqf_insert(graph, w->x[0].array, w->own, &expert)
                      : twill_geqrf_insert(graph, w->x[0].array, w->own, &expert);
    twill_status ended = twill_wait(graph);
    *info = 0;
    twill_graph_free(graph);
    learn(w);
    return ended == TWILL_OK ? status : ended;
}

static twill_status digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, is_lq(w) ? TWILL_LOWER : TWILL_UPPER, digest);
}

/* ---- the check --------------------------------------------------------------------------- */

/* x := Q x or Q^H x. */
static twill_status multiply_q(work *w, twill_trans trans, int64_t length, double complex *x)
{
    twill_array *c;
    twill_status status = vectors_to_array(w, x, length, &c);
    if (status != TWILL_OK)
        return status;
    status = is_lq(w) ? twill_unmlq(TWILL_LEFT, trans, w->x[0].array, w->own, c)
                      : twill_unmqr(TWILL_LEFT, trans, w->x[0].array, w->own, c);
    if (status == TWILL_OK)
        status = vectors_from_array(c, length, x);
    twill_array_free(c);
    return status;
}

/* y := A x - Q R x, or A x - L Q x; q := Q x or Q R x, and z what Q was applied to. */
static twill_status subtract(work *w, const double complex *x, double complex *y, double complex *q,
                             double complex *z)
{
    int64_t m = w->p->m, n = w->p->n, order = is_lq(w) ? n : m;
    probe_matrix a = {.array = w->before[0].array, .trans = TWILL_NO_TRANS};
    probe_matrix factor = {.array = w->x[0].array,
                           .shape = PROBE_TRIANGLE,
                           .uplo = is_lq(w) ? TWILL_LOWER : TWILL_UPPER,
                           .trans = TWILL_NO_TRANS};
    twill_status status = probe_multiply(1.0, a, x, y);
    if (status == TWILL_OK && is_lq(w))
        memcpy(z, x, (size_t)(n * PROBES) * sizeof *x);
    else if (status == TWILL_OK)
        status = probe_multiply(1.0, factor, x, z);
    memcpy(q, z, (size_t)(order * PROBES) * sizeof *z);
    if (status == TWILL_OK)
        status = multiply_q(w, TWILL_NO_TRANS, order, q);
    if (status == TWILL_OK && is_lq(w))
        return probe_multiply(-1.0, factor, q, y);
    for (int64_t i = 0; i < m * PROBES; i++)
        y[i] -= q[i];
    return status;
}

/* The larger of |A - Q R| / (max(m,n) |A| eps) and |I - Q^H Q| / (order eps), by what they do to a
 * few vectors. */
static twill_status compare(work *w, double complex *x, double complex *y, double complex *q,
                            double complex *z, double *ratio)
{
    int64_t m = w->p->m, n = w->p->n, order = is_lq(w) ? n : m;
    probe_matrix a = {.array = w->before[0].array, .trans = TWILL_NO_TRANS};
    double eps = probe_eps(w->p->element), norm = 0, size = probe_size(x, n);
    twill_status status = probe_norm(a, &norm);
    if (status == TWILL_OK)
        status = subtract(w, x, y, q, z);
    if (status == TWILL_OK)
        status = multiply_q(w, TWILL_CONJ_TRANS, order, q);
    for (int64_t i = 0; i < order * PROBES; i++)
        q[i] -= z[i];
    double larger = (double)(m > n ? m : n);
    double difference = probe_ratio(probe_size(y, m), larger * norm * size * eps);
    double orthogonality =
        probe_ratio(probe_size(q, order), (double)order * probe_size(z, order) * eps);
    /* written so that NaN, in either, comes out */
    *ratio = difference >= orthogonality || difference != difference ? difference : orthogonality;
    return status;
}

static twill_status residual(work *w, double *ratio)
{
    int64_t m = w->p->m, n = w->p->n, order = is_lq(w) ? n : m;
    probe_vectors x = probe_random(n, 17), y = probe_zeros(m), q = probe_zeros(order),
                  z = probe_zeros(order);
    twill_status status = TWILL_ERR_MEMORY;
    if (x && y && q && z) {
        vectors_fit(w, x, n);
        status = compare(w, x, y, q, z, ratio);
    }
    free(x);
    free(y);
    free(q);
    free(z);
    return status;
}

const operation geqrf_operation = {.name = "geqrf",
                                   .about = "QR factorization: A = Q R",
                                   .takes = "m n ib tree lookahead",
                                   .sizes = "its matrix is m by n",
                                   .fronts = "stf",
                                   .operands = operands,
                                   .flops = flops_of_geqrf,
                                   .prepare = prepare,
                                   .finish = finish,
                                   .run = run,
                                   .digest = digest,
                                   .residual = residual};

const operation gelqf_operation = {.name = "gelqf",
                                   .about = "LQ factorization: A = L Q",
                                   .takes = "m n ib tree lookahead",
                                   .sizes = "its matrix is m by n",
                                   .fronts = "stf",
                                   .operands = operands,
                                   .flops = flops_of_gelqf,
                                   .prepare = prepare,
                                   .finish = finish,
                                   .run = run,
                                   .digest = digest,
                                   .residual = residual};
