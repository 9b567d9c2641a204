/* Insertion: tasks that touch the same tiles run as if one after the other. */
#include "support/test.h"

#include "base/mix.h"

#include <pthread.h>
#include <string.h>

/* ---- random programs against running them in order ------------------------------------------ */

enum { TILES = 7, ARRAYS = 3, TASKS = 600, MOST = 5 };

/* One access: how, and to which of all tiles. */
typedef struct use {
    twill_arg_kind kind;
    int tile;
} use;

typedef struct step {
    int n;
    use uses[MOST];
    int64_t id;
} step;

typedef struct program {
    step steps[TASKS];
    uint64_t read[TASKS]; /* what each task saw */
} program;

/* What a step does to the tiles it is given: all it reads goes into all it writes. */
static uint64_t perform(const step *s, uint64_t *const *tiles)
{
    uint64_t seen = tw_mix((uint64_t)s->id);
    for (int i = 0; i < s->n; i++)
        if (s->uses[i].kind != TWILL_ARG_WRITE)
            seen = tw_mix(seen ^ *tiles[i]);
    for (int i = 0; i < s->n; i++)
        if (s->uses[i].kind != TWILL_ARG_READ)
            *tiles[i] = tw_mix(seen + (uint64_t)i);
    return seen;
}

static twill_outcome step_body(twill_task *t)
{
    program *p = *(program *const *)twill_task_data(t, MOST);
    int64_t id = twill_task_int(t, MOST + 1);
    const step *s = &p->steps[id];
    uint64_t *tiles[MOST];
    for (int i = 0; i < s->n; i++)
        tiles[i] = twill_task_data(t, i);
    p->read[id] = perform(s, tiles);
    return TWILL_DONE;
}

static const twill_class step_class = {
    .size = sizeof(twill_class), .name = "step", .chores = {TWILL_CPU(step_body)}};

/* Steps of up to MOST different tiles, of any of the arrays. */
static void make_program(program *p, uint64_t seed)
{
    const twill_arg_kind kinds[] = {TWILL_ARG_READ, TWILL_ARG_READ, TWILL_ARG_WRITE,
                                    TWILL_ARG_READ_WRITE};
    memset(p, 0, sizeof *p);
    for (int id = 0; id < TASKS; id++) {
        step *s = &p->steps[id];
        unsigned taken = 0;
        s->id = id;
        for (int i = 1 + (int)test_random(&seed, MOST); i > 0; i--) {
            int tile = (int)test_random(&seed, ARRAYS * TILES);
            if (taken >> tile & 1)
                continue;
            taken |= 1u << tile;
            s->uses[s->n++] = (use){kinds[test_random(&seed, COUNT(kinds))], tile};
        }
    }
}

static void insert_step(twill_graph *g, program *p, int id, twill_array *const *arrays)
{
    const step *s = &p->steps[id];
    twill_arg args[MOST + 4];
    int n = 0;
    for (; n < s->n; n++)
        args[n] = twill_arg_tile(s->uses[n].kind, twill_tile_at(arrays[s->uses[n].tile % ARRAYS],
                                                                s->uses[n].tile / ARRAYS, 0));
    while (n < MOST)
        args[n++] = TWILL_INT(0);
    args[n++] = TWILL_VALUE(p);
    args[n++] = TWILL_INT(id);
    args[n++] = TWILL_PRIORITY(id % 3);
    args[n] = TWILL_END;
    OK(twill_insert_args(g, &step_class, args));
}

/* Run the program in a context, its steps dealt over several graphs, and compare. */
static void check_program(twill *tw, program *p, int graphs)
{
    twill_graph *g[3];
    twill_array *arrays[ARRAYS];
    uint64_t model[ARRAYS * TILES] = {0};
    for (int i = 0; i < ARRAYS; i++)
        arrays[i] = test_integers(tw, TILES);
    for (int i = 0; i < graphs; i++)
        OK(twill_stf_begin(tw, &g[i]));
    for (int id = 0; id < TASKS; id++)
        insert_step(g[id % graphs], p, id, arrays);
    for (int i = 0; i < graphs; i++)
        OK(twill_wait(g[i]));
    for (int id = 0; id < TASKS; id++) {
        uint64_t *tiles[MOST];
        for (int i = 0; i < p->steps[id].n; i++)
            tiles[i] = &model[p->steps[id].uses[i].tile];
        assert_true(p->read[id] == perform(&p->steps[id], tiles));
    }
    for (int i = 0; i < ARRAYS * TILES; i++)
        assert_true((uint64_t)test_get(arrays[i % ARRAYS], i / ARRAYS) == model[i]);
    for (int i = 0; i < ARRAYS; i++)
        twill_array_free(arrays[i]);
    for (int i = 0; i < graphs; i++)
        twill_graph_free(g[i]);
}

