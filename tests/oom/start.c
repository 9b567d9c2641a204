/* Starting on this machine, with bound workers, waiting there, and stopping. */
#include "support/shortage.h"

static twill_outcome nothing(twill_task *t)
{
    (void)t;
    return TWILL_DONE;
}

static const twill_class nothing_class = {
    .size = sizeof(twill_class), .name = "nothing", .chores = {TWILL_CPU(nothing)}};

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    twill_graph *g = NULL;
    twill_status status;
    (void)wrong;
    TRY(twill_stf_begin(tw, &g));
    TRY(twill_insert(g, &nothing_class, TWILL_INT(1)));
    TRY(twill_wait(g));
done:
    if (!leave)
        twill_graph_free(g);
    return status;
}

TEST(start_and_stop)
{
    shortage_sweep(&(shortage){.name = "start", .options = {.topology = ""}, .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(start_and_stop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
