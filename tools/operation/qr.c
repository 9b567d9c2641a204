/* twill geqrf, gelqf: QR and LQ factorization. */
#include "operation/flops.h"
#include "operation/operation.h"
#include "operation/qr_support.h"
#include "operation/transfer.h"

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

static twill_status insert(work *w, twill_graph *graph, const twill_la_options *expert)
{
    return is_lq(w) ? twill_gelqf_insert(graph, w->x[0].array, w->own, expert)
                    : twill_geqrf_insert(graph, w->x[0].array, w->own, expert);
}

static twill_status run(work *w, int64_t *info)
{
    return reflectors_run(w, insert, info);
}

static twill_status digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[0].array, is_lq(w) ? TWILL_LOWER : TWILL_UPPER, digest);
}

/* LAPACK's tau, where there is one. */
static int save(work *w)
{
    int64_t k = w->p->m < w->p->n ? w->p->m : w->p->n, ld;
    if (strcmp(w->p->tree, "flat") != 0 || w->p->branches > 1)
        return STATUS_OK;
    twill_pattern p = twill_tiled(k, 1, k > 0 ? k : 1, 1);
    twill_array *a = NULL;
    void *tau;
    twill_status status = twill_array_create(w->tw, &p, w->p->element, 0, &a);
    if (status == TWILL_OK)
        status = twill_map(twill_view_all(a), TWILL_WRITE, &tau, &ld);
    if (status == TWILL_OK) {
        status = twill_reflectors_tau(w->own, tau);
        twill_unmap(twill_view_all(a), tau);
    }
    int saved = status == TWILL_OK ? transfer_save(w->p, a, "tau.npy")
                                   : complain_library(w->p->op, status, "--save");
    twill_array_free(a);
    return saved;
}

/* ---- the check --------------------------------------------------------------------------- */

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
        status = vectors_times_q(w, is_lq(w), TWILL_NO_TRANS, order, q);
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
        status = vectors_times_q(w, is_lq(w), TWILL_CONJ_TRANS, order, q);
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
                                   .takes = "m n ib tree branches lookahead",
                                   .sizes = "its matrix is m by n",
                                   .fronts = "stf",
                                   .operands = operands,
                                   .flops = flops_of_geqrf,
                                   .prepare = reflectors_prepare,
                                   .finish = reflectors_finish,
                                   .run = run,
                                   .digest = digest,
                                   .residual = residual,
                                   .save = save,
                                   .add_json = reflectors_json};

const operation gelqf_operation = {.name = "gelqf",
                                   .about = "LQ factorization: A = L Q",
                                   .takes = "m n ib tree branches lookahead",
                                   .sizes = "its matrix is m by n",
                                   .fronts = "stf",
                                   .operands = operands,
                                   .flops = flops_of_gelqf,
                                   .prepare = reflectors_prepare,
                                   .finish = reflectors_finish,
                                   .run = run,
                                   .digest = digest,
                                   .residual = residual,
                                   .save = save,
                                   .add_json = reflectors_json};
