/* Linux tells it all in files; what it does not tell is unknown. */
#include "command/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double system_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The number after `key` at the start of a line of a file of the kernel's, or -1. */
static double field(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    double value = -1;
    char line[256];
    while (file && value < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%lf", &value) != 1)
            value = -1;
    if (file)
        fclose(file);
    return value;
}

/* getrusage would report the peak of the program that started this one if that was larger. */
double system_peak_mib(void)
{
    return field("/proc/self/status", "VmHWM:") / 1024;
}

double system_resident_mib(void)
{
    return field("/proc/self/status", "VmRSS:") / 1024;
}

double system_available(void)
{
    double available = field("/proc/meminfo", "MemAvailable:") * 1024;
    double limit = field("/sys/fs/cgroup/memory.max", "");
    if (limit > 0 && (available <= 0 || limit < available))
        available = limit;
    return available > 0 ? available : 0;
}

/* What launchers tell the processes that they start; NULL without one. */
static const char *launched_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MV2_COMM_WORLD_RANK", "PALS_RANKID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text)
            return text;
    }
    return NULL;
}

bool system_is_launched(void)
{
    return launched_rank() != NULL;
}

int system_launched_rank(void)
{
    const char *text = launched_rank();
    return text ? atoi(text) : 0;
}

const char *system_bytes(double bytes, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t u = 0;
    while (bytes >= 1024 && u + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        u++;
    }
    snprintf(text, size, bytes < 1e6 ? "%.*f %s" : "%.*e %s", u ? 1 : 0, bytes, units[u]);
    return text;
}
