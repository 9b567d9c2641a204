/* Lanes: who works for which launch, and until when. */
#include "device/opencl/lane.h"

#include <stdlib.h>

/* ---- begin and end ----------------------------------------------------------------------- */

static void note(tw_ocl_lane *lane, cl_int code)
{
    if (lane->code == CL_SUCCESS)
        lane->code = code;
}

bool tw_ocl_begin(tw_executor *e, tw_launch *launch)
{
    tw_ocl *o = (tw_ocl *)e;
    int i = 0;
    while (i < e->lanes && o->lane[i]->launch)
        i++;
    if (i == e->lanes)
        return false;
    tw_ocl_lane *lane = o->lane[i];
    tw_ocl_workspace_grow(lane);
    lane->launch = launch;
    lane->ended = false;
    lane->has_info = false;
    lane->told[0] = lane->told[1] = 0;
    lane->first = lane->last = NULL;
    lane->code = clEnqueueMarkerWithWaitList(lane->queue, 0, NULL, &lane->first);
    launch->lane = lane->queue;
    launch->handles = lane;
    launch->info = lane->told;
    launch->seconds = 0;
    return true;
}

cl_mem tw_ocl_info(tw_ocl_lane *lane)
{
    static const int32_t zeros[2];
    if (!lane->has_info)
        note(lane, clEnqueueWriteBuffer(lane->queue, lane->info, CL_FALSE, 0, sizeof zeros, zeros,
                                        0, NULL, NULL));
    lane->has_info = true;
    return lane->info;
}

void tw_ocl_end(tw_executor *e, tw_launch *launch)
{
    (void)e;
    tw_ocl_lane *lane = tw_ocl_lane_of(launch);
    if (lane->has_info)
        note(lane, clEnqueueReadBuffer(lane->queue, lane->info, CL_FALSE, 0, sizeof lane->told,
                                       lane->told, 0, NULL, NULL));
    note(lane, clEnqueueMarkerWithWaitList(lane->queue, 0, NULL, &lane->last));
    note(lane, clFlush(lane->queue));
    lane->ended = true;
}

/* ---- what is over ------------------------------------------------------------------------ */

static double seconds_of(const tw_ocl_lane *lane)
{
    cl_ulong begin = 0, end = 0;
    if (!lane->first || !lane->last ||
        clGetEventProfilingInfo(lane->first, CL_PROFILING_COMMAND_END, sizeof begin, &begin,
                                NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(lane->last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) !=
            CL_SUCCESS)
        return 0;
    return end > begin ? (double)(end - begin) * 1e-9 : 0;
}

/* CL_SUCCESS or an error when it is over, positive before. A queue that has refused something is
 * waited for: only so it is known that it works no more. */
static cl_int look_at(const tw_ocl_lane *lane)
{
    cl_int state = CL_COMPLETE;
    if (lane->code != CL_SUCCESS) {
        clFinish(lane->queue);
        return lane->code;
    }
    cl_int code =
        clGetEventInfo(lane->last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS ? state : code;
}

static void release_events(tw_ocl_lane *lane)
{
    if (lane->first)
        clReleaseEvent(lane->first);
    if (lane->last)
        clReleaseEvent(lane->last);
    lane->first = lane->last = NULL;
}

bool tw_ocl_lanes_poll(tw_ocl *o, void *poller)
{
    bool some = false;
    for (int i = 0; i < o->executor.lanes; i++) {
        tw_ocl_lane *lane = o->lane[i];
        tw_launch *launch = lane->launch;
        cl_int code = launch && lane->ended ? look_at(lane) : CL_QUEUED;
        if (code > CL_COMPLETE)
            continue;
        launch->seconds = seconds_of(lane);
        release_events(lane);
        launch->done(launch, tw_ocl_check(o, code, "run a task"), poller);
        lane->launch = NULL; /* after: until then its info is the launch's */
        some = true;
    }
    return some;
}

/* ---- opening and closing ----------------------------------------------------------------- */

static void close_lane(tw_ocl_lane *lane)
{
    for (int t = 0; t < TW_OCL_TYPES; t++)
        for (int i = 0; i < TW_OCL_KERNELS; i++)
            if (lane->kernel[t][i])
                clReleaseKernel(lane->kernel[t][i]);
    tw_ocl_workspace_close(lane);
    if (lane->info)
        clReleaseMemObject(lane->info);
    if (lane->queue)
        clReleaseCommandQueue(lane->queue);
    free(lane);
}

static twill_status open_lane(tw_ocl *o, tw_ocl_lane **opened)
{
    cl_int code;
    tw_ocl_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return tw_ocl_host->fail(TWILL_ERR_MEMORY, "no memory for a lane of %s", o->name);
    lane->owner = o;
    lane->queue =
        clCreateCommandQueue(o->device->context, o->device->id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (code == CL_SUCCESS)
        lane->info =
            clCreateBuffer(o->device->context, CL_MEM_READ_WRITE, sizeof lane->told, NULL, &code);
    if (code != CL_SUCCESS) {
        close_lane(lane);
        return tw_ocl_check(o, code, "make a queue");
    }
    *opened = lane;
    return TWILL_OK;
}

twill_status tw_ocl_lanes_open(tw_ocl *o, int lanes)
{
    twill_status status = TWILL_OK;
    for (int i = 0; i < lanes && status == TWILL_OK; i++) {
        status = open_lane(o, &o->lane[i]);
        o->executor.lanes += status == TWILL_OK;
    }
    if (status != TWILL_OK)
        tw_ocl_lanes_close(o);
    return status;
}

void tw_ocl_lanes_close(tw_ocl *o)
{
    for (int i = 0; i < o->executor.lanes; i++)
        close_lane(o->lane[i]);
    o->executor.lanes = 0;
}
