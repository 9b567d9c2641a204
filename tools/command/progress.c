/* A thread of its own looks at the counters a few times a second; tasks are not disturbed. */
#include "command/progress.h"
#include "command/system.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 30, FIRST_MS = 1000, REDRAW_MS = 100, LINE_MS = 1000, TEXT = 32 };

static const char *when = "auto";

static struct {
    const twill *tw;
    const char *label;
    double start; /* of the phase */
    int64_t before, added, total;
    double part; /* of the command; negative: not known */
    double hidden_until;
    bool shown;    /* there is something on the screen to clear */
    bool terminal; /* redraw in place */
    bool running;  /* the thread exists */
    bool stop;
    pthread_t thread;
    pthread_mutex_t lock; /* of all of it while the thread exists */
    pthread_cond_t wake;
} bar;

static int64_t count_done(void)
{
    twill_counters counters = {.size = sizeof counters};
    twill_count(bar.tw, &counters);
    return counters.executed + counters.skipped + bar.added;
}

/* 1234567 as 1.23M. */
static const char *short_number(double x, char text[TEXT])
{
    static const char units[] = " kMGT";
    int u = 0;
    for (; x >= 1000 && units[u + 1]; u++)
        x /= 1000;
    if (u == 0)
        snprintf(text, TEXT, "%.0f", x);
    else
        snprintf(text, TEXT, "%.3g%c", x, units[u]);
    return text;
}

static const char *short_time(double seconds, char text[TEXT])
{
    int64_t s = (int64_t)(seconds + 0.5);
    if (s < 60)
        snprintf(text, TEXT, "%" PRId64 " s", s);
    else if (s < 3600)
        snprintf(text, TEXT, "%" PRId64 ":%02" PRId64 " min", s / 60, s % 60);
    else
        snprintf(text, TEXT, "%" PRId64 ":%02" PRId64 " h", s / 3600, s / 60 % 60);
    return text;
}

/* How much is done of what began at bar.start; negative when nobody knows. */
static double part_done(int64_t done)
{
    if (bar.total > 0)
        return done < bar.total ? (double)done / (double)bar.total : 1;
    return bar.part;
}

static void draw(void)
{
    int64_t done = count_done() - bar.before;
    double elapsed = system_seconds() - bar.start, part = part_done(done);
    char picture[WIDTH + 1], number[TEXT], rate[TEXT], left[TEXT] = "";
    for (int i = 0; i < WIDTH; i++)
        picture[i] = i < (int)(part * WIDTH) ? '#' : '.';
    picture[WIDTH] = '\0';
    fprintf(stderr, "%s%s", bar.terminal ? "\r" : "", bar.label);
    if (part >= 0)
        fprintf(stderr, " [%s] %3.0f%%", picture, 100 * part);
    fprintf(stderr, "  %s tasks  %s/s", short_number((double)done, number),
            short_number((double)done / elapsed, rate));
    if (part > 0)
        fprintf(stderr, "  %s left", short_time(elapsed * (1 - part) / part, left));
    fputs(bar.terminal ? "\033[K" : "\n", stderr);
    bar.shown = true;
}

static void clear(void)
{
    if (bar.shown && bar.terminal)
        fputs("\r\033[K", stderr);
    bar.shown = false;
}

static void add_ms(struct timespec *t, int ms)
{
    t->tv_nsec += ms * 1000000L;
    t->tv_sec += t->tv_nsec / 1000000000L;
    t->tv_nsec %= 1000000000L;
}

static void *watch(void *arg)
{
    (void)arg;
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    add_ms(&next, FIRST_MS);
    pthread_mutex_lock(&bar.lock);
    while (!bar.stop) {
        if (pthread_cond_timedwait(&bar.wake, &bar.lock, &next) == 0)
            continue; /* woken to stop, or for nothing */
        if (system_seconds() >= bar.hidden_until)
            draw();
        add_ms(&next, bar.terminal ? REDRAW_MS : LINE_MS);
    }
    pthread_mutex_unlock(&bar.lock);
    return NULL;
}

void progress_mode(const char *text)
{
    when = text;
}

void progress_begin(const twill *tw, const char *label)
{
    bool terminal = isatty(STDERR_FILENO);
    if (bar.running || strcmp(when, "off") == 0 || (strcmp(when, "auto") == 0 && !terminal))
        return;
    memset(&bar, 0, sizeof bar);
    bar.tw = tw;
    bar.label = label;
    bar.terminal = terminal;
    bar.part = -1;
    bar.start = system_seconds();
    bar.before = count_done();
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&bar.wake, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&bar.lock, NULL);
    /* Without a thread there is no bar, which is no reason to fail. */
    bar.running = pthread_create(&bar.thread, NULL, watch, NULL) == 0;
}

void progress_end(void)
{
    if (!bar.running)
        return;
    pthread_mutex_lock(&bar.lock);
    bar.stop = true;
    pthread_cond_signal(&bar.wake);
    pthread_mutex_unlock(&bar.lock);
    pthread_join(bar.thread, NULL);
    pthread_cond_destroy(&bar.wake);
    pthread_mutex_destroy(&bar.lock);
    clear();
    bar.running = false;
}

/* Everything else does nothing when there is no bar. */
static bool lock(void)
{
    return bar.running && pthread_mutex_lock(&bar.lock) == 0;
}

void progress_phase(const char *label, int64_t tasks)
{
    if (!lock())
        return;
    bar.label = label;
    bar.total = tasks;
    bar.start = system_seconds();
    bar.added = 0;
    bar.before = count_done();
    pthread_mutex_unlock(&bar.lock);
}

void progress_part(double done, double all)
{
    if (!lock())
        return;
    bar.part = done / all;
    pthread_mutex_unlock(&bar.lock);
}

void progress_add(int64_t tasks)
{
    if (!lock())
        return;
    bar.added += tasks;
    pthread_mutex_unlock(&bar.lock);
}

void progress_hide(void)
{
    if (!lock())
        return;
    clear();
    bar.hidden_until = system_seconds() + 1e-3 * REDRAW_MS;
    pthread_mutex_unlock(&bar.lock);
}
