/* Ranks ask each other once for what they are, and keep the answer. */
#include "la/agree.h"

#include "engine/engine.h"
#include "la/choose.h"
#include "la/matrix/total.h"

#include <stdlib.h>

static void look(twill *tw, tw_agreed *here)
{
    const tw_blas *blas;
    bool found = tw_blas_get(tw, &blas) == TWILL_OK;
    *here = (tw_agreed){.width = tw_choose_width(tw)};
    for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++)
        here->own[type] = found && blas->kernels[type].own;
}

static twill_status ask(twill *tw, tw_agreed *agreed)
{
    look(tw, agreed);
    int64_t width = agreed->width;
    uint64_t without[TWILL_COMPLEX128 + 1] = {0}; /* how many ranks have no products */
    for (int type = 0; type <= TWILL_COMPLEX128; type++)
        without[type] = !agreed->own[type];
    twill_status status = tw_least(tw, &width);
    if (status == TWILL_OK)
        status = tw_total(tw, without, TWILL_COMPLEX128 + 1);
    agreed->width = (int)width;
    for (int type = 0; type <= TWILL_COMPLEX128; type++)
        agreed->own[type] = !without[type];
    return status;
}

/* ---- kept with the context --------------------------------------------------------------- */

typedef struct answer {
    tw_extension extension;
    tw_agreed agreed;
} answer;

static const char key;

static void close_answer(tw_extension *x)
{
    free(x);
}

/* Without memory the answer is found again the next time, on this rank alone: so it is kept
 * everywhere or nowhere. */
static twill_status keep(twill *tw, const tw_agreed *agreed)
{
    answer *a = calloc(1, sizeof *a);
    twill_status status = tw_agree_status(
        tw, a ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for what ranks agree upon"));
    if (status != TWILL_OK) {
        free(a);
        return status;
    }
    *a = (answer){{.key = &key, .close = close_answer}, *agreed};
    pthread_mutex_lock(&tw->wait_mutex);
    tw_extension_add(tw, &a->extension);
    pthread_mutex_unlock(&tw->wait_mutex);
    return TWILL_OK;
}

twill_status tw_agree(twill_graph *g, tw_agreed *agreed)
{
    twill *tw = g->tw;
    if (!g->shared) {
        look(tw, agreed);
        return TWILL_OK;
    }
    const answer *a = (const answer *)tw_extension_find(tw, &key);
    if (a) {
        *agreed = a->agreed;
        return TWILL_OK;
    }
    twill_status status = ask(tw, agreed);
    return status == TWILL_OK ? keep(tw, agreed) : status;
}

twill_status tw_agree_status(twill *tw, twill_status status)
{
    uint64_t nothing = 0;
    return tw_total_of(tw, status, &nothing, 1);
}
