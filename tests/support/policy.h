/* A scheduler on its own, without an engine: the environment it is told of, and items to queue. */
#ifndef TEST_SUPPORT_POLICY_H
#define TEST_SUPPORT_POLICY_H

#include <twill/sched.h>

enum { POLICY_WORKERS = 130, POLICY_CHOICES = 4096 };

/* One call of `stolen`. */
typedef struct test_choice {
    int thief, victim, n;
} test_choice;

typedef struct test_policy {
    const twill_sched_ops *ops;
    void *state;
    twill_sched_env env;
    int order[POLICY_WORKERS][POLICY_WORKERS]; /* neighbours, nearest first */
    test_choice choices[POLICY_CHOICES];
    int nchoices;
    int visible; /* what the policy said has become visible without a push */
    bool quiet;  /* write nothing down: several threads pop at once */
    /* with devices: what any item takes on an executor, and where one is to be tried */
    double seconds[16], copies[16], time;
    uint16_t tried;
} test_policy;

/* Open a policy for some workers, whose neighbours are in a circle until `order` is changed. */
void test_policy_open(test_policy *p, const twill_sched_ops *ops, int workers, uint64_t seed);
/* The same with executors besides the workers. */
void test_policy_open_with(test_policy *p, const twill_sched_ops *ops, int workers, int devices);
void test_policy_close(test_policy *p);

/* Push items[0..n-1] as one list; returns what the policy returns. */
int test_policy_push(test_policy *p, int w, twill_item *items, int n, bool soon);

#endif
