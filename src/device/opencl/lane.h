/* A lane: a queue in order, and what routines need on it. */
#ifndef TW_DEVICE_OPENCL_LANE_H
#define TW_DEVICE_OPENCL_LANE_H

#include "device/opencl/opencl.h"

typedef enum tw_ocl_kernel {
    TW_OCL_MULTIPLY,
    TW_OCL_EXPAND,
    TW_OCL_INVERT,
    TW_OCL_CHOLESKY,
    TW_OCL_FACTOR_PANEL,
    TW_OCL_SWAP_ROWS,
    TW_OCL_REFLECT_PANEL,
    TW_OCL_JOIN_REFLECTORS,
    TW_OCL_KERNELS,
} tw_ocl_kernel;

/* Workspace that the lane's own memory had no room for. */
typedef struct tw_ocl_extra {
    struct tw_ocl_extra *next;
    size_t from; /* what was used before */
    cl_mem memory;
} tw_ocl_extra;

typedef struct tw_ocl_lane {
    tw_ocl *owner;
    cl_command_queue queue;
    tw_launch *launch;    /* that it works for, or NULL */
    bool ended;           /* all of it has been enqueued */
    cl_int code;          /* of what could not be enqueued, else CL_SUCCESS */
    cl_event first, last; /* around all that is enqueued */
    cl_mem info;          /* two numbers, and whether somebody has asked for them in this launch */
    bool has_info;
    int32_t told[2]; /* them, on the host */
    cl_mem workspace;
    size_t bytes, used, most; /* of it: there, used (and of what is beyond), used at most */
    tw_ocl_extra *extra;      /* the last one first */
    cl_kernel kernel[TW_OCL_TYPES][TW_OCL_KERNELS];
} tw_ocl_lane;

static inline tw_ocl_lane *tw_ocl_lane_of(const tw_launch *launch)
{
    return launch->handles;
}

/* The two numbers on the device; zero at first. */
cl_mem tw_ocl_info(tw_ocl_lane *lane);

/* The kernel, made at its first use: programs.c. */
cl_int tw_ocl_get_kernel(tw_ocl_lane *lane, twill_type type, tw_ocl_kernel id, cl_kernel *kernel,
                         size_t local[2]);
/* No call is under way: the next ones find as much memory as the largest one has used. */
void tw_ocl_workspace_grow(tw_ocl_lane *lane);
void tw_ocl_workspace_close(tw_ocl_lane *lane);

#endif
