/* Drivers by name: those in the library, and modules beside it. */
#ifndef TW_DEVICE_DRIVERS_H
#define TW_DEVICE_DRIVERS_H

#include "device/driver.h"

/* The driver that has devices on every machine, for tests: number 0 works on threads of its own,
 * number 1 when it is polled, late and in changing orders. Bodies for it are TWILL_HOST. */
extern const tw_driver tw_host_driver;

/* The drivers there could be, NULL-terminated: what modules are named after. */
extern const char *const tw_driver_names[];

/* The driver of that name. TWILL_ERR_OPTION, or what tw_driver_load says. */
twill_status tw_driver_find(const char *name, const tw_driver **driver);

/* Could there be a GPU? Asks no library, so that whoever has none waits for none. */
bool tw_driver_plausible(void);

#endif
