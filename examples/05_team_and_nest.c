/* A body for several workers at once, and a body that opens a finer graph. */
#include <stdatomic.h>
#include <stdio.h>
#include <twill/twill.h>

enum { BLOCK = 64, PIECE = 8 };

/* Members cut the work by piece, not by member: the result does not depend on the team's size. */
static twill_outcome fill_team(twill_task *t, twill_team *team)
{
    double *x = twill_task_data(t, 0);
    for (int piece = twill_team_rank(team); piece < BLOCK / PIECE; piece += twill_team_size(team))
        for (int i = 0; i < PIECE; i++)
            x[piece * PIECE + i] = 1.0;
    /* Rank 0 gets the cores of all, here for OpenMP (cc -fopenmp); it sees all of x. */
    int threads = twill_team_lend(team);
    if (threads == 0)
        return TWILL_DONE; /* it lends its core until rank 0 has left, too */
    double sum = 0;
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
#endif
    for (int i = 0; i < BLOCK; i++)
        sum += x[i];
    twill_team_return(team);
    return sum == BLOCK ? TWILL_DONE : twill_task_fail(t, "the sum is %g", sum);
}

static twill_outcome double_body(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
        x[i] *= 2;
    return TWILL_DONE;
}

static const twill_class fill = {
    .size = sizeof(twill_class), .name = "fill", .chores = {TWILL_TEAM(fill_team, 0)}};
static const twill_class twice = {
    .size = sizeof(twill_class), .name = "twice", .chores = {TWILL_CPU(double_body)}};

/* The tile's bytes as an array of smaller tiles, with a graph of its own. */
static twill_outcome nested_body(twill_task *t)
{
    twill *tw = *(twill *const *)twill_task_data(t, 1);
    twill_array **finer = *(twill_array ***)twill_task_data(t, 2);
    twill_graph *g;
    twill_pattern pattern = twill_tiled(BLOCK, 1, PIECE, 1);
    if (twill_array_wrap(tw, &pattern, TWILL_FLOAT64, 0, twill_task_data(t, 0), BLOCK, finer) ||
        twill_nest(t, &g))
        return twill_task_fail(t, "%s", twill_message());
    for (int i = 0; i < BLOCK / PIECE; i++)
        twill_insert(g, &twice, TWILL_RW(twill_tile_at(*finer, i, 0)));
    return twill_nest_end(g); /* the task ends when the nested graph does */
}

static const twill_class nested = {
    .size = sizeof(twill_class), .name = "nested", .chores = {TWILL_CPU(nested_body)}};

int main(void)
{
    twill *tw;
    twill_array *x, *finer = NULL, **where = &finer;
    twill_graph *g;
    twill_pattern pattern = twill_tiled(BLOCK, 1, BLOCK, 1);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &x) ||
        twill_stf_begin(tw, &g)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_insert(g, &fill, TWILL_RW(twill_tile_at(x, 0, 0)));
    twill_insert(g, &nested, TWILL_RW(twill_tile_at(x, 0, 0)), TWILL_VALUE(tw), TWILL_VALUE(where));
    if (twill_wait(g) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    void *data;
    int64_t ld;
    int good = twill_map(twill_view_all(x), TWILL_READ, &data, &ld) == TWILL_OK;
    for (int i = 0; good && i < BLOCK; i++)
        good = ((const double *)data)[i] == 2.0;
    if (good)
        twill_unmap(twill_view_all(x), data);
    printf("all entries are 2: %s\n", good ? "yes" : "no");
    twill_stop(tw);
    return good ? 0 : 1;
}
