/* Calls of routines: arguments of kernels, and workspace. */
#include "device/opencl/call.h"

#include <stdarg.h>
#include <stdlib.h>

tw_ocl_call tw_ocl_call_of(const char *name, tw_launch *launch, twill_type type)
{
    return (tw_ocl_call){.lane = tw_ocl_lane_of(launch),
                         .type = type,
                         .element = (tw_ocl_is_double(type) ? sizeof(double) : sizeof(float)) *
                                    (tw_ocl_is_complex(type) ? 2 : 1),
                         .name = name,
                         .used = tw_ocl_lane_of(launch)->used};
}

/* ---- operands ---------------------------------------------------------------------------- */

tw_ocl_matrix tw_ocl_at_size(tw_ocl_call *c, tw_place place, size_t size)
{
    size_t offset = 0;
    tw_ocl_matrix a = {.ld = place.ld};
    a.memory = tw_ocl_locate(c->lane->owner->device, place.at, &offset);
    a.offset = (int64_t)(offset / size);
    if (!a.memory && c->code == CL_SUCCESS)
        c->code = CL_INVALID_MEM_OBJECT;
    return a;
}

tw_ocl_matrix tw_ocl_at(tw_ocl_call *c, tw_place place)
{
    return tw_ocl_at_size(c, place, c->element);
}

tw_ocl_matrix tw_ocl_sub(tw_ocl_matrix a, int64_t i, int64_t j)
{
    a.offset += i + j * a.ld;
    return a;
}

tw_ocl_scalar tw_ocl_number(twill_type type, double x)
{
    return tw_ocl_is_double(type) ? (tw_ocl_scalar){.f64 = {x, 0}}
                                  : (tw_ocl_scalar){.f32 = {(float)x, 0}};
}

tw_ocl_scalar tw_ocl_read(twill_type type, bool real, const void *x)
{
    bool pair = tw_ocl_is_complex(type) && !real;
    const double *f64 = x;
    const float *f32 = x;
    return tw_ocl_is_double(type) ? (tw_ocl_scalar){.f64 = {f64[0], pair ? f64[1] : 0}}
                                  : (tw_ocl_scalar){.f32 = {f32[0], pair ? f32[1] : 0}};
}

/* ---- kernels ----------------------------------------------------------------------------- */

/* Where the next argument goes. */
typedef struct setter {
    cl_kernel kernel;
    cl_uint next;
    cl_int code;
} setter;

static void set(setter *s, size_t size, const void *value)
{
    if (s->code == CL_SUCCESS)
        s->code = clSetKernelArg(s->kernel, s->next++, size, value);
}

static void set_matrix(setter *s, const tw_ocl_matrix *a)
{
    const cl_long offset = a->offset, ld = a->ld;
    set(s, sizeof a->memory, &a->memory);
    set(s, sizeof offset, &offset);
    set(s, sizeof ld, &ld);
}

static void set_next(setter *s, char letter, size_t element, va_list *list)
{
    if (letter == 'i') {
        cl_int x = va_arg(*list, int);
        set(s, sizeof x, &x);
    } else if (letter == 'l') {
        int64_t size = va_arg(*list, int64_t);
        cl_int x = (cl_int)size;
        s->code = size == x ? s->code : CL_INVALID_VALUE;
        set(s, sizeof x, &x);
    } else if (letter == 'e') {
        set(s, element, va_arg(*list, const tw_ocl_scalar *));
    } else if (letter == 'm') {
        tw_ocl_matrix a = va_arg(*list, tw_ocl_matrix);
        set_matrix(s, &a);
    } else {
        cl_mem memory = va_arg(*list, cl_mem);
        set(s, sizeof memory, &memory);
    }
}

void tw_ocl_enqueue(tw_ocl_call *c, tw_ocl_kernel kernel, int64_t groups_x, int64_t groups_y,
                    const char *letters, ...)
{
    if (groups_x <= 0 || groups_y <= 0)
        return;
    setter s = {.code = c->code};
    size_t local[2];
    if (s.code == CL_SUCCESS)
        s.code = tw_ocl_get_kernel(c->lane, c->type, kernel, &s.kernel, local);
    va_list list;
    va_start(list, letters);
    for (const char *letter = letters; *letter && s.code == CL_SUCCESS; letter++)
        set_next(&s, *letter, c->element, &list);
    va_end(list);
    if (s.code == CL_SUCCESS) {
        const size_t global[2] = {(size_t)groups_x * local[0], (size_t)groups_y * local[1]};
        s.code =
            clEnqueueNDRangeKernel(c->lane->queue, s.kernel, 2, NULL, global, local, 0, NULL, NULL);
    }
    c->code = s.code;
}

/* ---- workspace --------------------------------------------------------------------------- */

static cl_mem add_extra(tw_ocl_call *c, size_t bytes)
{
    cl_int code;
    tw_ocl_extra *extra = malloc(sizeof *extra);
    if (!extra) {
        c->code = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    extra->memory =
        clCreateBuffer(c->lane->owner->device->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code != CL_SUCCESS) {
        free(extra);
        c->code = code;
        return NULL;
    }
    extra->from = c->lane->used;
    extra->next = c->lane->extra;
    c->lane->extra = extra;
    return extra->memory;
}

tw_ocl_matrix tw_ocl_room(tw_ocl_call *c, int64_t m, int64_t n)
{
    enum { BOUNDARY = 256 };
    tw_ocl_lane *lane = c->lane;
    tw_ocl_matrix a = {.ld = m > 1 ? m : 1};
    if (c->code != CL_SUCCESS)
        return a;
    size_t bytes = (size_t)a.ld * (size_t)(n > 1 ? n : 1) * c->element;
    bytes = (bytes + BOUNDARY - 1) / BOUNDARY * BOUNDARY;
    if (lane->used + bytes <= lane->bytes) {
        a.memory = lane->workspace;
        a.offset = (int64_t)(lane->used / c->element);
    } else {
        a.memory = add_extra(c, bytes);
    }
    lane->used += bytes;
    lane->most = lane->used > lane->most ? lane->used : lane->most;
    return a;
}

/* OpenCL keeps memory that has been released as long as what is enqueued needs it. */
void tw_ocl_go_back(tw_ocl_call *c, size_t used)
{
    tw_ocl_lane *lane = c->lane;
    lane->used = used;
    while (lane->extra && lane->extra->from >= used) {
        tw_ocl_extra *extra = lane->extra;
        lane->extra = extra->next;
        clReleaseMemObject(extra->memory);
        free(extra);
    }
}

void tw_ocl_workspace_close(tw_ocl_lane *lane)
{
    if (lane->workspace)
        clReleaseMemObject(lane->workspace);
    lane->workspace = NULL;
    lane->bytes = 0;
}

void tw_ocl_workspace_grow(tw_ocl_lane *lane)
{
    cl_int code;
    if (lane->most <= lane->bytes)
        return;
    tw_ocl_workspace_close(lane);
    lane->workspace =
        clCreateBuffer(lane->owner->device->context, CL_MEM_READ_WRITE, lane->most, NULL, &code);
    lane->bytes = code == CL_SUCCESS ? lane->most : 0;
}

twill_status tw_ocl_finish(tw_ocl_call *c)
{
    tw_ocl_go_back(c, c->used);
    if (c->code == CL_BUILD_PROGRAM_FAILURE)
        return TWILL_ERR_SYSTEM; /* has been said */
    return tw_ocl_check(c->lane->owner, c->code, c->name);
}
