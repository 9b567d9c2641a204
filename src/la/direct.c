/* Small problems without a graph. */
#include "la/direct.h"

#include "engine/use.h"

static int count(const tw_direct *d)
{
    int n = 0;
    while (n < TW_DIRECT_MATRICES && d->x[n].a)
        n++;
    return n;
}

/* Its place among those before it, or its own. */
static int first_mention(const tw_direct *d, int i)
{
    int k = 0;
    while (d->x[k].a != d->x[i].a)
        k++;
    return k;
}

/* Memory of the program in one tile is what it would give LAPACK. */
static bool may_be_direct(const twill_array *a)
{
    return a->tiles_chosen || a->ld > 0;
}

/* Pivots and columns are cut as matrices are. */
static bool is_small(const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    return a->ntiles == 1 && p->extent[0] <= TW_DIRECT_ORDER && p->extent[1] <= TW_DIRECT_ORDER &&
           (may_be_direct(a) || a->type == TWILL_BYTES || p->extent[1] == 1);
}

static bool suits(const tw_direct *d)
{
    bool good = may_be_direct(d->x[0].a) && !d->x[0].a->context->remote;
    int n = count(d);
    for (int i = 0; i < n && good; i++)
        good = is_small(d->x[i].a) && (first_mention(d, i) == i || d->x[i].mode == TWILL_READ);
    return good;
}

/* Its tile, which may be one of many that the matrix has of which it is a part. */
static twill_tile *only_tile(twill_array *a)
{
    return twill_tile_at(a, 0, 0);
}

static twill_flow whole(twill_array *a)
{
    const tw_host_bytes *host = &only_tile(a)->value.host;
    return (twill_flow){host->data, host->ld, a->pattern.extent[0], a->pattern.extent[1]};
}

/* Get hold of all matrices at once, so that two threads cannot wait for each other. */
static twill_status hold(const tw_direct *d, twill *tw, tw_use **out)
{
    int n = count(d);
    if (tw_in_task(tw))
        return tw_fail(TWILL_ERR_STATE, "a task cannot wait for linear algebra: insert it into a "
                                        "nested graph (twill_nest) instead");
    tw_use *use = tw_use_make(tw, d->who, (uint32_t)n);
    for (int i = 0; use && i < n; i++)
        if (first_mention(d, i) == i)
            tw_use_tile(use, only_tile(d->x[i].a), d->x[i].mode);
    if (!use || !tw_use_enter(use)) {
        tw_use_discard(use);
        return tw_fail(TWILL_ERR_MEMORY, "%s: no memory", d->who);
    }
    twill_status status = tw_use_wait(use);
    if (status == TWILL_OK)
        *out = use;
    return status;
}

static twill_status call(const tw_direct *d, const tw_use *use, int64_t *info)
{
    twill_flow x[TW_DIRECT_MATRICES];
    const twill_array *a = d->x[0].a;
    /* not there when a routine that needs none is the first */
    const tw_blas *blas = tw_blas_find(a->context);
    if (use->poisoned)
        return tw_fail(TWILL_ERR_CANCELED,
                       "%s: the data comes from a graph that failed; twill_wait for that graph "
                       "says why",
                       d->who);
    if (use->status != TWILL_OK)
        return tw_fail(use->status, "%s: the data could not be copied to the host", d->who);
    for (int i = 0; i < count(d); i++)
        x[i] = whole(d->x[i].a);
    int64_t result = d->kernel(blas ? &blas->kernels[a->type] : NULL, x, d->arg);
    if (result == TW_DIRECT_NO_MEMORY)
        return tw_fail(TWILL_ERR_MEMORY, "%s: no memory", d->who);
    if (info)
        *info = result;
    return TWILL_OK;
}

static twill_status run(const tw_direct *d, int64_t *info)
{
    twill *tw = d->x[0].a->context;
    tw_use *use = NULL;
    twill_status status = hold(d, tw, &use);
    if (status != TWILL_OK)
        return status;
    status = call(d, use, info);
    tw_worker *w = tw_enter(tw);
    tw_use_leave(use, w, 0);
    tw_exit(w);
    return status;
}

bool tw_direct_done(const tw_direct *d, int64_t *info, twill_status *status)
{
    if (!suits(d))
        return false;
    *status = run(d, info);
    return true;
}
