/* Finding drivers. */
#include "device/load.h"

#include "base/module.h"
#include "base/status.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *const tw_driver_names[] = {"cuda", "opencl", "host", NULL};

static const tw_driver_host host = {.version = TW_DRIVERS, .fail = tw_fail};

static const tw_driver *ask(void *symbol)
{
    return ((tw_driver_module *)(uintptr_t)symbol)(&host);
}

static bool fits(void *symbol)
{
    const tw_driver *driver = ask(symbol);
    return driver && driver->version == TW_DRIVERS;
}

twill_status tw_driver_load(const char *name, const tw_driver **driver)
{
    char file[64];
    const char *const *known = tw_driver_names;
    while (*known && strcmp(*known, name) != 0)
        known++;
    if (!*known)
        return tw_fail(TWILL_ERR_OPTION,
                       "option devices (TWILL_DEVICES): there is no kind of devices '%s'; known: "
                       "cuda, opencl, host",
                       name);
    if (!strcmp(name, tw_host_driver.name)) {
        *driver = &tw_host_driver;
        return TWILL_OK;
    }
    snprintf(file, sizeof file, "libtwill-%s.so", name);
    void *symbol = tw_module_find(file, RTLD_NOW | RTLD_LOCAL, TW_DRIVER_MODULE, fits);
    if (!symbol)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "option devices (TWILL_DEVICES): %s has no module %s beside the library, or "
                       "a library that it needs is not here: build Twill where %s is installed, or "
                       "leave it out",
                       name, file, name);
    *driver = ask(symbol);
    return TWILL_OK;
}

bool tw_driver_plausible(void)
{
    static const char *const files[] = {"/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD128",
                                        "/dev/dxg"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (access(files[i], F_OK) == 0)
            return true;
    return false;
}
