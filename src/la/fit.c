/* Matrices whose tiles do not fit each other. */
#include "la/fit.h"

#include "data/array.h"
#include "front/stf/ranks.h"

bool tw_can_fit(const twill_array *a, int da, const twill_array *b, int db)
{
    return a->tiles_chosen || b->tiles_chosen ||
           tw_pattern_room(&a->pattern, da) == tw_pattern_room(&b->pattern, db);
}

/* ---- which tiles --------------------------------------------------------------------------- */

/* Elements that need not be copied if its tiles stay. */
static double weight(const tw_fit *x)
{
    const twill_pattern *p = &x->program->pattern;
    double copies = x->mode == TWILL_READ_WRITE ? 2.0 : 1.0;
    return copies * (double)p->extent[0] * (double)p->extent[1];
}

/* Does x come before y? Those that cannot be others, then those that must not, then large ones. */
static bool comes_first(const tw_fit *x, const tw_fit *y)
{
    if (x->stays != y->stays)
        return x->stays;
    if (x->program->tiles_chosen != y->program->tiles_chosen)
        return y->program->tiles_chosen;
    return weight(x) > weight(y);
}

/* Its tiles, where the size is cut in no other way so far. */
static void cut(const tw_fit *x, int64_t *block)
{
    for (int d = 0; d < 2; d++)
        if (!block[x->size[d]])
            block[x->size[d]] = tw_pattern_room(&x->program->pattern, d);
}

static bool fits(const tw_fit *x, const int64_t *block)
{
    const twill_pattern *p = &x->program->pattern;
    bool fit = true;
    for (int d = 0; d < 2; d++)
        fit = fit && tw_min(block[x->size[d]], tw_max(p->extent[d], 1)) == tw_pattern_room(p, d);
    return fit;
}

/* Tiles along each size: what comes first decides. */
static void choose(const tw_fit *x, int n, int64_t *block)
{
    bool done[TW_FIT_MATRICES] = {false};
    for (int round = 0; round < n; round++) {
        int next = -1;
        for (int i = 0; i < n; i++)
            if (!done[i] && (next < 0 || comes_first(&x[i], &x[next])))
                next = i;
        done[next] = true;
        cut(&x[next], block);
    }
}

/* ---- copies -------------------------------------------------------------------------------- */

/* The same matrix may be there twice. */
static const tw_fit *copied_before(const tw_fit *x, int i)
{
    for (int k = 0; k < i; k++)
        if (x[k].program == x[i].program && x[k].size[0] == x[i].size[0] &&
            x[k].size[1] == x[i].size[1])
            return &x[k];
    return NULL;
}

static twill_status copy(twill_graph *g, tw_fit *x, const int64_t *block)
{
    twill_array *to = NULL;
    const twill_pattern *p = &x->program->pattern;
    twill_pattern q =
        tw_pattern_like(p, p->extent[0], p->extent[1], block[x->size[0]], block[x->size[1]]);
    twill_status status = tw_stf_create(g, &q, x->program->type, &to);
    if (status == TWILL_OK && x->mode != TWILL_WRITE)
        status = twill_copy_insert(g, x->uplo, x->program, to);
    if (status == TWILL_OK)
        *x->a = to;
    return status;
}

twill_status tw_fit_begin(twill_graph *g, tw_fit *x, int n)
{
    int64_t block[TW_FIT_SIZES] = {0};
    twill_status status = TWILL_OK;
    for (int i = 0; i < n; i++)
        x[i].program = *x[i].a;
    choose(x, n, block);
    for (int i = 0; i < n && status == TWILL_OK; i++) {
        const tw_fit *same = copied_before(x, i);
        if (same)
            *x[i].a = *same->a;
        else if (!fits(&x[i], block))
            status = copy(g, &x[i], block);
    }
    return status;
}

twill_status tw_fit_end(twill_graph *g, tw_fit *x, int n, twill_status status)
{
    for (int i = 0; i < n; i++) {
        twill_array *worked_on = *x[i].a;
        *x[i].a = x[i].program;
        if (worked_on != x[i].program && x[i].mode != TWILL_READ && status == TWILL_OK)
            status = twill_copy_insert(g, x[i].uplo, worked_on, x[i].program);
    }
    return status;
}
