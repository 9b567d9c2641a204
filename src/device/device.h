/* Devices: who runs tasks, and in which memory. Device 0 is the cores, on the host's. */
#ifndef TW_DEVICE_DEVICE_H
#define TW_DEVICE_DEVICE_H

#include "data/space.h"

#include <twill/sched.h>

typedef struct tw_device {
    const char *name;
    tw_space *space; /* where its tasks find their data */
    int number;      /* of that space */
    /* Is this one for the device? Any thread. */
    bool (*wants)(struct tw_device *device, const twill_item *item);
    void (*close)(struct tw_device *device);
} tw_device;

/* A device that is none: cores run its tasks, on a memory of their own in main memory, whose copies
 * are late, out of order and may fail. `text` is what option shadow says: the share of tasks, then
 * room=BYTES, fail=SHARE (of copies), delay=POLLS (at most) and seed=NUMBER in any order.
 * TWILL_ERR_OPTION says what is wrong with it. */
twill_status tw_shadow_open(const char *text, tw_device **device);

#endif
