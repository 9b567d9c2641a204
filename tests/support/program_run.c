/* Running a random program beside its model. */
#include "base/mix.h"
#include "support/program.h"

#include <stdio.h>
#include <string.h>

void prog_wrong(program *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    pthread_mutex_lock(&p->mutex);
    size_t used = strlen(p->why);
    used += (size_t)snprintf(p->why + used, sizeof p->why - used, "%s", used ? "; " : "");
    if (used < sizeof p->why)
        vsnprintf(p->why + used, sizeof p->why - used, format, args);
    atomic_store(&p->failed, true);
    pthread_mutex_unlock(&p->mutex);
    va_end(args);
}

static void expect(program *p, twill_status status, const char *what)
{
    if (status != TWILL_OK)
        prog_wrong(p, "%s: %s: %s", what, twill_status_name(status), twill_message());
}

/* ---- host access ---------------------------------------------------------------------------- */

static prog_block model_part(const prog_array *a, int64_t i, int64_t j, int64_t rows, int64_t cols)
{
    return (prog_block){a->model + i + j * a->rows, a->rows, rows, cols};
}

static void compare(program *p, const prog_block *got, const prog_block *model, const char *where,
                    int number)
{
    for (int64_t e = 0; e < got->rows * got->cols; e++)
        if (*prog_at(got, e) != *prog_at(model, e)) {
            prog_wrong(p, "%s %d: element %lld of %lld by %lld differs", where, number,
                       (long long)e, (long long)got->rows, (long long)got->cols);
            return;
        }
}

/* Overwrite, or change, the same elements on both sides. */
static void write_both(const prog_step *s, prog_block *got, prog_block *model)
{
    for (int64_t e = 0; e < got->rows * got->cols; e++) {
        uint64_t old = s->mode == TWILL_READ_WRITE ? (uint64_t)*prog_at(model, e) : 0;
        *prog_at(got, e) = *prog_at(model, e) = (int64_t)tw_mix(old ^ (s->salt + (uint64_t)e));
    }
}

