/* Parameterised graphs that are wrong end with a sentence that names the instance. */
#include "support/test.h"

#include "engine/engine.h"

/* One class T(i), i = 0 .. n-1, with one flow. Functions that a test does not set do nothing. */
typedef struct globals {
    int64_t n;
    int64_t inputs; /* of T(1) and later */
    int64_t to;     /* T(0) sends to this instance, `times` times */
    int times;
    int64_t rank; /* of T(n-1) */
    atomic_int *ran;
} globals;

enum { NO_VALUE = -7 }; /* where T(0) sends to: computing it fails */

static int64_t t_inputs(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    return p[0] < 0 || p[0] >= g->n ? -1 : p[0] == 0 ? 0 : g->inputs;
}

static bool t_startup(const void *globals_, int64_t *p, bool first)
{
    (void)globals_;
    p[0] = 0;
    return first;
}

static void t_release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    if (g->to == NO_VALUE)
        assert_int_equal(twill_ptg_no_value(globals_, "t.jdf:7: 'i/0' divides by 0"), 0);
    twill_ptg_output(out, 0);
    for (int i = 0; p[0] == 0 && i < g->times; i++)
        twill_ptg_send(out, 0, 0, &g->to);
}

static void t_sources(twill_ptg_sources *from, const void *globals_, const int64_t *p)
{
    (void)globals_;
    for (int64_t i = p[0]; i-- > 0;)
        twill_ptg_source(from, 0, 0, 0, &i);
}

static twill_outcome t_cpu(twill_task *t, const void *globals_, const int64_t *p,
                           const twill_flow *flow)
{
    const globals *g = globals_;
    (void)flow;
    atomic_fetch_add(g->ran, 1);
    if (twill_ptg_parameters(t) != p)
        return twill_task_fail(t, "has other parameters");
    return p[0] == 13 ? twill_task_fail(t, "unlucky") : TWILL_DONE;
}

static int64_t t_rank(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    return p[0] == g->n - 1 ? g->rank : 0;
}

#define T_CLASS(access_mode)                                                                      \
    {                                                                                             \
        .size = sizeof(twill_ptg_class), .name = "T", .parameters = 1, .flows = 1,                \
        .parameter = (const char *const[]){"i"},                                                  \
        .flow = (const twill_ptg_flow[]){{.name = "x", .mode = access_mode}}, .inputs = t_inputs, \
        .startup = t_startup, .release = t_release, .sources = t_sources,                         \
        .chores = {TWILL_CPU(t_cpu)}, .rank = t_rank                                              \
    }
static const twill_ptg_class control = T_CLASS(TWILL_FLOW_CTL), data = T_CLASS(TWILL_FLOW_READ);

/* As the owner of a tile: nobody, outside of the array. */
static int64_t t_owner(const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    return p[0] < 0 || p[0] >= g->n ? -1 : 0;
}

static const twill_ptg_class outside = {
    .size = sizeof(twill_ptg_class),
    .name = "T",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_CTL}},
    .inputs = t_inputs,
    .startup = t_startup,
    .release = t_release,
    .chores = {TWILL_CPU(t_cpu)},
    .by_tile = true,
    .rank = t_owner};
static const twill_ptg_graph outside_graph = {.size = sizeof(twill_ptg_graph),
                                              .name = "outside",
                                              .classes = 1,
                                              .cls = (const twill_ptg_class *const[]){&outside}};

static const twill_ptg_graph control_graph = {.size = sizeof(twill_ptg_graph),
                                              .name = "control",
                                              .classes = 1,
                                              .cls = (const twill_ptg_class *const[]){&control}};
static const twill_ptg_graph data_graph = {.size = sizeof(twill_ptg_graph),
                                           .name = "data",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&data}};

static void ends_among(int ranks, const twill_ptg_graph *definition, globals g, twill_status status,
                       const char *words)
{
    twill *tw = test_start(2, "lws");
    tw->data.ranks = ranks;
    twill_graph *graph;
    atomic_int ran = 0;
    g.ran = &ran;
    OK(twill_ptg_new(tw, definition, &g, sizeof g, &graph));
    for (int run = 0; run < 2; run++) {
        OK(twill_ptg_run(graph));
        if (status == TWILL_OK)
            OK(twill_wait(graph));
        else
            REFUSED(twill_wait(graph), status, words);
    }
    twill_graph_free(graph);
    twill_stop(tw);
}

static void ends(const twill_ptg_graph *definition, globals g, twill_status status,
                 const char *words)
{
    ends_among(1, definition, g, status, words);
}

TEST(a_graph_that_waits_for_ever_names_what_and_for_what)
{
    ends(&control_graph, (globals){.n = 9, .inputs = 2, .to = 5, .times = 1}, TWILL_ERR_STUCK,
         "graph control is stuck with 1 waiting task: T(i=5) waits for x from x of T(i=4)");
    ends(&control_graph, (globals){.n = 9, .inputs = 2, .to = 5, .times = 2}, TWILL_OK, NULL);
    /* the value has come: what is missing is not the flow's */
    ends(&data_graph, (globals){.n = 9, .inputs = 2, .to = 5, .times = 1}, TWILL_ERR_STUCK,
         "T(i=5)");
}

