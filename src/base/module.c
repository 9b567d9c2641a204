/* Where modules lie. */
#include "base/module.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

static void *open_module(const char *path, const char *symbol, int flags,
                         bool (*fits)(const void *exported))
{
    void *handle = dlopen(path, flags);
    void *exported = handle ? dlsym(handle, symbol) : NULL;
    return exported && fits(exported) ? exported : NULL;
}

void *tw_module_find(const char *file, const char *symbol, int flags,
                     bool (*fits)(const void *exported))
{
    Dl_info self;
    char path[PATH];
    void *exported = NULL;
    static const char *const beside[] = {"", "../lib/", "../lib64/"};
    const char *slash =
        !strchr(file, '/') && dladdr((void *)(uintptr_t)tw_module_find, &self) && self.dli_fname
            ? strrchr(self.dli_fname, '/')
            : NULL;
    for (size_t i = 0; slash && !exported && i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%.*s/%s%s", (int)(slash - self.dli_fname), self.dli_fname,
                 beside[i], file);
        exported = open_module(path, symbol, flags, fits);
    }
    return exported ? exported : open_module(file, symbol, flags, fits);
}
