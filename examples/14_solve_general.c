/* Systems of equations with a general matrix: factor once, solve for several right-hand sides, and
 * ask how far the answer can be trusted. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 1000, SIDES = 8 };

static double largest_error(twill_array *x)
{
    void *data;
    int64_t ld;
    double most = 0;
    if (twill_map(twill_view_all(x), TWILL_READ, &data, &ld) != TWILL_OK)
        return 1e9;
    for (int j = 0; j < SIDES; j++)
        for (int i = 0; i < N; i++) {
            double error = ((double *)data)[i + j * ld] - 1.0;
            error = error < 0 ? -error : error;
            most = error <= most ? most : error;
        }
    return twill_unmap(twill_view_all(x), data) == TWILL_OK ? most : 1e9;
}

int main(void)
{
    twill *tw;
    twill_array *a, *b, *ones, *ipiv;
    twill_graph *g;
    int64_t info = -1;
    double norm, rcond = 0;
    if (twill_start(&tw, NULL)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_pattern square = twill_tiled(N, N, 128, 128), tall = twill_tiled(N, SIDES, 128, 128);
    if (twill_array_create(tw, &square, TWILL_FLOAT64, 0, &a) ||
        twill_array_create(tw, &tall, TWILL_FLOAT64, 0, &b) ||
        twill_array_create(tw, &tall, TWILL_FLOAT64, 0, &ones) || twill_pivots_create(a, &ipiv) ||
        twill_stf_begin(tw, &g))
        goto failed;

    /* The solution is known: B is A times ones. */
    if (twill_fill_random(a, 42) || twill_set(TWILL_GENERAL, twill_real(1), twill_real(1), ones) ||
        twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), a, ones, twill_real(0), b) ||
        twill_norm(TWILL_NORM_ONE, a, &norm))
        goto failed;

    /* Two calls, one graph: the solve begins where the factorization is done. */
    if (twill_getrf_insert(g, a, ipiv, NULL) ||
        twill_getrs_insert(g, TWILL_NO_TRANS, a, ipiv, b, NULL) || twill_wait(g) ||
        twill_getrf_info(a, &info) || twill_gecon(TWILL_NORM_ONE, a, norm, &rcond))
        goto failed;

    double error = largest_error(b);
    printf("info %lld, condition about %.1g, largest error %.1g\n", (long long)info, 1 / rcond,
           error);
    twill_stop(tw);
    return info == 0 && error < 1e-13 / rcond ? 0 : 1;

failed:
    fprintf(stderr, "%s\n", twill_message());
    twill_stop(tw);
    return 1;
}
