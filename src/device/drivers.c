/* Which drivers there are, and may be. */
#include "device/drivers.h"

#include "base/status.h"

#include <string.h>
#include <unistd.h>

const char *const tw_driver_names[] = {"cuda", "opencl", "host", NULL};

twill_status tw_driver_find(const char *name, const tw_driver **driver)
{
    const char *const *known = tw_driver_names;
    while (*known && strcmp(*known, name) != 0)
        known++;
    if (!*known)
        return tw_fail(TWILL_ERR_OPTION,
                       "option devices (TWILL_DEVICES): there is no kind of devices '%s'; known: "
                       "cuda, opencl, host",
                       name);
    if (strcmp(name, tw_host_driver.name) != 0)
        return tw_driver_load(name, driver);
    *driver = &tw_host_driver;
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
