/* Structs of the program say their size: one that does not is refused where it is used, and what
 * Twill fills in ends where the program's struct does. */
#include "support/test.h"

#include <string.h>

/* A struct whose size is 0 and then one byte short of its first version. */
#define REFUSES(object, call)                                         \
    for (int short_ = 0; short_ < 2; short_++) {                      \
        (object).size = short_ ? sizeof(object) - 1 : 0;              \
        REFUSED((call), TWILL_ERR_ARGUMENT, ".size = sizeof(twill_"); \
    }                                                                 \
    (object).size = sizeof(object)

TEST(what_the_program_gives_has_a_size)
{
    twill *tw = NULL;
    twill_options options = {.workers = 1};
    REFUSES(options, twill_start(&tw, &options));
    twill_sched_ops own = {.name = "own"};
    const twill_sched_ops *const list[] = {&own, NULL};
    options.schedulers = list;
    REFUSES(own, twill_start(&tw, &options));
    assert_null(tw);

    tw = test_start(1, "lws");
    twill_graph *g;
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 10, 10, 5);
    twill_class cls = test_count;
    OK(twill_dag_begin(tw, &g));
    REFUSES(cls, twill_dag_add(g, NULL, &cls, TWILL_END));
    twill_graph_free(g);
    for (int i = 0; i < 2; i++) {
        cls.size = i ? sizeof cls - 1 : 0;
        OK(twill_stf_begin(tw, &g));
        REFUSED(twill_insert(g, &cls, TWILL_END), TWILL_ERR_ARGUMENT, "sizeof(twill_class)");
        twill_graph_free(g);
    }
    twill_tuning tuning = {0};
    REFUSES(tuning, twill_tune_set(tw, &tuning));
    twill_ptg_class task = {.name = "T"};
    twill_ptg_graph definition = {
        .name = "graph", .classes = 1, .cls = (const twill_ptg_class *const[]){&task}};
    REFUSES(definition, twill_ptg_new(tw, &definition, &a, sizeof a, &g));
    for (int i = 0; i < 2; i++) { /* its first version ended before `critical` */
        task.size = i ? offsetof(twill_ptg_class, critical) - 1 : 0;
        REFUSED(twill_ptg_new(tw, &definition, &a, sizeof a, &g), TWILL_ERR_ARGUMENT,
                "sizeof(twill_ptg_class)");
    }
    twill_stop(tw);
}

TEST(a_reduction_has_a_size)
{
    twill *tw = test_start(1, "lws");
    twill_array *sums = test_integers(tw, 1);
    twill_reduction plus = test_plus;
    twill_graph *g;
    plus.size = 0;
    OK(twill_stf_begin(tw, &g));
    REFUSED(twill_insert(g, &test_count, TWILL_REDUCE(twill_tile_at(sums, 0, 0), &plus)),
            TWILL_ERR_ARGUMENT, "sizeof(twill_reduction)");
    twill_stop(tw);
}

/* Every routine that takes options. */
TEST(options_of_linear_algebra_have_a_size)
{
    twill *tw = test_start(1, "lws");
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 10, 10, 5), *b = a, *p = NULL;
    twill_la_options bare = {.lookahead = 1}, *o = &bare;
    twill_reflectors *h = NULL;
    twill_graph *g;
    const twill_scalar x = twill_real(1.0);
    const twill_uplo l = TWILL_LOWER;
    const twill_trans n = TWILL_NO_TRANS;
    const twill_diag d = TWILL_NON_UNIT;
    const twill_side s = TWILL_LEFT;
    OK(twill_stf_begin(tw, &g));
    REFUSES(bare, twill_potrf_insert(g, l, a, o));
    REFUSES(bare, twill_potrf_graph(l, a, o, &g));
    REFUSES(bare, twill_potrs_insert(g, l, a, b, o));
    REFUSES(bare, twill_posv_insert(g, l, a, b, o));
    REFUSES(bare, twill_trtri_insert(g, l, d, a, o));
    REFUSES(bare, twill_lauum_insert(g, l, a, o));
    REFUSES(bare, twill_potri_insert(g, l, a, o));
    REFUSES(bare, twill_gemm_insert(g, n, n, x, a, b, x, a, o));
    REFUSES(bare, twill_symm_insert(g, s, l, x, a, b, x, a, o));
    REFUSES(bare, twill_hemm_insert(g, s, l, x, a, b, x, a, o));
    REFUSES(bare, twill_syrk_insert(g, l, n, x, a, x, b, o));
    REFUSES(bare, twill_herk_insert(g, l, n, 1.0, a, 1.0, b, o));
    REFUSES(bare, twill_syr2k_insert(g, l, n, x, a, b, x, a, o));
    REFUSES(bare, twill_her2k_insert(g, l, n, x, a, b, 1.0, a, o));
    REFUSES(bare, twill_trmm_insert(g, s, l, n, d, x, a, b, o));
    REFUSES(bare, twill_trsm_insert(g, s, l, n, d, x, a, b, o));
    REFUSES(bare, twill_getrf_insert(g, a, p, o));
    REFUSES(bare, twill_getrs_insert(g, n, a, p, b, o));
    REFUSES(bare, twill_gesv_insert(g, a, p, b, o));
    REFUSES(bare, twill_getri_insert(g, a, p, b, o));
    REFUSES(bare, twill_sytrf_insert(g, l, a, b, p, o));
    REFUSES(bare, twill_hetrf_insert(g, l, a, b, p, o));
    REFUSES(bare, twill_sytrs_insert(g, l, a, b, p, b, o));
    REFUSES(bare, twill_hetrs_insert(g, l, a, b, p, b, o));
    REFUSES(bare, twill_sysv_insert(g, l, a, b, p, b, o));
    REFUSES(bare, twill_hesv_insert(g, l, a, b, p, b, o));
    REFUSES(bare, twill_reflectors_create(tw, o, &h));
    REFUSES(bare, twill_geqrf_insert(g, a, h, o));
    REFUSES(bare, twill_gelqf_insert(g, a, h, o));
    REFUSES(bare, twill_unmqr_insert(g, s, n, a, h, b, o));
    REFUSES(bare, twill_unmlq_insert(g, s, n, a, h, b, o));
    REFUSES(bare, twill_ungqr_insert(g, a, h, b, o));
    REFUSES(bare, twill_unglq_insert(g, a, h, b, o));
    REFUSES(bare, twill_gels_insert(g, n, a, h, b, o));
    twill_stop(tw);
}

