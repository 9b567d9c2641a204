/* Binding the threads of a library that does not do it itself; see bind.h. */
#define _GNU_SOURCE
#include "bind.h"

#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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

void bind_threads(void)
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
