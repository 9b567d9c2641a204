/* Products and triangular solves: C = A B, then L X = C, as one program without a wait between. */
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

enum { M = 700, N = 500, K = 600, NB = 128 };

static int fail(void)
{
    fprintf(stderr, "%s\n", twill_message());
    return 1;
}

static twill_array *matrix(twill *tw, int64_t m, int64_t n)
{
    twill_array *a = NULL;
    twill_pattern pattern = twill_tiled(m, n, NB, NB);
    return twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) == TWILL_OK ? a : NULL;
}

/* Each call is checked and its tasks are inserted; they begin as soon as their tiles are there. */
static twill_status insert_all(twill_graph *g, twill_array *a, twill_array *b, twill_array *l,
                               twill_array *c)
{
    twill_status status = twill_gemm_insert(g, TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1.0), a,
                                            b, twill_real(0.0), c, NULL);
    if (status == TWILL_OK)
        status = twill_trsm_insert(g, TWILL_LEFT, TWILL_LOWER, TWILL_NO_TRANS, TWILL_NON_UNIT,
                                   twill_real(1.0), l, c, NULL);
    return status;
}

int main(void)
{
    twill *tw;
    twill_graph *g;
    if (twill_start(&tw, NULL) != TWILL_OK || twill_stf_begin(tw, &g) != TWILL_OK)
        return fail();
    twill_array *a = matrix(tw, M, K), *b = matrix(tw, K, N), *c = matrix(tw, M, N);
    twill_array *l = matrix(tw, M, M); /* only its lower triangle is read */
    if (!a || !b || !c || !l || twill_fill_random(a, 1) != TWILL_OK ||
        twill_fill_random(b, 2) != TWILL_OK || twill_fill_spd(l, 3) != TWILL_OK)
        return fail();
    twill_status status = insert_all(g, a, b, l, c);
    if (twill_wait(g) != TWILL_OK || status != TWILL_OK)
        return fail();

    /* Back again: L X - A B must be nothing, compared with A B. The simple forms wait. */
    double left = 0, size = 0;
    twill_array *product = matrix(tw, M, N);
    if (!product ||
        twill_trmm(TWILL_LEFT, TWILL_LOWER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(1.0), l,
                   c) != TWILL_OK ||
        twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1.0), a, b, twill_real(0.0),
                   product) != TWILL_OK ||
        twill_norm(TWILL_NORM_FRO, product, &size) != TWILL_OK ||
        twill_add(TWILL_GENERAL, TWILL_NO_TRANS, twill_real(-1.0), product, twill_real(1.0), c) !=
            TWILL_OK ||
        twill_norm(TWILL_NORM_FRO, c, &left) != TWILL_OK)
        return fail();
    printf("|L X - A B| / |A B| = %.1e\n", left / size);
    twill_graph_free(g);
    twill_stop(tw);
    return size > 0 && left / size < 1e-12 ? 0 : 1;
}