static twill_view view_of(const prog_step *s, const prog_array *a)
{
    return twill_view_sub(twill_view_all(a->array), s->i, s->j, s->rows, s->cols);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void insert(prog_lane *lane, const prog_step *s)
{
    program *p = lane->program;
    twill_arg args[PROG_ALL_ARGS];
    prog_task *t = s->task;
    const twill_class *cls = prog_arguments(&t, args);
    expect(p, twill_insert_args(p->graph[s->graph], cls, args), "insertion");
    prog_model(lane, t);
}

/* Returns how many of the steps that follow it has done. */
static int map(prog_lane *lane, const prog_step *s, int left)
{
    program *p = lane->program;
    const prog_array *a = &p->array[s->array];
    prog_block model = model_part(a, s->i, s->j, s->rows, s->cols);
    prog_block got = {NULL, 0, s->rows, s->cols};
    void *data = NULL;
    twill_status status = twill_map(view_of(s, a), s->mode, &data, &got.ld);
    expect(p, status, "map");
    if (status != TWILL_OK)
        return 0;
    got.data = data;
    if (s->mode != TWILL_WRITE)
        compare(p, &got, &model, "mapped part of array", s->array);
    if (s->mode != TWILL_READ)
        write_both(s, &got, &model);
    int done = 0;
    while (done < s->hold && done < left && s[1 + done].kind == PROG_INSERT)
        insert(lane, &s[1 + done++]);
    expect(p, twill_unmap(view_of(s, a), data), "unmap");
    return done;
}

/* Wrapped memory can be looked at without mapping it. */
static void wait_tile(prog_lane *lane, const prog_step *s)
{
    program *p = lane->program;
    const prog_tile *t = &p->tile[s->tile];
    const prog_array *a = &p->array[t->array];
    expect(p, twill_wait_tile(t->tile, s->mode), "wait for a tile");
    if (!a->wrapped)
        return;
    int64_t i = t->i * a->block_rows, j = t->j * a->block_cols;
    prog_block model = model_part(a, i, j, t->rows, t->cols);
    prog_block got = {a->memory + i + j * a->ld, a->ld, t->rows, t->cols};
    compare(p, &got, &model, "after waiting for tile", s->tile);
}

static void build_dag(program *p, prog_dag *d)
{
    int64_t number[16];
    expect(p, twill_dag_begin(p->tw, &d->graph), "begin of an explicit graph");
    for (int k = 0; k < d->n; k++) {
        int i = d->stays ? k : d->n - 1 - k; /* the order in which tasks are added is no order */
        twill_arg args[PROG_ALL_ARGS];
        prog_task *t = &d->node[i];
        const twill_class *cls = prog_arguments(&t, args);
        expect(p, twill_dag_add_args(d->graph, cls, args, &number[i]), "explicit task");
    }
    for (int e = 0; e < d->nedges; e++)
        expect(p, twill_dag_edge(d->graph, number[d->from[e]], number[d->to[e]]), "edge");
}

static void run_dag(prog_lane *lane, prog_dag *d)
{
    program *p = lane->program;
    build_dag(p, d);
    for (int run = 1; run <= d->runs; run++) {
        expect(p, twill_dag_run(d->graph), "run of an explicit graph");
        for (int i = 0; i < d->n; i++)
            prog_model(lane, &d->node[i]);
        if (run < d->runs || !d->stays)
            expect(p, twill_wait(d->graph), "wait for an explicit graph");
    }
}

static void wait_graph(prog_lane *lane, int graph)
{
    program *p = lane->program;
    int64_t added, done;
    expect(p, twill_wait(p->graph[graph]), "wait");
    twill_graph_progress(p->graph[graph], &added, &done);
    if (p->nlanes == 1 && added != done)
        prog_wrong(p, "%lld of %lld tasks are done after waiting", (long long)done,
                   (long long)added);
}

static void reopen(prog_lane *lane)
{
    twill_graph **g = &lane->program->graph[lane->number];
    twill_graph_free(*g);
    expect(lane->program, twill_stf_begin(lane->program->tw, g), "begin of a graph");
}

static void *run_lane(void *arg)
{
    prog_lane *lane = arg;
    for (int i = 0; i < lane->nsteps; i++) {
        const prog_step *s = &lane->step[i];
        switch (s->kind) {
        case PROG_INSERT:
            insert(lane, s);
            break;
        case PROG_WAIT:
            wait_graph(lane, s->graph);
            break;
        case PROG_WAIT_TILE:
            wait_tile(lane, s);
            break;
        case PROG_MAP:
            i += map(lane, s, lane->nsteps - i - 1);
            break;
        case PROG_DAG:
            run_dag(lane, s->dag);
            break;
        case PROG_REOPEN:
            reopen(lane);
            break;
        }
    }
    for (prog_dag *d = lane->dags; d; d = d->next)
        twill_graph_free(d->graph);
    return NULL;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void create_array(program *p, prog_array *a)
{
    twill_pattern pattern = twill_tiled(a->rows, a->cols, a->block_rows, a->block_cols);
    if (a->cols == 1)
        pattern = twill_pattern_nd(1, &a->rows, &a->block_rows, NULL);
    twill_status status =
        a->wrapped ? twill_array_wrap(p->tw, &pattern, TWILL_BYTES, 8, a->memory, a->ld, &a->array)
                   : twill_array_create(p->tw, &pattern, TWILL_BYTES, 8, &a->array);
    OK(status);
    for (int k = 0; k < a->ntiles; k++) {
        prog_tile *t = &p->tile[a->first + k];
        t->tile = twill_tile_at(a->array, t->i, t->j);
        assert_non_null(t->tile);
    }
}

static void check_array(program *p, const prog_array *a)
{
    void *data = NULL;
    prog_block got = {NULL, 0, a->rows, a->cols};
    twill_status status = twill_map(twill_view_all(a->array), TWILL_READ, &data, &got.ld);
    expect(p, status, "last map");
    if (status != TWILL_OK)
        return;
    got.data = data;
    for (int i = 0; a->lane < 0 && i < p->nlanes; i++)
        for (int64_t e = 0; e < a->rows * a->cols; e++)
            a->model[e] =
                (int64_t)((uint64_t)a->model[e] + (uint64_t)p->lane[i].delta[a->reduces][e]);
    prog_block model = model_part(a, 0, 0, a->rows, a->cols);
    compare(p, &got, &model, a->lane < 0 ? "shared array" : "array", (int)(a - p->array));
    expect(p, twill_unmap(twill_view_all(a->array), data), "last unmap");
}

const char *prog_run(program *p, twill *tw, foreign *f)
{
    p->tw = tw;
    p->foreign = f;
    pthread_mutex_init(&p->mutex, NULL);
    for (int i = 0; i < p->narrays; i++)
        create_array(p, &p->array[i]);
    for (int i = 0; i < p->ngraphs; i++)
        OK(twill_stf_begin(tw, &p->graph[i]));
    for (int i = 1; i < p->nlanes; i++)
        assert_int_equal(pthread_create(&p->lane[i].thread, NULL, run_lane, &p->lane[i]), 0);
    run_lane(&p->lane[0]);
    for (int i = 1; i < p->nlanes; i++)
        pthread_join(p->lane[i].thread, NULL);
    for (int i = 0; i < p->ngraphs; i++)
        expect(p, twill_wait(p->graph[i]), "last wait");
    for (int i = 0; i < p->narrays; i++)
        check_array(p, &p->array[i]);
    for (int i = 0; i < p->nfine; i++)
        twill_array_free(p->fine[i]);
    for (int i = 0; i < p->narrays; i++)
        twill_array_free(p->array[i].array);
    for (int i = 0; i < p->ngraphs; i++)
        twill_graph_free(p->graph[i]);
    pthread_mutex_destroy(&p->mutex);
    return atomic_load(&p->failed) ? p->why : NULL;
}
