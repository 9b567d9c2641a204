/* The steps of level 3 on devices. */
#include "la/device/on_device.h"
#include "la/level3/steps.h"

/* ---- products: tiles A, B and C, and what the call needs ------------------------------------ */

twill_outcome tw_device_gemm(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 2);
    const tw_blas_args *s = twill_task_data(t, 3);
    int64_t inner = s->options[0] == 'N' ? twill_task_cols(t, 0) : twill_task_rows(t, 0);
    return tw_on_device_end(t, d.blas->gemm(d.launch, d.type, s->options[0], s->options[1],
                                            twill_task_rows(t, 2), twill_task_cols(t, 2), inner,
                                            &s->alpha, tw_on_device_at(t, 0), tw_on_device_at(t, 1),
                                            &s->beta, tw_on_device_at(t, 2)));
}

/* The tiles of C one after the other. */
twill_outcome tw_device_gemm_grid(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 1);
    const tw_grid_step *g = twill_task_data(t, 0);
    const tw_blas_args *s = &g->step;
    int64_t inner = s->options[0] == 'N' ? twill_task_cols(t, 1) : twill_task_rows(t, 1);
    twill_status status = TWILL_OK;
    for (int i = 0; i < g->rows * g->cols && status == TWILL_OK; i++) {
        int a = 1 + i % g->rows, b = 1 + g->rows + i / g->rows, c = 1 + g->rows + g->cols + i;
        status = d.blas->gemm(d.launch, d.type, s->options[0], s->options[1], twill_task_rows(t, c),
                              twill_task_cols(t, c), inner, &s->alpha, tw_on_device_at(t, a),
                              tw_on_device_at(t, b), &s->beta, tw_on_device_at(t, c));
    }
    return tw_on_device_end(t, status);
}

static twill_outcome multiply_symmetric(twill_task *t, bool hermitian)
{
    const tw_on_device d = tw_on_device_of(t, 2);
    const tw_blas_args *s = twill_task_data(t, 3);
    return tw_on_device_end(t,
                            d.blas->symm(d.launch, d.type, hermitian, s->options[0], s->options[1],
                                         twill_task_rows(t, 2), twill_task_cols(t, 2), &s->alpha,
                                         tw_on_device_at(t, 0), tw_on_device_at(t, 1), &s->beta,
                                         tw_on_device_at(t, 2)));
}

twill_outcome tw_device_symm(twill_task *t, void *queue)
{
    (void)queue;
    return multiply_symmetric(t, false);
}

twill_outcome tw_device_hemm(twill_task *t, void *queue)
{
    (void)queue;
    return multiply_symmetric(t, true);
}

static int64_t inner_size(const twill_task *t, const tw_blas_args *s)
{
    return s->options[1] == 'N' ? twill_task_cols(t, 0) : twill_task_rows(t, 0);
}

static twill_outcome update(twill_task *t, bool hermitian)
{
    const tw_on_device d = tw_on_device_of(t, 2);
    const tw_blas_args *s = twill_task_data(t, 3);
    return tw_on_device_end(t,
                            d.blas->herk(d.launch, d.type, hermitian, s->options[0], s->options[1],
                                         twill_task_rows(t, 2), inner_size(t, s), &s->alpha,
                                         tw_on_device_at(t, 0), &s->beta, tw_on_device_at(t, 2)));
}

twill_outcome tw_device_syrk(twill_task *t, void *queue)
{
    (void)queue;
    return update(t, false);
}

twill_outcome tw_device_herk(twill_task *t, void *queue)
{
    (void)queue;
    return update(t, true);
}

static twill_outcome update_2k(twill_task *t, bool hermitian)
{
    const tw_on_device d = tw_on_device_of(t, 2);
    const tw_blas_args *s = twill_task_data(t, 3);
    return tw_on_device_end(
        t, d.blas->her2k(d.launch, d.type, hermitian, s->options[0], s->options[1],
                         twill_task_rows(t, 2), inner_size(t, s), &s->alpha, tw_on_device_at(t, 0),
                         tw_on_device_at(t, 1), &s->beta, tw_on_device_at(t, 2)));
}

twill_outcome tw_device_syr2k(twill_task *t, void *queue)
{
    (void)queue;
    return update_2k(t, false);
}

twill_outcome tw_device_her2k(twill_task *t, void *queue)
{
    (void)queue;
    return update_2k(t, true);
}

/* ---- one tile, and triangles ----------------------------------------------------------------- */

/* A product of inner size 0, as on the cores. */
twill_outcome tw_device_scale(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 0);
    const tw_blas_args *s = twill_task_data(t, 1);
    const tw_element none = {{0}};
    const tw_place c = tw_on_device_at(t, 0);
    int64_t m = twill_task_rows(t, 0), n = twill_task_cols(t, 0);
    twill_status status =
        s->options[0] == TWILL_GENERAL
            ? d.blas->gemm(d.launch, d.type, 'N', 'N', m, n, 0, &none, c, c, &s->beta, c)
            : d.blas->herk(d.launch, d.type, s->options[1] == 'H', s->options[0], 'N', n, 0, &none,
                           c, &s->beta, c);
    return tw_on_device_end(t, status);
}

twill_outcome tw_device_trmm(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 1);
    const tw_triangle *x = twill_task_data(t, 2);
    return tw_on_device_end(t, d.blas->trmm(d.launch, d.type, x->side, x->uplo, x->trans, x->diag,
                                            twill_task_rows(t, 1), twill_task_cols(t, 1),
                                            twill_task_data(t, 3), tw_on_device_at(t, 0),
                                            tw_on_device_at(t, 1)));
}

twill_outcome tw_device_trsm(twill_task *t, void *queue)
{
    (void)queue;
    const tw_on_device d = tw_on_device_of(t, 1);
    const tw_triangle *x = twill_task_data(t, 2);
    return tw_on_device_end(t, d.blas->trsm(d.launch, d.type, x->side, x->uplo, x->trans, x->diag,
                                            twill_task_rows(t, 1), twill_task_cols(t, 1),
                                            twill_task_data(t, 3), tw_on_device_at(t, 0),
                                            tw_on_device_at(t, 1)));
}
