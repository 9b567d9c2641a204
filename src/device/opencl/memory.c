/* Memory of a device. OpenCL knows no addresses, so each piece of memory gets some that the system
 * reserves for it: nothing else in the process has them, and who touches them is told so. */
#include "device/opencl/opencl.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- blocks by address; the caller holds the lock ----------------------------------------- */

/* How many blocks begin at this address or before it. */
static int blocks_until(const tw_ocl_device *d, const char *address)
{
    int low = 0, high = d->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (d->blocks[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static tw_ocl_block *find_block(const tw_ocl_device *d, const char *address)
{
    int i = blocks_until(d, address);
    tw_ocl_block *b = i > 0 ? d->blocks[i - 1] : NULL;
    return b && (size_t)(address - b->base) < b->bytes ? b : NULL;
}

static bool enter_block(tw_ocl_device *d, tw_ocl_block *b)
{
    if (d->count == d->slots) {
        int slots = d->slots ? 2 * d->slots : 64;
        tw_ocl_block **blocks = realloc(d->blocks, (size_t)slots * sizeof *blocks);
        if (!blocks)
            return false;
        d->blocks = blocks;
        d->slots = slots;
    }
    int i = blocks_until(d, b->base);
    memmove(d->blocks + i + 1, d->blocks + i, (size_t)(d->count - i) * sizeof *d->blocks);
    d->blocks[i] = b;
    d->count++;
    return true;
}

static void leave_block(tw_ocl_device *d, const tw_ocl_block *b)
{
    int i = blocks_until(d, b->base);
    memmove(d->blocks + i - 1, d->blocks + i, (size_t)(d->count - i) * sizeof *d->blocks);
    d->count--;
}

static tw_ocl_block *new_block(tw_ocl *o, size_t bytes)
{
    cl_int code;
    tw_ocl_block *b = malloc(sizeof *b);
    if (!b)
        return NULL;
    *b = (tw_ocl_block){.bytes = bytes};
    b->base = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->base == MAP_FAILED)
        goto undo_block;
    b->memory = clCreateBuffer(o->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS)
        goto undo_addresses;
    if (!enter_block(o->device, b))
        goto undo_memory;
    o->taken += bytes;
    return b;
undo_memory:
    clReleaseMemObject(b->memory);
undo_addresses:
    munmap(b->base, bytes);
undo_block:
    free(b);
    return NULL;
}

static void end_block(tw_ocl *o, tw_ocl_block *b)
{
    leave_block(o->device, b);
    o->taken -= b->bytes;
    clReleaseMemObject(b->memory);
    munmap(b->base, b->bytes);
    free(b);
}

/* ---- the space --------------------------------------------------------------------------- */

static tw_ocl *owner_of(const tw_space *space)
{
    return (tw_ocl *)(void *)((char *)(uintptr_t)space - offsetof(tw_ocl, space));
}

/* Drivers take long to make memory: what has been freed is kept for the next of its size. */
static tw_ocl_block *take_idle(tw_ocl *o, size_t bytes)
{
    for (tw_ocl_block **link = &o->idle; *link; link = &(*link)->next) {
        tw_ocl_block *b = *link;
        if (b->bytes == bytes) {
            *link = b->next;
            return b;
        }
    }
    return NULL;
}

static void end_idle(tw_ocl *o)
{
    while (o->idle) {
        tw_ocl_block *b = o->idle;
        o->idle = b->next;
        end_block(o, b);
    }
}

static void *alloc(const tw_space *space, size_t bytes)
{
    tw_ocl *o = owner_of(space);
    size_t wanted = bytes ? bytes : 1;
    pthread_mutex_lock(&o->device->lock);
    tw_ocl_block *b = take_idle(o, wanted);
    if (!b && o->taken + wanted > space->room)
        end_idle(o);
    b = b ? b : new_block(o, wanted);
    if (!b && o->idle) {
        end_idle(o);
        b = new_block(o, wanted);
    }
    pthread_mutex_unlock(&o->device->lock);
    return b ? b->base : NULL;
}

static void release(const tw_space *space, void *memory, size_t bytes)
{
    (void)bytes;
    tw_ocl *o = owner_of(space);
    if (!memory)
        return;
    pthread_mutex_lock(&o->device->lock);
    tw_ocl_block *b = find_block(o->device, memory);
    b->next = o->idle;
    o->idle = b;
    pthread_mutex_unlock(&o->device->lock);
}

void tw_ocl_memory_open(tw_ocl *o)
{
    o->space.alloc = alloc;
    o->space.free = release;
}

void tw_ocl_memory_close(tw_ocl *o)
{
    pthread_mutex_lock(&o->device->lock);
    end_idle(o);
    pthread_mutex_unlock(&o->device->lock);
}

cl_mem tw_ocl_locate(tw_ocl_device *d, const void *address, size_t *offset)
{
    pthread_mutex_lock(&d->lock);
    const tw_ocl_block *b = find_block(d, address);
    cl_mem memory = b ? b->memory : NULL;
    *offset = b ? (size_t)((const char *)address - b->base) : 0;
    pthread_mutex_unlock(&d->lock);
    return memory;
}
