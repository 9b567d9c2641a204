/* The table of kernels, filled from a library. */
#include "la/blas.h"

#include "engine/engine.h"

#include <stdio.h>
#include <stdlib.h>

static const float f32[2] = {1.0f, -1.0f};
static const double f64[2] = {1.0, -1.0};
static const float c32[4] = {1.0f, 0.0f, -1.0f, 0.0f};
static const double c64[4] = {1.0, 0.0, -1.0, 0.0};

typedef struct names {
    const char *gemm, *herk, *trsm, *potrf;
    size_t size;
    const void *one, *minus_one;
} names;

static const names table[] = {
    [TWILL_F32] = {"sgemm_", "ssyrk_", "strsm_", "spotrf_", sizeof(float), &f32[0], &f32[1]},
    [TWILL_F64] = {"dgemm_", "dsyrk_", "dtrsm_", "dpotrf_", sizeof(double), &f64[0], &f64[1]},
    [TWILL_C32] = {"cgemm_", "cherk_", "ctrsm_", "cpotrf_", sizeof(float[2]), &c32[0], &c32[2]},
    [TWILL_C64] = {"zgemm_", "zherk_", "ztrsm_", "zpotrf_", sizeof(double[2]), &c64[0], &c64[2]},
};

/* ISO C has no cast from object to function pointers; POSIX has dlsym. */
static bool bind(const tw_library *library, const char *name, void *function)
{
    void *symbol = library->symbol(library, name);
    *(void **)function = symbol;
    if (!symbol)
        tw_fail(TWILL_ERR_UNSUPPORTED, "%s has no %s: Twill needs BLAS and LAPACK in one library",
                library->path, name);
    return symbol;
}

static twill_status fill(tw_blas *blas)
{
    for (int type = TWILL_F32; type <= TWILL_C64; type++) {
        const names *n = &table[type];
        tw_kernels *k = &blas->kernels[type];
        if (!bind(&blas->library, n->gemm, &k->gemm) || !bind(&blas->library, n->herk, &k->herk) ||
            !bind(&blas->library, n->trsm, &k->trsm) || !bind(&blas->library, n->potrf, &k->potrf))
            return TWILL_ERR_UNSUPPORTED;
        k->size = n->size;
        k->single = type == TWILL_F32 || type == TWILL_C32;
        k->one = n->one;
        k->minus_one = n->minus_one;
    }
    return TWILL_OK;
}

static void describe(tw_blas *blas)
{
    char *(*config)(void), *(*core)(void);
    *(void **)&config = blas->library.symbol(&blas->library, "openblas_get_config");
    *(void **)&core = blas->library.symbol(&blas->library, "openblas_get_corename");
    char version[64] = "";
    if (config)
        sscanf(config(), "OpenBLAS %63s", version);
    snprintf(blas->provider, sizeof blas->provider, config ? "OpenBLAS %s" : "BLAS%s", version);
    snprintf(blas->core, sizeof blas->core, "%s", core ? core() : "unknown");
}

static void close_blas(twill *tw)
{
    tw_blas *blas = tw->la;
    tw_library_close(&blas->library);
    free(blas);
}

static twill_status open_blas(twill *tw)
{
    tw_blas *blas = calloc(1, sizeof *blas);
    if (!blas)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the BLAS table");
    twill_status status =
        tw_library_open(&blas->library, tw->options.text[TW_OPT_BLAS],
                        tw->options.text[TW_OPT_KERNELS], tw->workers, blas->why, sizeof blas->why);
    if (status == TWILL_OK)
        status = fill(blas);
    if (status != TWILL_OK) {
        tw_library_close(&blas->library);
        free(blas);
        return status;
    }
    describe(blas);
    tw->la = blas;
    tw->la_close = close_blas;
    return TWILL_OK;
}

twill_status tw_blas_get(twill *tw, const tw_blas **blas)
{
    twill_status status = TWILL_OK;
    pthread_mutex_lock(&tw->wait_mutex);
    if (!tw->la)
        status = open_blas(tw);
    *blas = tw->la;
    pthread_mutex_unlock(&tw->wait_mutex);
    return status;
}

twill_status twill_blas_info(twill *tw, twill_blas *info)
{
    const tw_blas *blas;
    twill_status status = tw_blas_get(tw, &blas);
    if (status == TWILL_OK)
        *info = (twill_blas){blas->provider, blas->library.path, blas->core, blas->why, 1};
    return status;
}
