/* The module of the OpenCL driver: devices of all platforms, numbered in their order. */
#include "device/opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 32, PLATFORMS = 16 };

const tw_driver_host *tw_ocl_host;

/* ---- errors ------------------------------------------------------------------------------ */

twill_status tw_ocl_check_device(const tw_ocl_device *d, cl_int code, const char *what)
{
    twill_status status = code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY
                              ? TWILL_ERR_MEMORY
                              : TWILL_ERR_SYSTEM;
    return code == CL_SUCCESS ? TWILL_OK
                              : tw_ocl_host->fail(status, "device opencl:%d could not %s: %s (%d)",
                                                  d->index, what, tw_ocl_word(code), (int)code);
}

twill_status tw_ocl_check(const tw_ocl *o, cl_int code, const char *what)
{
    return tw_ocl_check_device(o->device, code, what);
}

/* ---- which devices there are ------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the next three */
static cl_device_id ids[DEVICES];
static int found = -1; /* not looked yet */
static tw_ocl_device *opened[DEVICES];

static void look(void)
{
    cl_platform_id platforms[PLATFORMS];
    cl_uint n = 0, more = 0;
    if (clGetPlatformIDs(PLATFORMS, platforms, &n) != CL_SUCCESS)
        n = 0;
    n = n < PLATFORMS ? n : PLATFORMS;
    found = 0;
    for (cl_uint i = 0; i < n && found < DEVICES; i++, found += (int)more) {
        cl_uint room = (cl_uint)(DEVICES - found);
        more = 0;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, room, ids + found, &more) !=
            CL_SUCCESS)
            more = 0;
        more = more < room ? more : room;
    }
}

static int count(void)
{
    pthread_mutex_lock(&lock);
    if (found < 0)
        look();
    int n = found;
    pthread_mutex_unlock(&lock);
    return n;
}

static bool is_processor(cl_device_id id)
{
    cl_device_type type = 0;
    clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return type & CL_DEVICE_TYPE_CPU;
}

static bool is_cpu(int index)
{
    return index >= 0 && index < count() && is_processor(ids[index]);
}

/* ---- what executors of a device share; the caller holds the lock -------------------------- */

static twill_status make_device(int index, tw_ocl_device **made)
{
    cl_int code;
    tw_ocl_device *d = calloc(1, sizeof *d);
    if (!d)
        return tw_ocl_host->fail(TWILL_ERR_MEMORY, "no memory for device opencl:%d", index);
    d->index = index;
    d->id = ids[index];
    d->is_cpu = is_processor(d->id);
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (code != CL_SUCCESS) {
        twill_status status = tw_ocl_check_device(d, code, "be opened");
        free(d);
        return status;
    }
    pthread_mutex_init(&d->lock, NULL);
    *made = d;
    return TWILL_OK;
}

static void end_device(tw_ocl_device *d)
{
    for (int i = 0; i < TW_OCL_TYPES; i++)
        if (d->program[i])
            clReleaseProgram(d->program[i]);
    clReleaseContext(d->context);
    pthread_mutex_destroy(&d->lock);
    free(d->blocks);
    free(d);
}

