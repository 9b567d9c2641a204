/* Building an explicit graph, and making it ready to run. */
#include "front/dag/dag.h"

#include "base/chore.h"
#include "engine/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void **list, int64_t n, int64_t *room, size_t size)
{
    if (n < *room)
        return true;
    int64_t more = *room ? 2 * *room : 64;
    void *bigger = realloc(*list, (size_t)more * size);
    if (!bigger)
        return false;
    *list = bigger;
    *room = more;
    return true;
}

static twill_status no_memory(void)
{
    return tw_fail(TWILL_ERR_MEMORY, "no memory for an explicit graph");
}

/* ---- tasks ------------------------------------------------------------------------------- */

static twill_status check_args(const twill_graph *g, const twill_arg *args, tw_shape *shape)
{
    twill_status status = tw_args_measure(g, args, shape);
    for (; status == TWILL_OK && args->kind != TWILL_ARG_END; args++)
        if (args->kind == TWILL_ARG_COMMUTE || args->kind == TWILL_ARG_REDUCE)
            status =
                tw_fail(TWILL_ERR_ARGUMENT, "COMMUTE and REDUCE are not for explicit graphs: give "
                                            "the order of such tasks by edges");
    return status;
}

/* Zeroed memory from the newest chunk, or from a chunk of its own when it is large. */
static void *take(tw_dag *dag, size_t size)
{
    /* a small node and its task then share a pair of lines, which processors fetch together */
    enum { CHUNK = 256 * 1024, HEAD = 2 * TW_LINE };
    if (!dag->chunks || dag->chunks->used + size > CHUNK) {
        size_t room = size + HEAD > CHUNK ? size + HEAD : CHUNK;
        tw_chunk *chunk = aligned_alloc(2 * TW_LINE, (room + 127) / 128 * 128);
        if (!chunk)
            return NULL;
        memset(chunk, 0, room);
        chunk->used = HEAD;
        chunk->next = dag->chunks;
        dag->chunks = chunk;
    }
    void *memory = (char *)dag->chunks + dag->chunks->used;
    dag->chunks->used += size;
    return memory;
}

static tw_node *make_node(twill_graph *g, const twill_class *cls, const tw_shape *shape,
                          const twill_arg *args)
{
    tw_node *node = take(g->front, sizeof *node + shape->lines * TW_LINE);
    if (node) {
        atomic_init(&tw_node_task(node)->flags, g->tw->worker[0].task_flags);
        tw_args_fill(tw_node_task(node), g, cls, shape, args);
    }
    return node;
}

