/*
 * Peer of the benchmarks over ranks: the routines of ScaLAPACK, on matrices dealt over a grid of
 * MPI ranks. To be started by mpirun, a rank per core.
 */
#define _GNU_SOURCE
#include "la.h"
#include "peer.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library ------------------------------------------------------------------------- */

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);

int numroc_(const int *n, const int *nb, const int *process, const int *first, const int *count);
void descinit_(int *desc, const int *m, const int *n, const int *mb, const int *nb,
               const int *first_row, const int *first_col, const int *context, const int *ld,
               int *info);

/* Fortran passes the length of every character argument at the end. A matrix is its local part,
 * the row and column where it begins, and its descriptor. */
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *da,
             const double *b, const int *ib, const int *jb, const int *db, const double *beta,
             double *c, const int *ic, const int *jc, const int *dc, size_t, size_t);
void pdtrsm_(const char *side, const char *uplo, const char *trans, const char *diag, const int *m,
             const int *n, const double *alpha, const double *a, const int *ia, const int *ja,
             const int *da, double *b, const int *ib, const int *jb, const int *db, size_t, size_t,
             size_t, size_t);
void pdpotrf_(const char *uplo, const int *n, double *a, const int *ia, const int *ja,
              const int *da, int *info, size_t);
void pdpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *da, double *b, const int *ib, const int *jb, const int *db,
              int *info, size_t);
void pdgetrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *da,
              int *ipiv, int *info);
void pdgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *ia,
              const int *ja, const int *da, const int *ipiv, double *b, const int *ib,
              const int *jb, const int *db, int *info, size_t);
void pdgeqrf_(const int *m, const int *n, double *a, const int *ia, const int *ja, const int *da,
              double *tau, double *work, const int *lwork, int *info);
void pdormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
              const double *a, const int *ia, const int *ja, const int *da, const double *tau,
              double *c, const int *ic, const int *jc, const int *dc, double *work,
              const int *lwork, int *info, size_t, size_t);

enum { DESC = 9 };
static const int one = 1, none = 0;
static const double unit = 1.0;

/* ---- matrices ---------------------------------------------------------------------------- */

struct grid {
    int context, rows, cols, row, col, rank;
};

struct matrix {
    int rows, cols, nb;
    int local_rows, local_cols;
    double diagonal; /* added to it */
    double *entries;
    int desc[DESC];
};

static struct grid open_grid(int rows, int cols)
{
    struct grid g;
    int ranks;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
    if (rows * cols != ranks)
        peer_die("a grid of %d by %d has not %d ranks", rows, cols, ranks);
    Cblacs_get(-1, 0, &g.context);
    Cblacs_gridinit(&g.context, "Col", rows, cols);
    Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
    return g;
}

static struct matrix allocate(const struct grid *g, int rows, int cols, int nb, double diagonal)
{
    struct matrix a = {.rows = rows, .cols = cols, .nb = nb, .diagonal = diagonal};
    int info;

    a.local_rows = numroc_(&rows, &nb, &g->row, &none, &g->rows);
    a.local_cols = numroc_(&cols, &nb, &g->col, &none, &g->cols);
    int ld = a.local_rows > 0 ? a.local_rows : 1;
    a.entries = peer_allocate((size_t)ld * (size_t)(a.local_cols + 1) * sizeof(double));
    descinit_(a.desc, &rows, &cols, &nb, &nb, &none, &none, &g->context, &ld, &info);
    if (info)
        peer_die("descinit refuses argument %d", -info);
    return a;
}

/* Where row or column l of a rank's part is in the whole. */
static int global(int l, int nb, int process, int count)
{
    return (l / nb * count + process) * nb + l % nb;
}

static double *local_entry(const struct matrix *a, int i, int j)
{
    return &a->entries[(size_t)j * (size_t)a->local_rows + (size_t)i];
}

static void fill(const struct grid *g, const struct matrix *a)
{
    for (int j = 0; j < a->local_cols; j++)
        for (int i = 0; i < a->local_rows; i++)
            *local_entry(a, i, j) = la_entry(a->diagonal, global(i, a->nb, g->row, g->rows),
                                             global(j, a->nb, g->col, g->cols));
}

/* y += A x on all ranks, with the matrix as it was filled or as it is now. */
static void multiply(const struct grid *g, const struct matrix *a, int original, const double *x,
                     double *y)
{
    double *sum = calloc((size_t)a->rows, sizeof(*sum));

    if (!sum)
        peer_die("no memory");
    for (int j = 0; j < a->local_cols; j++)
        for (int i = 0; i < a->local_rows; i++) {
            int row = global(i, a->nb, g->row, g->rows), col = global(j, a->nb, g->col, g->cols);
            sum[row] +=
                (original ? la_entry(a->diagonal, row, col) : *local_entry(a, i, j)) * x[col];
        }
    MPI_Allreduce(MPI_IN_PLACE, sum, a->rows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < a->rows; i++)
        y[i] += sum[i];
    free(sum);
}

