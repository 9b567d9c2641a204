/* Runs in virtual time. */
#include "base/abi.h"
#include "simulate/machine.h"

#include <string.h>

double twill_simulate_seed(void *arg, const char *cls, double seconds, int members)
{
    (void)arg, (void)cls;
    double efficiency = 3.0 / (members + 2);
    return seconds / (members * efficiency);
}

double twill_simulate_amdahl(void *arg, const char *cls, double seconds, int members)
{
    (void)cls;
    double alone = *(const double *)arg;
    return seconds * (alone + (1 - alone) / members);
}

static int first_size(const twill_simulation *s, twill_mode mode)
{
    if (mode == TWILL_MODE_REGULAR || mode == TWILL_MODE_ADAPTIVE)
        return 0;
    if (mode == TWILL_MODE_FIXED)
        return s->reserved;
    return s->prescribed[0] > 1 ? s->prescribed[0] : 1;
}

static twill_status find_mode(const twill_simulation *s, twill_mode *mode)
{
    static const char *const names[] = {[TWILL_MODE_REGULAR] = "regular",
                                        [TWILL_MODE_FIXED] = "fixed",
                                        [TWILL_MODE_ADAPTIVE] = "adaptive",
                                        [TWILL_MODE_PRESCRIBED] = "prescribed"};
    for (int i = 0; i < 4; i++)
        if (strcmp(s->mode ? s->mode : names[0], names[i]) == 0) {
            *mode = (twill_mode)i;
            return TWILL_OK;
        }
    return tw_fail(TWILL_ERR_ARGUMENT,
                   "twill_simulate: there is no mode '%s'; modes are regular, fixed, "
                   "prescribed and adaptive",
                   s->mode);
}

static twill_status check_devices(const twill_simulation *s, twill_mode mode)
{
    enum { MOST = TW_VIRTUAL_DEVICES - 2 };
    if (s->devices < 0 || s->devices > MOST || s->ahead < 0 || s->ahead > TW_VIRTUAL_AHEAD)
        return tw_fail(TWILL_ERR_ARGUMENT,
                       "twill_simulate: %d devices and %d tasks ahead; it takes up to %d and %d",
                       s->devices, s->ahead, MOST, TW_VIRTUAL_AHEAD);
    if (s->devices && (!s->device || mode != TWILL_MODE_REGULAR))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: with devices, %s",
                       s->device ? "the mode is regular" : "`device` says what tasks take there");
    return TWILL_OK;
}

static twill_status check(const twill_simulation *s, twill_mode mode)
{
    if (s->workers < 1 || s->workers > INT16_MAX)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: %d workers; it takes 1 to %d",
                       s->workers, INT16_MAX);
    if (s->reserved < 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: %d reserved workers", s->reserved);
    if (mode == TWILL_MODE_PRESCRIBED && (!s->prescribed || s->prescribed_count < 1))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: mode prescribed wants sizes");
    if (!(s->dispatch >= 0) || !(s->wake >= 0) || !(s->barrier >= 0))
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_simulate: a time is negative");
    return check_devices(s, mode);
}

twill_status twill_simulate(const twill_model *model, const twill_simulation *simulation,
                            twill_simulated *result)
{
    twill_simulation s;
    tw_machine m;
    twill_mode mode = TWILL_MODE_REGULAR;
    twill_status status = TW_ABI_IN(twill_simulation, barrier, &s, simulation);
    if (status == TWILL_OK)
        status = TW_ABI_CHECK(twill_simulated, changes, result);
    if (status == TWILL_OK)
        status = find_mode(&s, &mode);
    if (status == TWILL_OK)
        status = check(&s, mode);
    if (status == TWILL_OK)
        status = tw_machine_open(&m, model, &s, mode);
    if (status != TWILL_OK)
        return status;
    tw_set_resize(&m, first_size(&s, mode));
    m.cost.changes = 0;
    status = tw_machine_run(&m);
    if (status == TWILL_OK && m.lost_sizes)
        status = tw_simulate_no_memory();
    if (status == TWILL_OK && s.trace)
        status = tw_machine_record(&m, s.trace);
    m.cost.size = sizeof m.cost;
    if (status == TWILL_OK)
        status = TW_ABI_OUT(twill_simulated, changes, result, &m.cost);
    tw_machine_close(&m);
    return status;
}
