/* Executors of drivers, without the engine: for tests of drivers and their routines. */
#ifndef TEST_SUPPORT_DEVICES_H
#define TEST_SUPPORT_DEVICES_H

#include "device/driver.h"

/* The drivers that can be loaded and have devices; how many. */
int device_drivers(const tw_driver *drivers[2]);

/* Open device 0, with these lanes; the test fails if that fails. */
tw_executor *device_executor(const tw_driver *driver, int lanes);

/* Copy a matrix between host and device, or inside, and wait: elements of `size` bytes. */
twill_status device_move(tw_executor *e, void *to, int64_t ld_to, const void *from, int64_t ld_from,
                         int64_t m, int64_t n, size_t size);

/* A copy of a matrix of the host in new memory of the device, and back; ld is m. */
tw_place device_store(tw_executor *e, const void *from, int64_t ld, int64_t m, int64_t n,
                      size_t size);
void device_fetch(tw_executor *e, void *to, int64_t ld, tw_place from, int64_t m, int64_t n,
                  size_t size);
void device_drop(tw_executor *e, tw_place place, int64_t m, int64_t n, size_t size);

/* Begin a launch; after the routines, end it and wait. `status` is what they returned. Returns what
 * `done` got; `info` gets the two numbers. */
void device_begin(tw_executor *e, tw_launch *launch);
twill_status device_end(tw_executor *e, tw_launch *launch, twill_status status, int32_t info[2]);

#endif
