/* twill unmqr, unmlq, ungqr, unglq: what is done with Q. */
#include "operation/flops.h"
#include "operation/qr_support.h"

#include <stdlib.h>
#include <string.h>

/* Operands: what is factored, and C, which Q is applied to, or Q itself. */
enum { FACTORED, OTHER };

static bool is_lq(const problem *p)
{
    return strcmp(p->op + 3, "lq") == 0;
}

static bool is_left(const problem *p)
{
    return problem_side(p) == TWILL_LEFT;
}

static int64_t lesser(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* Q has the order of A's rows, or of its columns when it comes from LQ. */
static operand factored(const problem *p, char order)
{
    return is_lq(p) ? (operand){"A", 'k', order, FILL_RANDOM, true}
                    : (operand){"A", order, 'k', FILL_RANDOM, true};
}

static twill_status insert_factor(work *w, twill_graph *graph, const twill_la_options *expert)
{
    twill_array *a = w->x[FACTORED].array;
    return is_lq(w->p) ? twill_gelqf_insert(graph, a, w->own, expert)
                       : twill_geqrf_insert(graph, a, w->own, expert);
}

static twill_status factor(work *w, int64_t *info)
{
    return reflectors_run(w, insert_factor, info);
}

static twill_status digest(work *w, uint64_t *digest)
{
    return twill_digest(w->x[OTHER].array, TWILL_GENERAL, digest);
}

static probe_matrix read(twill_array *a, twill_trans trans)
{
    return (probe_matrix){.array = a, .trans = trans};
}

/* ---- Q C, C Q ------------------------------------------------------------------------------ */

static int apply_operands(const problem *p, operand *list)
{
    list[FACTORED] = factored(p, is_left(p) ? 'm' : 'n');
    list[OTHER] = (operand){"C", 'm', 'n', FILL_RANDOM, true};
    return 2;
}

static int check_apply(const problem *p)
{
    return problem_check_trans(p, 'c');
}

static double apply_flops(const problem *p)
{
    int64_t reflectors = lesser(p->k, is_left(p) ? p->m : p->n);
    return flops_unmqr(p->element, is_left(p), p->m, p->n, reflectors);
}

static twill_status insert_apply(work *w, twill_graph *graph, const twill_la_options *expert)
{
    twill_array *a = w->x[FACTORED].array, *c = w->x[OTHER].array;
    twill_trans trans = problem_trans(w->p->trans);
    return is_lq(w->p) ? twill_unmlq_insert(graph, problem_side(w->p), trans, a, w->own, c, expert)
                       : twill_unmqr_insert(graph, problem_side(w->p), trans, a, w->own, c, expert);
}

static twill_status run_apply(work *w, int64_t *info)
{
    return reflectors_run(w, insert_apply, info);
}

/* All of Q. */
static twill_status make_q(work *w, twill_array **q)
{
    const problem *p = w->p;
    int64_t order = is_left(p) ? p->m : p->n;
    twill_pattern pattern =
        twill_block_cyclic(order, order, p->nb, p->nb, p->ranks[0], p->ranks[1]);
    twill_status status = twill_array_create(w->tw, &pattern, p->element, 0, q);
    if (status != TWILL_OK)
        return status;
    return is_lq(p) ? twill_unglq(w->x[FACTORED].array, w->own, *q)
                    : twill_ungqr(w->x[FACTORED].array, w->own, *q);
}

/* |op(Q) C - C'| / (order |C| eps), both times vectors x; C' is what was computed. */
static twill_status compare_product(work *w, twill_array *q, double complex *x, double complex *y,
                                    double complex *r, double *ratio)
{
    bool left = is_left(w->p);
    int64_t order = left ? w->p->m : w->p->n;
    probe_matrix c = read(w->before[OTHER].array, TWILL_NO_TRANS);
    probe_matrix op_q = read(q, problem_trans(w->p->trans));
    double norm = 0;
    twill_status status = probe_multiply(1.0, left ? c : op_q, x, y);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, left ? op_q : c, y, r);
    if (status == TWILL_OK)
        status = probe_multiply(-1.0, read(w->x[OTHER].array, TWILL_NO_TRANS), x, r);
    if (status == TWILL_OK)
        status = probe_norm(c, &norm);
    *ratio = probe_ratio(probe_size(r, w->p->m),
                         (double)order * norm * probe_eps(w->p->element) * probe_size(x, w->p->n));
    return status;
}

static twill_status apply_residual(work *w, double *ratio)
{
    int64_t m = w->p->m, n = w->p->n;
    probe_vectors x = probe_random(n, 17), y = probe_zeros(m > n ? m : n), r = probe_zeros(m);
    twill_array *q = NULL;
    twill_status status = x && y && r ? make_q(w, &q) : TWILL_ERR_MEMORY;
    if (status == TWILL_OK)
        status = compare_product(w, q, x, y, r, ratio);
    twill_array_free(q);
    free(x);
    free(y);
    free(r);
    return status;
}

/* ---- Q itself ------------------------------------------------------------------------------ */

static int make_operands(const problem *p, operand *list)
{
    list[FACTORED] = factored(p, is_lq(p) ? 'n' : 'm');
    list[OTHER] = (operand){"Q", 'm', 'n', FILL_NOTHING, true};
    return 2;
}

static int check_make(const problem *p)
{
    bool lq = is_lq(p);
    int64_t few = lq ? p->m : p->n, order = lq ? p->n : p->m;
    if (few <= order)
        return STATUS_OK;
    complain(p->op, "-%c %lld: must be at most %lld, the order of Q", lq ? 'm' : 'n',
             (long long)few, (long long)order);
    return STATUS_USAGE;
}

