/* Loading libclang. */
#include "loops/c/clang.h"

#include <dlfcn.h>
#include <stddef.h>

typedef struct entry {
    const char *name;
    size_t offset;
} entry;

static const entry entries[] = {
#define CLANG_ENTRY(name) {"clang_" #name, offsetof(clang_calls, name)},
    CLANG_FUNCTIONS(CLANG_ENTRY)
#undef CLANG_ENTRY
};

static void *open_library(void)
{
    /* The one of the headers first; a distribution keeps several versions side by side. */
    static const char *const names[] = {LOOPS_LIBCLANG, "libclang.so.1", "libclang.so",
                                        "libclang-14.so.1"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

const clang_calls *clang_load(const char **why)
{
    static clang_calls calls;
    static bool loaded;
    if (loaded)
        return &calls;
    void *library = open_library();
    *why = "--from-c needs libclang, and this machine has none: install libclang1 (" LOOPS_LIBCLANG
           ")";
    if (!library)
        return NULL;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *function = dlsym(library, entries[i].name);
        *why = "--from-c needs libclang 7 or later, and this machine has an older one";
        if (!function)
            return NULL;
        *(void **)(void *)((char *)&calls + entries[i].offset) = function;
    }
    loaded = true;
    return &calls;
}
