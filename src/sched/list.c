/* The static list of schedulers. */
#include "sched/sched.h"

#include <stddef.h>

const twill_sched_ops *const tw_schedulers[] = {
    &tw_sched_lws, &tw_sched_prio, &tw_sched_eager,  &tw_sched_rand,
    &tw_sched_cw,  &tw_sched_dmda, &tw_sched_serial, NULL,
};
