/* Run the graph of Figure 7 with the kernels of the library: the bits are those of twill_potrf. */
#include "la/kernel/blocks.h"
#include "la/kernel/tiles.h"
#include "la/la.h"

#include "figure7.h"

#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

enum { NB = 40, NT = 7, N = NT * NB };
static const tw_kernels *kernels;
static const double one = 1, minus_one = -1;

void dpotrf(double *T);
void dtrsm(const double *T, double *C);
void dsyrk(const double *A, double *T);
void dgemm(const double *A, const double *B, double *C);

static twill_flow flow_of(const double *tile)
{
    return (twill_flow){(void *)tile, NB, NB, NB};
}

void dpotrf(double *T)
{
    tw_tile_potrf(kernels, 'L', &(twill_flow){T, NB, NB, NB});
}

void dtrsm(const double *T, double *C)
{
    twill_flow t = flow_of(T), c = flow_of(C);
    tw_tile_trsm(kernels, 'L', &t, &c);
}

void dsyrk(const double *A, double *T)
{
    tw_block_herk(kernels, 'L', 'N', NB, NB, &minus_one, A, NB, &one, T, NB);
}

void dgemm(const double *A, const double *B, double *C)
{
    tw_block_gemm(kernels, 'N', 'C', NB, NB, NB, &minus_one, A, NB, B, NB, &one, C, NB);
}

static double *lower(twill_array *a)
{
    static double all[2][N * N];
    static int used;
    double *copy = all[used++];
    if (twill_get(twill_view_all(a), copy) != TWILL_OK)
        return NULL;
    for (int j = 0; j < N; j++)
        memset(copy + j * N, 0, sizeof(double) * (size_t)j);
    return copy;
}

int main(void)
{
    twill *tw;
    twill_array *a, *b;
    twill_graph *graph;
    const tw_blas *blas;
    int64_t info = -1;
    twill_pattern p = twill_tiled(N, N, NB, NB);
    bool good = !twill_start(&tw, NULL) && !twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) &&
                !twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b) && !twill_fill_spd(a, 42) &&
                !twill_fill_spd(b, 42) && !twill_potrf(TWILL_LOWER, b, &info) &&
                (blas = tw_blas_find(tw)) != NULL;
    if (good) {
        kernels = &blas->kernels[TWILL_FLOAT64];
        good =
            !twill_cholesky_new(tw, NT, a, &graph) && !twill_ptg_run(graph) && !twill_wait(graph);
    }
    if (!good) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    double *ours = lower(a), *theirs = lower(b);
    printf("info %lld, %s\n", (long long)info,
           ours && theirs && memcmp(ours, theirs, sizeof(double) * N * N) == 0 ? "equal bits"
                                                                               : "other bits");
    twill_stop(tw);
    return 0;
}
