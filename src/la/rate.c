/* The rate of the tile product on all workers: the limit that factorizations are compared with. */
#include "base/clock.h"
#include "la/kernel/blocks.h"
#include "la/la.h"

static twill_outcome product_body(twill_task *t)
{
    const tw_kernels *k = tw_la_kernels(t, 0);
    int n = (int)twill_task_rows(t, 0), ld = (int)twill_task_ld(t, 0);
    tw_block_gemm(k, 'N', 'C', n, n, n, k->minus_one, twill_task_data(t, 0), ld,
                  twill_task_data(t, 1), ld, k->one, twill_task_data(t, 2), ld);
    return TWILL_DONE;
}

static const twill_class product = {.name = "gemm", .cpu = product_body};

typedef struct call {
    twill_array *a;
    int64_t tiles, products;
} call;

static twill_status insert_products(twill_graph *g, void *arg)
{
    const call *o = arg;
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < o->products && status == TWILL_OK; i++)
        status = twill_insert(g, &product, TWILL_R(twill_tile_at(o->a, 0, 3 * i % o->tiles)),
                              TWILL_R(twill_tile_at(o->a, 0, (3 * i + 1) % o->tiles)),
                              TWILL_RW(twill_tile_at(o->a, 0, (3 * i + 2) % o->tiles)));
    return status;
}

static twill_status measure(twill *tw, call *o, double *seconds)
{
    double t0 = tw_seconds();
    twill_status status = tw_la_run(tw, insert_products, o, NULL);
    *seconds = tw_seconds() - t0;
    return status;
}

twill_status twill_gemm_rate(twill *tw, twill_type type, int64_t nb, double *gflops)
{
    /* 64 MiB of tiles: they do not stay in any cache */
    int64_t size = nb * nb * (int64_t)twill_type_size(type);
    if (nb < 1 || size <= 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "gemm_rate: bad type or tile size %lld", (long long)nb);
    int64_t tiles = 3 * ((int64_t)(64 << 20) / size / 3 + twill_workers(tw));
    twill_pattern p = twill_tiled(nb, nb * tiles, nb, nb);
    call o = {.tiles = tiles};
    twill_status status = twill_array_create(tw, &p, type, 0, &o.a);
    if (status != TWILL_OK)
        return status;
    const tw_blas *blas;
    status = tw_blas_get(tw, &blas);
    if (status == TWILL_OK)
        status = twill_fill_random(o.a, 1);
    double flops = tw_la_flops(type, (double)nb * (double)nb * (double)nb);
    double seconds = 1.0;
    o.products = 4 * twill_workers(tw);
    if (status == TWILL_OK)
        status = measure(tw, &o, &seconds); /* warm up, and see how many fit into 0.1 s */
    double many = (double)o.products * 0.1 / seconds;
    o.products = many > 1e6 ? 1000000 : many < 8 ? 8 : (int64_t)many;
    if (status == TWILL_OK)
        status = measure(tw, &o, &seconds);
    if (status == TWILL_OK)
        *gflops = flops * (double)o.products / seconds * 1e-9;
    twill_array_free(o.a);
    return status;
}
