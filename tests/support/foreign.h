/* Threads that are no workers and complete tasks whose bodies returned TWILL_ASYNC. */
#ifndef TEST_SUPPORT_FOREIGN_H
#define TEST_SUPPORT_FOREIGN_H

#include <twill/twill.h>

typedef struct foreign foreign;

/* `work` is called on one of `threads` foreign threads for every task given, at some time that
 * depends on the seed; then the task is completed with the status it returns. */
foreign *foreign_start(int threads, uint64_t seed, twill_status (*work)(twill_task *task));
void foreign_give(foreign *f, twill_task *task);

/* Everything given must have been completed. */
void foreign_stop(foreign *f);

#endif
