/* Copies, on queues of their own, one for each direction, so that they go on beside the work. */
#include "device/opencl/opencl.h"

#include <stdlib.h>

static tw_ocl *owner_of(const tw_space *space)
{
    return (tw_ocl *)(void *)((char *)(uintptr_t)space - offsetof(tw_ocl, space));
}

/* One side of a copy: memory of the device, or of the host. */
typedef struct side {
    cl_mem memory;
    size_t offset;
} side;

/* Two sides with the same gaps between columns, or none: bytes in a row. */
static bool is_plain(const tw_copy *c)
{
    return c->cols == 1 || (c->ld_to == c->rows && c->ld_from == c->rows);
}

static cl_int enqueue_plain(cl_command_queue q, const tw_copy *c, side to, side from, cl_event *e)
{
    size_t bytes = c->rows * c->cols;
    if (to.memory && from.memory)
        return clEnqueueCopyBuffer(q, from.memory, to.memory, from.offset, to.offset, bytes, 0,
                                   NULL, e);
    return to.memory
               ? clEnqueueWriteBuffer(q, to.memory, CL_FALSE, to.offset, bytes, c->from, 0, NULL, e)
               : clEnqueueReadBuffer(q, from.memory, CL_FALSE, from.offset, bytes, c->to, 0, NULL,
                                     e);
}

static cl_int enqueue_2d(cl_command_queue q, const tw_copy *c, side to, side from, cl_event *e)
{
    const size_t region[3] = {c->rows, c->cols, 1}, begin[3] = {0};
    const size_t at_to[3] = {to.offset, 0, 0}, at_from[3] = {from.offset, 0, 0};
    if (to.memory && from.memory)
        return clEnqueueCopyBufferRect(q, from.memory, to.memory, at_from, at_to, region,
                                       c->ld_from, 0, c->ld_to, 0, 0, NULL, e);
    return to.memory ? clEnqueueWriteBufferRect(q, to.memory, CL_FALSE, at_to, begin, region,
                                                c->ld_to, 0, c->ld_from, 0, c->from, 0, NULL, e)
                     : clEnqueueReadBufferRect(q, from.memory, CL_FALSE, at_from, begin, region,
                                               c->ld_from, 0, c->ld_to, 0, c->to, 0, NULL, e);
}

static cl_event enqueue(tw_ocl *o, const tw_copy *c, side to, side from)
{
    cl_command_queue q = to.memory ? o->in.queue : o->out.queue;
    cl_event event = NULL;
    cl_int code = !to.memory && !from.memory ? CL_INVALID_MEM_OBJECT
                  : is_plain(c)              ? enqueue_plain(q, c, to, from, &event)
                                             : enqueue_2d(q, c, to, from, &event);
    if (code == CL_SUCCESS)
        clFlush(q);
    return code == CL_SUCCESS ? event : NULL;
}

/* One that cannot begin has no event, and is told by the next poll. */
static void start(tw_space *space, tw_copy *copy)
{
    tw_ocl *o = owner_of(space);
    side to, from;
    to.memory = tw_ocl_locate(o->device, copy->to, &to.offset);
    from.memory = tw_ocl_locate(o->device, copy->from, &from.offset);
    tw_ocl_copies *copies = to.memory ? &o->in : &o->out;
    copy->next = NULL;
    pthread_mutex_lock(&copies->lock);
    copy->word = (uintptr_t)enqueue(o, copy, to, from);
    *copies->last = copy;
    copies->last = &copy->next;
    pthread_mutex_unlock(&copies->lock);
}

/* What OpenCL says of a copy: above CL_COMPLETE while it is under way, negative if it failed. */
static cl_int look_at(const tw_copy *copy)
{
    cl_event event = (cl_event)(uintptr_t)copy->word;
    cl_int state = CL_INVALID_EVENT;
    if (event)
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return state;
}

/* The first one, if it is over. */
static tw_copy *take_over(tw_ocl_copies *copies, cl_int *state)
{
    pthread_mutex_lock(&copies->lock);
    tw_copy *copy = copies->first;
    *state = copy ? look_at(copy) : CL_QUEUED;
    if (*state > CL_COMPLETE) {
        copy = NULL;
    } else {
        copies->first = copy->next;
        if (!copies->first)
            copies->last = &copies->first;
    }
    pthread_mutex_unlock(&copies->lock);
    return copy;
}

static bool poll_copies(tw_ocl *o, tw_ocl_copies *copies, void *poller)
{
    bool some = false;
    cl_int state;
    for (tw_copy *copy; (copy = take_over(copies, &state)); some = true) {
        if (copy->word)
            clReleaseEvent((cl_event)(uintptr_t)copy->word);
        copy->done(copy, tw_ocl_check(o, state, copies == &o->in ? "copy in" : "copy out"), poller);
    }
    return some;
}

bool tw_ocl_copies_poll(tw_ocl *o, void *poller)
{
    bool in = poll_copies(o, &o->in, poller);
    return poll_copies(o, &o->out, poller) || in;
}

static bool reaches(const tw_space *space, const tw_space *from)
{
    return from->start == space->start && owner_of(from)->device == owner_of(space)->device;
}

twill_status tw_ocl_copies_open(tw_ocl *o)
{
    tw_ocl_copies *both[] = {&o->in, &o->out};
    for (int i = 0; i < 2; i++) {
        cl_int code;
        both[i]->queue = clCreateCommandQueue(o->device->context, o->device->id, 0, &code);
        if (code != CL_SUCCESS) {
            if (i)
                clReleaseCommandQueue(o->in.queue);
            return tw_ocl_check(o, code, "make a queue for copies");
        }
        both[i]->last = &both[i]->first;
    }
    pthread_mutex_init(&o->in.lock, NULL);
    pthread_mutex_init(&o->out.lock, NULL);
    o->space.start = start;
    o->space.reaches = reaches;
    return TWILL_OK;
}

void tw_ocl_copies_close(tw_ocl *o)
{
    clReleaseCommandQueue(o->in.queue);
    clReleaseCommandQueue(o->out.queue);
    pthread_mutex_destroy(&o->in.lock);
    pthread_mutex_destroy(&o->out.lock);
}
