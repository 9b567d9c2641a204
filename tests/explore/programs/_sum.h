/* A reduction that adds integers, and a task that contributes 1. */
#ifndef EXPLORE_PROGRAMS_SUM_H
#define EXPLORE_PROGRAMS_SUM_H

#include "_common.h"

static atomic_int combined; /* how many partial results were added up */

static void set_zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    *(int64_t *)into = 0;
}

static void add(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                int64_t cols)
{
    (void)ld_into, (void)ld_from, (void)rows, (void)cols;
    *(int64_t *)into += *(const int64_t *)from;
    atomic_fetch_add(&combined, 1);
    progress();
}

static const twill_reduction sum = {
    .size = sizeof(twill_reduction), .name = "sum", .zero = set_zero, .combine = add};

static twill_outcome one_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    progress();
    return TWILL_DONE;
}

static const twill_class one = {
    .size = sizeof(twill_class), .name = "one", .chores = {TWILL_CPU(one_body)}};

#endif