/* ---- routines ---------------------------------------------------------------------------- */

struct problem {
    struct grid grid;
    int n, nb, lwork;
    struct matrix a, b, c;
    struct matrix vector; /* n by 1, for the check */
    int *ipiv;
    double *tau, *work;
};

static int run_potrf(struct problem *p)
{
    int info;

    pdpotrf_("L", &p->n, p->a.entries, &one, &one, p->a.desc, &info, 1);
    return info;
}

static int run_getrf(struct problem *p)
{
    int info;

    pdgetrf_(&p->n, &p->n, p->a.entries, &one, &one, p->a.desc, p->ipiv, &info);
    return info;
}

static int run_geqrf(struct problem *p)
{
    int info;

    pdgeqrf_(&p->n, &p->n, p->a.entries, &one, &one, p->a.desc, p->tau, p->work, &p->lwork, &info);
    return info;
}

static int run_gemm(struct problem *p)
{
    pdgemm_("N", "N", &p->n, &p->n, &p->n, &unit, p->a.entries, &one, &one, p->a.desc, p->b.entries,
            &one, &one, p->b.desc, &unit, p->c.entries, &one, &one, p->c.desc, 1, 1);
    return 0;
}

/* Solve with the factors in place. */

static int solve_potrf(struct problem *p)
{
    int info;

    pdpotrs_("L", &p->n, &one, p->a.entries, &one, &one, p->a.desc, p->vector.entries, &one, &one,
             p->vector.desc, &info, 1);
    return info;
}

static int solve_getrf(struct problem *p)
{
    int info;

    pdgetrs_("N", &p->n, &one, p->a.entries, &one, &one, p->a.desc, p->ipiv, p->vector.entries,
             &one, &one, p->vector.desc, &info, 1);
    return info;
}

static int solve_geqrf(struct problem *p)
{
    int info;

    pdormqr_("L", "T", &p->n, &one, &p->n, p->a.entries, &one, &one, p->a.desc, p->tau,
             p->vector.entries, &one, &one, p->vector.desc, p->work, &p->lwork, &info, 1, 1);
    pdtrsm_("L", "U", "N", "N", &p->n, &one, &unit, p->a.entries, &one, &one, p->a.desc,
            p->vector.entries, &one, &one, p->vector.desc, 1, 1, 1, 1);
    return info;
}

static const struct routine {
    const char *name;
    int (*run)(struct problem *p);   /* returns info */
    int (*solve)(struct problem *p); /* NULL: a product */
    double (*flops)(double m, double n);
} routines[] = {
    {"potrf", run_potrf, solve_potrf, la_flops_potrf},
    {"getrf", run_getrf, solve_getrf, la_flops_getrf},
    {"geqrf", run_geqrf, solve_geqrf, la_flops_geqrf},
    {"gemm", run_gemm, NULL, la_flops_gemm},
};

static const struct routine *find_routine(const char *name)
{
    for (size_t i = 0; i < sizeof(routines) / sizeof(*routines); i++)
        if (strcmp(routines[i].name, name) == 0)
            return &routines[i];
    peer_die("no routine '%s'", name);
}

/* ---- the check --------------------------------------------------------------------------- */

