/* Starting StarPU; see starpu_begin.h. */
#define _GNU_SOURCE
#include "starpu_begin.h"
#include "peer.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <starpu.h>

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

void starpu_begin(const char *threads)
{
    char home[] = "/tmp/twill-starpu-XXXXXX";

    if (!mkdtemp(home))
        peer_die("cannot create a folder in /tmp");
    setenv("STARPU_HOME", home, 1);
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_NCPU", threads, 1);
    setenv("STARPU_NCUDA", "0", 1);
    setenv("STARPU_NOPENCL", "0", 1);
    setenv("STARPU_CALIBRATE", "0", 1);
    setenv("STARPU_BUS_CALIBRATE", "0", 1);
    setenv("STARPU_SCHED", "lws", 0);
    unsetenv("STARPU_WORKERS_NOBIND");
    int failed = starpu_init(NULL);
    nftw(home, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (failed)
        peer_die("starpu_init: %s", strerror(-failed));
}
