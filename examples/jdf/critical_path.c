/* critical_path.jdf: the tasks of the critical path run by two workers at once, and by one. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <twill/critical.h>
#include <twill/twill.h>

#include "critical_path.h"

enum { N = 480, NB = 48 };

int64_t tile_potrf(const twill_flow *t);
void tile_trsm(const twill_flow *l, const twill_flow *c, int64_t first, int64_t end);
void tile_gemm(const twill_flow *a, const twill_flow *b, const twill_flow *c, int64_t first,
               int64_t end);
int64_t share(int64_t n, int64_t member, int64_t members);

/* ---- the kernels ---------------------------------------------------------------------------- */

static double *at(const twill_flow *t, int64_t i, int64_t j)
{
    return (double *)t->data + i + j * t->ld;
}

int64_t share(int64_t n, int64_t member, int64_t members)
{
    return n * member / members;
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

void tile_trsm(const twill_flow *l, const twill_flow *c, int64_t first, int64_t end)
{
    for (int64_t j = 0; j < c->cols; j++) {
        for (int64_t k = 0; k < j; k++)
            for (int64_t i = first; i < end; i++)
                *at(c, i, j) -= *at(c, i, k) * *at(l, j, k);
        for (int64_t i = first; i < end; i++)
            *at(c, i, j) /= *at(l, j, j);
    }
}

void tile_gemm(const twill_flow *a, const twill_flow *b, const twill_flow *c, int64_t first,
               int64_t end)
{
    for (int64_t j = first; j < end; j++)
        for (int64_t k = 0; k < a->cols; k++)
            for (int64_t i = 0; i < c->rows; i++)
                *at(c, i, j) -= *at(a, i, k) * *at(b, j, k);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* Factor a matrix with so many reserved workers; the factor goes to `l`. */
static int factor(int reserved, double *l)
{
    twill_options options = {.size = sizeof options, .workers = 4, .mode = "regular"};
    twill_critical_info info = {.size = sizeof info};
    twill_pattern p = twill_tiled(N, N, NB, NB);
    twill *tw;
    twill_array *a, *before;
    twill_graph *graph;
    double ratio = 1e9;
    void *x = NULL;
    int64_t ld = 0;
    if (reserved) {
        options.mode = "fixed";
        options.reserved = reserved;
    }
    if (twill_start(&tw, &options))
        return 1;
    int failed = twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) ||
                 twill_array_create(tw, &p, TWILL_FLOAT64, 0, &before) || twill_fill_spd(a, 42) ||
                 twill_copy(a, before) ||
                 twill_critical_path_new(tw, a, twill_pattern_blocks(&p, 0), NB, &graph) ||
                 twill_ptg_run(graph) || twill_wait(graph) ||
                 twill_potrf_residual(TWILL_LOWER, before, a, &ratio) ||
                 twill_map(twill_view_all(a), TWILL_READ, &x, &ld) || twill_critical_get(tw, &info);
    for (int64_t j = 0; j < N && !failed; j++)
        memcpy(l + j * N, (const double *)x + j * ld, N * sizeof *l);
    if (!failed)
        twill_unmap(twill_view_all(a), x);
    printf("%d reserved: residual %.2g, %lld critical tasks, %lld by a team\n", reserved, ratio,
           (long long)info.tasks, (long long)info.teams);
    twill_stop(tw); /* frees the matrices, too */
    return failed || !(ratio < 30);
}

int main(void)
{
    static double alone[N * N], together[N * N];
    if (factor(0, alone) || factor(2, together)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    for (int64_t j = 0; j < N; j++)
        if (memcmp(alone + j + j * N, together + j + j * N, (size_t)(N - j) * sizeof *alone) != 0) {
            fprintf(stderr, "column %lld differs\n", (long long)j);
            return 1;
        }
    return 0;
}
