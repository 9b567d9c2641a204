/* Solve a symmetric positive definite system: factor and solve in one graph, look at the condition,
 * and do it again in mixed precision, which is nearly twice as fast and as accurate. */
#include <twill/twill.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 600, NB = 100, COLUMNS = 3 };

static void must(twill_status status)
{
    if (status == TWILL_OK)
        return;
    fprintf(stderr, "%s\n", twill_message());
    exit(1);
}

static twill_array *matrix(twill *tw, int64_t columns)
{
    twill_array *a;
    twill_pattern p = twill_tiled(N, columns, NB, NB);
    must(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    return a;
}

/* |B - A X|, the largest element; B is used up. */
static double residual(twill_array *a, twill_array *x, twill_array *b)
{
    double size;
    must(twill_symm(TWILL_LEFT, TWILL_LOWER, twill_real(-1.0), a, x, twill_real(1.0), b));
    must(twill_norm(TWILL_NORM_MAX, b, &size));
    return size;
}

int main(void)
{
    twill *tw;
    twill_graph *graph;
    must(twill_start(&tw, NULL));

    /* A triangle is enough, and takes half the memory. */
    twill_array *a, *factor, *b = matrix(tw, COLUMNS), *x = matrix(tw, COLUMNS);
    must(twill_matrix_create_triangle(tw, TWILL_FLOAT64, N, NB, TWILL_LOWER, &a));
    must(twill_matrix_create_triangle(tw, TWILL_FLOAT64, N, NB, TWILL_LOWER, &factor));
    must(twill_fill_spd_cond(a, 1, 1e5));
    must(twill_fill_random(b, 2));

    /* Nothing here waits until twill_wait: the solve begins while the factorization is under way.
     */
    must(twill_stf_begin(tw, &graph));
    must(twill_copy_insert(graph, TWILL_LOWER, a, factor));
    must(twill_copy_insert(graph, TWILL_GENERAL, b, x));
    must(twill_posv_insert(graph, TWILL_LOWER, factor, x, NULL));
    must(twill_wait(graph));
    twill_graph_free(graph);

    double norm, rcond;
    must(twill_norm_symmetric(TWILL_NORM_ONE, TWILL_LOWER, a, &norm));
    must(twill_pocon(TWILL_LOWER, factor, norm, &rcond));
    double r1 = residual(a, x, b);
    printf("double: residual %.1e, condition about %.1e\n", r1, 1.0 / rcond);

    /* Factored in single precision, refined in double; A and B stay as they are. */
    int64_t steps, info;
    must(twill_fill_random(b, 2));
    must(twill_posv_mixed(TWILL_LOWER, a, b, x, TWILL_REFINE_CLASSIC, &steps, &info));
    double r2 = residual(a, x, b);
    printf("mixed:  residual %.1e after %d steps of refinement\n", r2, (int)steps);

    twill_stop(tw);
    return r1 < 1e-9 && r2 < 1e-9 && info == 0 && steps > 0 && rcond < 1e-3 ? 0 : 1;
}
