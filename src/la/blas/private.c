/* Libraries of our own. */
#include "la/blas/private.h"

#include "la/blas/needs.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- environment ------------------------------------------------------------------------- */

/* What makes providers use one thread. They read it while they are loaded or begin; a NULL takes
 * the variable away. The kernel set comes last. */
static const char *const settings[][2] = {
    {"OPENBLAS_NUM_THREADS", "1"},
    {"BLIS_NUM_THREADS", "1"},
    {"BLIS_JC_NT", NULL},
    {"BLIS_PC_NT", NULL},
    {"BLIS_IC_NT", NULL},
    {"BLIS_JR_NT", NULL},
    {"BLIS_IR_NT", NULL},
    {"MKL_THREADING_LAYER", "SEQUENTIAL"},
    {"MKL_INTERFACE_LAYER", "LP64"},
    {"MKL_NUM_THREADS", "1"},
};
enum { SETTINGS = sizeof settings / sizeof *settings, KERNELS = SETTINGS };
static const char kernels_variable[] = "OPENBLAS_CORETYPE";

typedef struct environment {
    char *before[SETTINGS + 1];
} environment;

static void set(const char *variable, const char *value)
{
    if (value)
        setenv(variable, value, 1);
    else
        unsetenv(variable);
}

static char *kept(const char *variable)
{
    const char *value = getenv(variable);
    return value ? strdup(value) : NULL;
}

static environment replace(const char *kernels)
{
    environment e = {{NULL}};
    for (int i = 0; i < SETTINGS; i++) {
        e.before[i] = kept(settings[i][0]);
        set(settings[i][0], settings[i][1]);
    }
    e.before[KERNELS] = kept(kernels_variable);
    if (kernels)
        set(kernels_variable, kernels);
    return e;
}

static void restore(environment *e)
{
    for (int i = 0; i <= SETTINGS; i++) {
        set(i == KERNELS ? kernels_variable : settings[i][0], e->before[i]);
        free(e->before[i]);
    }
}

/* Providers that read their settings at the first call get it now. */
static void begin(void *handle)
{
    void (*blis)(void);
    int (*mkl_threads)(int), (*mkl_interface)(int);
    *(void **)&blis = dlsym(handle, "bli_init");
    *(void **)&mkl_threads = dlsym(handle, "MKL_Set_Threading_Layer");
    *(void **)&mkl_interface = dlsym(handle, "MKL_Set_Interface_Layer");
    if (blis)
        blis();
    if (mkl_threads)
        mkl_threads(1 /* MKL_THREADING_SEQUENTIAL */);
    if (mkl_interface)
        mkl_interface(0 /* MKL_INTERFACE_LP64 */);
}

/* The environment belongs to the process: contexts that load at once would restore it under each
 * other's loading. */
static pthread_mutex_t environment_mutex = PTHREAD_MUTEX_INITIALIZER;

static void *load(const char *path, const char *kernels)
{
    pthread_mutex_lock(&environment_mutex);
    environment e = replace(kernels);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    if (handle)
        begin(handle);
    restore(&e);
    pthread_mutex_unlock(&environment_mutex);
    return handle;
}

/* ---- copies ------------------------------------------------------------------------------ */

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

/* The two names of an open file. The second is short, for tw_needs_redirect. */
static void name_copy(int fd, char name[32], bool brief)
{
    snprintf(name, 32, "%s/%d", brief ? "/dev/fd" : "/proc/self/fd", fd);
}

static bool is_taken(int fd)
{
    bool taken = false;
    for (int brief = 0; brief < 2; brief++) {
        char name[32];
        name_copy(fd, name, brief);
        void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        taken |= handle != NULL;
        if (handle)
            dlclose(handle);
    }
    return taken;
}

/* The loader also knows libraries by the names they were loaded by. A number that was closed and is
 * given out again would be the library that had it before. */
static int with_fresh_name(int fd)
{
    while (fd >= 0 && is_taken(fd)) {
        int other = fcntl(fd, F_DUPFD_CLOEXEC, fd + 1);
        close(fd);
        fd = other;
    }
    return fd;
}

/* A library that names no BLAS has one of its own; the caller looks where its calls end. */
static void bind_to(int copy, const tw_private_library *blas)
{
    char name[32];
    if (!blas || blas->copy < 0)
        return;
    name_copy(blas->copy, name, true);
    tw_needs_redirect(copy, name);
}

tw_private_library tw_private_open(const char *path, const char *kernels,
                                   const tw_private_library *blas)
{
    tw_private_library library = {NULL, -1};
    /* MKL is many files that look for each other where the first one is */
    int copy = strstr(path, "mkl") ? -1 : with_fresh_name(copy_file(path));
    if (copy >= 0) {
        char name[32];
        bind_to(copy, blas);
        name_copy(copy, name, false);
        library = (tw_private_library){load(name, kernels), copy};
    }
    if (!library.handle) {
        /* no copies here: the file itself will do if it is serial and has the right kernels */
        tw_private_settle(&library);
        library.handle = load(path, kernels);
    }
    return library;
}

void tw_private_settle(tw_private_library *library)
{
    if (library->copy >= 0)
        close(library->copy);
    library->copy = -1;
}

void tw_private_close(tw_private_library *library)
{
    tw_private_settle(library);
    if (library->handle)
        dlclose(library->handle);
    library->handle = NULL;
}
