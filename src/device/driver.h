/* Drivers: kinds of devices, each a table of functions.
 *
 * A driver knows its library (CUDA, OpenCL) and nothing of tasks, values or graphs. One whose
 * library may not be there is a module, loaded when a context asks for its devices:
 * libtwill-cuda.so beside the library exports TW_DRIVER_MODULE. Modules use nothing of the library
 * but what tw_driver_host hands them.
 *
 * Work goes to a device by *lanes*: each is a queue in order (a CUDA stream, an OpenCL command
 * queue), and so are those for copies in and out. Nothing here waits, but for opening and closing.
 *
 * Addresses: the space of a device hands out numbers that are no address of anything else in the
 * process, so `address + bytes` means what it says, also where the device knows none (OpenCL).
 *
 * Threads: one thread at a time calls `begin`, `end` and `poll` of a device; the functions of its
 * space and of its tw_device_blas may be called by several at once. */
#ifndef TW_DEVICE_DRIVER_H
#define TW_DEVICE_DRIVER_H

#include "device/blas.h"
#include "device/device.h"

#include <twill/task.h>

/* What the option says of one device. */
typedef struct tw_device_settings {
    size_t room; /* bytes that replicas may take; 0: most of what is free */
    int lanes;   /* 0: the driver chooses */
} tw_device_settings;

/* What a lane works on: from `begin` until `done`. The caller fills in the first four. */
typedef struct tw_launch {
    struct tw_launch *next; /* the driver's, while it is under way */
    void *owner;
    bool urgent; /* on the lane of highest priority, if it has such */
    /* Called once, by whoever polls: all that was enqueued is done, or the device has failed. */
    void (*done)(struct tw_launch *launch, twill_status status, void *poller);
    void *lane;     /* cudaStream_t, cl_command_queue: what bodies get */
    void *handles;  /* the driver's, of that lane: see tw_device_blas */
    int32_t *info;  /* two numbers, 0 at first, in memory that lane and host share: what routines
                     * say, as LAPACK's info; valid when `done` is called */
    double seconds; /* what the lane took for it, when `done` is called; 0: unknown */
    void *private[4];
} tw_launch;

/* An executor. The driver allocates it, with what is private behind it. */
typedef struct tw_executor {
    const char *name;  /* "cuda:0", "opencl:1" */
    const char *about; /* "NVIDIA H200, 139.8 GiB, CUDA 13.0" */
    const char *place; /* PCI address, or "" */
    int numa;          /* node that it is attached to, or -1 */
    bool is_cpu;       /* its cores are those that workers run on */
    int lanes;         /* launches under way at a time */
    tw_space *space;   /* its memory */
    const tw_device_blas *blas;
    /* Take a lane: false when all are busy. Then a body enqueues; then `end`, whatever the body
     * said; `done` is never called before `end` returns. */
    bool (*begin)(struct tw_executor *e, tw_launch *launch);
    void (*end)(struct tw_executor *e, tw_launch *launch);
    /* Call `done` of launches, and end copies of the space, that are over; true if there were any.
     */
    bool (*poll)(struct tw_executor *e, void *poller);
    /* What bodies get for an address in the memory of the device: itself and 0, or a cl_mem and
     * bytes from its beginning; NULL when it is none of this device. */
    void *(*locate)(struct tw_executor *e, const void *address, size_t *offset);
    /* Nothing is under way. */
    void (*close)(struct tw_executor *e);
} tw_executor;

typedef struct tw_driver {
    int version;      /* TW_DRIVERS */
    const char *name; /* "cuda" */
    twill_chore_kind kind;
    int (*count)(void); /* devices there are; 0: none */
    bool (*is_cpu)(
        int index); /* are its cores those of the host? Such a one is opened when named */
    twill_status (*open)(int index, const tw_device_settings *settings, tw_executor **e);
    /* Make host memory quick to copy from and to, or let it go; for slabs of arrays. */
    twill_status (*pin)(void *memory, size_t bytes);
    void (*unpin)(void *memory);
} tw_driver;

enum { TW_DRIVERS = 1 };

/* What a module may use of the library. */
typedef struct tw_driver_host {
    int version; /* TW_DRIVERS */
    twill_status (*fail)(twill_status status, const char *format, ...);
} tw_driver_host;

typedef const tw_driver *tw_driver_module(const tw_driver_host *host);
#define TW_DRIVER_MODULE "twill_driver"

/* The driver of a kind, "cuda" or "opencl", from its module. TWILL_ERR_UNSUPPORTED says that there
 * is none. Drivers stay: each is there once. */
twill_status tw_driver_load(const char *name, const tw_driver **driver);

#endif
