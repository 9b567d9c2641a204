/* Services are polled as long as they expect something, whatever the workers do. Linked with
 * --wrap=pthread_create: the helper thread may be refused. */
#include "support/service.h"
#include "front/ptg/id.h"
#include "support/limit.h"
#include "support/test.h"

#include <dirent.h>
#include <stdlib.h>

static atomic_bool refuse_threads;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *),
                          void *arg)
{
    return atomic_load(&refuse_threads) ? 11 : __real_pthread_create(thread, attr, run, arg);
}

static int threads(void)
{
    DIR *dir = opendir("/proc/self/task");
    int n = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

/* The kernel lists a thread for a moment after it was joined. */
static int threads_come_to(int wanted)
{
    for (int ms = 0; ms < 1000 && threads() != wanted; ms++)
        test_sleep_ms(1);
    return threads();
}

/* ---- who polls --------------------------------------------------------------------------- */

typedef struct busy {
    test_service *service;
    int workers;
    atomic_int begun, over;
} busy;

/* The service is closed until all workers are in here, and they stay until it has done its work. */
static twill_outcome stay(twill_task *t)
{
    busy *b = *(busy *const *)twill_task_data(t, 0);
    if (atomic_fetch_add(&b->begun, 1) + 1 == b->workers)
        atomic_store(&b->service->closed, false);
    while (atomic_load(&b->service->done) < atomic_load(&b->service->handed))
        test_sleep_ms(1);
    atomic_fetch_add(&b->over, 1);
    return TWILL_DONE;
}

static const twill_class staying = {
    .size = sizeof(twill_class), .name = "staying", .chores = {TWILL_CPU(stay)}};

static void insert_delayed(twill_graph *g, test_service *s, int64_t polls, twill_arg data)
{
    OK(twill_insert(g, &test_delayed_class, TWILL_VALUE(s), TWILL_INT(polls), data));
}

TEST(a_helper_polls_while_all_workers_are_in_long_bodies)
{
    for (int workers = 2; workers <= 4; workers++) {
        twill *tw = test_start(workers, NULL);
        limit_begin(tw, 60, "%d workers", workers);
        twill_graph *g;
        test_service s;
        busy b = {.service = &s, .workers = workers}, *arg = &b;
        test_service_add(&s, tw);
        atomic_store(&s.closed, true);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 5; i++)
            insert_delayed(g, &s, 1 + i, TWILL_INT(0));
        REACHES(&s.handed, 5);
        for (int i = 0; i < workers; i++)
            OK(twill_insert(g, &staying, TWILL_VALUE(arg)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&s.by_helper), 5);
        assert_int_equal(atomic_load(&b.over), workers);
        tw_service_remove(&s.service);
        twill_stop(tw);
        limit_end();
    }
}

/* Nobody waits, and the thread that could work as the only worker does other things. */
TEST(a_helper_polls_while_the_program_is_elsewhere)
{
    twill *tw = test_start(1, "serial");
    twill_graph *g;
    test_service s;
    test_service_add(&s, tw);
    limit_begin(tw, 60, "one worker, nobody is it");
    OK(twill_stf_begin(tw, &g));
    insert_delayed(g, &s, 3, TWILL_INT(0));
    REACHES(&s.done, 1);
    assert_int_equal(atomic_load(&s.by_helper), 1);
    test_sleep_ms(30); /* it sleeps now: nothing is expected */
    insert_delayed(g, &s, 3, TWILL_INT(0));
    REACHES(&s.done, 2);
    OK(twill_wait(g));
    tw_service_remove(&s.service);
    twill_stop(tw);
    limit_end();
}

TEST(an_idle_worker_polls_at_once_and_again_and_again)
{
    twill *tw = test_start(3, NULL);
    twill_graph *g;
    test_service s;
    test_service_add(&s, tw);
    limit_begin(tw, 60, "all idle");
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 20; i++) {
        insert_delayed(g, &s, 1000, TWILL_INT(0)); /* the helper would take half a second */
        OK(twill_wait(g));
    }
    /* between tasks there would be 20; on a loaded machine the helper takes most of the others */
    assert_true(atomic_load(&s.by_workers) > 200);
    limit_end();
    tw_service_remove(&s.service);
    twill_stop(tw);
}

