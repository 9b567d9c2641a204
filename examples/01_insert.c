/* Tasks by insertion: write the program as if it were sequential, and say how each task uses its
 * data. Here: x[i] = i, then neighbours are added up in parallel, then everything is summed. */
#include <stdio.h>
#include <twill/twill.h>

static twill_outcome set_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome add_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) += *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

static const twill_class set = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
static const twill_class add = {
    .size = sizeof(twill_class), .name = "add", .chores = {TWILL_CPU(add_body)}};

int main(void)
{
    enum { N = 16 };
    twill *tw;
    if (twill_start(&tw, NULL) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_array *x;
    twill_graph *g;
    twill_pattern pattern = twill_tiled(N, 1, 1, 1); /* N tiles of one element */
    twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int64_t), &x);
    twill_stf_begin(tw, &g);
    for (int i = 0; i < N; i++)
        twill_insert(g, &set, TWILL_W(twill_tile_at(x, i, 0)), TWILL_INT(i));
    for (int step = 1; step < N; step *= 2)
        for (int i = 0; i + step < N; i += 2 * step)
            twill_insert(g, &add, TWILL_R(twill_tile_at(x, i + step, 0)),
                         TWILL_RW(twill_tile_at(x, i, 0)), TWILL_PRIORITY(step));
    twill_status status = twill_wait(g);

    /* Outside tasks, data is read and written between map and unmap. */
    void *data;
    int64_t ld, sum = -1;
    twill_view first = twill_view_tile(x, 0, 0);
    if (status == TWILL_OK && twill_map(first, TWILL_READ, &data, &ld) == TWILL_OK) {
        sum = *(const int64_t *)data;
        twill_unmap(first, data);
    }
    printf("the sum of 0 to %d is %lld\n", N - 1, (long long)sum);
    twill_stop(tw);
    return sum == N * (N - 1) / 2 ? 0 : 1;
}
