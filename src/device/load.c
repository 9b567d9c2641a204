/* Drivers come in modules, of which some may not have been built, or not fit. */
#include "base/module.h"
#include "base/status.h"
#include "device/driver.h"

#include <dlfcn.h>
#include <stdio.h>

static const tw_driver_host host = {.version = TW_DRIVERS, .fail = tw_fail};

/* The function that a module exports; dlsym has only pointers to data. */
static const tw_driver *driver_of(const void *exported)
{
    union {
        const void *exported;
        tw_driver_module *module;
    } entry = {exported};
    return entry.module(&host);
}

static bool fits(const void *exported)
{
    const tw_driver *driver = driver_of(exported);
    return driver && driver->version == TW_DRIVERS;
}

twill_status tw_driver_load(const char *name, const tw_driver **driver)
{
    char file[64];
    snprintf(file, sizeof file, "libtwill-%s.so", name);
    const void *exported = tw_module_find(file, TW_DRIVER_MODULE, RTLD_NOW | RTLD_LOCAL, fits);
    if (!exported)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "devices of kind %s: there is no module %s of this version of Twill, or a "
                       "library that it needs is missing",
                       name, file);
    *driver = driver_of(exported);
    return TWILL_OK;
}
