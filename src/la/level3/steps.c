/* The tasks that products and triangular solves are made of. */
#include "la/level3/steps.h"

#include "la/agree.h"
#include "la/device/on_device.h"
#include "la/kernel/blocks.h"

static tw_tile_view tile(const twill_task *t, int arg)
{
    return (tw_tile_view){twill_task_data(t, arg), (int)twill_task_rows(t, arg),
                          (int)twill_task_cols(t, arg), (int)twill_task_ld(t, arg)};
}

/* ---- for traces ---------------------------------------------------------------------------- */

/* Elements of the tile. */
static double size(const twill_task *t, int arg)
{
    return (double)twill_task_rows(t, arg) * (double)twill_task_cols(t, arg);
}

static void describe(const twill_task *t, twill_about *about, int result, double pairs,
                     double elements)
{
    about->parameters = 2;
    twill_task_tile(t, result, &about->parameter[0], &about->parameter[1]);
    about->flops = tw_la_flops(twill_array_type(twill_task_array(t, 0)), pairs);
    about->bytes = elements * (double)twill_array_element(twill_task_array(t, 0));
}

/* Rows and columns of a factor are those of C and the inner size, in any order. */
static void about_gemm(const twill_task *t, twill_about *about)
{
    const tw_blas_args *s = twill_task_data(t, 3);
    bool plain = s->options[0] == 'N';
    int64_t inner = plain ? twill_task_cols(t, 0) : twill_task_rows(t, 0), i, k;
    describe(t, about, 2, size(t, 2) * (double)inner, size(t, 0) + size(t, 1) + 2 * size(t, 2));
    twill_task_tile(t, 0, plain ? &i : &k, plain ? &k : &i);
    about->parameter[about->parameters++] = k;
}

static void about_gemm_grid(const twill_task *t, twill_about *about)
{
    const tw_grid_step *s = twill_task_data(t, 0);
    bool plain = s->step.options[0] == 'N';
    int first = 1 + s->rows + s->cols, end = first + s->rows * s->cols;
    int64_t inner = plain ? twill_task_cols(t, 1) : twill_task_rows(t, 1), i, k;
    double elements = 0, factors = 0;
    for (int x = 1; x < first; x++)
        factors += size(t, x);
    for (int x = first; x < end; x++)
        elements += size(t, x);
    about->parameters = 3;
    twill_task_tile(t, first, &about->parameter[0], &about->parameter[1]);
    twill_task_tile(t, 1, plain ? &i : &k, plain ? &k : &i);
    about->parameter[2] = k;
    about->flops = tw_la_flops(twill_array_type(twill_task_array(t, 1)), elements * (double)inner);
    about->bytes = (factors + 2 * elements) * (double)twill_array_element(twill_task_array(t, 1));
}

static void about_symm(const twill_task *t, twill_about *about)
{
    describe(t, about, 2, size(t, 2) * (double)twill_task_rows(t, 0),
             size(t, 0) / 2 + size(t, 1) + 2 * size(t, 2));
}

static void about_rank_k(const twill_task *t, twill_about *about)
{
    double n = (double)twill_task_rows(t, 2), k = n > 0 ? size(t, 0) / n : 0;
    describe(t, about, 2, n * (n + 1) / 2 * k, size(t, 0) + size(t, 2));
}

static void about_rank_2k(const twill_task *t, twill_about *about)
{
    double n = (double)twill_task_rows(t, 2), k = n > 0 ? size(t, 0) / n : 0;
    describe(t, about, 2, n * (n + 1) * k, 2 * size(t, 0) + size(t, 2));
}

static void about_triangle(const twill_task *t, twill_about *about)
{
    describe(t, about, 1, size(t, 1) * (double)twill_task_rows(t, 0) / 2,
             size(t, 0) / 2 + 2 * size(t, 1));
}

static void about_scale(const twill_task *t, twill_about *about)
{
    describe(t, about, 0, size(t, 0) / 2, 2 * size(t, 0));
}

/* ---- products ------------------------------------------------------------------------------ */

static twill_outcome multiply(const twill_task *t, tw_product_call *call)
{
    tw_tile_view x[] = {tile(t, 0), tile(t, 1), tile(t, 2)};
    call(tw_la_kernels(t, 0), x, twill_task_data(t, 3));
    return TWILL_DONE;
}

