/* The classes and graphs that a recording has met, by number. */
#ifndef TW_TRACE_SEEN_H
#define TW_TRACE_SEEN_H

#include "base/event.h"

/* A class. Numbers count from 0 in the order in which they were met. */
typedef struct tw_seen_class {
    char *name, *parameters;
} tw_seen_class;

typedef struct tw_seen_graph {
    uint32_t serial;
    const char *front; /* a constant of the engine */
} tw_seen_graph;

typedef struct tw_seen {
    tw_seen_class *classes;
    int nclasses, class_room;
    tw_seen_graph *graphs; /* in the order of their serial numbers */
    int ngraphs, graph_room;
} tw_seen;

/* The number of a task's class, which is noted, as is its graph. Classes of equal names are one for
 * people, and here. Past the last number, or without memory, all are the last. */
uint16_t tw_seen_note(tw_seen *seen, const tw_event_about *about);

/* The front end of a graph. */
const char *tw_seen_front(const tw_seen *seen, uint32_t graph);

/* Forget all, for the next recording; and free it. */
void tw_seen_clear(tw_seen *seen);
void tw_seen_close(tw_seen *seen);

#endif
