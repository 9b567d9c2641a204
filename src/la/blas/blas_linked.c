/* The BLAS the program is linked with, for builds whose tools must see it from the start. */
#include "base/status.h"
#include "la/blas/blas.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

extern char *openblas_get_config(void);
extern char *openblas_get_corename(void);
extern void openblas_set_num_threads(int threads);

static void *find_symbol(const tw_library *library, const char *name)
{
    (void)library;
    return dlsym(RTLD_DEFAULT, name);
}

twill_status tw_library_open(tw_library *library, const tw_wish *wish)
{
    char version[64] = "";
    openblas_set_num_threads(1);
    library->symbol = find_symbol;
    sscanf(openblas_get_config(), "OpenBLAS %63s", version);
    snprintf(library->provider, sizeof library->provider, "OpenBLAS %s", version);
    snprintf(library->kernels, sizeof library->kernels, "%s", openblas_get_corename());
    snprintf(library->path, sizeof library->path, "linked: %s", openblas_get_config());
    snprintf(library->lapack_path, sizeof library->lapack_path, "%s", library->path);
    snprintf(library->why, sizeof library->why, "linked with the program");
    library->own_products = !strcmp(wish->kernels, "auto");
    return TWILL_OK;
}

void tw_library_close(tw_library *library)
{
    (void)library;
}
