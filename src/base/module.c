/* Finding and loading modules. */
#include "base/module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

void *tw_module_open(const char *path, int flags, const char *symbol, bool (*fits)(void *symbol))
{
    void *handle = dlopen(path, flags);
    void *found = handle ? dlsym(handle, symbol) : NULL;
    if (found && fits(found))
        return found;
    if (handle && found)
        dlclose(handle);
    return NULL;
}

void *tw_module_find(const char *file, int flags, const char *symbol, bool (*fits)(void *symbol))
{
    Dl_info self;
    char path[PATH];
    void *found = NULL;
    static const char *const beside[] = {"", "../lib/", "../lib64/"};
    const char *slash = dladdr((void *)(uintptr_t)tw_module_find, &self) && self.dli_fname
                            ? strrchr(self.dli_fname, '/')
                            : NULL;
    for (size_t i = 0; slash && !found && i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - self.dli_fname), self.dli_fname,
                 beside[i], file);
        found = tw_module_open(path, flags, symbol, fits);
    }
    return found ? found : tw_module_open(file, flags, symbol, fits);
}
