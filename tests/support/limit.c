/* The thread that watches the clock. */
#include "support/limit.h"

#include "base/clock.h"
#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static double deadline; /* 0: none */
static twill *context;
static char what[512];

int64_t limit_number(const char *variable, int64_t fallback)
{
    const char *text = getenv(variable);
    return text && *text ? strtoll(text, NULL, 10) : fallback;
}

int64_t limit_pick(const char *variable, uint64_t random, int64_t fallback)
{
    int64_t first = limit_number(variable, fallback);
    const char *text = getenv(variable), *dash = text ? strchr(text, '-') : NULL;
    int64_t last = dash ? strtoll(dash + 1, NULL, 10) : first;
    return last > first ? first + (int64_t)(random % (uint64_t)(last - first + 1)) : first;
}

static void *watch(void *arg)
{
    (void)arg;
    for (;;) {
        test_sleep_ms(100);
        pthread_mutex_lock(&mutex);
        if (deadline > 0 && tw_seconds() > deadline)
            break;
        pthread_mutex_unlock(&mutex);
    }
    fprintf(stderr, "%s: no end in sight\n", what);
    if (context) {
        static char text[20000];
        twill_describe(context, text, sizeof text);
        fputs(text, stderr);
    }
    _exit(99);
}

static void start(void)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, watch, NULL), 0);
    pthread_detach(thread);
}

void limit_begin(twill *tw, int seconds, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_once(&once, start);
    pthread_mutex_lock(&mutex);
    context = tw;
    vsnprintf(what, sizeof what, format, args);
    deadline =
        tw_seconds() + (double)limit_number("TW_LIMIT", test_slow() ? 10 * seconds : seconds);
    pthread_mutex_unlock(&mutex);
    va_end(args);
}

void limit_end(void)
{
    pthread_mutex_lock(&mutex);
    deadline = 0;
    pthread_mutex_unlock(&mutex);
}

int limit_report(void **state)
{
    (void)state;
    if (deadline > 0)
        print_error("this was %s\n", what);
    limit_end();
    return 0;
}
