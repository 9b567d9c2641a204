/* twill gemm, summa, symm, hemm, syrk, herk, syr2k, her2k, trmm, trsm: products of matrices and
 * triangular solves. */
#include "operation/level3.h"
#include "operation/flops.h"

#include <string.h>

twill_scalar level3_alpha(const problem *p, bool real)
{
    bool has_im = p->element == TWILL_COMPLEX64 || p->element == TWILL_COMPLEX128;
    return (twill_scalar){0.7, has_im && !real ? -0.3 : 0.0};
}

twill_scalar level3_beta(void)
{
    return twill_real(1.1);
}

/* ---- matrices ------------------------------------------------------------------------------ */

static operand input(const char *name, char rows, char cols, bool flipped, filling fill)
{
    return (operand){name, flipped ? cols : rows, flipped ? rows : cols, fill, false};
}

static operand output(const char *name, char rows, char cols, filling fill)
{
    return (operand){name, rows, cols, fill, true};
}

static bool is_flipped(const char *trans)
{
    return problem_trans(trans) != TWILL_NO_TRANS;
}

static int gemm_operands(const problem *p, operand *list)
{
    list[0] = input("A", 'm', 'k', is_flipped(p->transa), FILL_RANDOM);
    list[1] = input("B", 'k', 'n', is_flipped(p->transb), FILL_RANDOM);
    list[2] = output("C", 'm', 'n', FILL_RANDOM);
    return 3;
}

static char order(const problem *p)
{
    return problem_side(p) == TWILL_LEFT ? 'm' : 'n';
}

static int multiply_operands(const problem *p, operand *list, filling fill)
{
    list[0] = input("A", order(p), order(p), false, fill);
    list[1] = input("B", 'm', 'n', false, FILL_RANDOM);
    list[2] = output("C", 'm', 'n', FILL_RANDOM);
    return 3;
}

static int symm_operands(const problem *p, operand *list)
{
    return multiply_operands(p, list, FILL_SYMMETRIC);
}

static int hemm_operands(const problem *p, operand *list)
{
    return multiply_operands(p, list, FILL_HERMITIAN);
}

static int rank_operands(const problem *p, operand *list, bool two, filling fill)
{
    int count = 0;
    list[count++] = input("A", 'n', 'k', is_flipped(p->trans), FILL_RANDOM);
    if (two)
        list[count++] = input("B", 'n', 'k', is_flipped(p->trans), FILL_RANDOM);
    list[count++] = output("C", 'n', 'n', fill);
    return count;
}

static int syrk_operands(const problem *p, operand *list)
{
    return rank_operands(p, list, false, FILL_SYMMETRIC);
}

static int herk_operands(const problem *p, operand *list)
{
    return rank_operands(p, list, false, FILL_HERMITIAN);
}

static int syr2k_operands(const problem *p, operand *list)
{
    return rank_operands(p, list, true, FILL_SYMMETRIC);
}

static int her2k_operands(const problem *p, operand *list)
{
    return rank_operands(p, list, true, FILL_HERMITIAN);
}

static int triangle_operands(const problem *p, operand *list)
{
    list[0] = input("A", order(p), order(p), false, FILL_DOMINANT);
    list[1] = output("B", 'm', 'n', FILL_RANDOM);
    return 2;
}

/* ---- options ------------------------------------------------------------------------------- */

/* The transpose that keeps the result symmetric, or Hermitian. */
static int check_symmetric(const problem *p)
{
    return problem_check_trans(p, 't');
}

static int check_hermitian(const problem *p)
{
    return problem_check_trans(p, 'c');
}

/* ---- operation counts ---------------------------------------------------------------------- */

static double gemm_flops(const problem *p)
{
    return flops_gemm(p->element, p->m, p->n, p->k);
}

static double symm_flops(const problem *p)
{
    return flops_gemm(p->element, p->m, p->n, order(p) == 'm' ? p->m : p->n);
}

static double syrk_flops(const problem *p)
{
    return flops_syrk(p->element, p->n, p->k);
}

