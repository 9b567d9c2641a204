/* A = L L^T over tiles of A, for the PCP interface: test-dpotrf.x n b p q.
 *
 * The critical path goes down the diagonal: the factorization of a tile, the solve below it, and
 * the update of the next tile on the diagonal. */
#include "kernels.h"

#include <math.h>
#include <pcp.h>
#include <string.h>

extern void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info);

typedef struct tile {
    int m, n, k, ld;
    const double *a, *b;
    double *c;
} tile;

static pcp_barrier_t *barrier; /* of the reserved threads */
static int failed;

static void reconfigure(int size)
{
    pcp_barrier_destroy(barrier);
    barrier = size > 0 ? pcp_barrier_create(size) : NULL;
}

static void finalize(void)
{
    pcp_barrier_destroy(barrier);
    barrier = NULL;
}

/* Rows of a lower triangle of order n that make up the share of ranks below this one: as many
 * elements for each, and at least `least` rows for the first. */
static int rows_before(int n, int least, int nth, int rank)
{
    int rows = (int)(n * sqrt((double)rank / nth) + 0.5);
    return rank == 0 ? 0 : rank == nth ? n : rows < least ? min(least, n) : rows;
}

/* ---- factorization of a tile ------------------------------------------------------------------
 */

static void factor(double *a, int n, int ld)
{
    int info;
    dpotrf_("L", &n, a, &ld, &info);
    if (info != 0)
        failed = 1;
}

static void factor_sequential(void *arg)
{
    const tile *t = arg;
    factor(t->c, t->n, t->ld);
}

/* This thread's rows of what is right of a panel: a rectangle and a triangle. */
static void update_rows(const double *panel, double *a, int first, int end, int inner, int ld)
{
    if (end <= first)
        return;
    if (first > 0)
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, end - first, first, inner, -1.0,
                    panel + first, ld, panel, ld, 1.0, a + first, ld);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, end - first, inner, -1.0, panel + first,
                ld, 1.0, a + first + (size_t)first * ld, ld);
}

/* By panels. The first thread factors the next one right after its part of the update, so that two
 * barriers per step are enough. */
static void factor_parallel(void *arg, int nth, int rank)
{
    enum { WIDTH = 32 };
    const tile *t = arg;
    int ld = t->ld;
    if (rank == 0)
        factor(t->c, min(WIDTH, t->n), ld);
    for (int j = 0; j + WIDTH < t->n; j += WIDTH) {
        int below = t->n - j - WIDTH;
        double *diagonal = t->c + j + (size_t)j * ld, *panel = diagonal + WIDTH;
        double *rest = panel + (size_t)WIDTH * ld;
        int first = first_of(below, nth, rank), end = first_of(below, nth, rank + 1);
        pcp_barrier_wait(barrier);
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, end - first,
                    WIDTH, 1.0, diagonal, ld, panel + first, ld);
        pcp_barrier_wait(barrier);
        update_rows(panel, rest, rows_before(below, WIDTH, nth, rank),
                    rows_before(below, WIDTH, nth, rank + 1), WIDTH, ld);
        if (rank == 0)
            factor(rest, min(WIDTH, below), ld);
    }
}

/* ---- C := C L^-T, C -= A A^T, C -= A B^T
 * --------------------------------------------------------- */

static void solve_parallel(void *arg, int nth, int rank)
{
    const tile *t = arg;
    int first = first_of(t->m, nth, rank), end = first_of(t->m, nth, rank + 1);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, end - first, t->n,
                1.0, t->a, t->ld, t->c + first, t->ld);
}

static void solve_sequential(void *arg)
{
    solve_parallel(arg, 1, 0);
}

static void square_parallel(void *arg, int nth, int rank)
{
    const tile *t = arg;
    update_rows(t->a, t->c, rows_before(t->n, 0, nth, rank), rows_before(t->n, 0, nth, rank + 1),
                t->k, t->ld);
}

static void square_sequential(void *arg)
{
    square_parallel(arg, 1, 0);
}

static void product_parallel(void *arg, int nth, int rank)
{
    const tile *t = arg;
    int first = first_of(t->n, nth, rank), end = first_of(t->n, nth, rank + 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, t->m, end - first, t->k, -1.0, t->a, t->ld,
                t->b + first, t->ld, 1.0, t->c + (size_t)first * t->ld, t->ld);
}

static void product_sequential(void *arg)
{
    product_parallel(arg, 1, 0);
}

/* ---- the graph
 * ----------------------------------------------------------------------------------- */

typedef struct plan {
    int n, b, tiles, factors, solves, squares, products;
    double *a;
    int *last; /* the last task that writes tile (i, j) */
} plan;

