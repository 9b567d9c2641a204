/* A private BLAS, loaded at run time: its symbols stay its own, so it cannot clash with a BLAS that
 * the program uses, and its threads are nobody else's. */
#include "base/status.h"
#include "la/blas.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Threaded builds, told to use one thread, come first: the single-threaded ones have no locks and
 * may give two callers the same work buffer (docs/decisions/0003-blas.md). */
static const char *const places[] = {
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib64/libopenblasp.so.0",
    "/usr/lib64/libopenblas.so.0",
    "/usr/lib/libopenblas.so.0",
    "/usr/local/lib/libopenblas.so.0",
    "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
};

static void *find_symbol(const tw_library *library, const char *name)
{
    return dlsym(library->handle, name);
}

/* ---- loading ----------------------------------------------------------------------------- */

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
    char *threads = replace("OPENBLAS_NUM_THREADS", "1");
    char *core = kernels ? replace("OPENBLAS_CORETYPE", kernels) : NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (kernels)
        restore("OPENBLAS_CORETYPE", core);
    restore("OPENBLAS_NUM_THREADS", threads);
    return handle;
}

/* The loader gives the same file out only once, to Twill and to the program alike. A copy in memory
 * is another file, and so a library of our own. */
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

static void *load_copy(const char *path, const char *kernels)
{
    int copy = copy_file(path);
    if (copy < 0)
        return NULL;
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", copy);
    void *handle = load(name, kernels);
    close(copy);
    return handle;
}

/* Threads it uses; 1 when it cannot say. */
static int threads_of(void *handle)
{
    int (*threads)(void);
    *(void **)&threads = dlsym(handle, "openblas_get_num_threads");
    return threads ? threads() : 1;
}

static bool runs(void *handle, const char *kernels)
{
    char *(*core)(void);
    *(void **)&core = dlsym(handle, "openblas_get_corename");
    return !kernels || !core || !strcasecmp(core(), kernels);
}

/* Without a copy (no memfd here), the file itself will do if it is serial and has the right
 * kernels. */
static void *load_private(const char *path, const char *kernels)
{
    void *handle = load_copy(path, kernels);
    return handle ? handle : load(path, kernels);
}

void tw_library_close(tw_library *library)
{
    if (library->handle)
        dlclose(library->handle);
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* An OpenBLAS that was built for one thread and without locks. */
static bool unsafe(void *handle)
{
    char *(*config)(void);
    *(void **)&config = dlsym(handle, "openblas_get_config");
    return config && strstr(config(), "SINGLE_THREADED");
}

static twill_status check(const tw_library *library, const char *kernels, int callers)
{
    if (callers > 1 && unsafe(library->handle))
        return tw_fail(
            TWILL_ERR_UNSUPPORTED,
            "%s is a single-threaded build without locks, which %d workers cannot share: "
            "install a threaded OpenBLAS (Debian: libopenblas0-pthread); Twill runs it "
            "with one thread",
            library->path, callers);
    if (threads_of(library->handle) != 1)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s insists on %d threads and Twill needs one per worker", library->path,
                       threads_of(library->handle));
    if (!runs(library->handle, kernels))
        return tw_fail(TWILL_ERR_OPTION,
                       "option kernels (TWILL_KERNELS): %s has no kernels '%s' for this processor",
                       library->path, kernels);
    return TWILL_OK;
}

static twill_status open_path(tw_library *library, const char *path, const char *kernels,
                              int callers, char *why, size_t size)
{
    const char *reason = "the provider's own choice for this processor";
    const char *set = kernels;
    if (strcmp(kernels, "auto"))
        reason = "asked for by option kernels";
    else
        set = strstr(path, "openblas") ? tw_cpu_kernels(&reason) : NULL;
    snprintf(library->path, sizeof library->path, "%s", path);
    snprintf(why, size, "%s", reason);
    library->symbol = find_symbol;
    library->handle = load_private(path, set);
    if (!library->handle)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option blas (TWILL_BLAS): cannot load %s: %s", path,
                       dlerror());
    return check(library, set, callers);
}

twill_status tw_library_open(tw_library *library, const char *wanted, const char *kernels,
                             int callers, char *why, size_t size)
{
    if (strchr(wanted, '/'))
        return open_path(library, wanted, kernels, callers, why, size);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (access(places[i], R_OK) == 0)
            return open_path(library, places[i], kernels, callers, why, size);
    return tw_fail(TWILL_ERR_UNSUPPORTED, "no OpenBLAS found: install it (Debian: "
                                          "libopenblas0-pthread) or give its path in TWILL_BLAS");
}
