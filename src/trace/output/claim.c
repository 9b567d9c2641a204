/* Which file each context of a process writes its trace to: all of them have the same options, and
 * none may overwrite what another one wrote. */
#include "trace/output/claim.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATHS = 64 }; /* that are told apart; further ones keep their names */

/* Files belong to the process, and so does what its contexts have taken of them. */
static struct {
    uint64_t path; /* as a hash */
    int contexts;
} taken[PATHS];
static pthread_mutex_t taken_mutex = PTHREAD_MUTEX_INITIALIZER;

static uint64_t hash(const char *path)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *path; path++)
        h = (h ^ (unsigned char)*path) * UINT64_C(1099511628211);
    return h;
}

/* How many contexts have asked for the path, this one included. */
static int count(const char *path)
{
    uint64_t h = hash(path);
    int i = 0;
    while (i < PATHS && taken[i].contexts && taken[i].path != h)
        i++;
    if (i == PATHS)
        return 1;
    taken[i].path = h;
    return ++taken[i].contexts;
}

char *tw_trace_claim(const char *path)
{
    enum { DIGITS = 12 };
    pthread_mutex_lock(&taken_mutex);
    int number = count(path);
    pthread_mutex_unlock(&taken_mutex);
    const char *ending = strrchr(path, '.');
    size_t size = strlen(path) + DIGITS;
    char *claimed = malloc(size);
    if (claimed && number == 1)
        snprintf(claimed, size, "%s", path);
    else if (claimed)
        snprintf(claimed, size, "%.*s-%d%s", (int)(ending - path), path, number, ending);
    return claimed;
}
