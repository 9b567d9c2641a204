/* A scheduler without an engine. */
#include "support/policy.h"

#include "support/test.h"

static const int *neighbours(const twill_sched_env *env, int w)
{
    return ((test_policy *)env->engine)->order[w];
}

static void stolen(const twill_sched_env *env, int w, int victim, int n)
{
    test_policy *p = env->engine;
    if (!p->quiet && p->nchoices < POLICY_CHOICES)
        p->choices[p->nchoices++] = (test_choice){w, victim, n};
}

static void visible(const twill_sched_env *env, int n)
{
    test_policy *p = env->engine;
    if (!p->quiet)
        p->visible += n;
}

static double cost(const twill_sched_env *env, const twill_item *item, int device)
{
    (void)item;
    return ((test_policy *)env->engine)->seconds[device];
}

static double transfer(const twill_sched_env *env, const twill_item *item, int device)
{
    (void)item;
    return ((test_policy *)env->engine)->copies[device];
}

static bool explore(const twill_sched_env *env, const twill_item *item, int device)
{
    (void)item;
    uint16_t *tried = &((test_policy *)env->engine)->tried, bit = (uint16_t)(1u << device);
    bool wanted = *tried & bit;
    if (wanted)
        *tried &= (uint16_t)~bit;
    return wanted;
}

static double now(const twill_sched_env *env)
{
    return ((test_policy *)env->engine)->time;
}

static void prepare(test_policy *p, const twill_sched_ops *ops, int workers, uint64_t seed)
{
    *p = (test_policy){.ops = ops,
                       .env = {.workers = workers,
                               .seed = seed,
                               .neighbours = neighbours,
                               .stolen = stolen,
                               .visible = visible,
                               .cost = cost,
                               .transfer = transfer,
                               .explore = explore,
                               .now = now,
                               .engine = p}};
    for (int w = 0; w < workers; w++)
        for (int i = 1; i < workers; i++)
            p->order[w][i - 1] = (w + i) % workers;
}

void test_policy_open(test_policy *p, const twill_sched_ops *ops, int workers, uint64_t seed)
{
    prepare(p, ops, workers, seed);
    OK(ops->open(&p->env, &p->state));
}

void test_policy_open_with(test_policy *p, const twill_sched_ops *ops, int workers, int devices)
{
    prepare(p, ops, workers, 1);
    p->env.devices = devices;
    OK(ops->open(&p->env, &p->state));
}

void test_policy_close(test_policy *p)
{
    p->ops->close(p->state);
}

int test_policy_push(test_policy *p, int w, twill_item *items, int n, bool soon)
{
    for (int i = 0; i < n; i++)
        items[i].next = i + 1 < n ? &items[i + 1] : NULL;
    return p->ops->push(p->state, w, items, n, soon);
}
