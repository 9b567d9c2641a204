/* The critical path of an explicit graph: one of its longest, counted in tasks. */
#include "front/dag/dag.h"

#include "base/minmax.h"

#include <twill/critical.h>

/* From successor to successor, each one lower. */
static void mark_path(tw_node *node)
{
    while (node) {
        node->critical = true;
        tw_node *next = NULL;
        for (int64_t s = 0; s < node->nsuccessors && !next; s++) {
            tw_node *to = tw_task_node(node->successors[s]);
            next = to->height == node->height - 1 ? to : NULL;
        }
        node = next;
    }
}

void tw_dag_measure(tw_dag *dag, const int64_t *order)
{
    tw_node *highest = NULL;
    for (int64_t i = dag->n - 1; i >= 0; i--) {
        tw_node *node = dag->nodes[order[i]];
        node->height = 1;
        node->critical = node->asked;
        for (int64_t s = 0; s < node->nsuccessors; s++) {
            int32_t below = tw_task_node(node->successors[s])->height;
            node->height = (int32_t)tw_max(node->height, (int64_t)below + 1);
        }
        if (!highest || node->height >= highest->height)
            highest = node;
    }
    if (!dag->chosen)
        mark_path(highest);
    dag->told = dag->ranked = false;
}

static void tell_all(tw_dag *dag)
{
    for (int64_t i = 0; i < dag->n; i++) {
        tw_node *node = dag->nodes[i];
        twill_task *t = tw_node_task(node);
        unsigned flags = tw_task_flags(t) & ~(unsigned)TW_TASK_CRITICAL;
        atomic_store_explicit(&t->flags,
                              (uint16_t)(flags | (node->critical ? TW_TASK_CRITICAL : 0)),
                              memory_order_relaxed);
    }
}

static void rank_all(tw_dag *dag)
{
    for (int64_t i = 0; i < dag->n; i++)
        if (!dag->nodes[i]->ranked)
            tw_node_task(dag->nodes[i])->item.priority = dag->nodes[i]->height;
}

void tw_dag_tell(tw_dag *dag)
{
    const twill *tw = dag->graph->tw;
    bool set = tw_critical_of(tw);
    if (!dag->told && (set || atomic_load_explicit(&tw->account, memory_order_relaxed))) {
        tell_all(dag);
        dag->told = true;
    }
    if (!dag->ranked && set) {
        rank_all(dag);
        dag->ranked = true;
    }
}

twill_status twill_dag_height(twill_graph *g, int64_t number, int64_t *height, bool *critical)
{
    if (tw_dag_check(g) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    tw_dag *dag = g->front;
    if (number < 0 || number >= dag->n)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_dag_height: there is no task %lld, but %lld of them",
                       (long long)number, (long long)dag->n);
    if (!dag->sealed && tw_graph_is_running(g))
        return tw_fail(TWILL_ERR_STATE, "the graph is running: twill_wait before asking");
    twill_status status = dag->sealed ? TWILL_OK : tw_dag_fix(dag);
    if (status != TWILL_OK)
        return status;
    if (height)
        *height = dag->nodes[number]->height;
    if (critical)
        *critical = dag->nodes[number]->critical;
    return TWILL_OK;
}