static double syr2k_flops(const problem *p)
{
    return flops_syr2k(p->element, p->n, p->k);
}

static double triangle_flops(const problem *p)
{
    return order(p) == 'm' ? flops_trmm(p->element, p->m, p->n)
                           : flops_trmm(p->element, p->n, p->m);
}

/* ---- tasks, for the progress bar ----------------------------------------------------------- */

static double tiles(const work *w, int64_t size)
{
    return (double)((size + w->p->nb - 1) / w->p->nb);
}

static int64_t whole(double tasks)
{
    return tasks < 1e18 ? (int64_t)tasks : INT64_MAX;
}

static int64_t product_tasks(const work *w)
{
    const problem *p = w->p;
    int64_t inner = p->k >= 0 ? p->k : order(p) == 'm' ? p->m : p->n;
    return whole(tiles(w, p->m) * tiles(w, p->n) * tiles(w, inner));
}

static int64_t rank_tasks(const work *w)
{
    double nt = tiles(w, w->p->n);
    return whole(nt * (nt + 1) / 2 * tiles(w, w->p->k));
}

static int64_t two_rank_tasks(const work *w)
{
    double nt = tiles(w, w->p->n);
    return whole(nt * nt * tiles(w, w->p->k));
}

static int64_t triangle_tasks(const work *w)
{
    bool left = order(w->p) == 'm';
    double nt = tiles(w, left ? w->p->m : w->p->n);
    return whole(nt * (nt + 1) / 2 * tiles(w, left ? w->p->n : w->p->m));
}

/* ---- runs ---------------------------------------------------------------------------------- */

typedef twill_status inserter(const work *w, twill_graph *graph, const twill_la_options *expert);

static twill_status insert_gemm(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_gemm_insert(graph, problem_trans(w->p->transa), problem_trans(w->p->transb),
                             level3_alpha(w->p, false), w->x[0].array, w->x[1].array, level3_beta(),
                             w->x[2].array, expert);
}

static twill_status insert_symm(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_symm_insert(graph, problem_side(w->p), problem_uplo(w->p),
                             level3_alpha(w->p, false), w->x[0].array, w->x[1].array, level3_beta(),
                             w->x[2].array, expert);
}

static twill_status insert_hemm(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_hemm_insert(graph, problem_side(w->p), problem_uplo(w->p),
                             level3_alpha(w->p, false), w->x[0].array, w->x[1].array, level3_beta(),
                             w->x[2].array, expert);
}

static twill_status insert_syrk(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_syrk_insert(graph, problem_uplo(w->p), problem_trans(w->p->trans),
                             level3_alpha(w->p, false), w->x[0].array, level3_beta(), w->x[1].array,
                             expert);
}

static twill_status insert_herk(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_herk_insert(graph, problem_uplo(w->p), problem_trans(w->p->trans),
                             level3_alpha(w->p, true).re, w->x[0].array, level3_beta().re,
                             w->x[1].array, expert);
}

static twill_status insert_syr2k(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_syr2k_insert(graph, problem_uplo(w->p), problem_trans(w->p->trans),
                              level3_alpha(w->p, false), w->x[0].array, w->x[1].array,
                              level3_beta(), w->x[2].array, expert);
}

static twill_status insert_her2k(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_her2k_insert(graph, problem_uplo(w->p), problem_trans(w->p->trans),
                              level3_alpha(w->p, false), w->x[0].array, w->x[1].array,
                              level3_beta().re, w->x[2].array, expert);
}

static twill_status insert_trmm(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_trmm_insert(graph, problem_side(w->p), problem_uplo(w->p),
                             problem_trans(w->p->trans), problem_diag(w->p),
                             level3_alpha(w->p, false), w->x[0].array, w->x[1].array, expert);
}

static twill_status insert_trsm(const work *w, twill_graph *graph, const twill_la_options *expert)
{
    return twill_trsm_insert(graph, problem_side(w->p), problem_uplo(w->p),
                             problem_trans(w->p->trans), problem_diag(w->p),
                             level3_alpha(w->p, false), w->x[0].array, w->x[1].array, expert);
}

