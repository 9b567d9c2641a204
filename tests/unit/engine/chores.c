/* Bodies of a class: the first that can run here does, and a class without one is refused. */
#include "support/test.h"

static twill_outcome set(twill_task *t, int value)
{
    **(int **)twill_task_data(t, 0) = value;
    return TWILL_DONE;
}

static twill_outcome cpu_body(twill_task *t)
{
    return set(t, 1);
}

static twill_outcome other_body(twill_task *t)
{
    return set(t, 2);
}

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    return twill_team_rank(team) == 0 ? set(t, 3) : TWILL_DONE;
}

static twill_outcome device_body(twill_task *t, void *queue)
{
    (void)queue;
    return set(t, 4);
}

static const struct {
    twill_class cls;
    int alone, several; /* which body runs with one worker, and with several */
} cases[] = {
    {{.chores = {TWILL_CPU(cpu_body)}}, 1, 1},
    {{.chores = {TWILL_CPU(cpu_body), TWILL_CPU(other_body)}}, 1, 1},
    {{.chores = {TWILL_CPU(cpu_body), TWILL_TEAM(team_body, 2)}}, 1, 1},
    {{.chores = {TWILL_TEAM(team_body, 2), TWILL_CPU(cpu_body)}}, 1, 3},
    {{.chores = {TWILL_TEAM(team_body, 0)}}, 3, 3},
    {{.chores = {TWILL_CUDA(device_body), TWILL_OPENCL(device_body), TWILL_CPU(other_body)}}, 2, 2},
    {{.chores = {TWILL_CUDA(device_body), TWILL_TEAM(team_body, 2)}}, 3, 3},
    {{.chores = {TWILL_CPU(NULL), TWILL_CPU(other_body)}}, 0, 0},
    {{.chores = {{.kind = (twill_chore_kind)77}, TWILL_CPU(cpu_body)}}, 1, 1},
    {{.chores = {[TWILL_CHORES - 1] = TWILL_CPU(cpu_body)}}, 0, 0}, /* behind the end */
    {{.chores = {TWILL_CUDA(device_body), TWILL_OPENCL(device_body)}}, 0, 0},
    {{.chores = {TWILL_CPU(cpu_body), TWILL_TEAM(NULL, 2)}}, 1, 1}, /* never looked at */
    {{.chores = {TWILL_TEAM(team_body, 2), TWILL_CPU(NULL)}}, 0, 0},
    {{.name = "bare"}, 0, 0},
};

static void check_inserted(twill *tw, const twill_class *cls, int wanted)
{
    twill_graph *g;
    int ran = 0, *place = &ran;
    OK(twill_stf_begin(tw, &g));
    if (wanted)
        OK(twill_insert(g, cls, TWILL_VALUE(place)));
    else
        REFUSED(twill_insert(g, cls, TWILL_VALUE(place)), TWILL_ERR_ARGUMENT, "body");
    if (wanted)
        OK(twill_wait(g));
    else
        REFUSED(twill_wait(g), TWILL_ERR_ARGUMENT, "body");
    assert_int_equal(ran, wanted);
    twill_graph_free(g);
}

static void check_added(twill *tw, const twill_class *cls, int wanted)
{
    twill_graph *g;
    int ran = 0, *place = &ran;
    OK(twill_dag_begin(tw, &g));
    if (wanted) {
        OK(twill_dag_add(g, NULL, cls, TWILL_VALUE(place), TWILL_SCRATCH(8)));
        OK(twill_dag_run(g));
        OK(twill_wait(g));
    } else {
        REFUSED(twill_dag_add(g, NULL, cls, TWILL_VALUE(place)), TWILL_ERR_ARGUMENT, "body");
    }
    assert_int_equal(ran, wanted);
    twill_graph_free(g);
}

TEST(the_first_body_that_can_run_does)
{
    for (int workers = 1; workers <= 2; workers++) {
        twill *tw = test_start(workers, "lws");
        for (int i = 0; i < COUNT(cases); i++) {
            twill_class cls = cases[i].cls;
            int wanted = workers == 1 ? cases[i].alone : cases[i].several;
            cls.size = sizeof cls;
            check_inserted(tw, &cls, wanted);
            check_added(tw, &cls, wanted);
        }
        twill_stop(tw);
    }
}

/* ---- the same in parameterised graphs ---------------------------------------------------- */

static int *ran_here(const void *globals)
{
    return *(int *const *)globals;
}

static twill_outcome ptg_cpu(twill_task *t, const void *globals, const int64_t *p,
                             const twill_flow *flow)
{
    (void)t, (void)p, (void)flow;
    *ran_here(globals) = 1;
    return TWILL_DONE;
}

static twill_outcome ptg_team(twill_task *t, twill_team *team, const void *globals,
                              const int64_t *p, const twill_flow *flow)
{
    (void)t, (void)p, (void)flow;
    if (twill_team_rank(team) == 0)
        *ran_here(globals) = 10 + twill_team_size(team);
    return TWILL_DONE;
}

static twill_outcome ptg_device(twill_task *t, void *queue, const void *globals, const int64_t *p,
                                const twill_flow *flow)
{
    (void)t, (void)queue, (void)globals, (void)p, (void)flow;
    return TWILL_ERROR;
}

static int64_t no_inputs(const void *globals, const int64_t *p)
{
    (void)globals, (void)p;
    return 0;
}

static bool one_task(const void *globals, int64_t *p, bool first)
{
    (void)globals, (void)p;
    return first;
}

static void check_ptg(twill *tw, twill_ptg_class cls, int wanted)
{
    twill_graph *g;
    int ran = 0, *place = &ran;
    cls.size = sizeof cls;
    cls.name = "ONE";
    cls.inputs = no_inputs;
    cls.startup = one_task;
    const twill_ptg_graph definition = {.size = sizeof definition,
                                        .name = "one",
                                        .classes = 1,
                                        .cls = (const twill_ptg_class *const[]){&cls}};
    if (!wanted) {
        REFUSED(twill_ptg_new(tw, &definition, &place, sizeof place, &g), TWILL_ERR_ARGUMENT,
                "body");
        return;
    }
    OK(twill_ptg_new(tw, &definition, &place, sizeof place, &g));
    OK(twill_ptg_run(g));
    OK(twill_wait(g));
    assert_int_equal(ran, wanted);
    twill_graph_free(g);
}

TEST(parameterised_classes_choose_in_the_same_way)
{
    static const twill_ptg_class cpu = {.chores = {TWILL_CPU(ptg_cpu), TWILL_TEAM(ptg_team, 1)}};
    static const twill_ptg_class team = {.chores = {TWILL_TEAM(ptg_team, 1), TWILL_CPU(ptg_cpu)}};
    static const twill_ptg_class device = {.chores = {TWILL_CUDA(ptg_device), TWILL_CPU(ptg_cpu)}};
    static const twill_ptg_class none = {.chores = {TWILL_OPENCL(ptg_device)}};
    for (int workers = 1; workers <= 3; workers += 2) {
        twill *tw = test_start(workers, "lws");
        check_ptg(tw, cpu, 1);
        check_ptg(tw, team, workers == 1 ? 1 : 11); /* of the size that it says */
        check_ptg(tw, device, 1);
        check_ptg(tw, none, 0);
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_body_that_can_run_does),
        cmocka_unit_test(parameterised_classes_choose_in_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
