/* Which MPI there is, and the module for it. */
#include "base/module.h"
#include "comm/mpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- launchers --------------------------------------------------------------------------- */

/* Variables that launchers set for each rank: how many there are. */
static const char *const sizes[] = {
    "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "PALS_SIZE", "FLUX_JOB_SIZE", NULL};

int tw_mpi_launched(void)
{
    for (const char *const *name = sizes; *name; name++) {
        const char *text = getenv(*name);
        int n = text ? atoi(text) : 0;
        if (n > 0)
            return n;
    }
    /* Slurm says how many tasks a step has, whether they use MPI or not; PMIx, that they might */
    const char *tasks = getenv("PMIX_RANK") ? getenv("SLURM_STEP_NUM_TASKS") : NULL;
    if (!tasks && getenv("PMIX_RANK"))
        tasks = getenv("SLURM_NTASKS");
    return tasks && atoi(tasks) > 0 ? atoi(tasks) : 1;
}

/* ---- modules ----------------------------------------------------------------------------- */

typedef struct module {
    const char *file;
    const char *symbol;   /* that only this MPI has: the program uses it already */
    const char *variable; /* that its launcher sets */
} module;

static const module modules[] = {
    {"libtwill-openmpi.so", "ompi_mpi_comm_world", "OMPI_COMM_WORLD_SIZE"},
    {"libtwill-mpich.so", "MPIR_Process", "PMI_SIZE"},
};
enum { MODULES = sizeof modules / sizeof *modules };

/* Better ones first: of the MPI that the program has, of the launcher's, any. */
static int rank_module(const module *m)
{
    return dlsym(RTLD_DEFAULT, m->symbol) ? 0 : getenv(m->variable) ? 1 : 2;
}

static bool fits(const void *exported)
{
    return ((const tw_mpi_calls *)exported)->version == TW_MPI_CALLS;
}

/* Global: what MPI itself loads finds it. */
static const tw_mpi_calls *find_module(const char *file)
{
    return tw_module_find(file, TW_MPI_MODULE, RTLD_NOW | RTLD_GLOBAL, fits);
}

twill_status tw_mpi_load(const char *wanted, const tw_mpi_calls **calls)
{
    if (strchr(wanted, '/')) {
        *calls = find_module(wanted);
        if (*calls)
            return TWILL_OK;
        const char *why = dlerror();
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option mpi (TWILL_MPI): %s",
                       why ? why : "this is no module of this version of Twill");
    }
    *calls = NULL;
    for (int best = 0; best <= 2 && !*calls; best++)
        for (int i = 0; i < MODULES && !*calls; i++)
            if (rank_module(&modules[i]) == best)
                *calls = find_module(modules[i].file);
    if (*calls)
        return TWILL_OK;
    return tw_fail(
        TWILL_ERR_UNSUPPORTED,
        "there is no module for MPI: build Twill where Open MPI or MPICH is installed, or "
        "say where its file is, or off, with the option mpi (TWILL_MPI)");
}
