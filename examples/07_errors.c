/* When a task fails: its graph is canceled, twill_wait says which task and why, and the program
 * goes on. */
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

static twill_outcome fail_body(twill_task *t)
{
    return twill_task_fail(t, "the input is %d, not positive", -3);
}

static twill_outcome touch_body(twill_task *t)
{
    *(int *)twill_task_data(t, 0) += 1;
    return TWILL_DONE;
}

static const twill_class failing = {
    .size = sizeof(twill_class), .name = "failing", .chores = {TWILL_CPU(fail_body)}};
static const twill_class touch = {
    .size = sizeof(twill_class), .name = "touch", .chores = {TWILL_CPU(touch_body)}};

int main(void)
{
    twill *tw;
    twill_array *x;
    twill_graph *g;
    twill_pattern pattern = twill_tiled(1, 1, 1, 1);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int), &x) ||
        twill_stf_begin(tw, &g)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_insert(g, &failing, TWILL_RW(twill_tile_at(x, 0, 0)), TWILL_NAME("check input"));
    twill_insert(g, &touch, TWILL_RW(twill_tile_at(x, 0, 0))); /* does not run */
    twill_status status = twill_wait(g);
    printf("twill_wait: %s: %s\n", twill_status_name(status), twill_message());
    int good = status == TWILL_ERR_TASK && strstr(twill_message(), "check input");

    /* Once reported, the failure is over: graph and data can be used again. */
    twill_insert(g, &touch, TWILL_RW(twill_tile_at(x, 0, 0)));
    good = good && twill_wait(g) == TWILL_OK;

    /* Options are strict, too. */
    twill *other;
    status = twill_start(&other, &(twill_options){.size = sizeof(twill_options), .sched = "lsw"});
    printf("twill_start: %s\n", twill_message());
    good = good && status == TWILL_ERR_OPTION;
    twill_stop(tw);
    return good ? 0 : 1;
}
