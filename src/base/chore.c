/* Which body of a task class runs: the first that there is an executor for. */
#include "base/chore.h"

#include "base/status.h"

const twill_chore *tw_chore_of(const twill_class *cls, int workers)
{
    const twill_chore *alone = NULL; /* a team that would be of one */
    for (const twill_chore *c = cls->chores; c < cls->chores + TWILL_CHORES && c->kind; c++) {
        if (c->kind == TWILL_CHORE_CPU || (c->kind == TWILL_CHORE_TEAM && workers > 1))
            return c;
        if (c->kind == TWILL_CHORE_TEAM && !alone)
            alone = c;
    }
    return alone;
}

/* What stands behind a body for one worker runs only if it is for a team and the task critical,
 * and there if it is not NULL. */
bool tw_class_has_body(const twill_class *cls)
{
    bool any = false;
    for (const twill_chore *c = cls->chores; c < cls->chores + TWILL_CHORES && c->kind; c++) {
        if (c->kind == TWILL_CHORE_CPU)
            return c->body.cpu;
        if (c->kind == TWILL_CHORE_TEAM && !c->body.team)
            return false;
        any |= c->kind == TWILL_CHORE_TEAM;
    }
    return any;
}

twill_status tw_class_check(const char *who, const twill_class *cls)
{
    twill_status status = cls ? TW_ABI_CHECK(twill_class, describe, cls) : TWILL_OK;
    if (status == TWILL_OK && (!cls || !tw_class_has_body(cls)))
        status = tw_fail(TWILL_ERR_ARGUMENT,
                         "%s: the class or its body is NULL, or there is none for workers: write "
                         ".chores = {TWILL_CPU(body)}",
                         who);
    return status;
}