static double *at(const plan *p, int i, int j)
{
    return p->a + i * p->b + (size_t)j * p->b * p->n;
}

static int *last(const plan *p, int i, int j)
{
    return &p->last[i + j * p->tiles];
}

/* A task that writes tile (i, j) and reads those of column k in rows i and j. */
static void insert(const plan *p, int type, int i, int j, int k)
{
    int rows = min(p->b, p->n - i * p->b), cols = min(p->b, p->n - j * p->b);
    int inner = min(p->b, p->n - k * p->b);
    const double *a = type == p->solves ? at(p, j, j) : at(p, i, k);
    tile *t = malloc(sizeof *t);
    *t = (tile){rows, cols, inner, p->n, a, at(p, j, k), at(p, i, j)};
    int task = pcp_insert_task(type, t), before = *last(p, i, j);
    if (before != PCP_TASK_HANDLE_NULL)
        pcp_insert_dependence(before, task);
    if (type == p->solves)
        pcp_insert_dependence(*last(p, j, j), task);
    if (type == p->squares || type == p->products)
        pcp_insert_dependence(*last(p, i, k), task);
    if (type == p->products)
        pcp_insert_dependence(*last(p, j, k), task);
    *last(p, i, j) = task;
}

static int register_type(void (*alone)(void *), void (*together)(void *, int, int),
                         void (*resized)(int), void (*end)(void))
{
    struct pcp_task_type type = {alone, together, resized, end};
    return pcp_register_task_type(&type);
}

static void build(plan *p)
{
    p->factors = register_type(factor_sequential, factor_parallel, reconfigure, finalize);
    p->solves = register_type(solve_sequential, solve_parallel, NULL, NULL);
    p->squares = register_type(square_sequential, square_parallel, NULL, NULL);
    p->products = register_type(product_sequential, product_parallel, NULL, NULL);
    pcp_begin_graph();
    for (int i = 0; i < p->tiles * p->tiles; i++)
        p->last[i] = PCP_TASK_HANDLE_NULL;
    for (int k = 0; k < p->tiles; k++) {
        insert(p, p->factors, k, k, k);
        for (int i = k + 1; i < p->tiles; i++)
            insert(p, p->solves, i, k, k);
        for (int j = k + 1; j < p->tiles; j++) {
            insert(p, p->squares, j, j, k);
            for (int i = j + 1; i < p->tiles; i++)
                insert(p, p->products, i, j, k);
        }
    }
    pcp_end_graph();
}

static double entry(int n, int i, int j)
{
    return number(i > j ? i : j, i > j ? j : i) + (i == j ? n : 0);
}

/* How far L L^T y is from A y, for y of ones. */
static double residual(const plan *p)
{
    int n = p->n;
    double *y = malloc(sizeof *y * (size_t)n), worst = 0;
    for (int i = 0; i < n; i++)
        y[i] = 1;
    cblas_dtrmv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, p->a, n, y, 1);
    cblas_dtrmv(CblasColMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, p->a, n, y, 1);
    for (int i = 0; i < n; i++) {
        double want = 0;
        for (int j = 0; j < n; j++)
            want += entry(n, i, j);
        worst = fmax(worst, fabs(y[i] - want) / want);
    }
    free(y);
    return worst;
}

int main(int argc, char **argv)
{
    int v[] = {600, 100, 2, 1};
    if (!read_numbers(argc, argv, v, 4) || v[0] < 1 || v[1] < 1 || v[2] < 0 || v[3] < 0) {
        printf("test-dpotrf.x n b p q [no check]: order, tile size, threads (0: one per core), "
               "reserved ones (0: regular mode)\n");
        return EXIT_FAILURE;
    }
    int n = v[0], tiles = (n + v[1] - 1) / v[1];
    use_one_thread();
    pcp_start(v[2]);
    pcp_set_mode(v[3] > 0 ? PCP_FIXED : PCP_REGULAR);
    if (v[3] > 0)
        pcp_set_reserved_set_size(v[3]);

    plan p = {.n = n, .b = v[1], .tiles = tiles};
    p.a = malloc(sizeof *p.a * (size_t)n * (size_t)n);
    p.last = malloc(sizeof *p.last * (size_t)tiles * (size_t)tiles);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            p.a[i + (size_t)j * n] = entry(n, i, j);
    build(&p);
    pcp_execute_graph();
    failed |= argc <= 5 && !(residual(&p) < 1e-12);
    printf("%s\n", failed ? "FAILED" : argc > 5 ? "not checked" : "PASSED");
    pcp_view_trace_tikz();
    pcp_view_statistics_stdout();
    pcp_stop();
    free(p.a), free(p.last);
    return failed;
}
