/* Tasks with their times, and what each waits for. */
#ifndef TW_SIMULATE_MODEL_H
#define TW_SIMULATE_MODEL_H

#include "base/status.h"

#include <twill/simulate.h>

typedef struct tw_model_task {
    double seconds;
    int32_t cls, priority;
    int place;         /* the only device that runs it, or -1 */
    int64_t first_use; /* of data: uses of a task follow one another */
    int uses;
    double bytes; /* of all its data */
} tw_model_task;

/* A task works on a datum. */
typedef struct tw_model_use {
    int64_t datum;
    bool writes;
} tw_model_use;

typedef struct tw_model_edge {
    int64_t from, to;
} tw_model_edge;

struct twill_model {
    tw_model_task *tasks;
    int64_t ntasks, task_room;
    tw_model_edge *edges;
    int64_t nedges, edge_room;
    char **classes;
    int64_t nclasses, class_room;
    tw_model_use *uses;
    int64_t nuses, use_room;
    double *bytes; /* of each datum */
    int64_t ndata, data_room;
};

/* What follows from the edges: successors, heights, the critical path. */
typedef struct tw_layout {
    int64_t *first; /* successors of task i: next[first[i]] .. next[first[i + 1] - 1] */
    int64_t *next;
    int64_t *inputs; /* how many a task waits for */
    int64_t *height; /* tasks on the longest path that begins here */
    bool *critical;
} tw_layout;

/* Room for entry n of a list that has room for *room of them. False: no memory. */
bool tw_simulate_room(void *list, int64_t n, int64_t *room, size_t size);

twill_status tw_simulate_no_memory(void);

bool tw_layout_open(tw_layout *layout, const twill_model *model);
void tw_layout_close(tw_layout *layout);

#endif
