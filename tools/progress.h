/* A progress bar on standard error for graphs that take longer than a second. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <pthread.h>
#include <twill/twill.h>

typedef struct progress {
    const twill_graph *graph;
    const char *label;
    int64_t total;
    bool shown;    /* there is something on the screen to clear */
    bool terminal; /* standard error is one: redraw in place */
    bool running;  /* the thread exists */
    bool stop;     /* under the lock */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} progress;

/* Begin to watch a graph that will have `total` tasks; `when` is the value of --progress. */
void progress_begin(progress *p, const char *when, const twill_graph *graph, const char *label,
                    int64_t total);

/* End it, before the graph is freed. */
void progress_end(progress *p);

#endif
