/* Memory and arrays that live with a graph. */
#include "engine/engine.h"
#include "engine/extension.h"

#include <stdlib.h>

/* In front of what the tasks see. */
typedef struct tw_memory {
    _Alignas(TW_LINE) struct tw_memory *next, **link;
} tw_memory;

void *tw_memory_new(size_t size)
{
    size_t whole = tw_whole_lines(size + sizeof(tw_memory));
    tw_memory *m = whole > size ? aligned_alloc(TW_LINE, whole) : NULL;
    return m ? m + 1 : NULL;
}

void tw_memory_free(void *memory)
{
    free((tw_memory *)memory - 1);
}

void tw_graph_keep(twill_graph *g, void *memory)
{
    tw_memory *m = (tw_memory *)memory - 1;
    tw_lock_take(&g->lock);
    m->next = g->memory;
    m->link = &g->memory;
    if (m->next)
        m->next->link = &m->next;
    g->memory = m;
    tw_unlock(&g->lock);
}

void *tw_graph_memory(twill_graph *g, size_t size)
{
    void *memory = tw_memory_new(size);
    if (memory)
        tw_graph_keep(g, memory);
    return memory;
}

void tw_graph_memory_free(twill_graph *g, void *memory)
{
    tw_memory *m = (tw_memory *)memory - 1;
    tw_lock_take(&g->lock);
    *m->link = m->next;
    if (m->next)
        m->next->link = m->link;
    tw_unlock(&g->lock);
    free(m);
}

void tw_graph_memory_close(twill_graph *g)
{
    while (g->memory) {
        tw_memory *next = g->memory->next;
        free(g->memory);
        g->memory = next;
    }
}

/* ---- arrays ------------------------------------------------------------------------------ */

typedef struct tw_arrays {
    struct tw_arrays *next;
    twill_array *array;
} tw_arrays;

twill_status tw_graph_array(twill_graph *g, const twill_pattern *p, twill_type type,
                            twill_array **a)
{
    tw_arrays *one = malloc(sizeof *one);
    if (!one)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for an array of a graph");
    twill_status status = twill_array_create(g->tw, p, type, 0, &one->array);
    if (status != TWILL_OK) {
        free(one);
        return status;
    }
    *a = one->array;
    tw_lock_take(&g->lock);
    one->next = g->arrays;
    g->arrays = one;
    tw_unlock(&g->lock);
    return TWILL_OK;
}

void tw_graph_arrays_close(twill_graph *g, tw_worker *w)
{
    while (g->arrays) {
        tw_arrays *one = g->arrays;
        g->arrays = one->next;
        twill_array *root = tw_array_release(one->array);
        if (root) {
            tw_extensions_forget(w->tw, root);
            tw_array_destroy(root, &w->epochs);
        }
        free(one);
    }
}
