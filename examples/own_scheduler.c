/* A scheduler of your own, registered at run time: one stack for all, newest task first.
 *
 * Tasks that keep inserting others would keep the old ones at the bottom for ever, so one pop in a
 * hundred takes the oldest. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { NEWEST = 100 };

typedef struct stack {
    pthread_mutex_t mutex;
    unsigned pops;
    twill_item *top; /* newest first */
    twill_item *old; /* what was in the stack at some time, oldest first */
} stack;

static twill_status stack_open(const twill_sched_env *env, void **state)
{
    (void)env; /* it would tell the number of workers and who is near whom */
    stack *s = calloc(1, sizeof *s);
    if (!s)
        return TWILL_ERR_MEMORY;
    pthread_mutex_init(&s->mutex, NULL);
    *state = s;
    return TWILL_OK;
}

static void stack_close(void *state)
{
    pthread_mutex_destroy(&((stack *)state)->mutex);
    free(state);
}

static void add(twill_item **list, twill_item *item)
{
    item->next = *list;
    *list = item;
}

static twill_item *take(twill_item **list)
{
    twill_item *item = *list;
    if (item)
        *list = item->next;
    return item;
}

/* n items, linked by `next`, are ready. All of them can be taken by any worker: return n. */
static int stack_push(void *state, int worker, twill_item *list, int n, bool soon)
{
    (void)worker, (void)soon;
    stack *s = state;
    pthread_mutex_lock(&s->mutex);
    while (list)
        add(&s->top, take(&list));
    pthread_mutex_unlock(&s->mutex);
    return n;
}

static twill_item *take_oldest(stack *s)
{
    if (!s->old)
        while (s->top)
            add(&s->old, take(&s->top));
    return take(&s->old);
}

static twill_item *stack_pop(void *state, int worker)
{
    (void)worker;
    stack *s = state;
    pthread_mutex_lock(&s->mutex);
    bool newest = ++s->pops % NEWEST && s->top;
    twill_item *item = newest ? take(&s->top) : take_oldest(s);
    pthread_mutex_unlock(&s->mutex);
    return item;
}

static const twill_sched_ops newest_first = {
    .size = sizeof(twill_sched_ops),
    .name = "newest",
    .about = "one stack for all workers, newest task first",
    .open = stack_open,
    .close = stack_close,
    .push = stack_push,
    .pop = stack_pop,
};

int main(void)
{
    const twill_sched_ops *const mine[] = {&newest_first, NULL};
    twill_options options = {.size = sizeof(twill_options), .sched = "newest", .schedulers = mine};
    twill *tw;
    twill_array *a;
    int64_t info = -1;
    if (twill_start(&tw, &options) != TWILL_OK ||
        twill_matrix_create(tw, TWILL_FLOAT64, 700, 700, &a) != TWILL_OK ||
        twill_fill_spd(a, 1) != TWILL_OK || twill_potrf(TWILL_LOWER, a, &info) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    printf("factored under scheduler %s, info %lld\n", twill_scheduler(tw, 0)->name,
           (long long)info);
    twill_stop(tw);
    return info == 0 ? 0 : 1;
}
