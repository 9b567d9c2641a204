/* The shared part of the peer programs; see peer.h. */
#define _GNU_SOURCE
#include "peer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

void peer_die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

long peer_number(const char *text, const char *what, long least, long most)
{
    char *end;

    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        peer_die("%s must be a number from %ld to %ld, not '%s'", what, least, most, text);
    return value;
}

/* By the program's real path, so that the process keeps its name. */
static _Noreturn void start_again(char **argv)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

    if (length > 0) {
        path[length] = '\0';
        execv(path, argv);
    }
    peer_die("cannot start again: %s", strerror(errno));
}

void peer_environment(const struct peer_setting *settings, char **argv)
{
    bool changed = false;

    for (; settings->name; settings++) {
        const char *present = getenv(settings->name);
        if (present && strcmp(present, settings->value) == 0)
            continue;
        if (setenv(settings->name, settings->value, 1))
            peer_die("cannot set %s: %s", settings->name, strerror(errno));
        changed = true;
    }
    if (changed)
        start_again(argv);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double peer_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

void *peer_allocate(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    size_t whole = (bytes + page - 1) / page * page;
    void *storage = aligned_alloc(page, whole);

    if (!storage)
        peer_die("no memory for %zu bytes", bytes);
    /* Advice only: without huge pages the program is slower, not wrong. */
    madvise(storage, whole, MADV_HUGEPAGE);
    return storage;
}

bool peer_next_round(long repeat, long round)
{
    int c;

    if (repeat > 0)
        return round < repeat;
    while ((c = getchar()) != EOF) {
        if (c == '\n')
            return true;
    }
    return false;
}

/* Returns once the process has used next to no processor time for a while. */
static void wait_until_idle(void)
{
    const struct timespec nap = {.tv_nsec = 5000000};
    const double give_up = peer_seconds() + 2.0;
    double used;

    do {
        used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        nanosleep(&nap, NULL);
        used = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used;
    } while (used > 0.0005 && peer_seconds() < give_up);
}

void peer_answer(long repeat, double value)
{
    if (repeat == 0)
        wait_until_idle();
    printf("%.3f\n", value);
    fflush(stdout);
}
