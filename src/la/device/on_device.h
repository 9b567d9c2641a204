/* Bodies of linear algebra for devices: what tasks do to tiles, by the routines of a driver. */
#ifndef TW_LA_ON_DEVICE_H
#define TW_LA_ON_DEVICE_H

#include "device/blas.h"

#include <twill/task.h>

/* Entries of `chores`: the same body for devices of each kind, whose drivers have routines. */
#define TW_ON_DEVICES(f) TWILL_CUDA(f), TWILL_OPENCL(f)

/* A body: the lane is where its task is. */
typedef twill_outcome tw_device_body(twill_task *t, void *queue);

/* Those of la/level3/steps.h. */
tw_device_body tw_device_gemm, tw_device_gemm_grid, tw_device_symm, tw_device_hemm, tw_device_syrk,
    tw_device_herk, tw_device_syr2k, tw_device_her2k, tw_device_scale, tw_device_trmm,
    tw_device_trsm;

/* What a body works with. */
typedef struct tw_on_device {
    struct tw_launch *launch;
    const tw_device_blas *blas;
    twill_type type;
} tw_on_device;

/* Of the task, whose argument `arg` has the type. */
tw_on_device tw_on_device_of(const twill_task *t, int arg);

/* Where a tile is in the memory of the device. */
tw_place tw_on_device_at(const twill_task *t, int arg);

/* What a body returns: the task fails if something could not be enqueued. */
twill_outcome tw_on_device_end(twill_task *t, twill_status status);

/* The first number of the launch's info; after twill_task_then. */
int tw_on_device_info(const twill_task *t);

/* Has the context devices whose tasks find tiles there? Then algorithms leave results there. */
bool tw_on_devices(const twill *tw);

#endif
