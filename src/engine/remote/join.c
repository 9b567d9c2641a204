/* Contexts of an MPI program become ranks. */
#include "comm/mpi.h"
#include "engine/remote/places.h"

#include <dlfcn.h>
#include <string.h>

/* Has the program itself initialised MPI? Then it says which contexts are ranks. */
static bool is_initialized(void)
{
    int flag = 0;
    int (*initialized)(int *) = (int (*)(int *))(uintptr_t)dlsym(RTLD_DEFAULT, "MPI_Initialized");
    const tw_mpi_calls *loaded = dlsym(RTLD_DEFAULT, TW_MPI_MODULE);
    return initialized && initialized(&flag) == 0 && flag && !(loaded && loaded->is_ours());
}

static bool is_wanted(const char *text, const void *comm)
{
    if (!strcmp(text, "auto"))
        return comm || (tw_mpi_launched() > 1 && !is_initialized());
    return strcmp(text, "off") != 0;
}

twill_status tw_remote_join(twill *tw, const void *comm)
{
    const char *text = tw->options.text[TW_OPT_MPI];
    const tw_mpi_calls *calls;
    tw_comm *endpoint = NULL;
    if (!is_wanted(text, comm))
        return TWILL_OK;
    twill_status status = tw_mpi_load(text, &calls);
    if (status == TWILL_OK)
        status = tw_mpi_join(calls, comm, &endpoint);
    if (status == TWILL_OK)
        status = tw_remote_open(tw, endpoint);
    return status == TWILL_OK ? tw_places_exchange(tw) : status;
}
