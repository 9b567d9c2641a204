/* Running an explicit graph. */
#include "front/dag/dag.h"

#include <stdlib.h>

/* Count down the inputs of the successors. The task's own count is put back for the next run, by
 * whoever has its line anyway. */
static void dag_release(tw_worker *w, twill_task *t, uint32_t poison, tw_ready *ready)
{
    (void)poison;
    const tw_node *node = tw_task_node(t);
    atomic_store_explicit(&t->wait, node->inputs, memory_order_relaxed);
    for (int64_t i = 0; i < node->nsuccessors; i++)
        tw_task_grant(w, node->successors[i], 0, ready);
}

static bool dag_startup(twill_graph *g, tw_worker *w, tw_startup_batch *out)
{
    assert(tw_is_locked(&g->tw->startup_lock));
    (void)w;
    tw_dag *dag = g->front;
    while (out->ready.n < TW_STARTUP_BATCH && dag->next_root < dag->nroots)
        tw_ready_add(&out->ready, tw_node_task(dag->nodes[dag->roots[dag->next_root++]]));
    return dag->next_root < dag->nroots;
}

static twill_graph *dag_ended(twill_graph *g, tw_worker *w)
{
    const tw_dag *dag = g->front;
    tw_rerun_end(g, dag->use, w);
    return NULL;
}

static void dag_each(twill_graph *g, void (*visit)(void *task, void *arg), void *arg)
{
    tw_dag *dag = g->front;
    if (!tw_graph_has_begun(g))
        return; /* it may be changing, and has nothing to tell */
    for (int64_t i = 0; i < dag->n; i++)
        visit(tw_node_task(dag->nodes[i]), arg);
}

static void dag_close(twill_graph *g, tw_worker *w)
{
    (void)w;
    tw_dag *dag = g->front;
    while (dag->chunks) {
        tw_chunk *chunk = dag->chunks;
        dag->chunks = chunk->next;
        free(chunk);
    }
    tw_use_discard(dag->use);
    free(dag->nodes);
    free(dag->edges);
    free(dag->successors);
    free(dag->roots);
    free(dag);
}

const tw_graph_ops tw_dag_ops = {
    .name = "dag",
    .release = dag_release,
    .startup = dag_startup,
    .ended = dag_ended,
    .each = dag_each,
    .close = dag_close,
};

twill_status tw_dag_check(const twill_graph *g)
{
    return g && g->ops == &tw_dag_ops
               ? TWILL_OK
               : tw_fail(TWILL_ERR_ARGUMENT, "the graph is NULL or not one of twill_dag_begin");
}

twill_status twill_dag_begin(twill *tw, twill_graph **g)
{
    if (!tw || !g)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_dag_begin: an argument is NULL");
    tw_dag *dag = calloc(1, sizeof *dag);
    if (!dag)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for an explicit graph");
    twill_status status = tw_graph_make(tw, &tw_dag_ops, dag, NULL, g);
    if (status != TWILL_OK) {
        free(dag);
        return status;
    }
    dag->graph = *g;
    return TWILL_OK;
}

/* ---- the tiles of a run ------------------------------------------------------------------ */

/* All data arguments, tile by tile in address order, each with the strongest mode. */
typedef struct mention {
    twill_tile *tile;
    bool reads, writes;
} mention;

static int by_tile(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    return (x->tile > y->tile) - (x->tile < y->tile);
}

static mention *list_mentions(const tw_dag *dag, int64_t *n)
{
    int64_t room = 0;
    for (int64_t i = 0; i < dag->n; i++)
        room += tw_node_task(dag->nodes[i])->nslots;
    mention *list = malloc((size_t)(room + 1) * sizeof *list);
    *n = 0;
    for (int64_t i = 0; list && i < dag->n; i++) {
        const twill_task *t = tw_node_task(dag->nodes[i]);
        for (uint32_t k = 0; k < t->nslots; k++)
            if (tw_slot_is_data(&t->slots[k]) && t->slots[k].u.tile)
                list[(*n)++] = (mention){t->slots[k].u.tile, t->slots[k].mode != TW_WRITE,
                                         t->slots[k].mode != TW_READ};
    }
    if (list)
        qsort(list, (size_t)*n, sizeof *list, by_tile);
    return list;
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory to run an explicit graph");
}

/* A use of every tile that the tasks name; none when they name none. It serves all runs until tasks
 * are added. */
static twill_status make_use(tw_dag *dag)
{
    int64_t n;
    mention *list = list_mentions(dag, &n);
    if (!list)
        return no_memory();
    tw_use_discard(dag->use);
    dag->use = n ? tw_use_make(dag->graph->tw, "run of an explicit graph", (uint32_t)n) : NULL;
    for (int64_t i = 0, next; dag->use && i < n; i = next) {
        mention all = list[i];
        for (next = i + 1; next < n && list[next].tile == all.tile; next++) {
            all.reads |= list[next].reads;
            all.writes |= list[next].writes;
        }
        tw_use_tile(dag->use, all.tile,
                    !all.writes ? TWILL_READ
                    : all.reads ? TWILL_READ_WRITE
                                : TWILL_WRITE);
    }
    free(list);
    return n && !dag->use ? no_memory() : TWILL_OK;
}

twill_status tw_dag_fix(tw_dag *dag)
{
    if (dag->sealed)
        return TWILL_OK;
    twill_status status = make_use(dag);
    return status == TWILL_OK ? tw_dag_seal(dag) : status;
}

twill_status twill_dag_run(twill_graph *g)
{
    if (tw_dag_check(g) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    tw_dag *dag = g->front;
    twill_status status = tw_rerun_prepare(g);
    if (status != TWILL_OK)
        return status;
    status = tw_dag_fix(dag);
    if (status == TWILL_OK && dag->use && !tw_use_reserve(dag->use))
        status = no_memory();
    if (status != TWILL_OK || dag->n == 0) {
        tw_graph_give_up(g);
        return status;
    }
    tw_worker *w = tw_enter(g->tw);
    tw_dag_tell(dag);
    tw_graph_added(g, w, 0, dag->n);
    tw_exit(w);
    tw_graph_expect_end(g);
    dag->next_root = 0;
    tw_use_start(dag->use, g);
    return TWILL_OK;
}
