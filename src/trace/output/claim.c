/* Which file each context of a process writes its trace to: all of them have the same options, and
 * none may overwrite what another one wrote. */
#include "trace/output/claim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files belong to the process, and so does what its contexts have taken of them. */
typedef struct taken {
    struct taken *next;
    int contexts;
    char path[];
} taken;

static taken *all_taken;
static pthread_mutex_t taken_mutex = PTHREAD_MUTEX_INITIALIZER;

/* How many contexts have asked for the path, this one included; 0: no memory. */
static int count(const char *path)
{
    taken *t = all_taken;
    while (t && strcmp(t->path, path) != 0)
        t = t->next;
    if (!t) {
        size_t size = strlen(path) + 1;
        t = calloc(1, sizeof *t + size);
        if (!t)
            return 0;
        memcpy(t->path, path, size);
        t->next = all_taken;
        all_taken = t;
    }
    return ++t->contexts;
}

char *tw_trace_claim(const char *path)
{
    enum { DIGITS = 12 };
    pthread_mutex_lock(&taken_mutex);
    int number = count(path);
    pthread_mutex_unlock(&taken_mutex);
    const char *ending = strrchr(path, '.');
    size_t size = strlen(path) + DIGITS;
    char *claimed = number ? malloc(size) : NULL;
    if (claimed && number == 1)
        snprintf(claimed, size, "%s", path);
    else if (claimed)
        snprintf(claimed, size, "%.*s-%d%s", (int)(ending - path), path, number, ending);
    return claimed;
}
