/* Devices: GPUs and other accelerators beside the cores, and the bodies of tasks for them.
 *
 * Option devices says which ones a context uses. A class offers a body for a kind of devices,
 * TWILL_CUDA(f), TWILL_OPENCL(f) or TWILL_HOST(f), before or behind the one for workers. When a
 * device has a lane free and room for the task's data, it takes the task: the data is brought to
 * its memory, then the body is called. It *enqueues* its work on the lane that it is given, a
 * cudaStream_t or a cl_command_queue, and returns TWILL_DONE; the task is over when the lane has
 * done all of it. What the task writes stays there until somebody else needs it.
 *
 * Such a body runs on any thread of Twill, holds nobody up, and waits for nothing. It asks about
 * its task as others do (twill/task.h). twill_task_data says where its data is in the memory of the
 * device: an address there; twill_task_memory what that is for OpenCL. It inserts no tasks, opens
 * no nested graph and does not return TWILL_ASYNC.
 *
 * Threads: as said at each function. */
#ifndef TWILL_DEVICE_H
#define TWILL_DEVICE_H

#include <twill/context.h>
#include <twill/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- in a body for a device --------------------------------------------------------------- */

/* The lane that the body was given, also from functions that it calls; NULL: it runs on a worker.
 */
TWILL_API void *twill_task_queue(const twill_task *task);

/* The number of the device that runs the task, as twill_device_info has it; 0: the cores. */
TWILL_API int twill_task_device(const twill_task *task);

/* The memory that an argument's data or scratch lies in, and its offset in bytes: a cl_mem on
 * OpenCL, elsewhere the address itself and 0. NULL when there is no such argument, or the task runs
 * on a worker. */
TWILL_API void *twill_task_memory(const twill_task *task, int arg, size_t *offset);

/* When the lane has done what the body enqueued, call `then` on a thread of Twill: the outcome of
 * the task is what it returns, TWILL_DONE or (twill_task_fail, twill_task_numerical) TWILL_ERROR.
 * For results that have to be looked at. It does not wait. Once per task, in its body. */
TWILL_API void twill_task_then(twill_task *task, twill_outcome (*then)(twill_task *task));

/* For bodies of kind TWILL_HOST: enqueue a call of `call` with a copy of the `size` bytes at `arg`.
 * Calls of one lane run one after the other, those of several at the same time. TWILL_ERR_MEMORY
 * when there is no memory. */
TWILL_API twill_status twill_queue_call(void *queue, void (*call)(void *arg), const void *arg,
                                        size_t size);

/* ---- about devices ------------------------------------------------------------------------ */

typedef struct twill_device_info {
    size_t size;       /* sizeof(twill_device_info) */
    const char *name;  /* "cuda:0", "opencl:1" */
    const char *about; /* "NVIDIA H200, 139.8 GiB, CUDA 13.0" */
    const char *place; /* PCI address, or "" */
    int numa;          /* node that it is attached to, or -1 */
    int lanes;         /* tasks under way at a time */
    int64_t room;      /* bytes that data may take there */
    int64_t used;      /* and that it takes now */
    int64_t tasks;     /* that it has run */
    int64_t bytes_in;  /* copied to its memory */
    int64_t bytes_out; /* and from there */
    int failed;        /* 1: it has failed, and gets no more tasks */
    int reserved;      /* 0 */
} twill_device_info;

/* How many devices the context uses besides the cores. Any thread. */
TWILL_API int twill_devices(const twill *tw);

/* Fill *info for device 1 to twill_devices; TWILL_ERR_ARGUMENT when there is no such device.
 * Strings live with the context. Any thread. */
TWILL_API twill_status twill_device_get(const twill *tw, int device, twill_device_info *info);

/* What has been learned of tasks of a class on so much data: how many a worker, weights[0], and
 * each device, up to weights[twill_devices(tw)], does per second; 0 where nothing is known. For
 * dealing data (twill_pattern_deal). Any thread. */
TWILL_API twill_status twill_device_weights(twill *tw, const char *cls, double bytes,
                                            double *weights);

#ifdef __cplusplus
}
#endif
#endif
