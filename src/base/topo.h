/* The machine: cores inside the inherited mask, distances between them, caches, binding. */
#ifndef TW_BASE_TOPO_H
#define TW_BASE_TOPO_H

#include <hwloc.h>
#include <pthread.h>
#include <twill/context.h>

typedef struct tw_core {
    int logical;        /* hwloc's number of the core */
    int pu;             /* operating system number of the processing unit to bind to */
    hwloc_obj_t object; /* the core, or the PU where there are no cores */
} tw_core;

typedef struct tw_topo {
    hwloc_topology_t topology;
    bool foreign; /* a described machine, not this one: nothing is bound */
    int ncores;
    tw_core *cores;        /* those inside the mask, in hwloc order */
    twill_machine machine; /* its peak once that is measured */
    char cpu[128], peak_how[160];
} tw_topo;

/* Read this machine, or the one `description` describes (synthetic text or XML file). */
twill_status tw_topo_open(tw_topo *topo, const char *description);
void tw_topo_close(tw_topo *topo);

/* Fill in the peak: a few milliseconds at the first call. One thread at a time. */
void tw_topo_measure(tw_topo *topo);

/* Steps up the tree to the common ancestor of two cores: 0 for the same core. */
int tw_topo_distance(const tw_topo *topo, int core_a, int core_b);

/* Bind the calling thread to a core; remember in *before where it was, when that is not NULL. */
void tw_topo_bind(const tw_topo *topo, int core, hwloc_cpuset_t before);
void tw_topo_unbind(const tw_topo *topo, hwloc_const_cpuset_t before);

/* Where the calling thread may run: a set for the caller to free. NULL: nobody knows. */
hwloc_cpuset_t tw_topo_where(const tw_topo *topo);

/* Move the calling thread to a core, if it may run there, and leave it where it may run: it stays
 * until the system has a reason to move it. */
void tw_topo_place(const tw_topo *topo, int core);

/* Let a thread run on any of the cores. */
void tw_topo_release(const tw_topo *topo, pthread_t thread);

#endif
