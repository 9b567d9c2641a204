/* hwloc topology and binding. */
#include "base/topo.h"

#include "base/peak.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static twill_status load(tw_topo *topo, const char *description)
{
    if (hwloc_topology_init(&topo->topology))
        return tw_fail(TWILL_ERR_SYSTEM, "hwloc cannot start");
    if (description && *description) {
        topo->foreign = true;
        size_t n = strlen(description);
        bool xml = n > 4 && !strcmp(description + n - 4, ".xml");
        int rc = xml ? hwloc_topology_set_xml(topo->topology, description)
                     : hwloc_topology_set_synthetic(topo->topology, description);
        if (rc)
            return tw_fail(TWILL_ERR_OPTION,
                           "option topology: '%s' is neither an hwloc synthetic description nor a "
                           "readable XML file",
                           description);
    }
    if (hwloc_topology_load(topo->topology))
        return tw_fail(TWILL_ERR_SYSTEM, "hwloc cannot read the topology%s%s",
                       topo->foreign ? " of " : "", topo->foreign ? description : "");
    return TWILL_OK;
}

/* What this process may use: hwloc knows the cgroup, the binding knows taskset and mpirun. */
static hwloc_bitmap_t allowed_pus(const tw_topo *topo)
{
    hwloc_bitmap_t set = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topo->topology));
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    if (set && bound && !topo->foreign &&
        !hwloc_get_cpubind(topo->topology, bound, HWLOC_CPUBIND_THREAD) &&
        hwloc_bitmap_intersects(set, bound))
        hwloc_bitmap_and(set, set, bound);
    hwloc_bitmap_free(bound);
    return set;
}

static twill_status list_cores(tw_topo *topo)
{
    hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topo->topology, HWLOC_OBJ_CORE) > 0
                                ? HWLOC_OBJ_CORE
                                : HWLOC_OBJ_PU;
    int all = hwloc_get_nbobjs_by_type(topo->topology, type);
    hwloc_bitmap_t allowed = allowed_pus(topo);
    topo->cores = calloc((size_t)(all > 0 ? all : 1), sizeof *topo->cores);
    hwloc_bitmap_t mine = hwloc_bitmap_alloc();
    if (!allowed || !topo->cores || !mine) {
        hwloc_bitmap_free(allowed);
        hwloc_bitmap_free(mine);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the list of %d cores", all);
    }
    for (int i = 0; i < all; i++) {
        hwloc_obj_t object = hwloc_get_obj_by_type(topo->topology, type, (unsigned)i);
        hwloc_bitmap_and(mine, object->cpuset, allowed);
        if (!hwloc_bitmap_iszero(mine))
            topo->cores[topo->ncores++] = (tw_core){i, hwloc_bitmap_first(mine), object};
    }
    hwloc_bitmap_free(mine);
    hwloc_bitmap_free(allowed);
    if (topo->ncores == 0)
        return tw_fail(TWILL_ERR_SYSTEM, "the CPU mask of this process holds no core");
    return TWILL_OK;
}

static int64_t cache_bytes(const tw_topo *topo, hwloc_obj_type_t type)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topo->topology, type, 0);
    return cache ? (int64_t)cache->attr->cache.size : 0;
}

/* What this process can have: physical memory, or less where a cgroup says so. */
static int64_t usable_memory(void)
{
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    long long limit;
    if (f) {
        if (fscanf(f, "%lld", &limit) == 1 && limit > 0 && limit < bytes)
            bytes = limit;
        fclose(f);
    }
    return bytes;
}

static void describe(tw_topo *topo)
{
    twill_machine *m = &topo->machine;
    hwloc_obj_t root = hwloc_get_root_obj(topo->topology);
    hwloc_obj_t package = hwloc_get_obj_by_type(topo->topology, HWLOC_OBJ_PACKAGE, 0);
    const char *model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;
    if (!model)
        model = hwloc_obj_get_info_by_name(root, "CPUModel");
    snprintf(topo->cpu, sizeof topo->cpu, "%s", model ? model : "unknown");
    m->cpu = topo->cpu;
    m->packages = hwloc_get_nbobjs_by_type(topo->topology, HWLOC_OBJ_PACKAGE);
    m->numa_nodes = hwloc_get_nbobjs_by_type(topo->topology, HWLOC_OBJ_NUMANODE);
    m->cores = hwloc_get_nbobjs_by_type(topo->topology, HWLOC_OBJ_CORE);
    m->pus = hwloc_get_nbobjs_by_type(topo->topology, HWLOC_OBJ_PU);
    m->cores_allowed = topo->ncores;
    m->l1 = cache_bytes(topo, HWLOC_OBJ_L1CACHE);
    m->l2 = cache_bytes(topo, HWLOC_OBJ_L2CACHE);
    m->l3 = cache_bytes(topo, HWLOC_OBJ_L3CACHE);
    m->memory = usable_memory();
}