TEST(random_programs_give_the_result_of_running_them_in_order)
{
    static program p;
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        for (int round = 0; round < (test_slow() ? 2 : 10); round++) {
            make_program(&p, (uint64_t)(1000 * s + round));
            check_program(tw, &p, 1 + round % 3);
        }
        twill_stop(tw);
    }
}

/* ---- by hand -------------------------------------------------------------------------------- */

TEST(every_pair_of_accesses_waits_or_not)
{
    static const struct {
        twill_arg_kind first, second;
        bool waits;
    } cases[] = {
        {TWILL_ARG_READ, TWILL_ARG_READ, false},
        {TWILL_ARG_READ, TWILL_ARG_WRITE, true},
        {TWILL_ARG_READ, TWILL_ARG_READ_WRITE, true},
        {TWILL_ARG_READ, TWILL_ARG_COMMUTE, true},
        {TWILL_ARG_WRITE, TWILL_ARG_READ, true},
        {TWILL_ARG_WRITE, TWILL_ARG_WRITE, true},
        {TWILL_ARG_WRITE, TWILL_ARG_READ_WRITE, true},
        {TWILL_ARG_WRITE, TWILL_ARG_COMMUTE, true},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_READ, true},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_WRITE, true},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_READ_WRITE, true},
        {TWILL_ARG_READ_WRITE, TWILL_ARG_COMMUTE, true},
        {TWILL_ARG_COMMUTE, TWILL_ARG_READ, true},
        {TWILL_ARG_COMMUTE, TWILL_ARG_WRITE, true},
        {TWILL_ARG_COMMUTE, TWILL_ARG_READ_WRITE, true},
        {TWILL_ARG_COMMUTE, TWILL_ARG_COMMUTE, true}, /* unordered, but one at a time */
    };
    twill *tw = test_start(3, NULL);
    twill_graph *g, *other;
    twill_array *a = test_integers(tw, 1);
    OK(twill_stf_begin(tw, &g));
    OK(twill_stf_begin(tw, &other));
    for (int i = 0; i < 2 * COUNT(cases); i++) {
        test_hold hold;
        atomic_int ran = 0, *count = &ran;
        twill_tile *tile = twill_tile_at(a, 0, 0);
        test_hold_begin(&hold, g, "first", twill_arg_tile(cases[i / 2].first, tile));
        OK(twill_insert(i % 2 ? other : g, &test_count, TWILL_VALUE(count),
                        twill_arg_tile(cases[i / 2].second, tile)));
        if (cases[i / 2].waits)
            test_sleep_ms(2);
        else
            REACHES(&ran, 1);
        assert_int_equal(atomic_load(&ran), !cases[i / 2].waits);
        test_hold_end(&hold);
        OK(twill_wait(g));
        OK(twill_wait(other));
        assert_int_equal(atomic_load(&ran), 1);
    }
    twill_stop(tw);
}

static twill_outcome rotate_body(twill_task *t)
{
    int64_t n = twill_task_int(t, 0);
    for (int i = 1; i <= n; i++)
        *(int64_t *)twill_task_data(t, i) += i;
    return TWILL_DONE;
}

/* More arrays in one task than are listed on the stack. */
TEST(a_task_may_use_tiles_of_many_arrays)
{
    enum { MANY = 20 };
    static const twill_class rotate = {
        .size = sizeof(twill_class), .name = "rotate", .chores = {TWILL_CPU(rotate_body)}};
    twill *tw = test_start(4, NULL);
    twill_graph *g;
    twill_array *a[MANY];
    OK(twill_stf_begin(tw, &g));
    for (int i = 0; i < MANY; i++)
        a[i] = test_integers(tw, 1);
    for (int round = 0; round < 200; round++) {
        twill_arg args[MANY + 2] = {TWILL_INT(MANY)};
        for (int i = 0; i < MANY; i++)
            args[i + 1] = TWILL_RW(twill_tile_at(a[(i + round) % MANY], 0, 0));
        args[MANY + 1] = TWILL_END;
        OK(twill_insert_args(g, &rotate, args));
    }
    OK(twill_wait(g));
    for (int i = 0; i < MANY; i++)
        assert_int_equal(test_get(a[i], 0), 200 / MANY * MANY * (MANY + 1) / 2);
    twill_stop(tw);
}