static const struct {
    const char *name;
    inserter *insert;
} routines[] = {{"gemm", insert_gemm},   {"symm", insert_symm}, {"hemm", insert_hemm},
                {"syrk", insert_syrk},   {"herk", insert_herk}, {"syr2k", insert_syr2k},
                {"her2k", insert_her2k}, {"trmm", insert_trmm}, {"trsm", insert_trsm}};

static inserter *find(const char *name)
{
    int i = 0;
    while (strcmp(routines[i].name, name) != 0)
        i++;
    return routines[i].insert;
}

/* The solve as an explicit graph. */
static twill_status run_dag(work *w)
{
    twill_graph *graph;
    const problem *p = w->p;
    bool real = p->element == TWILL_FLOAT32 || p->element == TWILL_FLOAT64;
    twill_status status =
        twill_trsm_dag(problem_uplo(p), problem_trans(p->trans), problem_diag(p),
                       level3_alpha(p, real), w->x[0].array, w->x[1].array, p->commute, &graph);
    if (status != TWILL_OK)
        return status;
    status = twill_dag_run(graph);
    twill_status ended = twill_wait(graph);
    twill_graph_free(graph);
    return ended == TWILL_OK ? status : ended;
}

static twill_status run_summa(work *w, int64_t *info)
{
    (void)info;
    return twill_summa(level3_alpha(w->p, false), w->x[0].array, w->x[1].array, level3_beta(),
                       w->x[2].array);
}

/* From the right there is no explicit graph. */
static int check_trsm(const problem *p)
{
    if (*p->front != 'd' || problem_side(p) == TWILL_LEFT)
        return STATUS_OK;
    complain("trsm", "--side r: an explicit graph solves from the left only");
    return STATUS_USAGE;
}

static twill_status run(work *w, int64_t *info)
{
    (void)info; /* the BLAS has none */
    if (*w->p->front == 'd')
        return run_dag(w);
    twill_la_options expert = operation_expert(w->p);
    twill_graph *graph;
    twill_status status = twill_stf_begin(w->tw, &graph);
    if (status != TWILL_OK)
        return status;
    status = find(w->p->op)(w, graph, &expert);
    twill_status ended = twill_wait(graph);
    twill_graph_free(graph);
    return ended == TWILL_OK ? status : ended;
}

/* ---- results ------------------------------------------------------------------------------- */

static twill_array *last(const work *w)
{
    return w->x[w->operands - 1].array;
}

static twill_status whole_digest(work *w, uint64_t *digest)
{
    return twill_digest(last(w), TWILL_GENERAL, digest);
}

static twill_status triangle_digest(work *w, uint64_t *digest)
{
    return twill_digest(last(w), problem_uplo(w->p), digest);
}

/* ---- the ten ------------------------------------------------------------------------------- */

#define PRODUCT_SIZES "C and B are m by n, and A is as large as its side asks"
#define RANK_SIZES "C is n by n, and op(A) n by k"

const operation gemm_operation = {.name = "gemm",
                                  .about = "C := alpha op(A) op(B) + beta C",
                                  .takes = "m n k transa transb",
                                  .sizes = "C is m by n, op(A) m by k and op(B) k by n",
                                  .fronts = "stf",
                                  .operands = gemm_operands,
                                  .flops = gemm_flops,
                                  .tasks = product_tasks,
                                  .run = run,
                                  .digest = whole_digest,
                                  .residual = level3_gemm_residual};
const operation summa_operation = {.name = "summa",
                                   .about = "C := alpha A B + beta C, by one-sided copies",
                                   .takes = "m n k",
                                   .sizes = "C is m by n, A m by k and B k by n",
                                   .fronts = "stf",
                                   .operands = gemm_operands,
                                   .flops = gemm_flops,
                                   .run = run_summa,
                                   .digest = whole_digest,
                                   .residual = level3_gemm_residual};
