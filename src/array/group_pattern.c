/* Patterns dealt over a group of ranks. */
#include "array/group.h"

#include "base/status.h"
#include "data/pattern/pattern.h"

#include <stdlib.h>

/* ---- an owner function, where the ranks of the group are no run -------------------------- */

/* Blocks beyond the last ones may have any owner that is in the group. */
static int64_t owner(const int64_t *block, void *arg)
{
    const tw_group_deal *deal = arg;
    int64_t number = twill_pattern_owner(&deal->numbers, block);
    return number < 0 ? number : deal->group->rank[number % deal->group->size];
}

/* The pattern of numbers that this one was made of. */
static twill_pattern numbers_of(const twill_pattern *p)
{
    const tw_group_deal *deal = p->arg;
    twill_pattern q = deal->numbers;
    for (int d = 0; d < p->ndim; d++) {
        q.extent[d] = p->extent[d];
        q.block[d] = p->block[d];
    }
    q.order = p->order;
    return q;
}

static int64_t number_of(const twill_pattern *p, int64_t rank)
{
    return twill_group_number(((const tw_group_deal *)p->arg)->group, rank);
}

static int64_t count(const twill_pattern *p, int64_t rank)
{
    twill_pattern q = numbers_of(p);
    int64_t number = number_of(p, rank);
    return number < 0 ? 0 : twill_pattern_rank_blocks(&q, number);
}

static int64_t number_block(const twill_pattern *p, const int64_t *block)
{
    twill_pattern q = numbers_of(p);
    return twill_pattern_lblock_number(&q, block);
}

static void find_block(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    twill_pattern q = numbers_of(p);
    twill_pattern_lblock(&q, number_of(p, rank), number, block);
}

/* A local view needs a grid. */
static uint64_t properties(const twill_pattern *p)
{
    twill_pattern q = numbers_of(p);
    return twill_pattern_properties(&q) & ~(uint64_t)TWILL_SEPARABLE;
}

static const twill_mapping mapping = {.size = sizeof mapping,
                                      .name = "group",
                                      .owner = owner,
                                      .count = count,
                                      .number = number_block,
                                      .block = find_block,
                                      .properties = properties};

/* ---- made -------------------------------------------------------------------------------- */

static tw_group_deal *find_deal(twill_group *g, const twill_pattern *p)
{
    tw_group_deal *deal = g->deals;
    while (deal && !(deal->numbers.ndim == p->ndim && deal->numbers.mapping == p->mapping &&
                     tw_pattern_is_like(&deal->numbers, p)))
        deal = deal->next;
    if (deal)
        return deal;
    deal = malloc(sizeof *deal);
    if (!deal)
        return NULL;
    *deal = (tw_group_deal){g->deals, g, *p};
    g->deals = deal;
    return deal;
}

static bool fits(const twill_group *g, const twill_pattern *p)
{
    int64_t room = g->size - p->first;
    if (p->owner)
        return twill_pattern_ranks(p) <= g->size;
    for (int d = 0; d < p->ndim && room > 0; d++)
        room /= p->grid[d];
    return room > 0;
}

static bool is_run(const twill_group *g)
{
    int64_t i = 1;
    while (i < g->size && g->rank[i] == g->rank[0] + i)
        i++;
    return i == g->size;
}

twill_status twill_group_pattern(twill_group *g, const twill_pattern *numbers,
                                 twill_pattern *pattern)
{
    if (!g || !numbers || !pattern)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_group_pattern: an argument is NULL");
    twill_status status = twill_pattern_check(numbers);
    if (status != TWILL_OK)
        return status;
    if (!fits(g, numbers))
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "the pattern has more ranks than the group, which has %lld",
                       (long long)g->size);
    if (is_run(g) && (!numbers->owner || g->rank[0] == 0)) {
        *pattern = *numbers;
        pattern->first += g->rank[0];
        return TWILL_OK;
    }
    pthread_mutex_lock(&g->mutex);
    tw_group_deal *deal = find_deal(g, numbers);
    pthread_mutex_unlock(&g->mutex);
    if (!deal)
        return tw_fail(TWILL_ERR_MEMORY, "no memory to deal a pattern over a group");
    twill_pattern p =
        twill_pattern_mapped(numbers->ndim, numbers->extent, numbers->block, &mapping, deal);
    p.order = numbers->order;
    *pattern = p; /* which may be `numbers` */
    return TWILL_OK;
}