static double make_flops(const problem *p)
{
    int64_t reflectors = lesser(p->k, lesser(p->m, p->n));
    return is_lq(p) ? flops_unglq(p->element, p->m, p->n, reflectors)
                    : flops_ungqr(p->element, p->m, p->n, reflectors);
}

static twill_status insert_make(work *w, twill_graph *graph, const twill_la_options *expert)
{
    twill_array *a = w->x[FACTORED].array, *q = w->x[OTHER].array;
    return is_lq(w->p) ? twill_unglq_insert(graph, a, w->own, q, expert)
                       : twill_ungqr_insert(graph, a, w->own, q, expert);
}

static twill_status run_make(work *w, int64_t *info)
{
    return reflectors_run(w, insert_make, info);
}

/* Q as a matrix with few columns, which is that of QR or the conjugate transpose of that of LQ. */
static probe_matrix tall(const work *w, bool back)
{
    return read(w->x[OTHER].array, is_lq(w->p) != back ? TWILL_CONJ_TRANS : TWILL_NO_TRANS);
}

/* |Q^H A - R| / (order |A| eps), or |A Q^H - L|, times vectors x. */
static twill_status compare_factor(work *w, double complex *x, double complex *y, double complex *r,
                                   double *ratio)
{
    bool lq = is_lq(w->p);
    int64_t few = lq ? w->p->m : w->p->n, order = lq ? w->p->n : w->p->m, k = w->p->k;
    probe_matrix a = read(w->before[FACTORED].array, TWILL_NO_TRANS);
    probe_matrix triangle = {.array = w->x[FACTORED].array,
                             .shape = PROBE_TRIANGLE,
                             .uplo = lq ? TWILL_LOWER : TWILL_UPPER,
                             .trans = TWILL_NO_TRANS,
                             .rows = lq ? 0 : few,
                             .cols = lq ? few : 0};
    double norm = 0;
    twill_status status = probe_multiply(1.0, lq ? tall(w, false) : a, x, y);
    if (status == TWILL_OK)
        status = probe_multiply(1.0, lq ? a : tall(w, true), y, r);
    if (status == TWILL_OK)
        status = probe_multiply(-1.0, triangle, x, r);
    if (status == TWILL_OK)
        status = probe_norm(a, &norm);
    *ratio =
        probe_ratio(probe_size(r, lq ? k : few),
                    (double)order * norm * probe_eps(w->p->element) * probe_size(x, lq ? few : k));
    return status;
}

/* |I - Q^H Q| / (order eps), or with Q Q^H, times vectors x. */
static twill_status compare_identity(work *w, double complex *x, double complex *y,
                                     double complex *r, double *ratio)
{
    bool lq = is_lq(w->p);
    int64_t few = lq ? w->p->m : w->p->n, order = lq ? w->p->n : w->p->m;
    twill_status status = probe_multiply(1.0, tall(w, false), x, y);
    memcpy(r, x, (size_t)(few * PROBES) * sizeof *r);
    if (status == TWILL_OK)
        status = probe_multiply(-1.0, tall(w, true), y, r);
    *ratio = probe_ratio(probe_size(r, few),
                         (double)order * probe_eps(w->p->element) * probe_size(x, few));
    return status;
}

typedef twill_status comparison(work *w, double complex *x, double complex *y, double complex *r,
                                double *ratio);

/* With vectors as long as any size. */
static twill_status compare(work *w, comparison *with, double *ratio)
{
    int64_t m = w->p->m, n = w->p->n, k = w->p->k, most = m > n ? m : n;
    most = most > k ? most : k;
    probe_vectors x = probe_random(most, 17), y = probe_zeros(most), r = probe_zeros(most);
    twill_status status = x && y && r ? with(w, x, y, r, ratio) : TWILL_ERR_MEMORY;
    free(x);
    free(y);
    free(r);
    return status;
}

static twill_status make_residual(work *w, double *ratio)
{
    double difference = 0, orthogonality = 0;
    twill_status status = TWILL_OK;
    if (w->p->m && w->p->n)
        status = compare(w, compare_identity, &orthogonality);
    if (status == TWILL_OK && w->p->m && w->p->n && w->p->k)
        status = compare(w, compare_factor, &difference);
    /* written so that NaN, in either, comes out */
    *ratio = difference >= orthogonality || difference != difference ? difference : orthogonality;
    return status;
}

/* ---- the four ------------------------------------------------------------------------------ */

/* What they have in common. */
#define APPLIES                                                                   \
    .takes = "m n k side trans ib tree branches",                                 \
    .sizes = "C is m by n, and Q made of k reflectors", .fronts = "stf",          \
    .operands = apply_operands, .check = check_apply, .flops = apply_flops,       \
    .prepare = reflectors_prepare, .finish = reflectors_finish, .factor = factor, \
    .run = run_apply, .digest = digest, .residual = apply_residual, .add_json = reflectors_json
#define MAKES                                                                                      \
    .takes = "m n k ib tree branches", .sizes = "Q is m by n, and made of k reflectors",           \
    .fronts = "stf", .operands = make_operands, .check = check_make, .flops = make_flops,          \
    .prepare = reflectors_prepare, .finish = reflectors_finish, .factor = factor, .run = run_make, \
    .digest = digest, .residual = make_residual, .add_json = reflectors_json

const operation unmqr_operation = {
    .name = "unmqr", .about = "Q of a QR factorization times C: C := op(Q) C or C op(Q)", APPLIES};
const operation unmlq_operation = {
    .name = "unmlq", .about = "Q of an LQ factorization times C: C := op(Q) C or C op(Q)", APPLIES};
const operation ungqr_operation = {
    .name = "ungqr", .about = "first columns of Q of a QR factorization", MAKES};
const operation unglq_operation = {
    .name = "unglq", .about = "first rows of Q of an LQ factorization", MAKES};