const operation symm_operation = {.name = "symm",
                                  .about =
                                      "C := alpha A B + beta C or alpha B A + beta C, A symmetric",
                                  .takes = "m n side uplo",
                                  .sizes = PRODUCT_SIZES,
                                  .fronts = "stf",
                                  .operands = symm_operands,
                                  .flops = symm_flops,
                                  .tasks = product_tasks,
                                  .run = run,
                                  .digest = whole_digest,
                                  .residual = level3_symm_residual};
const operation hemm_operation = {.name = "hemm",
                                  .about =
                                      "C := alpha A B + beta C or alpha B A + beta C, A Hermitian",
                                  .takes = "m n side uplo",
                                  .sizes = PRODUCT_SIZES,
                                  .fronts = "stf",
                                  .operands = hemm_operands,
                                  .flops = symm_flops,
                                  .tasks = product_tasks,
                                  .run = run,
                                  .digest = whole_digest,
                                  .residual = level3_hemm_residual};
const operation syrk_operation = {.name = "syrk",
                                  .about = "C := alpha A A^T + beta C or alpha A^T A + beta C",
                                  .takes = "n k uplo trans",
                                  .sizes = RANK_SIZES,
                                  .fronts = "stf",
                                  .operands = syrk_operands,
                                  .check = check_symmetric,
                                  .flops = syrk_flops,
                                  .tasks = rank_tasks,
                                  .run = run,
                                  .digest = triangle_digest,
                                  .residual = level3_syrk_residual};
const operation herk_operation = {.name = "herk",
                                  .about = "C := alpha A A^H + beta C or alpha A^H A + beta C",
                                  .takes = "n k uplo trans",
                                  .sizes = RANK_SIZES,
                                  .fronts = "stf",
                                  .operands = herk_operands,
                                  .check = check_hermitian,
                                  .flops = syrk_flops,
                                  .tasks = rank_tasks,
                                  .run = run,
                                  .digest = triangle_digest,
                                  .residual = level3_herk_residual};
const operation syr2k_operation = {.name = "syr2k",
                                   .about = "C := alpha A B^T + alpha B A^T + beta C and the like",
                                   .takes = "n k uplo trans",
                                   .sizes = RANK_SIZES,
                                   .fronts = "stf",
                                   .operands = syr2k_operands,
                                   .check = check_symmetric,
                                   .flops = syr2k_flops,
                                   .tasks = two_rank_tasks,
                                   .run = run,
                                   .digest = triangle_digest,
                                   .residual = level3_syr2k_residual};
const operation her2k_operation = {.name = "her2k",
                                   .about =
                                       "C := alpha A B^H + conj(alpha) B A^H + beta C and the like",
                                   .takes = "n k uplo trans",
                                   .sizes = RANK_SIZES,
                                   .fronts = "stf",
                                   .operands = her2k_operands,
                                   .check = check_hermitian,
                                   .flops = syr2k_flops,
                                   .tasks = two_rank_tasks,
                                   .run = run,
                                   .digest = triangle_digest,
                                   .residual = level3_her2k_residual};
const operation trmm_operation = {.name = "trmm",
                                  .about = "B := alpha op(A) B or alpha B op(A), A triangular",
                                  .takes = "m n side uplo trans diag",
                                  .sizes = PRODUCT_SIZES,
                                  .fronts = "stf",
                                  .operands = triangle_operands,
                                  .flops = triangle_flops,
                                  .tasks = triangle_tasks,
                                  .run = run,
                                  .digest = whole_digest,
                                  .residual = level3_trmm_residual};
const operation trsm_operation = {
    .name = "trsm",
    .about = "B := alpha op(A)^-1 B or alpha B op(A)^-1, A triangular",
    .takes = "m n side uplo trans diag mode reserved prescribed commute",
    .sizes = PRODUCT_SIZES,
    .fronts = "stf|dag",
    .check = check_trsm,
    .operands = triangle_operands,
    .flops = triangle_flops,
    .tasks = triangle_tasks,
    .run = run,
    .digest = whole_digest,
    .residual = level3_trsm_residual};
