/* A private BLAS, loaded at run time: its symbols stay its own, so it cannot clash with a BLAS that
 * the program uses, and its threads are nobody else's. */
#include "base/status.h"
#include "la/blas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct candidate {
    const char *name, *path;
} candidate;

/* Threaded builds, told to use one thread: the single-threaded ones have no locks and may give two
 * callers the same work buffer (docs/decisions/0003-blas.md). */
static const candidate table[] = {
    {"openblas", "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0"},
    {"openblas", "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0"},
    {"openblas", "/usr/lib64/libopenblasp.so.0"},
    {"openblas", "/usr/lib64/libopenblas.so.0"},
    {"openblas", "/usr/lib/libopenblas.so.0"},
    {"openblas", "/opt/homebrew/opt/openblas/lib/libopenblas.dylib"},
    {"openblas", "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0"},
    {"openblas", "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0"},
    {"mkl", "/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.2"},
    {"mkl", "/usr/lib/x86_64-linux-gnu/libmkl_rt.so"},
    {"blis", "/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4"},
};

static void *find_symbol(const tw_library *library, const char *name)
{
    return dlsym(library->handle, name);
}

/* ---- loading -----------------------------------------------------------------------------------
 */

/* Set a variable and return what it was, to be put back by restore. */
static char *replace(const char *variable, const char *value)
{
    const char *old = getenv(variable);
    char *before = old ? strdup(old) : NULL;
    setenv(variable, value, 1);
    return before;
}

static void restore(const char *variable, char *before)
{
    if (before)
        setenv(variable, before, 1);
    else
        unsetenv(variable);
    free(before);
}

/* OpenBLAS reads these variables once, while it is loaded; the program's environment is put back.
 */
static void *load(const char *path, const char *kernels)
{
    int flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
#ifdef RTLD_DEEPBIND
    flags |= RTLD_DEEPBIND;
#endif
    char *threads = replace("OPENBLAS_NUM_THREADS", "1");
    char *core = kernels ? replace("OPENBLAS_CORETYPE", kernels) : NULL;
    void *handle = dlopen(path, flags);
    if (kernels)
        restore("OPENBLAS_CORETYPE", core);
    restore("OPENBLAS_NUM_THREADS", threads);
    return handle;
}

/* The loader gives the same file out only once. When the program has it already, a copy in memory
 * is another file, and so a library of our own whose threads we may set. */
static int copy_file(const char *path)
{
    struct stat info;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    int to = from >= 0 ? memfd_create("blas", MFD_CLOEXEC) : -1;
    bool copied = to >= 0 && !fstat(from, &info);
    for (off_t left = copied ? info.st_size : 0; copied && left > 0;) {
        ssize_t n = sendfile(to, from, NULL, (size_t)left);
        copied = n > 0;
        left -= n;
    }
    if (from >= 0)
        close(from);
    if (to >= 0 && !copied)
        close(to);
    return copied ? to : -1;
}

static void *load_private(const char *path, const char *kernels)
{
    void *shared = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    if (!shared)
        return load(path, kernels);
    dlclose(shared);
    int copy = copy_file(path);
    if (copy < 0)
        return NULL;
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    void *handle = load(name, kernels);
    close(copy);
    return handle;
}

/* An OpenBLAS that was built for one thread and without locks. */
static bool unsafe(const tw_library *library)
{
    char *(*config)(void);
    *(void **)&config = dlsym(library->handle, "openblas_get_config");
    return config && strstr(config(), "SINGLE_THREADED");
}

/* ---- choosing ----------------------------------------------------------------------------------
 */

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
                              size_t size, int callers)
{
    const char *reason = "";
    bool automatic = !strcmp(kernels, "auto");
    bool openblas = strstr(path, "openblas") != NULL;
    const char *set = !automatic ? kernels : openblas ? tw_cpu_kernels(&reason) : NULL;
    library->handle = load_private(path, set);
    if (!library->handle)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option blas (TWILL_BLAS): cannot load %s: %s", path,
                       dlerror());
    if (callers > 1 && unsafe(library))
        return tw_fail(
            TWILL_ERR_UNSUPPORTED,
            "%s is a single-threaded build without locks, which %d workers cannot share: "
            "install a threaded OpenBLAS (Debian: libopenblas0-pthread); Twill runs it "
            "with one thread",
            path, callers);
    library->symbol = find_symbol;
    snprintf(library->path, sizeof library->path, "%s", path);
    explain(set, automatic && set, reason, why, size);
    return TWILL_OK;
}

static bool readable(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f)
        fclose(f);
    return f;
}

twill_status tw_library_open(tw_library *library, const char *wanted, const char *kernels,
                             int callers, char *why, size_t size)
{
    if (strchr(wanted, '/'))
        return open_path(library, wanted, kernels, why, size, callers);
    bool any = !strcmp(wanted, "auto"), known = any;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool named = any || !strcmp(wanted, table[i].name);
        known = known || named;
        if (named && readable(table[i].path))
            return open_path(library, table[i].path, kernels, why, size, callers);
    }
    if (!known)
        return tw_fail(TWILL_ERR_OPTION,
                       "option blas (TWILL_BLAS): '%s' is not auto, openblas, blis, "
                       "mkl or a full path",
                       wanted);
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "no BLAS found for '%s': install a serial OpenBLAS (Debian: "
                   "libopenblas0-serial) or give its path in TWILL_BLAS",
                   wanted);
}
