/* A private BLAS, loaded at run time: its symbols stay its own, so it cannot clash with a BLAS that
 * the program uses, and its threads are nobody else's. */
#include "base/status.h"
#include "la/blas/blas.h"
#include "la/blas/provider.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static void *find_symbol(const tw_library *library, const char *name)
{
    void *symbol = dlsym(library->blas.handle, name);
    return symbol || !library->lapack.handle ? symbol : dlsym(library->lapack.handle, name);
}

void tw_library_close(tw_library *library)
{
    tw_private_close(&library->lapack);
    tw_private_close(&library->blas);
}

/* ---- checking ---------------------------------------------------------------------------- */

static twill_status check_threads(void *handle, const char *path, int callers)
{
    const tw_provider *p = tw_provider_of(handle);
    if (callers > 1 && p->unsafe(handle))
        return tw_fail(
            TWILL_ERR_UNSUPPORTED,
            "%s is a single-threaded build without locks, which %d workers cannot share: "
            "install a threaded OpenBLAS (Debian: libopenblas0-pthread); Twill runs it "
            "with one thread",
            path, callers);
    if (p->threads(handle) != 1)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "%s insists on %d threads and Twill needs one per worker", path,
                       p->threads(handle));
    return TWILL_OK;
}

static twill_status check_kernels(const tw_library *library, const char *kernels)
{
    if (!kernels || !strcasecmp(library->kernels, kernels))
        return TWILL_OK;
    return tw_fail(TWILL_ERR_OPTION,
                   "option kernels (TWILL_KERNELS): %s has no kernels '%s' for this processor; it "
                   "runs '%s'",
                   library->path, kernels, library->kernels);
}

/* MKL cannot be copied: if the program has it too, it is one library with one setting. */
static twill_status check_shared(const char *path)
{
    void *shared = strstr(path, "mkl") ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (!shared)
        return TWILL_OK;
    dlclose(shared);
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "option blas (TWILL_BLAS): the program uses %s itself, and Twill would change "
                   "its number of threads",
                   path);
}

/* Where a LAPACK's calls of the BLAS end: in ours, or in one that it brings along. */
static twill_status check_lapack(const tw_library *library, int callers)
{
    void *lapack = library->lapack.handle;
    if (dlsym(lapack, "dgemm_") == dlsym(library->blas.handle, "dgemm_"))
        return TWILL_OK;
    if (tw_provider_of(lapack)->mark)
        return check_threads(lapack, library->lapack_path, callers);
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "option lapack (TWILL_LAPACK): %s calls a BLAS that Twill knows nothing about, "
                   "and cannot be made to call %s",
                   library->lapack_path, library->path);
}

/* ---- LAPACK ------------------------------------------------------------------------------ */

static const char *find_lapack(const char *wanted)
{
    if (strchr(wanted, '/'))
        return wanted;
    if (strcmp(wanted, "auto"))
        return tw_provider_place(tw_provider_named(wanted)->lapacks);
    const char *path = tw_provider_place(tw_provider_named("reference")->lapacks);
    return path ? path : tw_provider_place(tw_provider_named("openblas")->lapacks);
}

static twill_status no_lapack(const tw_library *library, const char *wanted)
{
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "%s has no LAPACK, and %s%s is not found: install one (Debian: liblapack3) or "
                   "give its path in TWILL_LAPACK",
                   library->path, strcmp(wanted, "auto") ? "that of " : "another",
                   strcmp(wanted, "auto") ? wanted : "");
}

static twill_status add_lapack(tw_library *library, const tw_wish *wish)
{
    bool has = dlsym(library->blas.handle, "dpotrf_");
    bool asked = strcmp(wish->lapack, "auto");
    if (has && asked)
        return tw_fail(TWILL_ERR_OPTION,
                       "option lapack (TWILL_LAPACK): %s has a LAPACK of its own; the option is "
                       "for a BLAS without",
                       library->path);
    const char *path = has ? library->path : find_lapack(wish->lapack);
    if (!path)
        return no_lapack(library, wish->lapack);
    snprintf(library->lapack_path, sizeof library->lapack_path, "%s", path);
    if (has)
        return TWILL_OK;
    library->lapack = tw_private_open(path, NULL, &library->blas);
    if (!library->lapack.handle)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option lapack (TWILL_LAPACK): cannot load %s: %s",
                       path, dlerror());
    return check_lapack(library, wish->callers);
}

/* ---- BLAS -------------------------------------------------------------------------------- */

static void describe(tw_library *library, const char *why, const char *kernels_why, bool asked)
{
    const tw_provider *p = tw_provider_of(library->blas.handle);
    p->version(library->blas.handle, library->provider, sizeof library->provider);
    snprintf(library->kernels, sizeof library->kernels, "%s", p->kernels(library->blas.handle));
    snprintf(library->why, sizeof library->why, "%s; kernels: %s", why, kernels_why);
    library->own_products = p->slow_on_tiles && !asked;
}

static twill_status open_path(tw_library *library, const char *path, const tw_wish *wish,
                              const char *why)
{
    const char *kernels_why = "the provider's own choice for this processor";
    const char *set = wish->kernels;
    bool asked = strcmp(set, "auto");
    if (asked)
        kernels_why = wish->why ? wish->why : "asked for by option kernels";
    else
        set = strstr(path, "openblas") ? tw_cpu_kernels(&kernels_why) : NULL;
    snprintf(library->path, sizeof library->path, "%s", path);
    library->symbol = find_symbol;
    twill_status status = check_shared(path);
    if (status != TWILL_OK)
        return status;
    library->blas = tw_private_open(path, set, NULL);
    if (!library->blas.handle)
        return tw_fail(TWILL_ERR_UNSUPPORTED, "option blas (TWILL_BLAS): cannot load %s: %s", path,
                       dlerror());
    describe(library, why, kernels_why, asked);
    status = check_threads(library->blas.handle, path, wish->callers);
    if (status == TWILL_OK)
        status = check_kernels(library, set);
    if (status == TWILL_OK)
        status = add_lapack(library, wish);
    tw_private_settle(&library->lapack);
    tw_private_settle(&library->blas);
    return status;
}

static twill_status open_named(tw_library *library, const tw_wish *wish)
{
    const tw_provider *p = tw_provider_named(wish->blas);
    const char *path = tw_provider_place(p->places);
    if (path)
        return open_path(library, path, wish, "asked for by option blas");
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "no %s found: install it (%s) or give its path in TWILL_BLAS", p->name,
                   p->install);
}

/* The first provider there is. */
static twill_status open_any(tw_library *library, const tw_wish *wish)
{
    for (const tw_provider *const *p = tw_providers; *p; p++) {
        const char *path = tw_provider_place((*p)->places);
        if (path)
            return open_path(library, path, wish,
                             p == tw_providers ? "the usual one"
                                               : "the best one that is installed");
    }
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "no BLAS found: install OpenBLAS (%s) or give the path of "
                   "another in TWILL_BLAS",
                   tw_providers[0]->install);
}

twill_status tw_library_open(tw_library *library, const tw_wish *wish)
{
    library->blas.copy = library->lapack.copy = -1;
    if (strchr(wish->blas, '/'))
        return open_path(library, wish->blas, wish,
                         wish->why ? wish->why : "asked for by option blas");
    return strcmp(wish->blas, "auto") ? open_named(library, wish) : open_any(library, wish);
}