/* ---- tasks that end early ------------------------------------------------------------------- */

enum { LONG = 24 };

typedef struct hurry {
    pthread_t thread;
    twill_graph *graph;
    twill_array *array;
    int rounds, failed;
} hurry;

static twill_outcome sum_body(twill_task *t)
{
    for (int i = 0; i < LONG; i++) {
        int64_t *x = twill_task_data(t, i);
        if (x)
            *x += twill_task_int(t, LONG);
    }
    return TWILL_DONE;
}

/* Tasks of equal size, whose arguments are now one tile and many numbers, now many tiles: if the
 * inserter looked at a task that has ended meanwhile, it would see another one in its place. */
static void *insert_in_a_hurry(void *arg)
{
    static const twill_class sum = {
        .size = sizeof(twill_class), .name = "sum", .chores = {TWILL_CPU(sum_body)}};
    hurry *h = arg;
    for (int i = 0; i < h->rounds; i++) {
        twill_arg args[LONG + 2];
        for (int k = 0; k < LONG; k++)
            args[k] = k == 0 || i % 6 == 0 ? TWILL_RW(twill_tile_at(h->array, k, 0)) : TWILL_INT(k);
        args[LONG] = TWILL_INT(1);
        args[LONG + 1] = TWILL_END;
        h->failed += twill_insert_args(h->graph, &sum, args) != TWILL_OK;
        if (i % 6 == 5) /* so that chains stay short, and tasks are granted while they enter */
            h->failed += twill_wait(h->graph) != TWILL_OK;
    }
    h->failed += twill_wait(h->graph) != TWILL_OK;
    return NULL;
}

TEST(a_task_may_end_while_its_insertion_is_still_under_way)
{
    twill *tw = test_start(3, NULL);
    hurry h[3];
    int rounds = test_slow() ? 1200 : 12000;
    for (int i = 0; i < COUNT(h); i++) {
        h[i] = (hurry){.rounds = rounds, .array = test_integers(tw, LONG)};
        OK(twill_stf_begin(tw, &h[i].graph));
        assert_int_equal(pthread_create(&h[i].thread, NULL, insert_in_a_hurry, &h[i]), 0);
    }
    for (int i = 0; i < COUNT(h); i++)
        pthread_join(h[i].thread, NULL);
    for (int i = 0; i < COUNT(h); i++) {
        assert_int_equal(h[i].failed, 0);
        for (int k = 0; k < LONG; k++)
            assert_int_equal(test_get(h[i].array, k), k == 0 ? rounds : rounds / 6);
    }
    twill_stop(tw);
}

/* ---- tasks that insert tasks ---------------------------------------------------------------- */

static twill_outcome split_body(twill_task *t);
static const twill_class split = {
    .size = sizeof(twill_class), .name = "split", .chores = {TWILL_CPU(split_body)}};

/* Argument 1 counts down; each task inserts two more into its own graph. */
static twill_outcome split_body(twill_task *t)
{
    atomic_int *count = *(atomic_int *const *)twill_task_data(t, 0);
    int64_t left = twill_task_int(t, 1);
    atomic_fetch_add(count, 1);
    for (int i = 0; left > 0 && i < 2; i++)
        if (twill_insert(twill_task_graph(t), &split, TWILL_VALUE(count), TWILL_INT(left - 1)) !=
            TWILL_OK)
            return TWILL_ERROR;
    return TWILL_DONE;
}

TEST(tasks_inserted_by_tasks_are_waited_for)
{
    for (int s = 0; s < test_nsetups; s++) {
        twill *tw = test_start(test_setups[s].workers, test_setups[s].sched);
        twill_graph *g;
        atomic_int ran = 0, *count = &ran;
        OK(twill_stf_begin(tw, &g));
        OK(twill_insert(g, &split, TWILL_VALUE(count), TWILL_INT(10)));
        OK(twill_wait(g));
        assert_int_equal(atomic_load(&ran), (1 << 11) - 1);
        twill_stop(tw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs_give_the_result_of_running_them_in_order),
        cmocka_unit_test(every_pair_of_accesses_waits_or_not),
        cmocka_unit_test(a_task_may_use_tiles_of_many_arrays),
        cmocka_unit_test(a_task_may_end_while_its_insertion_is_still_under_way),
        cmocka_unit_test(tasks_inserted_by_tasks_are_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
