/* Numbers over all ranks, one in each tile, and tasks on them. */
#include "support/numbers.h"

static twill_outcome set_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 0) = twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome copy_body(twill_task *t)
{
    *(int64_t *)twill_task_data(t, 1) = *(const int64_t *)twill_task_data(t, 0);
    return TWILL_DONE;
}

const twill_class test_set_class = {
    .size = sizeof(twill_class), .name = "set", .chores = {TWILL_CPU(set_body)}};
const twill_class test_copy_class = {
    .size = sizeof(twill_class), .name = "copy", .chores = {TWILL_CPU(copy_body)}};

twill_array *test_numbers(twill *tw, int64_t n)
{
    twill_array *a = NULL;
    int ranks = twill_ranks(tw);
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){n}, (int64_t[]){1}, (int64_t[]){ranks});
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

void test_set(twill_graph *g, twill_array *a, int64_t i, int64_t x)
{
    (void)twill_insert(g, &test_set_class, TWILL_W(twill_tile_at(a, i, 0)), TWILL_INT(x));
}

void test_copy(twill_graph *g, twill_array *a, int64_t from, int64_t to)
{
    (void)twill_insert(g, &test_copy_class, TWILL_R(twill_tile_at(a, from, 0)),
                       TWILL_W(twill_tile_at(a, to, 0)));
}

int64_t test_look(twill_array *a, int64_t i)
{
    void *data;
    int64_t ld, x = -1;
    twill_view v = twill_view_tile(a, i, 0);
    if (twill_map(v, TWILL_READ, &data, &ld) != TWILL_OK)
        return -1;
    x = *(int64_t *)data;
    OK(twill_unmap(v, data));
    return x;
}

test_ranks test_some_ranks(int ranks, int seed)
{
    return (test_ranks){
        .ranks = ranks,
        .workers = 1 + seed % 2,
        .network = {.seed = (uint64_t)seed, .delay = (unsigned)seed % 4, .reorder = seed % 2}};
}
