/* Traces made by hand. */
#include "support/trace.h"

#include <stdio.h>
#include <stdlib.h>

static void set_names(twill_trace *t)
{
    char text[32];
    for (int64_t i = 0; i < t->nrows; i++) {
        snprintf(text, sizeof text, "worker %d", (int)i);
        OK(tw_trace_set_text(t, TW_TEXTS + i, text));
    }
    for (int64_t i = 0; i < t->nclasses; i++) {
        snprintf(text, sizeof text, "class %d", (int)i);
        OK(tw_trace_set_text(t, TW_TEXTS + t->nrows + i, text));
    }
}

static void set_tasks(twill_trace *t, const test_task *tasks)
{
    int64_t n = 0;
    while (tasks[n].start <= tasks[n].end)
        n++;
    assert_true(tw_trace_room(t, &t->ntasks, n));
    for (int64_t i = 0; i < n; i++) {
        t->start[i] = tasks[i].start;
        t->end[i] = tasks[i].end;
        t->ready[i] = tasks[i].ready;
        t->by[i] = tasks[i].by;
        t->priority[i] = tasks[i].priority;
        t->row[i] = (uint16_t)tasks[i].row;
        t->cls[i] = (uint16_t)tasks[i].cls;
    }
}

static void set_edges(twill_trace *t, const test_edge *edges)
{
    int64_t n = 0;
    while (edges && edges[n].to)
        n++;
    assert_true(tw_trace_room(t, &t->nedges, n));
    for (int64_t i = 0; i < n; i++) {
        t->edge_from[i] = edges[i].from;
        t->edge_to[i] = edges[i].to;
    }
}

static void set_states(twill_trace *t, const test_state *states)
{
    int64_t n = 0;
    while (states && states[n].start <= states[n].end)
        n++;
    assert_true(tw_trace_room(t, &t->nstates, n));
    for (int64_t i = 0; i < n; i++) {
        t->state_start[i] = states[i].start;
        t->state_end[i] = states[i].end;
        t->state_row[i] = (uint16_t)states[i].row;
        t->state_kind[i] = (uint8_t)states[i].kind;
    }
}

twill_trace *test_trace(const test_run *run)
{
    twill_trace *t = tw_trace_make(run->rows, run->classes, 1);
    assert_non_null(t);
    t->span = run->span;
    set_names(t);
    assert_true(tw_trace_room(t, &t->nrow, run->rows));
    set_tasks(t, run->tasks);
    set_edges(t, run->edges);
    set_states(t, run->states);
    assert_true(tw_trace_room(t, &t->npoints, 0));
    assert_true(tw_trace_room(t, &t->nmemory, 0));
    return t;
}

unsigned char *test_file(const twill_trace *t, size_t *n)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, n);
    assert_non_null(out);
    tw_file_write(out, t);
    assert_int_equal(fclose(out), 0);
    return (unsigned char *)bytes;
}
