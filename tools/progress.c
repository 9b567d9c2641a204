/* A thread of its own looks at the graph a few times a second; tasks are not disturbed. */
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40, FIRST_MS = 1000, REDRAW_MS = 100, LINE_MS = 1000 };

static void draw(progress *p)
{
    int64_t added, done;
    twill_graph_progress(p->graph, &added, &done);
    int64_t total = added > p->total ? added : p->total;
    double part = total > 0 ? (double)done / (double)total : 0;
    char bar[WIDTH + 1];
    for (int i = 0; i < WIDTH; i++)
        bar[i] = i < (int)(part * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    fprintf(stderr, "%s%s [%s] %3.0f%%%s", p->terminal ? "\r" : "", p->label, bar, 100 * part,
            p->terminal ? "\033[K" : "\n");
    p->shown = true;
}

static void add_ms(struct timespec *t, int ms)
{
    t->tv_nsec += ms * 1000000L;
    t->tv_sec += t->tv_nsec / 1000000000L;
    t->tv_nsec %= 1000000000L;
}

static void *watch(void *arg)
{
    progress *p = arg;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    add_ms(&next, FIRST_MS);
    pthread_mutex_lock(&p->lock);
    while (!p->stop) {
        if (pthread_cond_timedwait(&p->wake, &p->lock, &next) == 0)
            continue; /* woken to stop, or for nothing */
        draw(p);
        add_ms(&next, p->terminal ? REDRAW_MS : LINE_MS);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

void progress_begin(progress *p, const char *when, const twill_graph *graph, const char *label,
                    int64_t total)
{
    *p = (progress){.graph = graph, .label = label, .total = total};
    p->terminal = isatty(STDERR_FILENO);
    if (strcmp(when, "off") == 0 || (strcmp(when, "auto") == 0 && !p->terminal))
        return;
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&p->lock, NULL);
    /* Without a thread there is no bar, which is no reason to fail. */
    p->running = pthread_create(&p->thread, NULL, watch, p) == 0;
}

void progress_end(progress *p)
{
    if (!p->running)
        return;
    pthread_mutex_lock(&p->lock);
    p->stop = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    if (p->shown && p->terminal)
        fputs("\r\033[K", stderr);
    p->running = false;
}
