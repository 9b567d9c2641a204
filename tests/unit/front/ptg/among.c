/* Random programs of tasks on tiles, runs on submatrices, maps and frees, by several threads:
 * nobody writes a tile that others use, and each thread finds what its own program means. */
#include "support/test.h"
#include "support/touch.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { TILES = 10, OPS = 60, MOST_RUNS = OPS, WRITER = 1000 };

static twill *tw;
static twill_array *a;
static atomic_int users[TILES], wrong;

/* ---- what tasks do -------------------------------------------------------------------------- */

static void use_tile(int64_t i, bool writes)
{
    int others = atomic_fetch_add(&users[i], writes ? WRITER : 1);
    wrong += writes ? others != 0 : others >= WRITER;
}

static void leave_tile(int64_t i, bool writes)
{
    atomic_fetch_sub(&users[i], writes ? WRITER : 1);
}

static void nap(int64_t us)
{
    if (us > 0)
        nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
}

/* They wrap around. */
static int64_t sum_of(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static int64_t next_value(int64_t value, int64_t k)
{
    return (int64_t)(5 * (uint64_t)value + (uint64_t)k);
}

/* Arguments: the tile it writes, the one it reads, their numbers, what it adds, how long it takes.
 */
static twill_outcome change_body(twill_task *t)
{
    int64_t *to = twill_task_data(t, 0), from = *(const int64_t *)twill_task_data(t, 1);
    int64_t i = twill_task_int(t, 2), k = twill_task_int(t, 3);
    use_tile(i, true);
    use_tile(k, false);
    nap(twill_task_int(t, 5));
    *to = next_value(*to, sum_of(twill_task_int(t, 4), from));
    leave_tile(k, false);
    leave_tile(i, true);
    return TWILL_DONE;
}

static const twill_class change = {
    .size = sizeof(twill_class), .name = "change", .chores = {TWILL_CPU(change_body)}};

/* A run: it changes some tiles and adds up others. */
typedef struct range {
    int64_t first, n;
} range;

typedef struct sweep {
    touch touch;
    twill_graph *g;
    twill_array *from_array, *to_array;
    range from, to;
    int64_t k, us;
} sweep;

static int64_t *cells; /* the memory that the array wraps */

static twill_outcome sweep_body(twill_task *t, void *arg)
{
    const sweep *s = arg;
    int64_t sum = 0;
    (void)t;
    for (int64_t i = s->from.first; i < s->from.first + s->from.n; i++)
        use_tile(i, false);
    for (int64_t i = s->to.first; i < s->to.first + s->to.n; i++)
        use_tile(i, true);
    nap(s->us);
    for (int64_t i = s->from.first; i < s->from.first + s->from.n; i++)
        sum = sum_of(sum, cells[i]);
    for (int64_t i = s->to.first; i < s->to.first + s->to.n; i++)
        cells[i] = next_value(cells[i], sum_of(s->k, sum));
    for (int64_t i = s->from.first; i < s->from.first + s->from.n; i++)
        leave_tile(i, false);
    for (int64_t i = s->to.first; i < s->to.first + s->to.n; i++)
        leave_tile(i, true);
    return TWILL_DONE;
}

/* ---- programs ------------------------------------------------------------------------------- */

typedef struct program {
    uint64_t seed;
    bool alone; /* nobody else has a program: the model is right */
    twill_graph *stf;
    sweep sweep[MOST_RUNS];
    int runs;
    int64_t model[TILES];
} program;

static int64_t draw(program *p, uint64_t n)
{
    return (int64_t)test_random(&p->seed, n);
}

static twill_array *part(range r)
{
    twill_array *sub = NULL;
    OK(twill_matrix_sub(twill_view_sub(twill_view_all(a), r.first, 0, r.n, 1), &sub));
    return sub;
}

static void insert_change(program *p)
{
    int64_t i = draw(p, TILES), k = (i + 1 + draw(p, TILES - 1)) % TILES, add = draw(p, 1000);
    OK(twill_insert(p->stf, &change, TWILL_RW(twill_tile_at(a, i, 0)),
                    TWILL_R(twill_tile_at(a, k, 0)), TWILL_INT(i), TWILL_INT(k), TWILL_INT(add),
                    TWILL_INT(draw(p, 30))));
    p->model[i] = next_value(p->model[i], sum_of(add, p->model[k]));
}

/* Two ranges that have no tile in common. */
static void begin_sweep(program *p)
{
    sweep *s = &p->sweep[p->runs++];
    int64_t cut = 1 + draw(p, TILES - 1), sum = 0;
    range low = {draw(p, (uint64_t)cut), 0}, high = {cut, 0};
    low.n = 1 + draw(p, (uint64_t)(cut - low.first));
    high.first += draw(p, (uint64_t)(TILES - cut));
    high.n = 1 + draw(p, (uint64_t)(TILES - high.first));
    bool up = draw(p, 2);
    *s = (sweep){.from = up ? low : high, .to = up ? high : low, .k = draw(p, 100)};
    s->us = draw(p, 60);
    s->from_array = part(s->from);
    s->to_array = part(s->to);
    s->touch = (touch){.body = sweep_body, .arg = s};
    touch_add(&s->touch, s->from_array, TWILL_READ);
    touch_add(&s->touch, s->to_array, TWILL_READ_WRITE);
    OK(touch_new(tw, &s->touch, &s->g));
    OK(twill_ptg_run(s->g));
    for (int64_t i = s->from.first; i < s->from.first + s->from.n; i++)
        sum = sum_of(sum, p->model[i]);
    for (int64_t i = s->to.first; i < s->to.first + s->to.n; i++)
        p->model[i] = next_value(p->model[i], sum_of(s->k, sum));
    if (draw(p, 4) == 0) { /* nobody needs it any more */
        twill_array_free(s->from_array);
        s->from_array = NULL;
    }
}

/* The program itself uses some tiles. */
static void map_some(program *p)
{
    int64_t first = draw(p, TILES), n = 1 + draw(p, (uint64_t)(TILES - first));
    bool writes = draw(p, 2);
    twill_view v = twill_view_sub(twill_view_all(a), first, 0, n, 1);
    void *data;
    int64_t ld;
    OK(twill_map(v, writes ? TWILL_READ_WRITE : TWILL_READ, &data, &ld));
    for (int64_t i = first; i < first + n; i++)
        use_tile(i, writes);
    for (int64_t i = 0; i < n; i++) {
        int64_t *x = (int64_t *)data + i;
        wrong += p->alone && *x != p->model[first + i];
        if (writes)
            *x = p->model[first + i] = next_value(*x, 3);
    }
    for (int64_t i = first; i < first + n; i++)
        leave_tile(i, writes);
    OK(twill_unmap(v, data));
}

static void *run_program(void *arg)
{
    program *p = arg;
    OK(twill_stf_begin(tw, &p->stf));
    for (int i = 0; i < OPS; i++) {
        int64_t what = draw(p, 20);
        if (what < 12)
            insert_change(p);
        else if (what < 18)
            begin_sweep(p);
        else if (what == 18)
            map_some(p);
        else
            OK(twill_wait(p->stf));
    }
    for (int i = 0; i < p->runs; i++) {
        OK(twill_wait(p->sweep[i].g));
        twill_graph_free(p->sweep[i].g);
        twill_array_free(p->sweep[i].from_array);
        twill_array_free(p->sweep[i].to_array);
    }
    OK(twill_wait(p->stf));
    twill_graph_free(p->stf);
    return NULL;
}

static void check_programs(uint64_t seed, int threads)
{
    program *p = calloc((size_t)threads, sizeof *p);
    pthread_t thread[8];
    twill_pattern pattern = twill_tiled(TILES, 1, 1, 1);
    cells = calloc(TILES, sizeof *cells);
    OK(twill_array_wrap(tw, &pattern, TWILL_BYTES, sizeof *cells, cells, TILES, &a));
    for (int i = 0; i < threads; i++) {
        p[i] = (program){.seed = seed * 8 + (uint64_t)i, .alone = threads == 1};
        assert_int_equal(pthread_create(&thread[i], NULL, run_program, &p[i]), 0);
    }
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    twill_array_free(a); /* first: the cells may be newer in another memory */
    for (int64_t i = 0; i < TILES && threads == 1; i++)
        wrong += cells[i] != p[0].model[i];
    free(cells);
    free(p);
    if (wrong)
        fail_msg("seed %llu with %d threads: %d things are wrong", (unsigned long long)seed,
                 threads, atomic_load(&wrong));
}

TEST(programs_mean_what_they_say)
{
    int most = test_slow() ? 5 : 25;
    for (int s = 0; s < test_nsetups; s++) {
        tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int i = 0; i < most; i++)
            check_programs((uint64_t)(s * most + i), 1);
        twill_stop(tw);
    }
}

TEST(programs_of_several_threads_do_not_disturb_each_other)
{
    int most = test_slow() ? 10 : 60;
    tw = test_start(3, NULL);
    for (int i = 0; i < most; i++)
        check_programs((uint64_t)i, 3);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_mean_what_they_say),
        cmocka_unit_test(programs_of_several_threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
