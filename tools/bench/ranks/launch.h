/* Programs that run to their end as ranks of MPI, or by themselves, and what they print. */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>

enum { LAUNCH_WHY = 256 };

typedef struct launcher {
    const char *mpirun; /* the command, to which -np R is added; NULL: mpirun of Open MPI, which
                           then also binds */
    cpu_set_t mask;     /* what programs start with: Twill may bind the thread that forks */
    int cores;          /* that ranks are bound to, as long as there are enough */
    double limit;       /* seconds after which a program is ended */
} launcher;

/* What to run. */
typedef struct launch_program {
    int ranks;               /* 0: by itself, and without MPI */
    int workers;             /* cores of each rank */
    const char *const *argv; /* ends with NULL */
} launch_program;

/* Run it; `see` gets each line of its standard output. False when it fails or takes too long: then
 * `why` has the first line of its standard error that says something. Ranks end with it. */
bool launch(const launcher *l, const launch_program *p, void (*see)(void *arg, const char *line),
            void *arg, char why[LAUNCH_WHY]);

/* The path of this program. */
bool launch_self(char path[PATH_MAX]);

#endif