TEST(a_task_that_does_not_exist_cannot_be_sent_to)
{
    ends(&control_graph, (globals){.n = 9, .inputs = 1, .to = 9, .times = 1}, TWILL_ERR_TASK,
         "T(i=9) is outside its space");
    ends(&control_graph, (globals){.n = 9, .inputs = 1, .to = -1, .times = 1}, TWILL_ERR_TASK,
         "T(i=-1) is outside its space");
    ends(&control_graph, (globals){.n = 9, .inputs = 1, .to = 0, .times = 1}, TWILL_ERR_TASK,
         "T(i=0) expects no task");
}

TEST(an_expression_without_a_value_is_named)
{
    ends(&control_graph, (globals){.n = 9, .to = NO_VALUE}, TWILL_ERR_TASK,
         "graph control: t.jdf:7: 'i/0' divides by 0");
    twill_ptg_no_value(NULL, "t.jdf:3: 'N/0' divides by 0");
    assert_string_equal(twill_message(), "t.jdf:3: 'N/0' divides by 0");
}

TEST(a_flow_has_one_value)
{
    ends(&data_graph, (globals){.n = 9, .inputs = 3, .to = 5, .times = 2}, TWILL_ERR_TASK,
         "T(i=5) gets two values for one flow");
}

TEST(a_place_that_does_not_exist_is_named)
{
    ends(&control_graph, (globals){.n = 9, .inputs = 1, .to = 8, .times = 1, .rank = 3},
         TWILL_ERR_TASK, "T(i=8) is placed on a rank that does not exist");
    ends(&control_graph, (globals){.n = 1, .rank = -1}, TWILL_ERR_TASK, "T(i=0) is placed");
}

TEST(mistakes_among_several_ranks_are_named_too)
{
    ends_among(2, &control_graph, (globals){.n = 9, .inputs = 1, .to = 8, .times = 1}, TWILL_OK,
               NULL);
    ends_among(2, &control_graph, (globals){.n = 9, .inputs = 1, .to = 8, .times = 1, .rank = 2},
               TWILL_ERR_TASK, "T(i=8) is placed on a rank that does not exist");
    ends_among(2, &control_graph, (globals){.n = 1, .rank = -1}, TWILL_ERR_TASK,
               "T(i=0) is placed on a rank that does not exist");
    ends_among(2, &control_graph, (globals){.n = 9, .inputs = 1, .to = 9, .times = 1},
               TWILL_ERR_TASK, "T(i=9) is outside its space");
    ends_among(2, &outside_graph, (globals){.n = 9, .inputs = 1, .to = 9, .times = 1},
               TWILL_ERR_TASK, "T(i=9) is outside its space");
    ends_among(2, &data_graph, (globals){.n = 9, .inputs = 3, .to = 5, .times = 2}, TWILL_ERR_TASK,
               "T(i=5) gets two values for one flow");
}

TEST(a_failing_body_is_named_with_its_parameters)
{
    ends(&control_graph, (globals){.n = 20, .inputs = 1, .to = 13, .times = 1}, TWILL_ERR_TASK,
         "task T(i=13) failed: unlucky");
}

static void no_tile(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    (void)globals_, (void)p;
    twill_ptg_memory(in, 0, NULL);
}

/* Whoever records asks for the data first. */
TEST(a_body_whose_data_is_not_there_does_not_run)
{
    twill_ptg_class without = data;
    without.bind = no_tile;
    const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                        .name = "without",
                                        .classes = 1,
                                        .cls = (const twill_ptg_class *const[]){&without}};
    for (int records = 0; records < 2; records++) {
        twill *tw = test_start(2, "lws");
        twill_graph *graph;
        atomic_int ran = 0;
        const globals g = {.n = 1, .ran = &ran};
        if (records)
            OK(twill_trace_begin(tw));
        OK(twill_ptg_new(tw, &definition, &g, sizeof g, &graph));
        OK(twill_ptg_run(graph));
        REFUSED(twill_wait(graph), TWILL_ERR_ARGUMENT, "does not have");
        assert_int_equal(ran, 0);
        twill_graph_free(graph);
        twill_stop(tw);
    }
}

TEST(definitions_are_checked)
{
    twill *tw = test_start(1, "lws");
    twill_graph *graph;
    globals g = {0};
    twill_ptg_class broken = control;
    broken.chores[0].body.cpu = NULL;
    twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                  .name = "broken",
                                  .classes = 1,
                                  .cls = (const twill_ptg_class *const[]){&broken}};
    REFUSED(twill_ptg_new(tw, &definition, &g, sizeof g, &graph), TWILL_ERR_ARGUMENT, "class T");
    REFUSED(twill_ptg_new(tw, NULL, &g, sizeof g, &graph), TWILL_ERR_ARGUMENT, "NULL");
    OK(twill_stf_begin(tw, &graph));
    REFUSED(twill_ptg_run(graph), TWILL_ERR_ARGUMENT, "twillc");
    assert_int_equal(twill_ptg_most_pending(graph), 0);
    twill_graph_free(graph);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_that_waits_for_ever_names_what_and_for_what),
        cmocka_unit_test(a_task_that_does_not_exist_cannot_be_sent_to),
        cmocka_unit_test(an_expression_without_a_value_is_named),
        cmocka_unit_test(a_flow_has_one_value),
        cmocka_unit_test(a_place_that_does_not_exist_is_named),
        cmocka_unit_test(mistakes_among_several_ranks_are_named_too),
        cmocka_unit_test(a_failing_body_is_named_with_its_parameters),
        cmocka_unit_test(a_body_whose_data_is_not_there_does_not_run),
        cmocka_unit_test(definitions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
