/* Suites over all schedulers, Twill's own and one such as a user writes. */
#ifndef TEST_SUPPORT_SCHEDULERS_H
#define TEST_SUPPORT_SCHEDULERS_H

#include "support/policy.h"

#include <stdatomic.h>

/* The one such as a user writes, as twill_start wants it. */
extern const twill_sched_ops *const test_own_schedulers[];

typedef struct test_sched_case {
    const char *name;
    void (*function)(void **state); /* *state is the table of the scheduler */
    const twill_sched_ops *only;    /* NULL: for all of them */
} test_sched_case;

/* Run each case for each scheduler; returns what main returns. */
int test_all_schedulers(const test_sched_case *suite, int n);

/* An item that counts how often it has come out. */
typedef struct test_item {
    twill_item item; /* first: what comes out is this */
    atomic_int out;
} test_item;

/* Push `item` from t. */
void test_push_one(test_policy *p, int w, test_item *t, twill_item item, bool soon);
/* Pop one and count it; false: there was none. */
bool test_pop_one(test_policy *p, int w);

#endif
