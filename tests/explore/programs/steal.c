/* Stealing: bodies insert tasks that others steal, some with a preferred worker, some with a
 * priority. Each runs once. */
#include "_common.h"

enum { PARENTS = 3, CHILDREN = 8, TASKS = PARENTS * CHILDREN };
static atomic_int ran[TASKS], parents[PARENTS];

static twill_outcome child_body(twill_task *t)
{
    atomic_fetch_add(&ran[twill_task_int(t, 0)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class child = {
    .size = sizeof(twill_class), .name = "child", .chores = {TWILL_CPU(child_body)}};

static void insert_child(twill_graph *g, int64_t number, int64_t choice)
{
    twill_status status;
    if (choice % 3 == 0)
        status = twill_insert(g, &child, TWILL_INT(number), TWILL_WORKER(choice / 3));
    else if (choice % 3 == 1)
        status = twill_insert(g, &child, TWILL_INT(number), TWILL_PRIORITY(choice / 3 - 1));
    else
        status = twill_insert(g, &child, TWILL_INT(number));
    succeed(status, "twill_insert");
}

static twill_outcome parent_body(twill_task *t)
{
    int64_t number = twill_task_int(t, 0), choice = twill_task_int(t, 1);
    atomic_fetch_add(&parents[number], 1);
    for (int i = 0; i < CHILDREN; i++)
        insert_child(twill_task_graph(t), number * CHILDREN + i, (choice + 5 * i) % 18);
    progress();
    return TWILL_DONE;
}

static const twill_class parent = {
    .size = sizeof(twill_class), .name = "parent", .chores = {TWILL_CPU(parent_body)}};

int main(void)
{
    twill *tw = start();
    twill_graph *g = begin(tw);
    for (int i = 0; i < PARENTS; i++)
        succeed(twill_insert(g, &parent, TWILL_INT(i), TWILL_INT(draw(18)),
                             TWILL_WORKER((int64_t)draw(7) - 1)),
                "twill_insert");
    succeed(twill_wait(g), "twill_wait");
    each_once(parents, PARENTS);
    each_once(ran, TASKS);
    twill_stop(tw);
    return 0;
}
