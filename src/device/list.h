/* What option devices says: which devices a context opens, and how. */
#ifndef TW_DEVICE_LIST_H
#define TW_DEVICE_LIST_H

#include "device/driver.h"

enum { TW_DEVICE_KIND = 16, TW_DEVICES = 12 };

/* One entry: KIND[:NUMBER][*TIMES][/NAME=VALUE ...]. */
typedef struct tw_device_entry {
    char kind[TW_DEVICE_KIND]; /* the driver's name */
    int index;                 /* -1: all of that kind */
    int times;
    tw_device_settings settings;
    double slow, fail; /* for tests: so many times slower, and the share of what fails */
} tw_device_entry;

typedef struct tw_device_list {
    bool cpu;       /* cores run what devices could run, too */
    bool automatic; /* every device there is: of GPUs, */
    bool with_cpus; /* and of those that are the host's cores */
    int n;
    tw_device_entry entry[TW_DEVICES];
} tw_device_list;

/* TWILL_ERR_OPTION says what is wrong, and where. */
twill_status tw_device_list_read(const char *text, tw_device_list *list);

#endif
