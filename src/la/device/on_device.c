/* What bodies for devices have in common. */
#include "la/device/on_device.h"

#include "engine/device/executors.h"

#include <twill/device.h>

tw_on_device tw_on_device_of(const twill_task *t, int arg)
{
    tw_flight *f = tw_task_flight(t);
    return (tw_on_device){&f->launch, f->executor->executor->blas,
                          twill_array_type(twill_task_array(t, arg))};
}

tw_place tw_on_device_at(const twill_task *t, int arg)
{
    return (tw_place){twill_task_data(t, arg), twill_task_ld(t, arg)};
}

twill_outcome tw_on_device_end(twill_task *t, twill_status status)
{
    return status == TWILL_OK ? TWILL_DONE : twill_task_fail(t, "%s", twill_message());
}

int tw_on_device_info(const twill_task *t)
{
    return tw_task_flight(t)->info;
}

bool tw_on_devices(const twill *tw)
{
    return twill_devices(tw) > 0 && twill_ranks(tw) == 1;
}