TEST(all_workers_sleep_when_nothing_is_expected)
{
    twill *tw = test_start(4, NULL);
    twill_graph *g;
    test_service s;
    test_service_add(&s, tw);
    OK(twill_stf_begin(tw, &g));
    insert_delayed(g, &s, 10, TWILL_INT(0));
    OK(twill_wait(g));
    REACHES(&tw->idle.sleeping, 3);
    test_sleep_ms(20);
    int polls = atomic_load(&s.polls);
    test_sleep_ms(50);
    assert_int_equal(atomic_load(&s.polls), polls);
    tw_service_remove(&s.service);
    twill_stop(tw);
}

/* All but one sleep, and that one naps. */
TEST(an_idle_worker_naps_between_polls_if_the_service_says_so)
{
    twill *tw = test_start(4, NULL);
    twill_graph *g;
    test_service s;
    test_service_add(&s, tw);
    s.service.nap_ns = 1000000;
    atomic_store(&s.closed, true);
    limit_begin(tw, 60, "a service that lets workers nap");
    OK(twill_stf_begin(tw, &g));
    insert_delayed(g, &s, 5, TWILL_INT(0));
    REACHES(&s.handed, 1);
    REACHES(&tw->idle.sleeping, 3);
    int before = atomic_load(&s.polls);
    /* that naps, and that searches for some microseconds in between */
    twill_counters first = {.size = sizeof first}, c = {.size = sizeof c};
    twill_count(tw, &first);
    double begin = tw_seconds();
    do {
        test_sleep_ms(10);
        twill_count(tw, &c);
    } while (c.sleeps < first.sleeps + 10);
    assert_true(atomic_load(&s.polls) > before);
    double naps = (tw_seconds() - begin) * 1e9 / (double)s.service.nap_ns;
    assert_in_range(c.sleeps - first.sleeps, 10, 2 + (uint64_t)naps);
    atomic_store(&s.closed, false);
    OK(twill_wait(g));
    limit_end();
    tw_service_remove(&s.service);
    twill_stop(tw);
}

typedef struct watch {
    test_service *service;
    int polls, tasks; /* how many a task saw last; tasks that saw more than the one before */
} watch;

static twill_outcome watch_polls(twill_task *t)
{
    watch *w = *(watch *const *)twill_task_data(t, 0);
    int polls = atomic_load(&w->service->by_workers);
    w->tasks += polls > w->polls;
    w->polls = polls;
    return TWILL_DONE;
}

TEST(with_interval_0_a_worker_polls_before_each_task)
{
    static const twill_class watching = {
        .size = sizeof(twill_class), .name = "watching", .chores = {TWILL_CPU(watch_polls)}};
    twill *tw = test_start(1, "lws");
    twill_graph *g;
    test_service s;
    watch w = {.service = &s}, *arg = &w;
    test_service_add(&s, tw);
    tw_service_expect(&s.service, 1);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 100; i++)
        OK(twill_insert(g, &watching, TWILL_VALUE(arg)));
    OK(twill_wait(g));
    assert_in_range(w.tasks, 80, 100); /* the helper may have been at it */
    tw_service_remove(&s.service);
    twill_stop(tw);
}

TEST(with_a_long_interval_workers_poll_rarely)
{
    twill *tw = test_start(1, "lws");
    twill_graph *g;
    test_service s;
    atomic_int ran = 0, *count = &ran;
    test_service_add(&s, tw);
    atomic_store(&s.service.interval_ticks, 1000000 * tw->us_ticks);
    tw_service_expect(&s.service, 1);
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < 500; i++)
        OK(twill_insert(g, &test_count, TWILL_VALUE(count)));
    int polls = atomic_load(&s.by_workers);
    OK(twill_wait(g));
    assert_int_equal(atomic_load(&ran), 500);
    assert_in_range(atomic_load(&s.by_workers) - polls, 0, 250);
    tw_service_remove(&s.service);
    twill_stop(tw);
}

/* ---- decisions that ask services first --------------------------------------------------- */