twill_status tw_topo_open(tw_topo *topo, const char *description)
{
    memset(topo, 0, sizeof *topo);
    twill_status status = load(topo, description);
    if (status == TWILL_OK)
        status = list_cores(topo);
    if (status == TWILL_OK)
        describe(topo);
    else
        tw_topo_close(topo);
    return status;
}

void tw_topo_measure(tw_topo *topo)
{
    twill_machine *m = &topo->machine;
    const char *kind;
    if (m->peak_how)
        return;
    if (topo->foreign) {
        m->peak_how = "unknown: this is not the machine that TWILL_TOPOLOGY describes";
        return;
    }
    double core = tw_peak(&kind);
    m->peak_gflops = core * topo->ncores;
    snprintf(topo->peak_how, sizeof topo->peak_how, "%d cores x %.1f, measured on one with %s",
             topo->ncores, core, kind);
    m->peak_how = topo->peak_how;
}

void tw_topo_close(tw_topo *topo)
{
    free(topo->cores);
    if (topo->topology)
        hwloc_topology_destroy(topo->topology);
    memset(topo, 0, sizeof *topo);
}

int tw_topo_distance(const tw_topo *topo, int core_a, int core_b)
{
    hwloc_obj_t a = topo->cores[core_a % topo->ncores].object;
    hwloc_obj_t b = topo->cores[core_b % topo->ncores].object;
    int steps = 0;
    while (a != b && a->parent && b->parent) {
        a = a->parent;
        b = b->parent;
        steps++;
    }
    return steps;
}

void tw_topo_bind(const tw_topo *topo, int core, hwloc_cpuset_t before)
{
    if (topo->foreign)
        return;
    if (before)
        hwloc_get_cpubind(topo->topology, before, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (!set)
        return;
    hwloc_bitmap_only(set, (unsigned)topo->cores[core % topo->ncores].pu);
    /* Binding is a matter of speed: where the system refuses it, the work still gets done. */
    (void)hwloc_set_cpubind(topo->topology, set, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(set);
}

void tw_topo_unbind(const tw_topo *topo, hwloc_const_cpuset_t before)
{
    if (!topo->foreign && !hwloc_bitmap_iszero(before))
        (void)hwloc_set_cpubind(topo->topology, before, HWLOC_CPUBIND_THREAD);
}

hwloc_cpuset_t tw_topo_where(const tw_topo *topo)
{
    hwloc_bitmap_t set = topo->foreign ? NULL : hwloc_bitmap_alloc();
    if (set && hwloc_get_cpubind(topo->topology, set, HWLOC_CPUBIND_THREAD)) {
        hwloc_bitmap_free(set);
        set = NULL;
    }
    return set;
}

void tw_topo_place(const tw_topo *topo, int core)
{
    hwloc_bitmap_t before = topo->foreign ? NULL : hwloc_bitmap_alloc();
    unsigned pu = (unsigned)topo->cores[core % topo->ncores].pu;
    if (before && !hwloc_get_cpubind(topo->topology, before, HWLOC_CPUBIND_THREAD) &&
        hwloc_bitmap_isset(before, pu)) {
        tw_topo_bind(topo, core, NULL);
        tw_topo_unbind(topo, before);
    }
    hwloc_bitmap_free(before);
}

void tw_topo_release(const tw_topo *topo, pthread_t thread)
{
    hwloc_bitmap_t set = topo->foreign ? NULL : hwloc_bitmap_alloc();
    for (int i = 0; set && i < topo->ncores; i++)
        hwloc_bitmap_set(set, (unsigned)topo->cores[i].pu);
    if (set)
        (void)hwloc_set_thread_cpubind(topo->topology, thread, set, 0);
    hwloc_bitmap_free(set);
}
