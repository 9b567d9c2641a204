/* cholesky.jdf: the factorization of Figure 1, with kernels in plain loops, beside twill_potrf. */
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

#include "cholesky.h"

enum { N = 500, NB = 64 };

int64_t tile_potrf(const twill_flow *t);
void tile_trsm(const twill_flow *l, const twill_flow *c);
void tile_gemm(const twill_flow *a, const twill_flow *b, const twill_flow *c);

/* ---- the kernels ---------------------------------------------------------------------------- */

static double *at(const twill_flow *t, int64_t i, int64_t j)
{
    return (double *)t->data + i + j * t->ld;
}

int64_t tile_potrf(const twill_flow *t)
{
    for (int64_t j = 0; j < t->cols; j++) {
        for (int64_t k = 0; k < j; k++)
            for (int64_t i = j; i < t->rows; i++)
                *at(t, i, j) -= *at(t, i, k) * *at(t, j, k);
        if (!(*at(t, j, j) > 0))
            return j + 1;
        double pivot = sqrt(*at(t, j, j));
        for (int64_t i = j; i < t->rows; i++)
            *at(t, i, j) /= pivot;
    }
    return 0;
}

void tile_trsm(const twill_flow *l, const twill_flow *c)
{
    for (int64_t j = 0; j < c->cols; j++) {
        for (int64_t k = 0; k < j; k++)
            for (int64_t i = 0; i < c->rows; i++)
                *at(c, i, j) -= *at(c, i, k) * *at(l, j, k);
        for (int64_t i = 0; i < c->rows; i++)
            *at(c, i, j) /= *at(l, j, j);
    }
}

void tile_gemm(const twill_flow *a, const twill_flow *b, const twill_flow *c)
{
    for (int64_t j = 0; j < c->cols; j++)
        for (int64_t k = 0; k < a->cols; k++)
            for (int64_t i = 0; i < c->rows; i++)
                *at(c, i, j) -= *at(a, i, k) * *at(b, j, k);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* The largest difference of two lower triangles. */
static double difference(const double *x, int64_t ldx, const double *y, int64_t ldy)
{
    double most = 0;
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i++)
            most = fmax(most, fabs(x[i + j * ldx] - y[i + j * ldy]));
    return most;
}

static int run(twill *tw)
{
    static const twill_datatype tile = {.size = sizeof(twill_datatype), .rows = NB, .cols = NB};
    twill_pattern p = twill_tiled(N, N, NB, NB);
    twill_array *a, *before, *other;
    twill_graph *graph;
    void *x, *y;
    int64_t ldx, ldy, info;
    double ratio;
    if (twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &before) ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &other) || twill_fill_spd(a, 42) ||
        twill_copy(a, before) || twill_copy(a, other) ||
        twill_cholesky_new(tw, twill_pattern_blocks(&p, 0), 1, 1, a, &tile, &graph) ||
        twill_ptg_run(graph) || twill_wait(graph) ||
        twill_potrf_residual(TWILL_LOWER, before, a, &ratio) ||
        twill_potrf(TWILL_LOWER, other, &info) ||
        twill_map(twill_view_all(a), TWILL_READ, &x, &ldx) ||
        twill_map(twill_view_all(other), TWILL_READ, &y, &ldy)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    double most = difference(x, ldx, y, ldy);
    printf("residual %.2g, %.1e from twill_potrf\n", ratio, most);
    twill_unmap(twill_view_all(a), x);
    twill_unmap(twill_view_all(other), y);
    twill_graph_free(graph);
    return ratio < 30 && most < 1e-10 ? 0 : 1;
}

int main(void)
{
    twill *tw;
    if (twill_start(&tw, NULL) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    int result = run(tw);
    twill_stop(tw); /* frees the matrices, too */
    return result;
}