static twill_status check_open(const twill_graph *g)
{
    if (tw_dag_check(g) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    if (tw_graph_is_running(g))
        return tw_fail(TWILL_ERR_STATE, "the graph is running: twill_wait before changing it");
    return TWILL_OK;
}

twill_status twill_dag_add_args(twill_graph *g, const twill_class *cls, const twill_arg *args,
                                int64_t *number)
{
    if (!args)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_dag_add: the arguments are NULL");
    if ((!cls || !tw_class_is_plain(cls)) && tw_class_check("twill_dag_add", cls) != TWILL_OK)
        return TWILL_ERR_ARGUMENT;
    twill_status status = check_open(g);
    if (status != TWILL_OK)
        return status;
    tw_shape shape;
    status = check_args(g, args, &shape);
    if (status != TWILL_OK)
        return status;
    tw_dag *dag = g->front;
    if (!grow((void **)&dag->nodes, dag->n, &dag->room, sizeof *dag->nodes))
        return no_memory();
    tw_node *node = make_node(g, cls, &shape, args);
    if (!node)
        return no_memory();
    node->number = dag->n;
    node->ranked = tw_node_task(node)->item.priority != 0;
    node->asked = tw_task_flags(tw_node_task(node)) & TW_TASK_CRITICAL;
    dag->chosen |= node->asked;
    dag->nodes[dag->n++] = node;
    dag->sealed = false;
    if (number)
        *number = node->number;
    return TWILL_OK;
}

twill_status twill_dag_edge(twill_graph *g, int64_t from, int64_t to)
{
    twill_status status = check_open(g);
    if (status != TWILL_OK)
        return status;
    tw_dag *dag = g->front;
    if (from < 0 || to < 0 || from >= dag->n || to >= dag->n)
        return tw_fail(TWILL_ERR_ARGUMENT, "edge %lld -> %lld: the graph has %lld tasks",
                       (long long)from, (long long)to, (long long)dag->n);
    if (!grow((void **)&dag->edges, dag->nedges, &dag->edge_room, sizeof *dag->edges))
        return no_memory();
    dag->edges[dag->nedges++] = (tw_edge){from, to};
    dag->sealed = false;
    return TWILL_OK;
}

/* ---- sealing ----------------------------------------------------------------------------- */

/* Successor lists, by counting. An edge given twice counts twice on both sides. */
static void list_successors(tw_dag *dag)
{
    for (int64_t i = 0; i < dag->n; i++) {
        dag->nodes[i]->nsuccessors = 0;
        dag->nodes[i]->inputs = 0;
    }
    for (int64_t e = 0; e < dag->nedges; e++)
        dag->nodes[dag->edges[e].from]->nsuccessors++;
    int64_t at = 0;
    for (int64_t i = 0; i < dag->n; i++) {
        tw_node *node = dag->nodes[i];
        bool few = node->nsuccessors <= TW_FEW_SUCCESSORS;
        node->successors = few ? node->few : dag->successors + at;
        at += few ? 0 : node->nsuccessors;
        node->nsuccessors = 0;
    }
    for (int64_t e = 0; e < dag->nedges; e++) {
        tw_node *from = dag->nodes[dag->edges[e].from];
        tw_node *to = dag->nodes[dag->edges[e].to];
        from->successors[from->nsuccessors++] = tw_node_task(to);
        to->inputs++;
    }
}

/* Name a cycle among the tasks that no order could reach: follow predecessors until one repeats. */
static twill_status name_cycle(const tw_dag *dag, const int32_t *left)
{
    int64_t *before = malloc((size_t)dag->n * sizeof *before);
    bool *seen = calloc((size_t)dag->n, sizeof *seen);
    char text[TW_MESSAGE / 2] = "";
    if (before && seen) {
        int64_t at = -1;
        for (int64_t e = 0; e < dag->nedges; e++)
            if (left[dag->edges[e].from] > 0 && left[dag->edges[e].to] > 0)
                before[at = dag->edges[e].to] = dag->edges[e].from;
        while (!seen[at]) {
            seen[at] = true;
            at = before[at];
        }
        int64_t stop = at;
        size_t used = 0;
        do {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s(%lld) <- ",
                                     twill_task_name(tw_node_task(dag->nodes[at])), (long long)at);
            at = before[at];
        } while (at != stop && used < sizeof text - 64);
        snprintf(text + used, sizeof text - used, "%s%s(%lld)", at == stop ? "" : "... <- ",
                 twill_task_name(tw_node_task(dag->nodes[stop])), (long long)stop);
    }
    free(before);
    free(seen);
    return tw_fail(TWILL_ERR_CYCLE, "the edges form a cycle, so its tasks could never start: %s",
                   text);
}

/* Kahn's algorithm; `order` has room for all tasks, the roots come first. */
static twill_status check_cycles(tw_dag *dag, int64_t *order, int32_t *left)
{
    int64_t head = 0, tail = 0;
    for (int64_t i = 0; i < dag->n; i++) {
        left[i] = dag->nodes[i]->inputs;
        if (left[i] == 0)
            order[tail++] = i;
    }
    dag->nroots = tail;
    while (head < tail) {
        const tw_node *node = dag->nodes[order[head++]];
        for (int64_t s = 0; s < node->nsuccessors; s++) {
            int64_t next = tw_task_node(node->successors[s])->number;
            if (--left[next] == 0)
                order[tail++] = next;
        }
    }
    return tail == dag->n ? TWILL_OK : name_cycle(dag, left);
}

twill_status tw_dag_seal(tw_dag *dag)
{
    free(dag->successors);
    free(dag->roots);
    dag->successors = malloc((size_t)(dag->nedges + 1) * sizeof *dag->successors);
    dag->roots = malloc((size_t)(dag->n + 1) * sizeof *dag->roots);
    int32_t *left = malloc((size_t)(dag->n + 1) * sizeof *left);
    if (!dag->successors || !dag->roots || !left) {
        free(left);
        return no_memory();
    }
    list_successors(dag);
    twill_status status = check_cycles(dag, dag->roots, left);
    free(left);
    if (status != TWILL_OK)
        return status;
    for (int64_t i = 0; i < dag->n; i++)
        atomic_store_explicit(&tw_node_task(dag->nodes[i])->wait, dag->nodes[i]->inputs,
                              memory_order_relaxed);
    tw_dag_measure(dag, dag->roots);
    dag->sealed = true;
    return TWILL_OK;
}
