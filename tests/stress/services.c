/* Services under more workers than cores: chains of tasks that end through them, long bodies beside
 * them, services that come and go, and reports. Whatever is lost shows as a test without an end.
 * TW_SERVICES is the number of rounds. */
#include "support/limit.h"
#include "support/service.h"
#include "support/test.h"

#include <pthread.h>
#include <sched.h>

enum { SECONDS = 60, TILES = 7, THREADS = 2, SERVICES = 3 };

static int rounds(int wanted)
{
    return (int)limit_number("TW_SERVICES", test_slow() ? wanted / 5 : wanted);
}

static twill_outcome linger(twill_task *t)
{
    int64_t *integer = twill_task_data(t, 1);
    for (int64_t i = twill_task_int(t, 0); i > 0; i--)
        sched_yield();
    *integer += 1;
    return TWILL_DONE;
}

static const twill_class lingering = {
    .size = sizeof(twill_class), .name = "lingering", .chores = {TWILL_CPU(linger)}};

typedef struct player {
    twill *tw;
    test_service *service; /* SERVICES of them */
    uint64_t seed;
    int tasks;
    bool well;
} player;

/* A graph on an array of its own: every task adds 1 to its tile. */
static void *play(void *arg)
{
    player *p = arg;
    twill_graph *g;
    twill_array *a;
    twill_pattern pattern = twill_tiled(TILES, 1, 1, 1);
    int64_t sum = 0;
    p->well = twill_array_create(p->tw, &pattern, TWILL_BYTES, sizeof sum, &a) == TWILL_OK &&
              twill_stf_begin(p->tw, &g) == TWILL_OK;
    for (int i = 0; p->well && i < p->tasks; i++) {
        test_service *s = &p->service[test_random(&p->seed, SERVICES)];
        int64_t n = (int64_t)test_random(&p->seed, 9);
        twill_tile *tile = twill_tile_at(a, (int64_t)test_random(&p->seed, TILES), 0);
        p->well = (i % 3 ? twill_insert(g, &test_delayed_class, TWILL_VALUE(s), TWILL_INT(n),
                                        TWILL_RW(tile))
                         : twill_insert(g, &lingering, TWILL_INT(n), TWILL_RW(tile))) == TWILL_OK;
        if (p->well && test_random(&p->seed, 20) == 0)
            p->well = twill_wait(g) == TWILL_OK;
    }
    p->well = p->well && twill_wait(g) == TWILL_OK;
    for (int i = 0; p->well && i < TILES; i++) {
        void *data;
        int64_t ld;
        twill_view v = twill_view_tile(a, i, 0);
        p->well = twill_map(v, TWILL_READ, &data, &ld) == TWILL_OK;
        sum += p->well ? *(int64_t *)data : 0;
        p->well = p->well && twill_unmap(v, data) == TWILL_OK;
    }
    p->well = p->well && sum == p->tasks;
    return NULL;
}

static void play_round(int round, const char *sched, int workers, uint64_t *seed)
{
    twill *tw = test_start_with((twill_options){.size = sizeof(twill_options),
                                                .workers = workers,
                                                .sched = sched,
                                                .spin_us = 1 + 20 * (round % 2),
                                                .window = 64});
    limit_begin(tw, SECONDS, "round %d: %s, %d workers", round, sched, workers);
    test_service s[SERVICES], passing;
    player p[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < SERVICES; i++) {
        test_service_add(&s[i], tw);
        s[i].service.nap_ns = test_random(seed, 2) ? 0 : 50000;
        atomic_store(&s[i].service.interval_ticks, test_random(seed, 3) * 50 * tw->us_ticks);
    }
    for (int i = 0; i < THREADS; i++) {
        p[i] = (player){.tw = tw, .service = s, .seed = test_random(seed, 1u << 30), .tasks = 300};
        assert_int_equal(pthread_create(&thread[i], NULL, play, &p[i]), 0);
    }
    for (int i = 0; i < 5; i++) {
        char text[2048];
        test_service_add(&passing, tw);
        tw_service_expect(&passing.service, 2); /* given up when it is removed */
        twill_describe(tw, text, sizeof text);
        tw_service_remove(&passing.service);
        assert_int_equal(atomic_load(&passing.inside), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_true(p[i].well);
    for (int i = 0; i < SERVICES; i++) {
        assert_int_equal(atomic_load(&s[i].crowded), 0);
        if (i != round % (SERVICES + 1)) /* the context stops with one of them, or with none */
            tw_service_remove(&s[i].service);
    }
    if (!atomic_load(&tw->services.first))
        assert_int_equal(atomic_load(&tw->expecting), 0);
    twill_stop(tw);
    limit_end();
}

TEST(nothing_is_lost_between_workers_and_services)
{
    static const char *const schedulers[] = {"lws", "eager", "rand", "prio", "serial"};
    uint64_t seed = (uint64_t)limit_number("TW_SEED", 1);
    for (int r = 0; r < rounds(300); r++)
        play_round(r, schedulers[r % COUNT(schedulers)], 1 + r % 12, &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {LIMITED_TEST(nothing_is_lost_between_workers_and_services)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