static twill_outcome gemm_grid_body(twill_task *t)
{
    const tw_grid_step *s = twill_task_data(t, 0);
    tw_tile_view x[2 * TW_GRID + TW_GRID * TW_GRID];
    int n = s->rows + s->cols + s->rows * s->cols;
    for (int i = 0; i < n; i++)
        x[i] = tile(t, 1 + i);
    tw_grid g = {.rows = s->rows,
                 .cols = s->cols,
                 .ta = s->step.options[0],
                 .tb = s->step.options[1],
                 .alpha = &s->step.alpha,
                 .a = x,
                 .b = x + s->rows,
                 .c = x + s->rows + s->cols};
    tw_block_grid(tw_la_kernels(t, 1), &g, &s->step.beta);
    return TWILL_DONE;
}

static twill_outcome gemm_body(twill_task *t)
{
    return multiply(t, tw_call_gemm);
}

static twill_outcome symm_body(twill_task *t)
{
    return multiply(t, tw_call_symm);
}

static twill_outcome hemm_body(twill_task *t)
{
    return multiply(t, tw_call_hemm);
}

static twill_outcome syrk_body(twill_task *t)
{
    return multiply(t, tw_call_syrk);
}

static twill_outcome herk_body(twill_task *t)
{
    return multiply(t, tw_call_herk);
}

static twill_outcome syr2k_body(twill_task *t)
{
    return multiply(t, tw_call_syr2k);
}

static twill_outcome her2k_body(twill_task *t)
{
    return multiply(t, tw_call_her2k);
}

const twill_class tw_step_gemm = {.size = sizeof(twill_class),
                                  .name = "gemm",
                                  .chores = {TWILL_CPU(gemm_body), TW_ON_DEVICES(tw_device_gemm)},
                                  .parameters = "m n k",
                                  .describe = about_gemm};
const twill_class tw_step_gemm_grid = {
    .size = sizeof(twill_class),
    .name = "gemm",
    .chores = {TWILL_CPU(gemm_grid_body), TW_ON_DEVICES(tw_device_gemm_grid)},
    .parameters = "m n k",
    .describe = about_gemm_grid};
const twill_class tw_step_symm = {.size = sizeof(twill_class),
                                  .name = "symm",
                                  .chores = {TWILL_CPU(symm_body), TW_ON_DEVICES(tw_device_symm)},
                                  .parameters = "m n",
                                  .describe = about_symm};
const twill_class tw_step_hemm = {.size = sizeof(twill_class),
                                  .name = "hemm",
                                  .chores = {TWILL_CPU(hemm_body), TW_ON_DEVICES(tw_device_hemm)},
                                  .parameters = "m n",
                                  .describe = about_symm};
const twill_class tw_step_syrk = {.size = sizeof(twill_class),
                                  .name = "syrk",
                                  .chores = {TWILL_CPU(syrk_body), TW_ON_DEVICES(tw_device_syrk)},
                                  .parameters = "m n",
                                  .describe = about_rank_k};
const twill_class tw_step_herk = {.size = sizeof(twill_class),
                                  .name = "herk",
                                  .chores = {TWILL_CPU(herk_body), TW_ON_DEVICES(tw_device_herk)},
                                  .parameters = "m n",
                                  .describe = about_rank_k};
const twill_class tw_step_syr2k = {
    .size = sizeof(twill_class),
    .name = "syr2k",
    .chores = {TWILL_CPU(syr2k_body), TW_ON_DEVICES(tw_device_syr2k)},
    .parameters = "m n",
    .describe = about_rank_2k};
const twill_class tw_step_her2k = {
    .size = sizeof(twill_class),
    .name = "her2k",
    .chores = {TWILL_CPU(her2k_body), TW_ON_DEVICES(tw_device_her2k)},
    .parameters = "m n",
    .describe = about_rank_2k};

/* ---- several tiles at once ----------------------------------------------------------------- */

