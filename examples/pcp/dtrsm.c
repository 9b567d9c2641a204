/* L X = B by forward substitution over tiles of L, for the PCP interface: test-dtrsm.x n m b p q.
 *
 * One task per tile: a solve on the diagonal, X(i) := L(i,i)^-1 B(i), and a product below it,
 * B(i) -= L(i,j) X(j). Products of a row run at the same time, each into memory of its own, and
 * only subtract what they have under a lock. The critical path alternates between the two. */
#include "kernels.h"

#include <math.h>
#include <pcp.h>
#include <pthread.h>
#include <string.h>

typedef struct tile {
    int rows, cols, m, n; /* of L(i,j); columns of B; rows of L and B */
    const double *l;
    double *x, *b; /* X(j); B(i) */
    pthread_mutex_t *lock;
} tile;

/* Each thread takes some right-hand sides. */
static void solve_columns(const tile *t, int first, int end)
{
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, t->rows,
                end - first, 1.0, t->l, t->n, t->b + (size_t)first * t->n, t->n);
}

static void solve_sequential(void *arg)
{
    solve_columns(arg, 0, ((tile *)arg)->m);
}

static void solve_parallel(void *arg, int nth, int rank)
{
    const tile *t = arg;
    solve_columns(t, first_of(t->m, nth, rank), first_of(t->m, nth, rank + 1));
}

static void update_columns(const tile *t, int first, int end)
{
    int cols = end - first;
    double *w = malloc(sizeof *w * (size_t)t->rows * (size_t)cols + 1);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, t->rows, cols, t->cols, 1.0, t->l, t->n,
                t->x + (size_t)first * t->n, t->n, 0.0, w, t->rows);
    pthread_mutex_lock(t->lock);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < t->rows; i++)
            t->b[i + (size_t)(first + j) * t->n] -= w[i + (size_t)j * t->rows];
    pthread_mutex_unlock(t->lock);
    free(w);
}

static void update_sequential(void *arg)
{
    update_columns(arg, 0, ((tile *)arg)->m);
}

static void update_parallel(void *arg, int nth, int rank)
{
    const tile *t = arg;
    update_columns(t, first_of(t->m, nth, rank), first_of(t->m, nth, rank + 1));
}

static int insert(int type, tile t)
{
    tile *arg = malloc(sizeof *arg);
    *arg = t;
    return pcp_insert_task(type, arg);
}

static void build(int n, int m, int b, const double *l, double *x, pthread_mutex_t *locks)
{
    struct pcp_task_type solve = {solve_sequential, solve_parallel, NULL, NULL};
    struct pcp_task_type update = {update_sequential, update_parallel, NULL, NULL};
    int solves = pcp_register_task_type(&solve), updates = pcp_register_task_type(&update);
    int tiles = (n + b - 1) / b, *handle = malloc(sizeof *handle * (size_t)tiles * (size_t)tiles);
    pcp_begin_graph();
    for (int j = 0; j < tiles; j++)
        for (int i = j; i < tiles; i++) {
            tile t = {
                min(b, n - i * b), min(b, n - j * b), m,        n, l + i * b + (size_t)j * b * n,
                x + j * b,         x + i * b,         &locks[i]};
            int task = handle[i + j * tiles] = insert(i == j ? solves : updates, t);
            if (i > j)
                pcp_insert_dependence(handle[j + j * tiles], task);
            for (int k = 0; k < j && i == j; k++)
                pcp_insert_dependence(handle[i + k * tiles], task);
        }
    pcp_end_graph();
    free(handle);
}

/* How far L X is from B. */
static double residual(int n, int m, const double *l, double *x)
{
    double sum = 0;
    cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, n, m, 1.0, l, n,
                x, n);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            sum += pow(x[i + (size_t)j * n] - number(i, j + n), 2);
    return sqrt(sum) / n;
}

int main(int argc, char **argv)
{
    int v[] = {600, 100, 100, 2, 1};
    if (!read_numbers(argc, argv, v, 5) || v[0] < 1 || v[1] < 1 || v[2] < 1 || v[3] < 0 ||
        v[4] < 0) {
        printf("test-dtrsm.x n m b p q [no check]: order, right-hand sides, tile size, threads (0: "
               "one per core), reserved ones (0: regular mode)\n");
        return EXIT_FAILURE;
    }
    int n = v[0], m = v[1], b = v[2], tiles = (n + b - 1) / b;
    use_one_thread();
    pcp_start(v[3]);
    pcp_set_mode(v[4] > 0 ? PCP_FIXED : PCP_REGULAR);
    if (v[4] > 0)
        pcp_set_reserved_set_size(v[4]);

    double *l = malloc(sizeof *l * (size_t)n * (size_t)n),
           *x = malloc(sizeof *x * (size_t)n * (size_t)m);
    pthread_mutex_t *locks = malloc(sizeof *locks * (size_t)tiles);
    for (int i = 0; i < tiles; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            l[i + (size_t)j * n] = i == j ? n : i > j ? number(i, j) : 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            x[i + (size_t)j * n] = number(i, j + n);

    build(n, m, b, l, x, locks);
    pcp_execute_graph();
    int failed = argc <= 6 && !(residual(n, m, l, x) < 1e-12);
    printf("%s\n", argc > 6 ? "not checked" : failed ? "FAILED" : "PASSED");
    pcp_view_trace_tikz();
    pcp_view_statistics_stdout();
    pcp_stop();
    for (int i = 0; i < tiles; i++)
        pthread_mutex_destroy(&locks[i]);
    free(l), free(x), free(locks);
    return failed;
}
