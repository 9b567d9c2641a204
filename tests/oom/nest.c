/* Nested graphs, three deep, with reductions inside, and teams. */
#include "support/shortage.h"

enum { DEPTH = 2, WIDTH = 3, OUTER = 4, LEAVES = OUTER * WIDTH * WIDTH, TEAMS = 3, SHARE = 8 };

typedef struct data {
    twill_graph *g;
    twill_array *count, *sum, *ones, *far; /* far: touched by nested tasks only */
} data;

static twill_outcome leaf(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) += 1;
    *(int64_t *)twill_task_data(t, 1) += *(const int64_t *)twill_task_data(t, 2);
    return TWILL_DONE;
}

static const twill_class leaf_class = {
    .size = sizeof(twill_class), .name = "leaf", .chores = {TWILL_CPU(leaf)}};

static twill_outcome grow(twill_task *t);
static const twill_class grow_class = {
    .size = sizeof(twill_class), .name = "grow", .chores = {TWILL_CPU(grow)}};

/* WIDTH tasks inside, which are leaves at the last level, and scratch memory meanwhile. An
 * insertion that is refused fails the nested graph, and with it this task. */
static twill_outcome grow(twill_task *t)
{
    data *d = *(data *const *)twill_task_data(t, 0);
    int64_t depth = twill_task_int(t, 1);
    twill_graph *inner;
    if (twill_nest(t, &inner) != TWILL_OK)
        return twill_task_fail(t, "%s", twill_message());
    for (int i = 0; i < WIDTH; i++)
        if (depth < DEPTH)
            twill_insert(inner, &grow_class, TWILL_VALUE(d), TWILL_INT(depth + 1),
                         TWILL_SCRATCH(300));
        else
            twill_insert(inner, &leaf_class, TWILL_COMMUTE(twill_tile_at(d->count, 0, 0)),
                         TWILL_REDUCE(twill_tile_at(d->sum, i, 0), &test_plus),
                         TWILL_R(twill_tile_at(d->far, i, 0)));
    return twill_nest_end(inner);
}

/* Each member adds its share of the ones. */
static twill_outcome crew(twill_task *t, twill_team *team)
{
    int64_t *ones = twill_task_data(t, 0);
    for (int i = twill_team_rank(team); i < SHARE; i += twill_team_size(team))
        ones[i] += 1;
    twill_team_barrier(team);
    return TWILL_DONE;
}

static const twill_class crew_class = {
    .size = sizeof(twill_class), .name = "crew", .chores = {TWILL_TEAM(crew, 0)}};

static twill_status make(twill *tw, data *d)
{
    twill_pattern one = twill_tiled(SHARE, 1, SHARE, 1);
    twill_status status;
    TRY(twill_stf_begin(tw, &d->g));
    TRY(shortage_integers(tw, 1, &d->count));
    TRY(shortage_integers(tw, WIDTH, &d->sum));
    TRY(shortage_integers(tw, WIDTH, &d->far));
    TRY(twill_array_create(tw, &one, TWILL_BYTES, sizeof(int64_t), &d->ones));
done:
    return status;
}

static twill_status insert(data *d)
{
    static const int64_t two = 2;
    twill_status status;
    for (int i = 0; i < WIDTH; i++) {
        void *to;
        int64_t ld;
        twill_view v = twill_view_tile(d->far, i, 0);
        TRY(twill_map(v, TWILL_WRITE, &to, &ld));
        *(int64_t *)to = two;
        TRY(twill_unmap(v, to));
    }
    for (int i = 0; i < OUTER; i++)
        TRY(twill_insert(d->g, &grow_class, TWILL_VALUE(d), TWILL_INT(1), TWILL_SCRATCH(300)));
    for (int i = 0; i < TEAMS; i++)
        TRY(twill_insert(d->g, &crew_class, TWILL_RW(twill_tile_at(d->ones, 0, 0)),
                         TWILL_SCRATCH(100)));
    return twill_wait(d->g);
done:
    return status;
}

static twill_status look(data *d, atomic_int *wrong)
{
    int64_t value;
    twill_status status;
    TRY(shortage_get(d->count, 0, &value));
    *wrong += value != LEAVES;
    for (int i = 0; i < WIDTH; i++) {
        TRY(shortage_get(d->sum, i, &value));
        *wrong += value != 2 * LEAVES / WIDTH;
    }
    TRY(shortage_get(d->ones, 0, &value));
    *wrong += value != TEAMS;
done:
    return status;
}

/* The tasks know where it is, so it may not be gone, or be that of another graph, while they are
 * left. */
static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    static data left, own;
    data *d = leave ? &left : &own;
    *d = (data){0};
    twill_status status = make(tw, d);
    if (status == TWILL_OK)
        status = insert(d);
    if (status == TWILL_OK)
        status = look(d, wrong);
    if (!leave) {
        twill_graph_free(d->g);
        twill_array_free(d->count);
        twill_array_free(d->sum);
        twill_array_free(d->far);
        twill_array_free(d->ones);
    }
    return status;
}

TEST(nested_graphs_and_teams)
{
    shortage_sweep(&(shortage){.name = "nest", .body = body, .also = TWILL_ERR_TASK});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nested_graphs_and_teams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
