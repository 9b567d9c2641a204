/* Matrices: half the memory for a triangle, parts without copying, norms, single precision, and
 * memory in LAPACK's layout. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { N = 600, NB = 100, HALF = 300 };

static void check(twill_status status)
{
    if (status == TWILL_OK)
        return;
    fprintf(stderr, "%s\n", twill_message());
    exit(1);
}

/* How far a part of the matrix is from its neighbour's mirror image, in single precision. */
static double asymmetry(twill *tw, twill_array *below, twill_array *above)
{
    twill_array *single;
    double norm;
    check(twill_matrix_create(tw, TWILL_FLOAT32, HALF, HALF, &single));
    check(twill_copy(below, single));
    twill_array *other;
    check(twill_matrix_create(tw, TWILL_FLOAT32, HALF, HALF, &other));
    check(twill_transpose(TWILL_TRANS, above, other));
    check(
        twill_add(TWILL_GENERAL, TWILL_NO_TRANS, twill_real(-1.0), other, twill_real(1.0), single));
    check(twill_norm(TWILL_NORM_FRO, single, &norm));
    twill_array_free(single);
    twill_array_free(other);
    return norm;
}

int main(void)
{
    twill *tw;
    twill_array *a, *lower, *corner, *rest, *below, *above;
    twill_pattern pattern = twill_tiled(N, N, NB, NB);
    check(twill_start(&tw, NULL));
    check(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a));
    check(twill_fill_spd_cond(a, 42, 1000.0));

    twill_view all = twill_view_all(a);
    check(twill_matrix_sub(twill_view_sub(all, HALF, 0, HALF, HALF), &below));
    check(twill_matrix_sub(twill_view_sub(all, 0, HALF, HALF, HALF), &above));
    double difference = asymmetry(tw, below, above);
    printf("|A21 - A12^T| = %g\n", difference);

    /* only the lower triangle, and its two diagonal blocks */
    check(twill_matrix_create_triangle(tw, TWILL_FLOAT64, N, NB, TWILL_LOWER, &lower));
    check(twill_copy(a, lower));
    all = twill_view_all(lower);
    check(twill_matrix_sub(twill_view_sub(all, 0, 0, HALF, HALF), &corner));
    check(twill_matrix_sub(twill_view_sub(all, HALF, HALF, HALF, HALF), &rest));

    /* factor both; they have no tile in common, so nothing waits for anything */
    twill_graph *graph;
    check(twill_stf_begin(tw, &graph));
    check(twill_potrf_insert(graph, TWILL_LOWER, corner, NULL));
    check(twill_potrf_insert(graph, TWILL_LOWER, rest, NULL));
    check(twill_wait(graph));
    twill_graph_free(graph);

    double norm, *memory = calloc((size_t)N * N, sizeof *memory);
    if (!memory)
        return 1;
    check(twill_norm_triangular(TWILL_NORM_ONE, TWILL_LOWER, TWILL_NON_UNIT, corner, &norm));
    check(twill_matrix_write(lower, TWILL_LOWER, memory, N));
    printf("|L11| = %.6f, L(0,0) = %.6f\n", norm, memory[0]);

    twill_view first = twill_view_sub(twill_view_all(a), 0, 0, 1, 1);
    void *data;
    int64_t ld;
    check(twill_map(first, TWILL_READ, &data, &ld));
    int good = fabs(memory[0] * memory[0] - *(double *)data) < 1e-14 && difference == 0.0;
    check(twill_unmap(first, data));
    free(memory);
    twill_stop(tw); /* frees the matrices, too */
    return good ? 0 : 1;
}
