/* Programs: the kernels of one type, compiled when the first of them is used. */
#include "device/opencl/call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The files in kernels/, one after the other: made by the build. */
extern const char tw_ocl_source[];

static const struct {
    const char *name;
    size_t local[2];
} kernels[TW_OCL_KERNELS] = {
    [TW_OCL_MULTIPLY] = {"multiply", {4, 4}},
    [TW_OCL_EXPAND] = {"expand", {16, 4}},
    [TW_OCL_INVERT] = {"invert", {32, 1}},
    [TW_OCL_CHOLESKY] = {"cholesky", {32, 1}},
    [TW_OCL_FACTOR_PANEL] = {"factor_panel", {64, 1}},
    [TW_OCL_SWAP_ROWS] = {"swap_rows", {16, 1}},
    [TW_OCL_REFLECT_PANEL] = {"reflect_panel", {256, 1}},
    [TW_OCL_JOIN_REFLECTORS] = {"join_reflectors", {32, 1}},
};

static int number_of(twill_type type)
{
    return tw_ocl_is_double(type) + 2 * tw_ocl_is_complex(type);
}

/* What the compiler says first goes into the sentence: nobody can do without. */
static void say_why(const tw_ocl_device *d, cl_program program)
{
    enum { MOST = 512 };
    size_t size = 0;
    clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    char *log = calloc(1, size + 1);
    if (log)
        clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    tw_ocl_host->fail(TWILL_ERR_SYSTEM, "device opencl:%d: kernels do not compile: %.*s", d->index,
                      MOST, log ? log : "");
    free(log);
}

static cl_int build(tw_ocl_device *d, cl_program program, const char *options)
{
    cl_int code = clBuildProgram(program, 1, &d->id, options, NULL, NULL);
    if (code != CL_SUCCESS)
        say_why(d, program);
    return code;
}

static cl_int make_program(tw_ocl_device *d, twill_type type, cl_program *made)
{
    char options[64];
    const char *source = tw_ocl_source;
    cl_int code;
    snprintf(options, sizeof options, "-cl-std=CL1.2%s%s",
             tw_ocl_is_double(type) ? " -DTW_DOUBLE" : "",
             tw_ocl_is_complex(type) ? " -DTW_COMPLEX" : "");
    cl_program program = clCreateProgramWithSource(d->context, 1, &source, NULL, &code);
    if (code != CL_SUCCESS)
        return code;
    code = build(d, program, options);
    if (code == CL_SUCCESS)
        *made = program;
    else
        clReleaseProgram(program);
    return code;
}

static cl_int make_kernel(tw_ocl_device *d, twill_type type, tw_ocl_kernel id, cl_kernel *kernel)
{
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&d->lock);
    cl_program *program = &d->program[number_of(type)];
    if (!*program)
        code = make_program(d, type, program);
    if (code == CL_SUCCESS)
        *kernel = clCreateKernel(*program, kernels[id].name, &code);
    pthread_mutex_unlock(&d->lock);
    return code;
}

cl_int tw_ocl_get_kernel(tw_ocl_lane *lane, twill_type type, tw_ocl_kernel id, cl_kernel *kernel,
                         size_t local[2])
{
    cl_kernel *kept = &lane->kernel[number_of(type)][id];
    cl_int code = *kept ? CL_SUCCESS : make_kernel(lane->owner->device, type, id, kept);
    *kernel = *kept;
    memcpy(local, kernels[id].local, sizeof kernels[id].local);
    return code;
}
