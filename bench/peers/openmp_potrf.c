/*
 * Peer of the Cholesky benchmark: a right-looking tile factorization, lower triangle, written
 * with OpenMP tasks over the tile kernels of a serial BLAS.
 */
#include "peer.h"
#include "potrf.h"

struct tiles {
    int n;         /* order of the matrix */
    int nb;        /* order of a tile; the last may be smaller */
    int nt;        /* tiles along a side */
    size_t stride; /* doubles from one tile to the next */
    double *storage;
};

static const double one = 1.0;
static const double minus_one = -1.0;

static struct blas blas;
static int info; /* first failure of a diagonal tile, 0 as long as there is none */

static double *tile(const struct tiles *a, int i, int j)
{
    /* The lower triangle, column by column. */
    size_t before = (size_t)j * (size_t)a->nt - (size_t)j * (size_t)(j - 1) / 2;

    return a->storage + (before + (size_t)(i - j)) * a->stride;
}

static int tile_order(const struct tiles *a, int i)
{
    return i < a->nt - 1 ? a->nb : a->n - i * a->nb;
}

static struct tiles allocate_tiles(int n, int nb)
{
    struct tiles a = {.n = n, .nb = nb, .nt = (n + nb - 1) / nb};
    size_t count = (size_t)a.nt * (size_t)(a.nt + 1) / 2;

    a.stride = ((size_t)nb * (size_t)nb + 7) / 8 * 8;
    a.storage = peer_allocate(count * a.stride * sizeof(double));
    return a;
}

static void fill_tile(const struct tiles *a, int i, int j)
{
    double *t = tile(a, i, j);

    for (int c = 0; c < tile_order(a, j); c++) {
        for (int r = i == j ? c : 0; r < tile_order(a, i); r++)
            t[r + c * a->nb] = potrf_entry(a->n, r + i * a->nb, c + j * a->nb);
    }
}

/* In parallel, so that on first touch the pages spread over the memories of the machine. */
static void fill(const struct tiles *a)
{
#pragma omp parallel for schedule(static, 1)
    for (int j = 0; j < a->nt; j++) {
        for (int i = j; i < a->nt; i++)
            fill_tile(a, i, j);
    }
}

static void factor_tile(const struct tiles *a, int k)
{
    int failed = 0;
    int order = tile_order(a, k);

    blas.potrf("L", &order, tile(a, k, k), &a->nb, &failed, 1);
    if (failed) {
#pragma omp atomic write
        info = failed;
    }
}

static void solve_tile(const struct tiles *a, int i, int k)
{
    int rows = tile_order(a, i);

    blas.trsm("R", "L", "T", "N", &rows, &a->nb, &one, tile(a, k, k), &a->nb, tile(a, i, k), &a->nb,
              1, 1, 1, 1);
}

static void update_diagonal(const struct tiles *a, int i, int k)
{
    int order = tile_order(a, i);

    blas.syrk("L", "N", &order, &a->nb, &minus_one, tile(a, i, k), &a->nb, &one, tile(a, i, i),
              &a->nb, 1, 1);
}

static void update_tile(const struct tiles *a, int i, int j, int k)
{
    int rows = tile_order(a, i);

    blas.gemm("N", "T", &rows, &a->nb, &a->nb, &minus_one, tile(a, i, k), &a->nb, tile(a, j, k),
              &a->nb, &one, tile(a, i, j), &a->nb, 1, 1);
}

/* Inserts the updates of column j by column k. */
static void insert_updates(const struct tiles *a, int j, int k)
{
    double *jk = tile(a, j, k);
    double *jj = tile(a, j, j);

#pragma omp task depend(in : *jk) depend(inout : *jj) priority(j == k + 1)
    update_diagonal(a, j, k);
    for (int i = j + 1; i < a->nt; i++) {
        double *ik = tile(a, i, k);
        double *ij = tile(a, i, j);
#pragma omp task depend(in : *ik, *jk) depend(inout : *ij) priority(j == k + 1)
        update_tile(a, i, j, k);
    }
}

static void insert_tasks(const struct tiles *a)
{
    for (int k = 0; k < a->nt; k++) {
        double *kk = tile(a, k, k);
#pragma omp task depend(inout : *kk) priority(2)
        factor_tile(a, k);
        for (int i = k + 1; i < a->nt; i++) {
            double *ik = tile(a, i, k);
#pragma omp task depend(in : *kk) depend(inout : *ik) priority(1)
            solve_tile(a, i, k);
        }
        for (int j = k + 1; j < a->nt; j++)
            insert_updates(a, j, k);
    }
}

static double factor_entry(const void *holder, int i, int j)
{
    const struct tiles *a = holder;

    return tile(a, i / a->nb, j / a->nb)[i % a->nb + j % a->nb * a->nb];
}

/* One factorization of a fresh matrix, in GFLOP/s. */
static double repetition(const struct tiles *a)
{
    double seconds = 0.0;

    fill(a);
#pragma omp parallel
#pragma omp single
    {
        double begin = peer_seconds();
        insert_tasks(a);
#pragma omp taskwait
        seconds = peer_seconds() - begin;
    }
    if (info)
        peer_die("a diagonal tile is not positive definite (info %d)", info);
    potrf_check(a->n, factor_entry, a);
    return potrf_gflops(a->n, seconds);
}

int main(int argc, char **argv)
{
    if (argc != 7)
        peer_die("usage: N NB THREADS REPEAT BLASPATH KERNELS");
    int n = (int)peer_number(argv[1], "N", 1, 1000000);
    int nb = (int)peer_number(argv[2], "NB", 1, n);
    peer_number(argv[3], "THREADS", 1, 4096);
    long repeat = peer_number(argv[4], "REPEAT", 0, 1000000);
    const struct peer_setting settings[] = {
        {"OMP_NUM_THREADS", argv[3]},
        {"OMP_DYNAMIC", "false"},
        {"OMP_PLACES", "cores"},
        {"OMP_PROC_BIND", "close"},
        {"OMP_MAX_TASK_PRIORITY", "2"},
        /* Wait briefly for tasks, then sleep: a server must leave its cores to others. */
        {"OMP_WAIT_POLICY", "passive"},
        {"GOMP_SPINCOUNT", "10000"},
        /* The threads are those of OpenMP. */
        {"OPENBLAS_NUM_THREADS", "1"},
        {NULL, NULL},
    };
    struct tiles a = {0};

    peer_environment(settings, argv);
    for (long round = 0; peer_next_round(repeat, round); round++) {
        /* Not before the first request: until then somebody else may be measuring. */
        if (round == 0) {
            blas = blas_load(argv[5], argv[6]);
            a = allocate_tiles(n, nb);
            repetition(&a);
        }
        peer_answer(repeat, repetition(&a));
    }
    return 0;
}
