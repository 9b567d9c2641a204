/* Members of a team lend their cores to the first one: for bodies that are OpenMP, or a BLAS with
 * threads.
 *
 * Each member says itself where it may run, whether it is bound or not. Without memory for that,
 * threads run on fewer cores: binding is a matter of speed. */
#include "engine/engine.h"

static const tw_topo *topo_of(const tw_team *team)
{
    return &team->task->graph->tw->topo;
}

/* Add where this member may run. */
static void add_own(twill_team *member)
{
    tw_team *team = member->shared;
    hwloc_cpuset_t own = tw_topo_where(topo_of(team));
    if (!own)
        return;
    if (member->rank == 0)
        member->before = hwloc_bitmap_dup(own);
    tw_lock_take(&team->lock);
    if (!team->lent) {
        team->lent = own;
        own = NULL;
    } else {
        (void)hwloc_bitmap_or(team->lent, team->lent, own);
    }
    tw_unlock(&team->lock);
    hwloc_bitmap_free(own);
}

int twill_team_lend(twill_team *member)
{
    if (!member->lends) {
        member->lends = true;
        add_own(member);
        twill_team_barrier(member);
        if (member->before) /* else nobody could undo it */
            twill_team_borrow(member);
    }
    return member->rank == 0 ? twill_team_size(member) : 0;
}

void twill_team_borrow(const twill_team *member)
{
    const tw_team *team = member->shared;
    if (member->rank == 0 && member->lends && team->lent)
        tw_topo_unbind(topo_of(team), team->lent);
}

void twill_team_return(twill_team *member)
{
    tw_team *team = member->shared;
    if (!member->lends)
        return;
    member->lends = false;
    if (member->rank > 0) {
        tw_barrier_rest(&team->barrier);
        return;
    }
    if (member->before)
        tw_topo_unbind(topo_of(team), member->before);
    hwloc_bitmap_free(member->before);
    hwloc_bitmap_free(team->lent);
    member->before = team->lent = NULL;
    twill_team_barrier(member);
}
