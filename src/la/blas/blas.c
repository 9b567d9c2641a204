/* The table of kernels, filled from a library. */
#include "la/blas/blas.h"

#include "base/abi.h"
#include "engine/engine.h"
#include "la/kernel/multiply.h"
#include "la/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float f32[3] = {1.0f, -1.0f, 0.0f};
static const double f64[3] = {1.0, -1.0, 0.0};
static const float c64[6] = {1.0f, 0.0f, -1.0f, 0.0f, 0.0f, 0.0f};
static const double c128[6] = {1.0, 0.0, -1.0, 0.0, 0.0, 0.0};

/* The types: prefix of a kernel's name, and constants. */
static const struct {
    char prefix;
    const void *one, *minus_one, *zero;
} types[] = {
    [TWILL_FLOAT32] = {'s', &f32[0], &f32[1], &f32[2]},
    [TWILL_FLOAT64] = {'d', &f64[0], &f64[1], &f64[2]},
    [TWILL_COMPLEX64] = {'c', &c64[0], &c64[2], &c64[4]},
    [TWILL_COMPLEX128] = {'z', &c128[0], &c128[2], &c128[4]},
};

/* The kernels: what they are called when the type is complex, and when it is real. */
static const struct {
    size_t at;
    const char *complex, *real;
} names[] = {
    {offsetof(tw_kernels, gemm), "gemm", "gemm"},
    {offsetof(tw_kernels, gemv), "gemv", "gemv"},
    {offsetof(tw_kernels, gerc), "gerc", "ger"},
    {offsetof(tw_kernels, symm), "symm", "symm"},
    {offsetof(tw_kernels, hemm), "hemm", "symm"},
    {offsetof(tw_kernels, syrk), "syrk", "syrk"},
    {offsetof(tw_kernels, herk), "herk", "syrk"},
    {offsetof(tw_kernels, syr2k), "syr2k", "syr2k"},
    {offsetof(tw_kernels, her2k), "her2k", "syr2k"},
    {offsetof(tw_kernels, trsm), "trsm", "trsm"},
    {offsetof(tw_kernels, trmm), "trmm", "trmm"},
    {offsetof(tw_kernels, trsv), "trsv", "trsv"},
    {offsetof(tw_kernels, trmv), "trmv", "trmv"},
    {offsetof(tw_kernels, potrf), "potrf", "potrf"},
    {offsetof(tw_kernels, lauum), "lauum", "lauum"},
    {offsetof(tw_kernels, trtri), "trtri", "trtri"},
    {offsetof(tw_kernels, sysv), "sysv", "sysv"},
    {offsetof(tw_kernels, hesv), "hesv", "sysv"},
    {offsetof(tw_kernels, sytrf), "sytrf", "sytrf"},
    {offsetof(tw_kernels, hetrf), "hetrf", "sytrf"},
    {offsetof(tw_kernels, syconv), "syconv", "syconv"},
    {offsetof(tw_kernels, gels), "gels", "gels"},
    {offsetof(tw_kernels, larfg), "larfg", "larfg"},
    {offsetof(tw_kernels, geqrt), "geqrt", "geqrt"},
    {offsetof(tw_kernels, tpqrt), "tpqrt", "tpqrt"},
    {offsetof(tw_kernels, lascl), "lascl", "lascl"},
};

/* ISO C has no cast from object to function pointers; POSIX has dlsym. */
static bool bind(const tw_library *library, const char *name, void *function)
{
    void *symbol = library->symbol(library, name);
    memcpy(function, &symbol, sizeof symbol);
    if (!symbol)
        tw_fail(TWILL_ERR_UNSUPPORTED, "neither %s nor %s has %s: Twill needs BLAS and LAPACK",
                library->path, library->lapack_path, name);
    return symbol;
}

/* Real products come from Twill itself where it has kernels for the processor. */
static void use_own_products(tw_blas *blas)
{
    tw_library *library = &blas->library;
    if (!library->own_products || !tw_multiply_of(false))
        return;
    for (int type = TWILL_FLOAT32; type <= TWILL_FLOAT64; type++)
        blas->kernels[type].own = tw_multiply_of(type == TWILL_FLOAT32);
    size_t kernels = strlen(library->kernels), why = strlen(library->why);
    snprintf(library->kernels + kernels, sizeof library->kernels - kernels, "+Twill");
    snprintf(library->why + why, sizeof library->why - why,
             "; real products by Twill's own, for %s: faster on tiles", tw_multiply_name);
}

