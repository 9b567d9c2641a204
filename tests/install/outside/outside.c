/* A program of somebody else: starts Twill, inserts a few tasks, factors a small matrix. */
#include <stdio.h>
#include <twill/twill.h>

static twill_outcome add_body(twill_task *task)
{
    double *sum = (double *)twill_task_data(task, 0);
    sum[0] += (double)twill_task_int(task, 1);
    return TWILL_DONE;
}

static const twill_class add = {sizeof(twill_class), "add", {TWILL_CPU(add_body)}};

static int failed(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, twill_message());
    return 1;
}

/* 1 + 2 + ... + 10 in one element, by ten tasks in a row. */
static int insert_tasks(twill *tw)
{
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(1, 1, 1, 1);
    if (twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) || twill_stf_begin(tw, &graph))
        return failed("begin");
    for (int i = 1; i <= 10; i++)
        if (twill_insert(graph, &add, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(i)))
            return failed("insert");
    if (twill_wait(graph))
        return failed("wait");

    void *data;
    int64_t ld;
    if (twill_map(twill_view_all(a), TWILL_READ, &data, &ld))
        return failed("map");
    double sum = *(double *)data;
    if (twill_unmap(twill_view_all(a), data))
        return failed("unmap");
    twill_graph_free(graph);
    twill_array_free(a);
    printf("sum %g\n", sum);
    return sum != 55.0;
}

static int factor(twill *tw)
{
    twill_array *a, *factor;
    twill_pattern pattern = twill_tiled(100, 100, 32, 32);
    int64_t info;
    double ratio;
    if (twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a) ||
        twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &factor))
        return failed("create");
    if (twill_fill_spd(a, 42) || twill_copy(a, factor))
        return failed("fill");
    if (twill_potrf(TWILL_LOWER, factor, &info))
        return failed("potrf");
    if (twill_potrf_residual(TWILL_LOWER, a, factor, &ratio))
        return failed("residual");
    twill_array_free(a);
    twill_array_free(factor);
    printf("info %d, residual %g\n", (int)info, ratio);
    return info != 0 || !(ratio < 30.0);
}

int main(void)
{
    twill *tw;
    twill_options options = {sizeof options};
    options.workers = 2;
    if (twill_check_version())
        return failed("version");
    if (twill_start(&tw, &options))
        return failed("start");
    int bad = insert_tasks(tw) || factor(tw);
    twill_stop(tw);
    if (!bad)
        puts("OK");
    return bad;
}
