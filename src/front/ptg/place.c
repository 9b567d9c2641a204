/* Where instances run. */
#include "front/ptg/remote.h"

twill_ptg_grid twill_ptg_grid_of(const twill *tw)
{
    int64_t ranks = tw ? tw->data.ranks : 1, rank = tw ? tw->data.rank : 0, rows = 1;
    for (int64_t i = 2; i <= ranks / i; i++)
        if (ranks % i == 0)
            rows = i;
    return (twill_ptg_grid){rows, ranks / rows, rank % rows, rank / rows};
}

tw_ptg_class *tw_ptg_class_number(const twill_graph *g, int number)
{
    const tw_ptg *ptg = g->ops == &tw_ptg_ops ? g->front : NULL;
    return ptg && number >= 0 && number < ptg->definition->classes ? &ptg->classes[number] : NULL;
}

int64_t tw_ptg_rank(const tw_ptg_class *c, const int64_t *p)
{
    int64_t rank = c->cls->rank ? c->cls->rank(c->ptg->globals, p) : 0;
    return rank >= 0 && rank < c->ptg->ranks ? rank : -1;
}

int64_t tw_ptg_owner(const twill_tile *tile)
{
    int64_t block[TWILL_DIMS];
    if (!tile)
        return -1;
    tw_tile_block(tile, block);
    return twill_pattern_owner(&tile->array->pattern, block);
}

TW_NOINLINE bool tw_ptg_refuse_place(const tw_ptg_class *c, const int64_t *p)
{
    tw_ptg_fail_instance(c, p,
                         c->cls->inputs(c->ptg->globals, p) < 0
                             ? "is outside its space, and a task sends to it"
                             : "is placed on a rank that does not exist");
    return false;
}
