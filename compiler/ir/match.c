/* Do the two ends of each dependency between tasks fit together? Instances are the verifier's
 * matter; what can be seen from the classes alone is said here. */
#include "ir/lower.h"

/* Does `flow` have a dependency in direction `out` with that flow of that class? */
static bool has_end(const ir_flow *flow, bool out, int class, int with)
{
    for (int i = 0; i < flow->dep_count; i++) {
        const ir_dep *d = &flow->deps[i];
        if (d->target == IR_TO_TASK && d->out == out && d->class == class && d->flow == with)
            return true;
    }
    return false;
}

static void check_dep(ir_file *ir, int class, int flow, const ir_dep *d)
{
    const ir_class *ours = &ir->classes[class], *theirs = &ir->classes[d->class];
    const ir_flow *mine = &ours->flows[flow], *other = &theirs->flows[d->flow];
    if ((mine->mode == IR_CTL) != (other->mode == IR_CTL)) {
        source_say(ir->source, ERROR, d->target_at, "'%s' of '%s' is %s flow, and '%s' here is not",
                   other->name, theirs->name, other->mode == IR_CTL ? "a CTL" : "a data",
                   mine->name);
        return;
    }
    if (has_end(other, !d->out, class, flow))
        return;
    if (d->out)
        source_say(ir->source, WARNING, d->at,
                   "'%s' of '%s' has no '<- %s %s(...)' that would take this", other->name,
                   theirs->name, mine->name, ours->name);
    else
        source_say(ir->source, WARNING, d->at,
                   "'%s' of '%s' has no '-> %s %s(...)' that would send this", other->name,
                   theirs->name, mine->name, ours->name);
}

void check_matches(ir_file *ir)
{
    for (int c = 0; c < ir->class_count; c++) {
        for (int f = 0; f < ir->classes[c].flow_count; f++) {
            const ir_flow *flow = &ir->classes[c].flows[f];
            for (int i = 0; i < flow->dep_count; i++)
                if (flow->deps[i].target == IR_TO_TASK)
                    check_dep(ir, c, f, &flow->deps[i]);
        }
    }
}
