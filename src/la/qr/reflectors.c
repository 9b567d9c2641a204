/* Reflectors: what a factorization keeps besides the matrix. */
#include "la/qr/qr.h"

#include "base/abi.h"
#include "data/array.h"
#include "la/kernel/blocks.h"
#include "la/matrix/total.h"
#include "la/qr/qr_tiles.h"

#include <stdlib.h>
#include <string.h>

/* Panels are factored faster with small inner blocks, and products with their reflectors are faster
 * with large ones; but where tiles are few, large ones cost more operations. */
enum { SMALL_IB = 32 };

/* Where branches are merged there are products with each merge: wider blocks pay. On 4000 columns
 * in tiles of 192 the second branch costs 19% of the time with blocks of 32, 11% with 96. */
enum { BRANCH_IB = 96 };

/* What is factored by columns (qr_tiles.c) pays for T with products: fewer in narrow blocks. */
enum { LEAST_IB = 8 };

/* Programs may be older than this option. */
static int64_t branches_of(const twill_la_options *options)
{
    return options && TW_ABI_HAS(twill_la_options, options, branches) ? options->branches : 0;
}

twill_status twill_reflectors_create(twill *tw, const twill_la_options *options,
                                     twill_reflectors **h)
{
    if (tw_la_check_options(options) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    if (!tw || !h)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_reflectors_create: an argument is NULL");
    twill_tree tree = options ? options->tree : TWILL_TREE_AUTO;
    if (tree < TWILL_TREE_AUTO || tree > TWILL_TREE_FIBONACCI)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_reflectors_create: there is no tree %d", tree);
    if (options && options->ib < 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_reflectors_create: ib must not be negative");
    if (branches_of(options) < 0)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_reflectors_create: branches must not be negative");
    twill_reflectors *made = calloc(1, sizeof *made);
    if (!made)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for reflectors");
    made->tw = tw;
    made->wanted = tree;
    made->wanted_ib = options ? options->ib : 0;
    made->wanted_branches = branches_of(options);
    *h = made;
    return TWILL_OK;
}

static void forget(twill_reflectors *h)
{
    twill_array_free(h->panels);
    twill_array_free(h->merges);
    tw_tree_free(&h->tree);
    h->panels = h->merges = NULL;
    h->made = false;
}

void twill_reflectors_free(twill_reflectors *h)
{
    if (!h)
        return;
    forget(h);
    twill_array_free(h->scales);
    free(h);
}

static int64_t blocks(int64_t n, int64_t nb)
{
    return (n + nb - 1) / nb;
}

twill_tile *tw_reflectors_tile(const twill_reflectors *h, twill_array *of, int64_t d, int64_t k)
{
    return twill_tile_at(of, h->mirror ? k : d, h->mirror ? d : k);
}

int64_t tw_reflectors_panels(const twill_reflectors *h)
{
    return blocks(tw_min(h->m, h->n), h->nb);
}

static bool fits(const twill_reflectors *h, const twill_array *a, bool mirror)
{
    const twill_pattern *p = twill_array_pattern(a);
    return h->made && h->mirror == mirror && h->type == twill_array_type(a) &&
           h->m == p->extent[mirror] && h->n == p->extent[!mirror] && h->nb == p->block[0] &&
           tw_pattern_is_like(p, twill_array_pattern(h->panels));
}

static int64_t choose_merge_ib(const twill_reflectors *h)
{
    int64_t ib = h->wanted_ib ? h->ib : h->tree.branches > 1 ? BRANCH_IB : SMALL_IB;
    return tw_min(ib, h->order);
}

static int64_t choose_ib(const twill_reflectors *h)
{
    bool large = h->tree.domain > 1 && h->n > h->nb; /* with something on the right of a panel */
    bool small = h->m <= h->nb && h->n <= h->nb && h->order <= TW_QR_SMALL;
    int64_t ib = h->wanted_ib ? h->wanted_ib : large ? h->nb : small ? LEAST_IB : SMALL_IB;
    return tw_min(ib, h->order);
}

/* The arrays, their tiles being all of the same size. */
static twill_status make_arrays(twill_reflectors *h, const twill_array *a)
{
    int64_t panels = tw_reflectors_panels(h);
    int64_t domains = h->tree.domains, rows = h->ib + h->order;
    int64_t down = h->mirror ? panels : domains, across = h->mirror ? domains : panels;
    int64_t cols = across * h->order;
    twill_pattern p = tw_pattern_like(&a->pattern, down * rows, cols, rows, h->order);
    twill_pattern q = tw_pattern_like(&a->pattern, down * h->merge_ib, cols, h->merge_ib, h->order);
    twill_status status = twill_array_create(h->tw, &p, h->type, 0, &h->panels);
    if (status == TWILL_OK)
        h->panels->tiles_chosen = true; /* a small matrix needs no graph */
    if (status == TWILL_OK && domains > 1)
        status = twill_array_create(h->tw, &q, h->type, 0, &h->merges);
    return status;
}

twill_status tw_reflectors_fit(twill_reflectors *h, const twill_array *a, bool mirror)
{
    if (fits(h, a, mirror))
        return TWILL_OK;
    forget(h);
    const twill_pattern *p = twill_array_pattern(a);
    h->mirror = mirror;
    h->type = twill_array_type(a);
    h->m = p->extent[mirror];
    h->n = p->extent[!mirror];
    h->nb = p->block[0];
    int64_t longer = h->m > h->n ? h->m : h->n;
    h->order = longer < 1 ? 1 : tw_min(h->nb, longer);
    int64_t panels = tw_reflectors_panels(h), mt = blocks(h->m, h->nb);
    int64_t branches = h->wanted_branches ? h->wanted_branches : p->grid[mirror];
    twill_status status = tw_tree_make(tw_tree_choose(h->wanted, mt, panels, branches), mt, panels,
                                       branches, &h->tree);
    if (status != TWILL_OK)
        return status;
    h->ib = choose_ib(h);
    h->merge_ib = choose_merge_ib(h);
    status = make_arrays(h, a);
    h->made = status == TWILL_OK;
    if (!h->made)
        forget(h);
    return status;
}

static twill_status check_made(const twill_reflectors *h, const char *who)
{
    if (!h)
        return tw_fail(TWILL_ERR_ARGUMENT, "%s: the reflectors are NULL", who);
    return h->made ? TWILL_OK
                   : tw_fail(TWILL_ERR_STATE, "%s: nothing has been factored with them yet", who);
}

twill_status twill_reflectors_info(const twill_reflectors *h, twill_tree *tree, int64_t *ib)
{
    twill_status status = check_made(h, "twill_reflectors_info");
    if (status == TWILL_OK) {
        *tree = h->tree.tree;
        *ib = h->ib;
    }
    return status;
}

twill_status twill_reflectors_branches(const twill_reflectors *h, int64_t *branches)
{
    twill_status status = check_made(h, "twill_reflectors_branches");
    if (status == TWILL_OK)
        *branches = h->tree.branches;
    return status;
}

/* tau is on the diagonals of T. Each rank copies what it owns. */
static twill_status copy_tau(twill_reflectors *h, int64_t panel, char *tau)
{
    void *t;
    int64_t i = h->mirror ? panel : 0, k = h->mirror ? 0 : panel;
    int64_t ld, n = tw_min(h->nb, tw_min(h->m, h->n) - panel * h->nb);
    size_t size = twill_type_size(h->type);
    if (twill_owner_at(h->panels, i, k) != twill_rank(h->tw))
        return TWILL_OK;
    twill_view v = twill_view_tile(h->panels, i, k);
    twill_status status = twill_map(v, TWILL_READ, &t, &ld);
    if (status != TWILL_OK)
        return status;
    for (int64_t j = 0; j < n; j++)
        memcpy(tau + (size_t)(panel * h->nb + j) * size,
               (char *)t + (size_t)(j % h->ib + j * ld) * size, size);
    return twill_unmap(v, t);
}

twill_status twill_reflectors_tau(twill_reflectors *h, void *tau)
{
    twill_status status = check_made(h, "twill_reflectors_tau");
    if (status == TWILL_OK && !tau)
        status = tw_fail(TWILL_ERR_ARGUMENT, "twill_reflectors_tau: tau is NULL");
    if (status == TWILL_OK && h->merges)
        status =
            tw_fail(TWILL_ERR_UNSUPPORTED,
                    "twill_reflectors_tau: only a flat tree of one branch has one reflector per "
                    "column");
    if (status != TWILL_OK)
        return status;
    size_t bytes = (size_t)tw_min(h->m, h->n) * twill_type_size(h->type);
    size_t words = (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    uint64_t *all = calloc(words + 1, sizeof *all); /* zeros where other ranks have something */
    if (!all)
        status = tw_fail(TWILL_ERR_MEMORY, "twill_reflectors_tau: no memory");
    for (int64_t k = 0; status == TWILL_OK && k < tw_reflectors_panels(h); k++)
        status = copy_tau(h, k, (char *)all);
    status = tw_total_of(h->tw, status, all, (int64_t)words);
    if (status == TWILL_OK)
        memcpy(tau, all, bytes);
    free(all);
    return status;
}

twill_status tw_qr_check_reflectors(const char *who, const twill_array *a,
                                    const twill_reflectors *h, bool mirror)
{
    twill_status status = check_made(h, who);
    if (status == TWILL_OK && !fits(h, a, mirror))
        status = tw_fail(TWILL_ERR_ARGUMENT, "%s: the reflectors are not of this matrix", who);
    return status;
}