TEST(tasks_end_through_a_service_with_every_scheduler)
{
    enum { TILES = 5 };
    for (int i = 0; i < test_nsetups; i++) {
        const test_setup *setup = &test_setups[i];
        twill *tw = test_start_with((twill_options){.size = sizeof(twill_options),
                                                    .workers = setup->workers,
                                                    .sched = setup->sched,
                                                    .window = 32});
        limit_begin(tw, 60, "%s, %d workers", setup->sched, setup->workers);
        twill_graph *g;
        twill_array *a = test_integers(tw, TILES);
        test_service s;
        test_service_add(&s, tw);
        OK(twill_stf_begin(tw, &g));
        for (int k = 0; k < 200; k++)
            insert_delayed(g, &s, 1 + k % 7, TWILL_RW(twill_tile_at(a, k % TILES, 0)));
        OK(twill_wait(g));
        for (int k = 0; k < TILES; k++)
            assert_int_equal(test_get(a, k), 200 / TILES);
        assert_int_equal(atomic_load(&s.crowded), 0);
        tw_service_remove(&s.service);
        twill_stop(tw);
        limit_end();
    }
}

typedef struct inserter {
    twill *tw;
    test_service *service;
    atomic_int inserted;
} inserter;

static void *insert_and_wait(void *arg)
{
    inserter *in = arg;
    twill_graph *g;
    bool well = twill_stf_begin(in->tw, &g) == TWILL_OK;
    for (int i = 0; well && i < 8; i++) {
        well = twill_insert(g, &test_delayed_class, TWILL_VALUE(in->service), TWILL_INT(5),
                            TWILL_INT(0)) == TWILL_OK;
        atomic_fetch_add(&in->inserted, 1);
    }
    well = well && twill_wait(g) == TWILL_OK;
    return well ? in : NULL;
}

/* Without services the inserter goes on when nobody can make room; here somebody can. */
TEST(a_full_window_waits_for_what_services_expect)
{
    for (int workers = 1; workers <= 3; workers++) {
        twill *tw = test_start_with(
            (twill_options){.size = sizeof(twill_options), .workers = workers, .window = 2});
        limit_begin(tw, 60, "a window of 2, %d workers", workers);
        test_service s;
        inserter in = {.tw = tw, .service = &s};
        pthread_t thread;
        void *well;
        test_service_add(&s, tw);
        atomic_store(&s.closed, true);
        assert_int_equal(pthread_create(&thread, NULL, insert_and_wait, &in), 0);
        test_sleep_ms(50);
        assert_in_range(atomic_load(&in.inserted), 1, 4);
        atomic_store(&s.closed, false);
        pthread_join(thread, &well);
        assert_non_null(well);
        tw_service_remove(&s.service);
        twill_stop(tw);
        limit_end();
    }
}

TEST(several_threads_wait_for_what_a_service_completes)
{
    enum { THREADS = 4 };
    for (int workers = 1; workers <= 2; workers++) {
        twill *tw = test_start(workers, NULL);
        limit_begin(tw, 60, "several waiters, %d workers", workers);
        test_service s;
        inserter in = {.tw = tw, .service = &s};
        pthread_t thread[THREADS];
        void *well;
        test_service_add(&s, tw);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, insert_and_wait, &in), 0);
        for (int i = 0; i < THREADS; i++) {
            pthread_join(thread[i], &well);
            assert_non_null(well);
        }
        assert_int_equal(atomic_load(&s.done), 8 * THREADS);
        twill_stop(tw);
        limit_end();
    }
}

TEST(a_context_that_stops_waits_for_what_is_expected)
{
    for (int workers = 1; workers <= 3; workers++) {
        twill *tw = test_start(workers, NULL);
        limit_begin(tw, 60, "stopping, %d workers", workers);
        twill_graph *g;
        test_service s;
        test_service_add(&s, tw);
        OK(twill_stf_begin(tw, &g));
        for (int i = 0; i < 10; i++)
            insert_delayed(g, &s, 50 + i, TWILL_INT(0));
        twill_stop(tw); /* and the helper goes, though the service was not removed */
        assert_int_equal(atomic_load(&s.done), 10);
        limit_end();
    }
}

/* ---- a parameterised graph --------------------------------------------------------------- */

typedef struct globals {
    atomic_int *ran;
} globals;

/* T(0) sends to T(1), which has two inputs; the service sends the other one. */
static int64_t t_inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] == 0 ? 0 : p[0] == 1 ? 2 : -1;
}

