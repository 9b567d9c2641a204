/* A scheduler of one's own, and suites over all schedulers. */
#include "support/schedulers.h"

#include "support/test.h"

#include "base/lock.h"
#include "sched/sched.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- newest first, now and then the oldest --------------------------------------------------- */

enum { NEWEST = 100 };

typedef struct stack {
    tw_lock lock;
    unsigned pops;
    twill_item *top; /* newest first */
    twill_item *old; /* oldest first */
} stack;

static twill_status stack_open(const twill_sched_env *env, void **state)
{
    (void)env;
    *state = calloc(1, sizeof(stack));
    return *state ? TWILL_OK : TWILL_ERR_MEMORY;
}

static void stack_add(twill_item **list, twill_item *item)
{
    item->next = *list;
    *list = item;
}

static twill_item *stack_take(twill_item **list)
{
    twill_item *item = *list;
    if (item)
        *list = item->next;
    return item;
}

static int stack_push(void *state, int w, twill_item *list, int n, bool soon)
{
    (void)w, (void)soon;
    stack *s = state;
    tw_lock_take(&s->lock);
    while (list)
        stack_add(&s->top, stack_take(&list));
    tw_unlock(&s->lock);
    return n;
}

static twill_item *stack_take_oldest(stack *s)
{
    if (!s->old)
        while (s->top)
            stack_add(&s->old, stack_take(&s->top));
    return stack_take(&s->old);
}

static twill_item *stack_pop(void *state, int w)
{
    (void)w;
    stack *s = state;
    tw_lock_take(&s->lock);
    bool newest = ++s->pops % NEWEST && s->top;
    twill_item *item = newest ? stack_take(&s->top) : stack_take_oldest(s);
    tw_unlock(&s->lock);
    return item;
}

static const twill_sched_ops own = {
    .size = sizeof(twill_sched_ops),
    .name = "own",
    .about = "newest first",
    .open = stack_open,
    .close = free,
    .push = stack_push,
    .pop = stack_pop,
};
const twill_sched_ops *const test_own_schedulers[] = {&own, NULL};

/* ---- suites --------------------------------------------------------------------------------- */

void test_push_one(test_policy *p, int w, test_item *t, twill_item item, bool soon)
{
    t->item = item;
    t->item.devices = 1;
    int others = test_policy_push(p, w, &t->item, 1, soon);
    assert_in_range(others, 0, 1);
}

bool test_pop_one(test_policy *p, int w)
{
    test_item *t = (test_item *)p->ops->pop(p->state, w);
    if (t)
        atomic_fetch_add(&t->out, 1);
    return t;
}

int test_all_schedulers(const test_sched_case *suite, int n)
{
    enum { MOST = 256 };
    static struct CMUnitTest tests[MOST];
    static char names[MOST][120];
    size_t count = 0;
    for (int s = 0; s == 0 || tw_schedulers[s - 1]; s++) {
        const twill_sched_ops *ops = s == 0 ? &own : tw_schedulers[s - 1];
        for (int i = 0; i < n; i++) {
            if (suite[i].only && suite[i].only != ops)
                continue;
            if (count == MOST)
                abort();
            snprintf(names[count], sizeof names[count], "%s: %s", ops->name, suite[i].name);
            tests[count] =
                (struct CMUnitTest){names[count], suite[i].function, NULL, NULL, (void *)ops};
            count++;
        }
    }
    return _cmocka_run_group_tests("schedulers", tests, count, NULL, NULL);
}