static twill_status fill(tw_blas *blas)
{
    for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++) {
        tw_kernels *k = &blas->kernels[type];
        k->type = (twill_type)type;
        k->size = twill_type_size(type);
        k->single = type == TWILL_FLOAT32 || type == TWILL_COMPLEX64;
        k->complex = type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
        k->one = types[type].one;
        k->minus_one = types[type].minus_one;
        k->zero = types[type].zero;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char name[32];
            snprintf(name, sizeof name, "%c%s_", types[type].prefix,
                     k->complex ? names[i].complex : names[i].real);
            if (!bind(&blas->library, name, (char *)k + names[i].at))
                return TWILL_ERR_UNSUPPORTED;
        }
    }
    use_own_products(blas);
    return TWILL_OK;
}

static const char key;

static void close_blas(tw_extension *x)
{
    tw_blas *blas = (tw_blas *)x;
    tw_library_close(&blas->library);
    free(blas);
}

/* Open what was measured to be the best; false when nothing was, or it does not work any more. */
static bool open_tuned(twill *tw, tw_blas *blas)
{
    const tw_tuning *t = tw_tuning_applies(tw) ? tw_tuning_get_locked(tw) : NULL;
    if (!t || !*t->found.blas)
        return false;
    bool two = *t->found.lapack && strcmp(t->found.lapack, t->found.blas);
    tw_wish wish = {.blas = t->found.blas,
                    .lapack = two ? t->found.lapack : "auto",
                    .kernels = *t->found.kernels ? t->found.kernels : "auto",
                    .callers = tw->workers,
                    .why = "measured by twill tune"};
    if (tw_library_open(&blas->library, &wish) == TWILL_OK && fill(blas) == TWILL_OK)
        return true;
    tw_library_close(&blas->library);
    *blas = (tw_blas){0};
    return false;
}

static twill_status open_wanted(twill *tw, tw_blas *blas)
{
    tw_wish wish = {.blas = tw->options.text[TW_OPT_BLAS],
                    .lapack = tw->options.text[TW_OPT_LAPACK],
                    .kernels = tw->options.text[TW_OPT_KERNELS],
                    .callers = tw->workers};
    twill_status status = tw_library_open(&blas->library, &wish);
    if (status == TWILL_OK)
        status = fill(blas);
    if (status != TWILL_OK)
        tw_library_close(&blas->library);
    return status;
}

static twill_status open_blas(twill *tw)
{
    tw_blas *blas = calloc(1, sizeof *blas);
    if (!blas)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the BLAS table");
    twill_status status = open_tuned(tw, blas) ? TWILL_OK : open_wanted(tw, blas);
    if (status != TWILL_OK) {
        free(blas);
        return status;
    }
    blas->extension = (tw_extension){.key = &key, .close = close_blas};
    tw_extension_add(tw, &blas->extension);
    return TWILL_OK;
}

const tw_blas *tw_blas_find(const twill *tw)
{
    return (const tw_blas *)tw_extension_find(tw, &key);
}

twill_status tw_blas_get(twill *tw, const tw_blas **blas)
{
    twill_status status = TWILL_OK;
    if ((*blas = tw_blas_find(tw)))
        return TWILL_OK;
    pthread_mutex_lock(&tw->wait_mutex);
    if (!tw_blas_find(tw))
        status = open_blas(tw);
    *blas = tw_blas_find(tw);
    pthread_mutex_unlock(&tw->wait_mutex);
    return status;
}

twill_status twill_blas_info(twill *tw, twill_blas *info)
{
    const tw_blas *blas;
    twill_status status = tw_blas_get(tw, &blas);
    if (status != TWILL_OK)
        return status;
    const twill_blas used = {.size = sizeof used,
                             .provider = blas->library.provider,
                             .path = blas->library.path,
                             .lapack = blas->library.lapack_path,
                             .kernels = blas->library.kernels,
                             .why = blas->library.why,
                             .threads = 1};
    return TW_ABI_OUT(twill_blas, reserved, info, &used);
}