static bool t_startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = 0;
    return first;
}

static void t_release(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    int64_t to = 1;
    twill_ptg_output(out, 0);
    if (p[0] == 0)
        twill_ptg_send(out, 0, 0, &to);
}

static twill_outcome t_cpu(twill_task *t, const void *g, const int64_t *p, const twill_flow *flow)
{
    (void)t, (void)p, (void)flow;
    atomic_fetch_add(((const globals *)g)->ran, 1);
    return TWILL_DONE;
}

static const twill_ptg_class t_class = {
    .size = sizeof(twill_ptg_class),
    .name = "T",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_CTL}},
    .inputs = t_inputs,
    .startup = t_startup,
    .release = t_release,
    .chores = {TWILL_CPU(t_cpu)}};
static const twill_ptg_graph t_graph = {.size = sizeof(twill_ptg_graph),
                                        .name = "outside",
                                        .classes = 1,
                                        .cls = (const twill_ptg_class *const[]){&t_class}};

typedef struct sender {
    tw_service service; /* first */
    twill_graph *graph;
    atomic_int *ran;
    atomic_int polls;
    bool sends, reaches;
} sender;

/* It counts as a task meanwhile: the graph does not end while the last input arrives. */
static void send(sender *s, tw_worker *w)
{
    tw_ptg *ptg = s->graph->front;
    int64_t one[TW_PTG_PARAMETERS] = {1};
    tw_activation a = {.cls = &ptg->classes[0]};
    tw_ready ready = {0};
    tw_graph_added(s->graph, w, 0, 1);
    a.id = tw_instance_id(a.cls, one);
    a.bucket = tw_table_bucket(&ptg->waiting, a.id);
    twill_task *t = tw_pending_arrive(w, &a, one, NULL);
    if (t) {
        tw_ready_add(&ready, t);
        tw_graph_added(s->graph, w, 0, 1);
        tw_push(w, &ready);
    }
    tw_graph_retired(s->graph, w, 0, 1);
    tw_graph_look(s->graph, w);
}

static bool send_after_a_while(tw_service *service, tw_worker *w)
{
    sender *s = (sender *)service;
    if (atomic_load(&service->expected) == 0 || atomic_load(s->ran) == 0 ||
        atomic_fetch_add(&s->polls, 1) < 300)
        return false;
    if (s->sends)
        send(s, w);
    tw_service_settle(service, w, 1);
    return true;
}

static bool reaches(tw_service *service, const twill_graph *g)
{
    sender *s = (sender *)service;
    return s->reaches && s->graph == g;
}

static void run_graph(int workers, bool sends, bool can_reach, twill_status expected)
{
    twill *tw = test_start(workers, NULL);
    limit_begin(tw, 60, "%d workers, sends %d, reaches %d", workers, sends, can_reach);
    atomic_int ran = 0;
    globals g = {&ran};
    sender s = {.service = {.name = "sender",
                            .things = "messages",
                            .poll = send_after_a_while,
                            .reaches = reaches},
                .ran = &ran,
                .sends = sends,
                .reaches = can_reach};
    OK(twill_ptg_new(tw, &t_graph, &g, sizeof g, &s.graph));
    OK(tw_service_add(tw, &s.service));
    tw_service_expect(&s.service, 1);
    OK(twill_ptg_run(s.graph));
    if (expected == TWILL_OK)
        OK(twill_wait(s.graph));
    else
        REFUSED(twill_wait(s.graph), expected, "graph outside is stuck with 1 waiting task");
    assert_int_equal(atomic_load(&ran), expected == TWILL_OK ? 2 : 1);
    /* what reaches no graph holds up none: nothing was sent by then */
    assert_int_equal(atomic_load(&s.service.expected), can_reach ? 0 : 1);
    tw_service_remove(&s.service);
    twill_stop(tw);
    limit_end();
}

TEST(a_graph_is_not_stuck_while_a_service_may_bring_what_it_waits_for)
{
    for (int workers = 1; workers <= 4; workers++) {
        run_graph(workers, true, true, TWILL_OK);
        run_graph(workers, false, true, TWILL_ERR_STUCK);
    }
}

TEST(a_graph_that_no_service_reaches_is_stuck_at_once)
{
    for (int workers = 1; workers <= 2; workers++)
        run_graph(workers, false, false, TWILL_ERR_STUCK);
}