twill_status tw_step_insert_grid(twill_graph *g, const tw_grid_step *s, twill_tile *const *a,
                                 twill_tile *const *b, twill_tile *const *c)
{
    twill_arg args[2 + 2 * TW_GRID + TW_GRID * TW_GRID] = {TWILL_VALUE(*s)};
    int n = 1;
    for (int i = 0; i < s->rows; i++)
        args[n++] = TWILL_R(a[i]);
    for (int i = 0; i < s->cols; i++)
        args[n++] = TWILL_R(b[i]);
    for (int i = 0; i < s->rows * s->cols; i++)
        args[n++] = TWILL_RW(c[i]);
    args[n] = TWILL_END;
    return twill_insert_args(g, &tw_step_gemm_grid, args);
}

/* Blocks near this order are as fast as any, as long as there are enough of them for all workers.
 */
twill_status tw_grid_size(twill_graph *g, twill_array *c, int64_t *size)
{
    enum { ORDER = 960, BLOCKS_PER_WORKER = 4 };
    const twill_pattern *p = twill_array_pattern(c);
    tw_agreed agreed;
    *size = 1;
    twill_status status = p->owner ? TWILL_OK : tw_agree(g, &agreed);
    if (p->owner || status != TWILL_OK || !agreed.own[twill_array_type(c)])
        return status;
    int64_t tiles = tw_la_mt(c) * tw_la_nt(c) / (p->grid[0] * p->grid[1]);
    int64_t n = tw_min(ORDER / p->block[0], TW_GRID);
    while (n > 1 && tiles < n * n * BLOCKS_PER_WORKER * agreed.width)
        n--;
    *size = tw_max(n, 1);
    return TWILL_OK;
}

/* ---- scaling --------------------------------------------------------------------------------- */

static twill_outcome scale_body(twill_task *t)
{
    tw_tile_view c = tile(t, 0);
    tw_call_scale(tw_la_kernels(t, 0), &c, twill_task_data(t, 1));
    return TWILL_DONE;
}

const twill_class tw_step_scale = {
    .size = sizeof(twill_class),
    .name = "scale",
    .chores = {TWILL_CPU(scale_body), TW_ON_DEVICES(tw_device_scale)},
    .parameters = "m n",
    .describe = about_scale};

twill_status tw_steps_scale(twill_graph *g, twill_array *c, twill_uplo uplo, bool hermitian,
                            twill_scalar beta)
{
    tw_blas_args step = {.beta = tw_la_element(twill_array_type(c), beta)};
    twill_status status = TWILL_OK;
    for (int64_t j = 0; j < tw_la_nt(c); j++) {
        int64_t first = uplo == TWILL_LOWER ? j : 0;
        int64_t end = uplo == TWILL_UPPER ? j + 1 : tw_la_mt(c);
        for (int64_t i = first; i < end && status == TWILL_OK; i++) {
            step.options[0] = (char)(i == j ? uplo : TWILL_GENERAL);
            step.options[1] = hermitian ? 'H' : 'S';
            status = twill_insert(g, &tw_step_scale, TWILL_RW(twill_tile_at(c, i, j)),
                                  TWILL_VALUE(step));
        }
    }
    return status;
}

/* ---- triangles ----------------------------------------------------------------------------- */

static twill_outcome multiply_triangle(const twill_task *t, tw_triangle_call *call)
{
    tw_tile_view a = tile(t, 0), b = tile(t, 1);
    const tw_triangle *triangle = twill_task_data(t, 2);
    call(tw_la_kernels(t, 0), *triangle, twill_task_data(t, 3), &a, &b);
    return TWILL_DONE;
}

static twill_outcome trmm_body(twill_task *t)
{
    return multiply_triangle(t, tw_call_trmm);
}

static twill_outcome trsm_body(twill_task *t)
{
    return multiply_triangle(t, tw_call_trsm);
}

const twill_class tw_step_trmm = {.size = sizeof(twill_class),
                                  .name = "trmm",
                                  .chores = {TWILL_CPU(trmm_body), TW_ON_DEVICES(tw_device_trmm)},
                                  .parameters = "m n",
                                  .describe = about_triangle};
const twill_class tw_step_trsm = {.size = sizeof(twill_class),
                                  .name = "trsm",
                                  .chores = {TWILL_CPU(trsm_body), TW_ON_DEVICES(tw_device_trsm)},
                                  .parameters = "m n",
                                  .describe = about_triangle};
