/* The BLAS the program is linked with, for builds whose tools must see it from the start. */
#include "base/status.h"
#include "la/blas.h"

#include <dlfcn.h>
#include <stdio.h>

extern char *openblas_get_config(void);
extern void openblas_set_num_threads(int threads);

static void *find_symbol(const tw_library *library, const char *name)
{
    (void)library;
    return dlsym(RTLD_DEFAULT, name);
}

twill_status tw_library_open(tw_library *library, const char *wanted, const char *kernels,
                             int callers, char *why, size_t size)
{
    (void)wanted, (void)kernels, (void)callers;
    openblas_set_num_threads(1);
    library->symbol = find_symbol;
    snprintf(library->path, sizeof library->path, "linked: %s", openblas_get_config());
    snprintf(why, size, "linked with the program");
    return TWILL_OK;
}

void tw_library_close(tw_library *library)
{
    (void)library;
}
