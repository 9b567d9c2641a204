/* Where instances run. */
#include "front/ptg/ptg.h"

twill_ptg_grid twill_ptg_grid_of(const twill *tw)
{
    int64_t ranks = tw ? tw->data.ranks : 1, rank = tw ? tw->data.rank : 0, cols = 1;
    for (int64_t i = 2; i <= ranks / i; i++)
        if (ranks % i == 0)
            cols = i;
    int64_t rows = ranks / cols;
    return (twill_ptg_grid){rows, cols, rank % rows, rank / rows};
}

bool tw_ptg_check_place(const tw_ptg_class *c, const int64_t *p)
{
    if (tw_likely(!c->rank) || c->rank(c->ptg->globals, p) == 0)
        return true;
    tw_ptg_fail_instance(c, p, "is placed on a rank that does not exist");
    return false;
}
