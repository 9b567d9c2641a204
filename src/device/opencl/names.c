/* What OpenCL's error codes mean. */
#include "device/opencl/opencl.h"

static const struct {
    cl_int code;
    const char *text;
} names[] = {
    {CL_DEVICE_NOT_AVAILABLE, "the device is not available"},
    {CL_COMPILER_NOT_AVAILABLE, "there is no compiler for the device"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory on the device"},
    {CL_OUT_OF_RESOURCES, "the device has failed, or has no resources left"},
    {CL_OUT_OF_HOST_MEMORY, "no memory on the host"},
    {CL_BUILD_PROGRAM_FAILURE, "a kernel does not compile"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "what it waited for has failed"},
    {CL_INVALID_VALUE, "invalid value"},
    {CL_INVALID_DEVICE, "invalid device"},
    {CL_INVALID_CONTEXT, "invalid context"},
    {CL_INVALID_COMMAND_QUEUE, "invalid queue"},
    {CL_INVALID_MEM_OBJECT, "no memory of this device"},
    {CL_INVALID_BUFFER_SIZE, "larger than the device allows"},
    {CL_INVALID_WORK_GROUP_SIZE, "the device allows no work groups of this size"},
    {CL_INVALID_KERNEL_ARGS, "an argument of a kernel is missing"},
    {CL_INVALID_EVENT, "it could not begin"},
};

const char *tw_ocl_word(cl_int code)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code)
            return names[i].text;
    return "OpenCL's error";
}
