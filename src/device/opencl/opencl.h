/* What the files of the OpenCL driver share. Names that cross them begin with tw_ocl. */
#ifndef TW_DEVICE_OPENCL_OPENCL_H
#define TW_DEVICE_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include "device/driver.h"

#include <CL/cl.h>
#include <pthread.h>

enum { TW_OCL_TYPES = 4, TW_OCL_LANES = 8 };

/* What a device has once, however many executors are opened on it. */
typedef struct tw_ocl_device {
    int index;
    int users;
    cl_device_id id;
    cl_context context;
    bool is_cpu;
    pthread_mutex_t lock; /* of what follows */
    cl_program program[TW_OCL_TYPES];
    struct tw_ocl_block **blocks; /* in the order of their addresses */
    int count, slots;
} tw_ocl_device;

/* Memory, and the addresses that stand for it. */
typedef struct tw_ocl_block {
    struct tw_ocl_block *next; /* that is free, too */
    char *base;                /* addresses that are reserved, and nothing more */
    size_t bytes;
    cl_mem memory;
} tw_ocl_block;

/* Copies in one direction, in the order in which they end. */
typedef struct tw_ocl_copies {
    cl_command_queue queue;
    pthread_mutex_t lock; /* of the list */
    tw_copy *first, **last;
} tw_ocl_copies;

typedef struct tw_ocl {
    tw_executor executor; /* first: what others see */
    tw_space space;
    tw_ocl_device *device;
    tw_ocl_copies in, out;
    tw_ocl_block *idle; /* blocks that are free; this and the next are under the device's lock */
    size_t taken;       /* bytes of all blocks */
    struct tw_ocl_lane *lane[TW_OCL_LANES];
    char name[32], about[576];
} tw_ocl;

/* ---- errors: module.c -------------------------------------------------------------------- */

extern const tw_driver_host *tw_ocl_host;

/* Say what failed and OpenCL's word for it; TWILL_OK for CL_SUCCESS. */
twill_status tw_ocl_check(const tw_ocl *o, cl_int code, const char *what);
/* OpenCL's word for a code: names.c */
const char *tw_ocl_word(cl_int code);
twill_status tw_ocl_check_device(const tw_ocl_device *d, cl_int code, const char *what);

/* ---- memory.c ---------------------------------------------------------------------------- */

void tw_ocl_memory_open(tw_ocl *o);
/* All that it has handed out has come back. */
void tw_ocl_memory_close(tw_ocl *o);
/* The memory of an address, of any executor of the device, and bytes from its beginning. */
cl_mem tw_ocl_locate(tw_ocl_device *d, const void *address, size_t *offset);

/* ---- copies.c ---------------------------------------------------------------------------- */

twill_status tw_ocl_copies_open(tw_ocl *o);
void tw_ocl_copies_close(tw_ocl *o);
bool tw_ocl_copies_poll(tw_ocl *o, void *poller);

/* ---- lanes.c ----------------------------------------------------------------------------- */

twill_status tw_ocl_lanes_open(tw_ocl *o, int lanes);
void tw_ocl_lanes_close(tw_ocl *o);
bool tw_ocl_begin(tw_executor *e, tw_launch *launch);
void tw_ocl_end(tw_executor *e, tw_launch *launch);
bool tw_ocl_lanes_poll(tw_ocl *o, void *poller);

/* ---- others ------------------------------------------------------------------------------ */

extern const tw_device_blas tw_ocl_blas;

#endif
