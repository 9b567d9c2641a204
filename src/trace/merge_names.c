/* Texts of merged traces: rows one rank after the other, classes and graphs of one name are one. */
#include "trace/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 65535 };

/* Texts that the whole has so far: classes by name and parameters, graphs by name. */
typedef struct names {
    const char **name, **more;
    int64_t n;
} names;

static bool is_name(const names *all, int64_t i, const char *name, const char *more)
{
    return i < all->n && !strcmp(all->name[i], name) && !strcmp(all->more[i], more);
}

/* Ranks do the same: mostly it is where the rank itself has it, at `guess`. */
static uint16_t find_name(names *all, int64_t guess, const char *name, const char *more)
{
    int64_t i = is_name(all, guess, name, more) ? guess : 0;
    while (i < all->n && !is_name(all, i, name, more))
        i++;
    if (i == MOST_NAMES)
        return MOST_NAMES - 1; /* those that are too many are the last, as in a recording */
    all->name[i] = name;
    all->more[i] = more;
    all->n += i == all->n;
    return (uint16_t)i;
}

static bool names_open(names *all, int64_t room)
{
    all->n = 0;
    all->name = malloc((size_t)(room + 1) * sizeof *all->name);
    all->more = malloc((size_t)(room + 1) * sizeof *all->more);
    return all->name && all->more;
}

static void names_close(names *all)
{
    free(all->name);
    free(all->more);
}

static bool number_names(tw_merge *m, names *classes, names *graphs)
{
    for (int r = 0; r < m->n; r++) {
        tw_merge_part *p = &m->parts[r];
        p->cls = malloc((size_t)(p->t->nclasses + 1) * sizeof *p->cls);
        p->graph = malloc((size_t)(p->t->ngraphs + 1) * sizeof *p->graph);
        if (!p->cls || !p->graph)
            return false;
        for (int64_t i = 0; i < p->t->nclasses; i++)
            p->cls[i] = find_name(classes, i, tw_class_name(p->t, i), tw_class_parameters(p->t, i));
        for (int64_t i = 0; i < p->t->ngraphs; i++)
            p->graph[i] = find_name(graphs, i, tw_graph_name(p->t, i), "");
    }
    return true;
}

/* Hosts, each once. */
static twill_status set_hosts(const tw_merge *m)
{
    char text[512] = "";
    for (int r = 0; r < m->n; r++) {
        const char *host = m->parts[r].t->text[TW_TEXT_HOST];
        size_t used = strlen(text);
        if (!strstr(text, host))
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", host);
    }
    return tw_trace_set_text(m->whole, TW_TEXT_HOST, text);
}

static twill_status set_texts(const tw_merge *m, const names *classes, const names *graphs)
{
    twill_trace *t = m->whole;
    int64_t at = TW_TEXTS;
    twill_status status = set_hosts(m);
    for (int i = TW_TEXT_TITLE; i <= TW_TEXT_DATE && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, i, m->parts[0].t->text[i]);
    for (int r = 0; r < m->n; r++)
        for (int64_t i = 0; i < m->parts[r].t->nrows && status == TWILL_OK; i++)
            status = tw_trace_set_text(t, at++, tw_row_name(m->parts[r].t, i));
    for (int64_t i = 0; i < classes->n && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, at++, classes->name[i]);
    for (int64_t i = 0; i < classes->n && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, at++, classes->more[i]);
    for (int64_t i = 0; i < graphs->n && status == TWILL_OK; i++)
        status = tw_trace_set_text(t, at++, graphs->name[i]);
    return status;
}

twill_status tw_merge_names(tw_merge *m)
{
    int64_t classes_most = 0, graphs_most = 0;
    names classes, graphs;
    for (int r = 0; r < m->n; r++) {
        m->parts[r].row = m->rows;
        m->rows += m->parts[r].t->nrows;
        classes_most += m->parts[r].t->nclasses;
        graphs_most += m->parts[r].t->ngraphs;
    }
    if (m->rows > MOST_NAMES)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "a trace has at most %d rows, and the ranks have %" PRId64 " workers",
                       MOST_NAMES, m->rows);
    twill_status status = tw_merge_no_memory();
    bool opened = names_open(&classes, classes_most);
    opened &= names_open(&graphs, graphs_most);
    if (opened && number_names(m, &classes, &graphs)) {
        m->whole = tw_trace_make(m->rows, classes.n, graphs.n);
        status = m->whole ? set_texts(m, &classes, &graphs) : status;
    }
    names_close(&classes);
    names_close(&graphs);
    return status;
}