/* x := the solution for the right-hand side y, which all ranks have, as all will have it. */
static void solve(struct problem *p, const struct routine *r, const double *y, double *x)
{
    struct matrix *v = &p->vector;
    const struct grid *g = &p->grid;

    for (int i = 0; i < v->local_rows && v->local_cols; i++)
        *local_entry(v, i, 0) = y[global(i, p->nb, g->row, g->rows)];
    if (r->solve(p))
        peer_die("%s: its factors cannot be solved with", r->name);
    memset(x, 0, (size_t)p->n * sizeof(*x));
    for (int i = 0; i < v->local_rows && v->local_cols; i++)
        x[global(i, p->nb, g->row, g->rows)] = *local_entry(v, i, 0);
    MPI_Allreduce(MPI_IN_PLACE, x, p->n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* What the result makes of a vector, against what it should: A x is y if x solves it, and a product
 * does what its factors do. */
static void check(struct problem *p, const struct routine *r)
{
    size_t n = (size_t)p->n;
    double *x = calloc(4 * n, sizeof(*x)), *y = x + n, *z = x + 2 * n, *t = x + 3 * n;
    double worst = 0.0, size = 0.0;

    if (!x)
        peer_die("no memory");
    for (int i = 0; i < p->n; i++)
        x[i] = 1.0 + i % 7;
    if (r->solve) {
        multiply(&p->grid, &p->a, 1, x, y);
        solve(p, r, y, x);
        multiply(&p->grid, &p->a, 1, x, z);
    } else {
        multiply(&p->grid, &p->c, 0, x, y);
        multiply(&p->grid, &p->b, 1, x, t);
        multiply(&p->grid, &p->a, 1, t, z);
        multiply(&p->grid, &p->c, 1, x, z);
    }
    for (int i = 0; i < p->n; i++) {
        worst = fmax(worst, fabs(y[i] - z[i]));
        size = fmax(size, fabs(y[i]));
    }
    free(x);
    if (!(worst <= 1e-9 * (size + 1))) /* a comparison that NaN fails too */
        peer_die("wrong result: off by %g of %g", worst, size);
}

/* ---- repetitions ------------------------------------------------------------------------- */

static void allocate_all(struct problem *p, const struct routine *r)
{
    const struct grid *g = &p->grid;
    size_t most = (size_t)p->n + (size_t)p->nb;

    p->a = allocate(g, p->n, p->n, p->nb, r->run == run_potrf ? p->n : 0.0);
    if (!r->solve) {
        p->b = allocate(g, p->n, p->n, p->nb, 0.0);
        p->c = allocate(g, p->n, p->n, p->nb, 0.0);
    }
    p->vector = allocate(g, p->n, 1, p->nb, 0.0);
    p->lwork = p->nb * (p->a.local_rows + p->a.local_cols + 4 * p->nb);
    p->ipiv = calloc(most, sizeof(*p->ipiv));
    p->tau = calloc(most, sizeof(*p->tau));
    p->work = calloc((size_t)p->lwork, sizeof(*p->work));
    if (!p->ipiv || !p->tau || !p->work)
        peer_die("no memory");
}

/* Once on fresh matrices, in GFLOP/s. The check takes long, so only the first result is looked at.
 */
static double repetition(struct problem *p, const struct routine *r, int checked)
{
    fill(&p->grid, &p->a);
    if (p->b.entries)
        fill(&p->grid, &p->b);
    if (p->c.entries)
        fill(&p->grid, &p->c);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = peer_seconds();
    int info = r->run(p);
    MPI_Barrier(MPI_COMM_WORLD);
    double seconds = peer_seconds() - begin;
    if (info)
        peer_die("%s failed (info %d)", r->name, info);
    if (checked)
        check(p, r);
    return 1e-9 * r->flops(p->n, p->n) / seconds;
}

/* The BLAS that libscalapack finds, with one thread and these kernels. */
static void choose_blas(const char *folder, const char *kernels, char **argv)
{
    const char *present = getenv("LD_LIBRARY_PATH");
    char path[8192];

    if (!present)
        snprintf(path, sizeof(path), "%s", folder);
    else if (strncmp(present, folder, strlen(folder)) == 0) /* started again */
        snprintf(path, sizeof(path), "%s", present);
    else
        snprintf(path, sizeof(path), "%s:%s", folder, present);
    struct peer_setting settings[] = {{"LD_LIBRARY_PATH", path},
                                      {"OPENBLAS_NUM_THREADS", "1"},
                                      {"OPENBLAS_CORETYPE", kernels},
                                      {NULL, NULL}};

    if (strcmp(kernels, "auto") == 0)
        settings[2] = settings[3];
    peer_environment(settings, argv);
}

int main(int argc, char **argv)
{
    int rows, cols;

    if (argc != 8 || sscanf(argv[4], "%dx%d", &rows, &cols) != 2)
        peer_die("usage: ROUTINE N NB PxQ REPEAT BLASFOLDER KERNELS");
    choose_blas(argv[6], argv[7], argv);
    const struct routine *r = find_routine(argv[1]);
    struct problem p = {
        .n = (int)peer_number(argv[2], "N", 1, 1000000),
        .nb = (int)peer_number(argv[3], "NB", 1, 100000),
    };
    long repeat = peer_number(argv[5], "REPEAT", 1, 1000000);

    MPI_Init(&argc, &argv);
    p.grid = open_grid(rows, cols);
    allocate_all(&p, r);
    repetition(&p, r, 1);
    for (long round = 0; round < repeat; round++) {
        double gflops = repetition(&p, r, 0);
        if (p.grid.rank == 0)
            peer_answer(repeat, gflops);
    }
    MPI_Finalize();
    return 0;
}
