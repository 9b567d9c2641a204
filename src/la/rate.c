/* The rate of products on all workers: the limit that factorizations are compared with.
 *
 * What is measured is what a factorization does at best: tiles of C, each updated again and again
 * by products whose factors others use, too. Products follow one another without a wait in between,
 * so that no worker is idle but at the very end. */
#include "base/clock.h"
#include "la/la.h"

#include <twill/level3.h>

/* Long enough that a thread which the system takes a core from does not decide the result. */
static const double long_enough = 0.25;

typedef struct call {
    twill_array *a, *b, *c;
    int64_t products;
} call;

static twill_status insert_products(twill_graph *g, void *arg)
{
    const call *o = arg;
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < o->products && status == TWILL_OK; i++)
        status = twill_gemm_insert(g, TWILL_NO_TRANS, TWILL_CONJ_TRANS, twill_real(-1), o->a, o->b,
                                   twill_real(1), o->c, NULL);
    return status;
}

/* Tiles per row: some of C for each worker, and so many that start and end do not count. */
static int64_t tiles_across(const twill *tw, int64_t nb)
{
    enum { ORDER = 1024, MOST = 8, LEAST = 3 };
    int64_t n = ORDER / nb > MOST ? MOST : ORDER / nb > LEAST ? ORDER / nb : LEAST;
    while (n * n < 4 * twill_workers(tw))
        n++;
    return n;
}

static twill_status measure(twill *tw, call *o, double *seconds)
{
    double start = tw_seconds();
    twill_status status = tw_la_run(tw, insert_products, o, NULL);
    *seconds = tw_seconds() - start;
    return status;
}

/* More of them until they take long enough; the first ones also warm up. */
static twill_status measure_long(twill *tw, call *o, double *seconds)
{
    twill_status status = measure(tw, o, seconds);
    while (status == TWILL_OK && *seconds < long_enough) {
        double times = 1.2 * long_enough / *seconds;
        o->products *= times < 2 ? 2 : times > 64 ? 64 : (int64_t)times + 1;
        status = measure(tw, o, seconds);
    }
    return status;
}

twill_status twill_gemm_rate(twill *tw, twill_type type, int64_t nb, double *gflops)
{
    if (nb < 1 || nb > INT32_MAX || twill_type_size(type) == 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "gemm_rate: bad type or tile size %lld", (long long)nb);
    int64_t n = nb * tiles_across(tw, nb);
    twill_array **matrix[3];
    call o = {.products = 1};
    matrix[0] = &o.a, matrix[1] = &o.b, matrix[2] = &o.c;
    twill_status status = TWILL_OK;
    twill_pattern p = twill_tiled(n, n, nb, nb);
    for (int i = 0; i < 3 && status == TWILL_OK; i++) {
        status = twill_array_create(tw, &p, type, 0, matrix[i]);
        if (status == TWILL_OK)
            status = twill_fill_random(*matrix[i], (uint64_t)i);
    }
    double seconds = 0;
    if (status == TWILL_OK)
        status = measure_long(tw, &o, &seconds);
    if (status == TWILL_OK)
        *gflops = tw_la_flops(type, (double)n * (double)n * (double)n) * (double)o.products /
                  seconds * 1e-9;
    for (int i = 0; i < 3; i++)
        twill_array_free(*matrix[i]);
    return status;
}
