/* A queue of tasks, and threads that empty it without haste. */
#include "support/foreign.h"

#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_THREADS = 4, ROOM = 65536 };

struct foreign {
    twill_status (*work)(twill_task *task);
    pthread_mutex_t mutex;
    pthread_cond_t cond;
    twill_task *queue[ROOM];
    unsigned head, tail;
    uint64_t seed;
    bool stopping;
    int threads;
    pthread_t thread[MOST_THREADS];
};

/* Mostly at once; now and then after a sleep, so that everybody else has gone to sleep too. */
static void dawdle(uint64_t number)
{
    if (number % 8 == 0)
        nanosleep(&(struct timespec){0, (long)(number / 8 % 200) * 1000}, NULL);
}

static void *foreign_main(void *arg)
{
    foreign *f = arg;
    pthread_mutex_lock(&f->mutex);
    for (;;) {
        while (f->head == f->tail && !f->stopping)
            pthread_cond_wait(&f->cond, &f->mutex);
        if (f->head == f->tail)
            break;
        twill_task *t = f->queue[f->head++ % ROOM];
        uint64_t number = test_random(&f->seed, UINT32_MAX);
        pthread_mutex_unlock(&f->mutex);
        dawdle(number);
        twill_task_done(t, f->work(t));
        pthread_mutex_lock(&f->mutex);
    }
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

foreign *foreign_start(int threads, uint64_t seed, twill_status (*work)(twill_task *task))
{
    foreign *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->work = work;
    f->seed = seed;
    pthread_mutex_init(&f->mutex, NULL);
    pthread_cond_init(&f->cond, NULL);
    f->threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    for (int i = 0; i < f->threads; i++)
        assert_int_equal(pthread_create(&f->thread[i], NULL, foreign_main, f), 0);
    return f;
}

void foreign_give(foreign *f, twill_task *task)
{
    pthread_mutex_lock(&f->mutex);
    f->queue[f->tail++ % ROOM] = task;
    pthread_cond_signal(&f->cond);
    pthread_mutex_unlock(&f->mutex);
}

void foreign_stop(foreign *f)
{
    pthread_mutex_lock(&f->mutex);
    f->stopping = true;
    pthread_cond_broadcast(&f->cond);
    pthread_mutex_unlock(&f->mutex);
    for (int i = 0; i < f->threads; i++)
        pthread_join(f->thread[i], NULL);
    pthread_cond_destroy(&f->cond);
    pthread_mutex_destroy(&f->mutex);
    free(f);
}
