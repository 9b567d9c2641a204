/* Shortest paths between all nodes of a random graph by the task graph of floyd_warshall.jdf,
 * compared with the three loops everybody knows. */
#include "floyd_warshall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twill/twill.h>

enum { NB = 32, NT = 6, N = NT * NB };
static const double none = 1e9; /* no road */

void shorten(double *c, const double *l, const double *u, int64_t n);

void shorten(double *c, const double *l, const double *u, int64_t n)
{
    for (int64_t t = 0; t < n; t++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++) {
                double way = l[i + t * n] + u[t + j * n];
                if (way < c[i + j * n])
                    c[i + j * n] = way;
            }
}

/* One in eight pairs has a road, of a length from 1 to 100. */
static void make_roads(double *d)
{
    srand(7);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            d[i + j * N] = i == j ? 0 : rand() % 8 ? none : 1 + rand() % 100;
}

/* The array is made of tiles that are stored one by one, so it is filled and read as a copy. */
static bool run(twill *tw, double *d)
{
    twill_array *a = NULL;
    twill_graph *g = NULL;
    twill_pattern tiles = twill_tiled(N, N, NB, NB);
    void *data;
    int64_t ld;
    bool good = !twill_array_create(tw, &tiles, TWILL_FLOAT64, 0, &a) &&
                !twill_map(twill_view_all(a), TWILL_WRITE, &data, &ld);
    if (good) {
        memcpy(data, d, sizeof(double) * N * N);
        good = !twill_unmap(twill_view_all(a), data) && !twill_floyd_warshall_new(tw, NT, a, &g) &&
               !twill_ptg_run(g) && !twill_wait(g) &&
               !twill_map(twill_view_all(a), TWILL_READ, &data, &ld);
    }
    if (good) {
        memcpy(d, data, sizeof(double) * N * N);
        good = !twill_unmap(twill_view_all(a), data);
    }
    if (!good)
        fprintf(stderr, "%s\n", twill_message());
    twill_graph_free(g);
    twill_array_free(a);
    return good;
}

int main(void)
{
    static double d[N * N], wanted[N * N];
    twill *tw;
    if (twill_start(&tw, NULL) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    make_roads(d);
    memcpy(wanted, d, sizeof d);
    shorten(wanted, wanted, wanted, N);
    bool good = run(tw, d) && memcmp(d, wanted, sizeof d) == 0; /* lengths are whole numbers */
    twill_stop(tw);
    printf("%d nodes: %s\n", N, good ? "all distances are right" : "wrong");
    return good ? 0 : 1;
}