TEST(what_the_program_gets_has_a_size)
{
    twill *tw = test_start(2, "lws");
    twill_graph *g;
    twill_trace *trace;
    atomic_int n = 0, *counter = &n;
    OK(twill_trace_begin(tw));
    OK(twill_stf_begin(tw, &g));
    OK(twill_insert(g, &test_count, TWILL_VALUE(counter)));
    OK(twill_wait(g));
    OK(twill_trace_end(tw, &trace));
    twill_counters counters;
    twill_option_info option;
    twill_machine machine;
    twill_blas blas;
    twill_tuning tuning;
    twill_stats stats;
    twill_worker_stats worker;
    twill_class_stats cls;
    twill_idle_cause cause;
    counters.size = offsetof(twill_counters, sleeps); /* what the first version ended with */
    REFUSED(twill_count(tw, &counters), TWILL_ERR_ARGUMENT, ".size = sizeof(twill_");
    counters.size = sizeof counters;
    REFUSES(option, twill_option(tw, 0, &option));
    REFUSES(machine, twill_machine_info(tw, &machine));
    REFUSES(blas, twill_blas_info(tw, &blas));
    REFUSES(tuning, twill_tune_get(tw, &tuning));
    REFUSES(stats, twill_trace_stats(trace, &stats));
    REFUSES(worker, twill_trace_worker(trace, 0, &worker));
    REFUSES(cls, twill_trace_class(trace, 0, &cls));
    REFUSES(cause, twill_trace_idle(trace, 0, &cause));
    OK(twill_count(tw, &counters));
    OK(twill_option(tw, 0, &option));
    OK(twill_machine_info(tw, &machine));
    OK(twill_blas_info(tw, &blas));
    OK(twill_tune_get(tw, &tuning));
    OK(twill_trace_stats(trace, &stats));
    OK(twill_trace_worker(trace, 0, &worker));
    OK(twill_trace_class(trace, 0, &cls));
    OK(twill_trace_idle(trace, 0, &cause));
    assert_int_equal(counters.size, sizeof counters);
    assert_int_equal(counters.executed, 1);
    assert_int_equal(stats.tasks, 1);
    twill_trace_free(trace);
    twill_stop(tw);
}

/* As if compiled with a later version, whose structs are larger. */
TEST(a_newer_program_finds_zeros)
{
    struct {
        twill_counters known;
        char later[24];
    } counters;
    twill *tw = test_start(1, "lws");
    memset(&counters, 1, sizeof counters);
    counters.known.size = sizeof counters;
    OK(twill_count(tw, &counters.known));
    assert_int_equal(counters.known.size, sizeof counters);
    assert_int_equal(counters.known.executed, 0);
    for (int i = 0; i < COUNT(counters.later); i++)
        assert_int_equal(counters.later[i], 0);
    twill_stop(tw);

    struct {
        twill_options known;
        int64_t later;
    } options = {.known = {.size = sizeof options, .workers = 1}};
    OK(twill_start(&tw, &options.known));
    twill_stop(tw);
    options.later = 1;
    REFUSED(twill_start(&tw, &options.known), TWILL_ERR_ARGUMENT, "does not know");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_program_gives_has_a_size),
        cmocka_unit_test(a_reduction_has_a_size),
        cmocka_unit_test(options_of_linear_algebra_have_a_size),
        cmocka_unit_test(what_the_program_gets_has_a_size),
        cmocka_unit_test(a_newer_program_finds_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
