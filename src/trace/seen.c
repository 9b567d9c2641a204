/* Looking up classes and graphs, which happens once per worker for each of them. */
#include "trace/seen.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 65535 };

static bool grow(void **list, int n, int *room, size_t size)
{
    if (n < *room)
        return true;
    int wider = *room ? 2 * *room : 32;
    void *longer = realloc(*list, (size_t)wider * size);
    if (!longer)
        return false;
    *list = longer;
    *room = wider;
    return true;
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static uint16_t find_class(tw_seen *s, const tw_event_about *about)
{
    for (int i = 0; i < s->nclasses; i++)
        if (same(s->classes[i].name, about->name) &&
            same(s->classes[i].parameters, about->parameters))
            return (uint16_t)i;
    if (s->nclasses == MOST_CLASSES ||
        !grow((void **)&s->classes, s->nclasses, &s->class_room, sizeof *s->classes))
        return (uint16_t)(s->nclasses ? s->nclasses - 1 : 0);
    s->classes[s->nclasses] =
        (tw_seen_class){strdup(about->name), about->parameters ? strdup(about->parameters) : NULL};
    return (uint16_t)s->nclasses++;
}

/* First graph in the list that is not before this one. */
static int find_graph(const tw_seen *s, uint32_t serial)
{
    int low = 0, high = s->ngraphs;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->graphs[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_graph(tw_seen *s, const tw_event_about *about)
{
    int at = find_graph(s, about->graph);
    if (at < s->ngraphs && s->graphs[at].serial == about->graph)
        return;
    if (!grow((void **)&s->graphs, s->ngraphs, &s->graph_room, sizeof *s->graphs))
        return;
    for (int i = s->ngraphs++; i > at; i--) /* new ones are mostly the last */
        s->graphs[i] = s->graphs[i - 1];
    s->graphs[at] = (tw_seen_graph){about->graph, about->front};
}

uint16_t tw_seen_note(tw_seen *s, const tw_event_about *about)
{
    note_graph(s, about);
    return find_class(s, about);
}

const char *tw_seen_front(const tw_seen *s, uint32_t graph)
{
    int at = find_graph(s, graph);
    return at < s->ngraphs && s->graphs[at].serial == graph ? s->graphs[at].front : "graph";
}

void tw_seen_clear(tw_seen *s)
{
    for (int i = 0; i < s->nclasses; i++) {
        free(s->classes[i].name);
        free(s->classes[i].parameters);
    }
    s->nclasses = s->ngraphs = 0;
}

void tw_seen_close(tw_seen *s)
{
    tw_seen_clear(s);
    free(s->classes);
    free(s->graphs);
    *s = (tw_seen){0};
}
