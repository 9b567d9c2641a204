/* A private BLAS, loaded at run time: its symbols stay its own, so it cannot clash with a BLAS that
 * the program uses, and its threads are nobody else's. */
#include "base/status.h"
#include "la/blas.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    const char *name, *path;
} candidate;

/* Serial builds first. */
static const candidate table[] = {
    {"openblas", "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0"},
    {"openblas", "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0"},
    {"openblas", "/usr/lib64/libopenblas.so.0"},
    {"openblas", "/usr/lib/libopenblas.so.0"},
    {"openblas", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib"},
    {"openblas", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"},
    {"mkl", "/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.2"},
    {"mkl", "/usr/lib/x86_64-linux-gnu/libmkl_rt.so"},
    {"blis", "/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4"},
};

static void *find_symbol(const tw_library *library, const char *name)
{
    return dlsym(library->handle, name);
}

/* OpenBLAS reads this variable once, while it is loaded; the program's environment is put back. */
static void *load_with_kernels(const char *path, const char *kernels)
{
    static const char variable[] = "OPENBLAS_CORETYPE";
    const char *old = getenv(variable);
    char *before = old ? strdup(old) : NULL;
    if (kernels)
        setenv(variable, kernels, 1);
    int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#ifdef RTLD_DEEPBIND
    flags |= RTLD_DEEPBIND;
#endif
    void *handle = dlopen(path, flags);
    if (kernels && before)
        setenv(variable, before, 1);
    else if (kernels)
        unsetenv(variable);
    free(before);
    return handle;
}

static bool already_loaded(const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (handle)
        dlclose(handle);
    return handle;
}

/* Threads of its own would fight with the workers. */
static twill_status make_serial(tw_library *library, bool shared)
{
    int (*parallel)(void);
    void (*set_threads)(int);
    *(void **)&parallel = dlsym(library->handle, "openblas_get_parallel");
    *(void **)&set_threads = dlsym(library->handle, "openblas_set_num_threads");
    if (!set_threads || !parallel || parallel() == 0)
        return TWILL_OK;
    if (shared)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s is threaded and the program uses it too: install a serial OpenBLAS "
                       "(libopenblas0-serial) or name another with TWILL_BLAS",
                       library->path);
    set_threads(1);
    return TWILL_OK;
}

static void explain(const char *kernels, bool chosen, const char *why, char *text, size_t size)
{
    if (chosen)
        snprintf(text, size, "%s", why);
    else if (kernels)
        snprintf(text, size, "asked for by option kernels");
    else
        snprintf(text, size, "the provider's own choice for this processor");
}

static twill_status open_path(tw_library *library, const char *path, const char *kernels, char *why,
                              size_t size)
{
    const char *reason = "";
    bool automatic = !strcmp(kernels, "auto");
    bool openblas = strstr(path, "openblas") != NULL;
    const char *set = !automatic ? kernels : openblas ? tw_cpu_kernels(&reason) : NULL;
    bool shared = already_loaded(path);
    library->handle = load_with_kernels(path, set);
    if (!library->handle)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option blas (TWILL_BLAS): cannot load %s: %s", path,
                       dlerror());
    library->symbol = find_symbol;
    snprintf(library->path, sizeof library->path, "%s", path);
    explain(set, automatic && set, reason, why, size);
    return make_serial(library, shared);
}

static bool readable(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f)
        fclose(f);
    return f;
}

twill_status tw_library_open(tw_library *library, const char *wanted, const char *kernels,
                             char *why, size_t size)
{
    if (strchr(wanted, '/'))
        return open_path(library, wanted, kernels, why, size);
    bool any = !strcmp(wanted, "auto"), known = any;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool named = any || !strcmp(wanted, table[i].name);
        known = known || named;
        if (named && readable(table[i].path))
            return open_path(library, table[i].path, kernels, why, size);
    }
    if (!known)
        return tw_fail(TWILL_ERR_OPTION, "option blas (TWILL_BLAS): '%s' is not auto, openblas, blis, "
                                         "mkl or a full path",
                       wanted);
    return tw_fail(TWILL_ERR_UNSUPPORTED, "no BLAS found for '%s': install a serial OpenBLAS (Debian: "
                                          "libopenblas0-serial) or give its path in TWILL_BLAS",
                   wanted);
}
