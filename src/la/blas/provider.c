/* The providers. A new one is a table and a line in the list. */
#include "la/blas/provider.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int one_thread(void *handle)
{
    (void)handle;
    return 1;
}

static bool never(void *handle)
{
    (void)handle;
    return false;
}

/* ---- OpenBLAS ---------------------------------------------------------------------------- */

/* Threaded builds, told to use one thread, come first: the single-threaded ones have no locks and
 * may give two callers the same work buffer (docs/decisions/0003-blas.md). */
static const char *const openblas_places[] = {
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib64/libopenblasp.so.0",
    "/usr/lib64/libopenblas.so.0",
    "/usr/lib/libopenblas.so.0",
    "/usr/local/lib/libopenblas.so.0",
    "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
    NULL,
};

static const char *openblas_config(void *handle)
{
    char *(*config)(void);
    *(void **)&config = dlsym(handle, "openblas_get_config");
    return config ? config() : "";
}

static int openblas_threads(void *handle)
{
    int (*threads)(void);
    *(void **)&threads = dlsym(handle, "openblas_get_num_threads");
    return threads ? threads() : 1;
}

/* Built for one thread and without locks. */
static bool openblas_unsafe(void *handle)
{
    return strstr(openblas_config(handle), "SINGLE_THREADED");
}

static void openblas_version(void *handle, char *text, size_t size)
{
    char version[64] = "";
    sscanf(openblas_config(handle), "OpenBLAS %63s", version);
    snprintf(text, size, "OpenBLAS %s", version);
}

static const char *openblas_kernels(void *handle)
{
    char *(*core)(void);
    *(void **)&core = dlsym(handle, "openblas_get_corename");
    return core ? core() : "unknown";
}

static const tw_provider openblas = {.name = "openblas",
                                     .install = "Debian: libopenblas0-pthread",
                                     .mark = "openblas_get_config",
                                     .places = openblas_places,
                                     .lapacks = openblas_places,
                                     .threads = openblas_threads,
                                     .unsafe = openblas_unsafe,
                                     .version = openblas_version,
                                     .kernels = openblas_kernels,
                                     .slow_on_tiles = true};

/* ---- BLIS -------------------------------------------------------------------------------- */

static const char *const blis_places[] = {
    "/usr/lib/x86_64-linux-gnu/blis-pthread/libblis.so.4",
    "/usr/lib/aarch64-linux-gnu/blis-pthread/libblis.so.4",
    "/usr/lib/x86_64-linux-gnu/blis-openmp/libblis.so.4",
    "/usr/lib/aarch64-linux-gnu/blis-openmp/libblis.so.4",
    "/usr/lib/x86_64-linux-gnu/blis-serial/libblis.so.4",
    "/usr/lib/aarch64-linux-gnu/blis-serial/libblis.so.4",
    "/usr/lib64/libblis.so.4",
    "/usr/lib/libblis.so.4",
    "/usr/local/lib/libblis.so.4",
    "/usr/local/lib/libblis.so",
    NULL,
};

/* It says -1 when nobody asked for threads, and uses one then. */
static int blis_threads(void *handle)
{
    long (*threads)(void);
    *(void **)&threads = dlsym(handle, "bli_thread_get_num_threads");
    long n = threads ? threads() : 1;
    return n < 1 ? 1 : (int)n;
}

static void blis_version(void *handle, char *text, size_t size)
{
    const char *(*version)(void);
    *(void **)&version = dlsym(handle, "bli_info_get_version_str");
    snprintf(text, size, "BLIS %s", version ? version() : "");
}

static const char *blis_kernels(void *handle)
{
    int (*query)(void);
    const char *(*string)(int);
    *(void **)&query = dlsym(handle, "bli_arch_query_id");
    *(void **)&string = dlsym(handle, "bli_arch_string");
    return query && string ? string(query()) : "unknown";
}

static const tw_provider blis = {.name = "blis",
                                 .install = "Debian: libblis4-pthread",
                                 .mark = "bli_init",
                                 .places = blis_places,
                                 .threads = blis_threads,
                                 .unsafe = never,
                                 .version = blis_version,
                                 .kernels = blis_kernels};

/* ---- MKL --------------------------------------------------------------------------------- */

static const char *const mkl_places[] = {
    "/opt/intel/oneapi/mkl/latest/lib/libmkl_rt.so.2",
    "/opt/intel/oneapi/mkl/latest/lib/intel64/libmkl_rt.so.2",
    "/usr/lib/x86_64-linux-gnu/libmkl_rt.so",
    "/usr/lib64/libmkl_rt.so",
    NULL,
};

static int mkl_threads(void *handle)
{
    int (*threads)(void);
    *(void **)&threads = dlsym(handle, "MKL_Get_Max_Threads");
    return threads ? threads() : 1;
}

static void mkl_version(void *handle, char *text, size_t size)
{
    void (*version)(char *, int);
    char long_text[200] = "MKL";
    *(void **)&version = dlsym(handle, "MKL_Get_Version_String");
    if (version)
        version(long_text, sizeof long_text - 1);
    snprintf(text, size, "%s", long_text);
}

static const char *own_choice(void *handle)
{
    (void)handle;
    return "its own choice";
}

static const tw_provider mkl = {.name = "mkl",
                                .install = "Intel oneAPI MKL, libmkl_rt",
                                .mark = "MKL_Set_Threading_Layer",
                                .places = mkl_places,
                                .lapacks = mkl_places,
                                .threads = mkl_threads,
                                .unsafe = never,
                                .version = mkl_version,
                                .kernels = own_choice};

/* ---- reference, and any other ------------------------------------------------------------ */

static const char *const reference_places[] = {
    "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
    "/usr/lib/aarch64-linux-gnu/blas/libblas.so.3",
    "/usr/lib64/libblas.so.3",
    "/usr/lib/libblas.so.3",
    "/usr/local/lib/libblas.so.3",
    NULL,
};

static const char *const reference_lapacks[] = {
    "/usr/lib/x86_64-linux-gnu/lapack/liblapack.so.3",
    "/usr/lib/aarch64-linux-gnu/lapack/liblapack.so.3",
    "/usr/lib64/liblapack.so.3",
    "/usr/lib/liblapack.so.3",
    "/usr/local/lib/liblapack.so.3",
    NULL,
};

static void plain_version(void *handle, char *text, size_t size)
{
    (void)handle;
    snprintf(text, size, "BLAS");
}

static const char *unknown(void *handle)
{
    (void)handle;
    return "unknown";
}

static const tw_provider reference = {.name = "reference",
                                      .install = "Debian: libblas3 liblapack3",
                                      .places = reference_places,
                                      .lapacks = reference_lapacks,
                                      .threads = one_thread,
                                      .unsafe = never,
                                      .version = plain_version,
                                      .kernels = unknown};

/* ---- all of them ------------------------------------------------------------------------- */

const tw_provider *const tw_providers[] = {&openblas, &blis, &mkl, &reference, NULL};

const tw_provider *tw_provider_named(const char *name)
{
    const tw_provider *const *p = tw_providers;
    while (*p && strcmp((*p)->name, name))
        p++;
    return *p;
}

const tw_provider *tw_provider_of(void *handle)
{
    const tw_provider *const *p = tw_providers;
    while ((*p)->mark && !dlsym(handle, (*p)->mark))
        p++;
    return *p;
}

const char *tw_provider_place(const char *const *places)
{
    for (; places && *places; places++)
        if (access(*places, R_OK) == 0)
            return *places;
    return NULL;
}
