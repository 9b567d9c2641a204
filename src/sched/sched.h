/* The schedulers that come with Twill. */
#ifndef TW_SCHED_SCHED_H
#define TW_SCHED_SCHED_H

#include <twill/sched.h>

extern const twill_sched_ops tw_sched_lws, tw_sched_prio, tw_sched_eager, tw_sched_rand,
    tw_sched_serial, tw_sched_cw, tw_sched_dmda;

/* All of them, the default first; NULL-terminated. Adding one is adding a line here. */
extern const twill_sched_ops *const tw_schedulers[];

#endif