/* The last service that could have helped goes. */
TEST(a_graph_is_stuck_when_the_service_is_removed)
{
    twill *tw = test_start(2, NULL);
    limit_begin(tw, 60, "the service goes");
    atomic_int ran = 0;
    globals g = {&ran};
    sender s = {.service = {.name = "sender", .things = "messages", .poll = send_after_a_while},
                .ran = &ran,
                .polls = INT32_MIN};
    OK(twill_ptg_new(tw, &t_graph, &g, sizeof g, &s.graph));
    OK(tw_service_add(tw, &s.service));
    tw_service_expect(&s.service, 1);
    OK(twill_ptg_run(s.graph));
    REACHES(&ran, 1);
    test_sleep_ms(10);
    tw_service_remove(&s.service);
    REFUSED(twill_wait(s.graph), TWILL_ERR_STUCK, "graph outside is stuck");
    twill_stop(tw);
    limit_end();
}

/* ---- the rest ---------------------------------------------------------------------------- */

TEST(a_report_names_services_and_what_they_expect)
{
    twill *tw = test_start(2, NULL);
    test_service s;
    char text[4096];
    test_service_add(&s, tw);
    twill_describe(tw, text, sizeof text);
    assert_null(strstr(text, "service"));
    atomic_store(&s.closed, true);
    tw_service_expect(&s.service, 3);
    twill_describe(tw, text, sizeof text);
    CONTAINS(text, "  service delays: 3 tasks expected\n");
    tw_service_remove(&s.service);
    twill_describe(tw, text, sizeof text);
    assert_null(strstr(text, "service"));
    twill_stop(tw);
}

TEST(there_is_a_helper_thread_only_while_there_are_services)
{
    twill *tw = test_start(2, NULL);
    test_service s[3];
    int before = threads();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 3; i++)
            test_service_add(&s[i], tw);
        assert_int_equal(threads_come_to(before + 1), before + 1);
        tw_service_remove(&s[(round + 1) % 3].service);
        tw_service_remove(&s[round].service);
        assert_int_equal(threads_come_to(before + 1), before + 1);
        tw_service_remove(&s[(round + 2) % 3].service);
        assert_int_equal(threads_come_to(before), before);
    }
    twill_stop(tw);
}

TEST(a_service_without_a_helper_thread_is_refused)
{
    twill *tw = test_start(1, NULL);
    tw_service s = {.name = "mute", .things = "words"};
    atomic_store(&refuse_threads, true);
    twill_status status = tw_service_add(tw, &s);
    atomic_store(&refuse_threads, false);
    REFUSED(status, TWILL_ERR_SYSTEM, "the system refuses a thread that polls mute");
    assert_null(atomic_load(&tw->services.first));
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIMITED_TEST(a_helper_polls_while_all_workers_are_in_long_bodies),
        LIMITED_TEST(a_helper_polls_while_the_program_is_elsewhere),
        LIMITED_TEST(an_idle_worker_polls_at_once_and_again_and_again),
        cmocka_unit_test(all_workers_sleep_when_nothing_is_expected),
        LIMITED_TEST(an_idle_worker_naps_between_polls_if_the_service_says_so),
        cmocka_unit_test(with_interval_0_a_worker_polls_before_each_task),
        cmocka_unit_test(with_a_long_interval_workers_poll_rarely),
        LIMITED_TEST(tasks_end_through_a_service_with_every_scheduler),
        LIMITED_TEST(a_full_window_waits_for_what_services_expect),
        LIMITED_TEST(several_threads_wait_for_what_a_service_completes),
        LIMITED_TEST(a_context_that_stops_waits_for_what_is_expected),
        LIMITED_TEST(a_graph_is_not_stuck_while_a_service_may_bring_what_it_waits_for),
        LIMITED_TEST(a_graph_that_no_service_reaches_is_stuck_at_once),
        LIMITED_TEST(a_graph_is_stuck_when_the_service_is_removed),
        cmocka_unit_test(a_report_names_services_and_what_they_expect),
        cmocka_unit_test(there_is_a_helper_thread_only_while_there_are_services),
        cmocka_unit_test(a_service_without_a_helper_thread_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
