/* What the peers that are OpenBLAS itself share; see openblas.h. */
#define _GNU_SOURCE
#include "openblas.h"

#include "peer.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

struct share {
    pthread_t thread;
    double *entries;
    int n, threads, from_diagonal;
    int first; /* its columns are first, first + threads, and so on */
    openblas_entry_fn *entry;
};

static void *fill_share(void *argument)
{
    const struct share *s = argument;

    for (int j = s->first; j < s->n; j += s->threads) {
        double *column = s->entries + (size_t)j * (size_t)s->n;
        for (int i = s->from_diagonal ? j : 0; i < s->n; i++)
            column[i] = s->entry(s->n, i, j);
    }
    return NULL;
}

void openblas_fill(double *entries, int n, int threads, int from_diagonal, openblas_entry_fn *entry)
{
    struct share *shares = calloc((size_t)threads, sizeof(*shares));

    if (!shares)
        peer_die("no memory");
    for (int t = 0; t < threads; t++) {
        shares[t] = (struct share){.entries = entries,
                                   .n = n,
                                   .threads = threads,
                                   .from_diagonal = from_diagonal,
                                   .first = t,
                                   .entry = entry};
        if (pthread_create(&shares[t].thread, NULL, fill_share, &shares[t]))
            peer_die("cannot create a thread");
    }
    for (int t = 0; t < threads; t++)
        pthread_join(shares[t].thread, NULL);
    free(shares);
}

/* The first processor of the core that this one belongs to; itself where that is unknown. */
static int first_of_core(int cpu)
{
    char path[128];
    int first = cpu;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);
    FILE *file = fopen(path, "r");
    if (file) {
        if (fscanf(file, "%d", &first) != 1)
            first = cpu;
        fclose(file);
    }
    return first;
}

/* Binds one thread to the next core after *cpu that the process may use; false: there is none. */
static bool bind_to_next_core(int thread, const cpu_set_t *allowed, int *cpu)
{
    cpu_set_t one;

    do {
        if (++*cpu == CPU_SETSIZE)
            return false;
    } while (!CPU_ISSET(*cpu, allowed) || first_of_core(*cpu) != *cpu);
    CPU_ZERO(&one);
    CPU_SET(*cpu, &one);
    return sched_setaffinity(thread, sizeof(one), &one) == 0;
}

void openblas_bind(void)
{
    cpu_set_t allowed;
    DIR *threads = opendir("/proc/self/task");
    int cpu = -1;

    if (!threads)
        return;
    if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
        for (struct dirent *entry; (entry = readdir(threads));) {
            if (entry->d_name[0] != '.' && !bind_to_next_core(atoi(entry->d_name), &allowed, &cpu))
                break;
        }
    }
    closedir(threads);
}