static twill_status acquire_device(int index, tw_ocl_device **device)
{
    int n = count();
    if (index < 0 || index >= n)
        return tw_ocl_host->fail(TWILL_ERR_UNSUPPORTED,
                                 "there is no device opencl:%d: OpenCL has %d device%s here", index,
                                 n, n == 1 ? "" : "s");
    pthread_mutex_lock(&lock);
    twill_status status = opened[index] ? TWILL_OK : make_device(index, &opened[index]);
    if (status == TWILL_OK) {
        *device = opened[index];
        (*device)->users++;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void release_device(tw_ocl_device *d)
{
    pthread_mutex_lock(&lock);
    if (--d->users == 0) {
        opened[d->index] = NULL;
        end_device(d);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- executors --------------------------------------------------------------------------- */

static bool poll_executor(tw_executor *e, void *poller)
{
    tw_ocl *o = (tw_ocl *)e;
    bool copies = tw_ocl_copies_poll(o, poller);
    return tw_ocl_lanes_poll(o, poller) || copies;
}

static void *locate(tw_executor *e, const void *address, size_t *offset)
{
    return tw_ocl_locate(((tw_ocl *)e)->device, address, offset);
}

static void close_executor(tw_executor *e)
{
    tw_ocl *o = (tw_ocl *)e;
    tw_ocl_lanes_close(o);
    tw_ocl_copies_close(o);
    tw_ocl_memory_close(o);
    release_device(o->device);
    free(o);
}

/* Of a device on the host's memory others use most. */
static size_t room_of(const tw_ocl_device *d)
{
    cl_ulong bytes = 0;
    clGetDeviceInfo(d->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    return (size_t)(d->is_cpu ? bytes / 4 : bytes / 10 * 9);
}

static void describe(tw_ocl *o, int index)
{
    char name[96] = "", version[128] = "";
    cl_ulong bytes = 0;
    clGetDeviceInfo(o->device->id, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(o->device->id, CL_DEVICE_VERSION, sizeof version - 1, version, NULL);
    clGetDeviceInfo(o->device->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    snprintf(o->name, sizeof o->name, "opencl:%d", index);
    snprintf(o->about, sizeof o->about, "%s, %.1f GiB, %s", name, (double)bytes / 0x1p30, version);
}

static twill_status open_executor(int index, const tw_device_settings *settings, tw_executor **e)
{
    tw_ocl *o = calloc(1, sizeof *o);
    if (!o)
        return tw_ocl_host->fail(TWILL_ERR_MEMORY, "no memory for device opencl:%d", index);
    twill_status status = acquire_device(index, &o->device);
    if (status != TWILL_OK)
        goto undo_memory;
    describe(o, index);
    int wanted = settings->lanes ? settings->lanes : o->device->is_cpu ? 2 : 4;
    o->executor = (tw_executor){.name = o->name,
                                .about = o->about,
                                .place = "",
                                .numa = -1,
                                .is_cpu = o->device->is_cpu,
                                .space = &o->space,
                                .blas = &tw_ocl_blas,
                                .begin = tw_ocl_begin,
                                .end = tw_ocl_end,
                                .poll = poll_executor,
                                .locate = locate,
                                .close = close_executor};
    o->space =
        (tw_space){.name = o->name, .room = settings->room ? settings->room : room_of(o->device)};
    tw_ocl_memory_open(o);
    status = tw_ocl_copies_open(o);
    if (status != TWILL_OK)
        goto undo_device;
    status = tw_ocl_lanes_open(o, wanted < TW_OCL_LANES ? wanted : TW_OCL_LANES);
    if (status != TWILL_OK)
        goto undo_copies;
    *e = &o->executor;
    return TWILL_OK;
undo_copies:
    tw_ocl_copies_close(o);
undo_device:
    release_device(o->device);
undo_memory:
    free(o);
    return status;
}

/* Memory that OpenCL did not make itself gains nothing. */
static twill_status pin(void *memory, size_t bytes)
{
    (void)memory;
    (void)bytes;
    return TWILL_OK;
}

static void unpin(void *memory)
{
    (void)memory;
}

static const tw_driver driver = {.version = TW_DRIVERS,
                                 .name = "opencl",
                                 .kind = TWILL_CHORE_OPENCL,
                                 .count = count,
                                 .is_cpu = is_cpu,
                                 .open = open_executor,
                                 .pin = pin,
                                 .unpin = unpin};

__attribute__((visibility("default"))) tw_driver_module twill_driver;

const tw_driver *twill_driver(const tw_driver_host *host)
{
    if (host->version != TW_DRIVERS)
        return NULL;
    tw_ocl_host = host;
    return &driver;
}
