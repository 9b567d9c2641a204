/* From a number to a random program. */
#include "support/program.h"

#include <stdlib.h>
#include <string.h>

enum { COMMUTES = 0, REDUCES = 1, MOST_STEPS = 48, MOST_TILES = 160, MOST_ARRAYS = 16 };

/* What is being made, for which lane. */
typedef struct maker {
    program *p;
    uint64_t state;
    prog_lane *lane;
    int first, end;       /* tiles of the lane */
    int spawn, spawn_end; /* tiles left for tasks that insert tasks */
} maker;

static int pick(maker *m, int n)
{
    return (int)test_random(&m->state, (uint64_t)n);
}

static bool chance(maker *m, int percent)
{
    return pick(m, 100) < percent;
}

static int between(maker *m, int low, int high)
{
    return low + pick(m, high - low + 1);
}

typedef struct chunk {
    struct chunk *next;
    max_align_t bytes[];
} chunk;

void *prog_alloc(program *p, size_t size)
{
    chunk *c = calloc(1, sizeof *c + size);
    assert_non_null(c);
    c->next = p->memory;
    p->memory = c;
    return c->bytes;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static prog_array *add_array(maker *m, int lane, int tiles_down, int tiles_across, int block)
{
    program *p = m->p;
    prog_array *a = &p->array[p->narrays];
    a->lane = lane;
    a->block_rows = between(m, 1, block);
    a->block_cols = between(m, 1, block > 2 ? 2 : block);
    a->rows = a->block_rows * tiles_down - pick(m, (int)a->block_rows);
    a->cols = a->block_cols * tiles_across - pick(m, (int)a->block_cols);
    a->wrapped = chance(m, 30);
    a->ld = a->rows + pick(m, 3);
    if (a->wrapped)
        a->memory = prog_alloc(p, (size_t)(a->ld * a->cols) * sizeof(int64_t));
    a->model = prog_alloc(p, (size_t)(a->rows * a->cols) * sizeof(int64_t));
    a->first = p->ntiles;
    a->ntiles = tiles_down * tiles_across;
    for (int k = 0; k < a->ntiles; k++) {
        prog_tile *t = &p->tile[p->ntiles++];
        t->array = p->narrays;
        t->i = k % tiles_down;
        t->j = k / tiles_down;
        int64_t rows = a->rows - t->i * a->block_rows, cols = a->cols - t->j * a->block_cols;
        t->rows = rows < a->block_rows ? rows : a->block_rows;
        t->cols = cols < a->block_cols ? cols : a->block_cols;
    }
    p->narrays++;
    return a;
}

static void make_arrays(maker *m)
{
    program *p = m->p;
    m->first = p->ntiles;
    for (int n = between(m, 1, 3); n > 0; n--)
        add_array(m, m->lane->number, between(m, 1, 3), between(m, 1, 2), 6);
    m->end = m->spawn = p->ntiles;
    prog_array *a = add_array(m, m->lane->number, between(m, 1, 4), 1, 3);
    m->spawn_end = p->ntiles;
    for (int k = 0; k < a->ntiles; k++)
        p->tile[a->first + k].spawns = true;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static twill_arg_kind random_kind(maker *m)
{
    int r = pick(m, 100);
    return r < 35   ? TWILL_ARG_READ
           : r < 50 ? TWILL_ARG_WRITE
           : r < 75 ? TWILL_ARG_READ_WRITE
           : r < 90 ? TWILL_ARG_COMMUTE
                    : TWILL_ARG_REDUCE;
}

/* A contribution and another access to one tile do not go together in one task. */
static void add_arg(prog_task *t, int tile, bool fine, twill_arg_kind kind)
{
    if (t->nargs == PROG_ARGS)
        return;
    for (int k = 0; k < t->nargs; k++) {
        if (t->arg[k].tile != tile || t->arg[k].fine != fine)
            continue;
        if (t->arg[k].kind == TWILL_ARG_REDUCE)
            kind = TWILL_ARG_REDUCE;
        else if (kind == TWILL_ARG_REDUCE)
            kind = TWILL_ARG_COMMUTE;
    }
    t->arg[t->nargs++] = (prog_arg){tile, fine, kind};
}

static int shared_tile(maker *m, int which)
{
    const prog_array *a = &m->p->array[which];
    return a->first + pick(m, a->ntiles);
}

static void random_manner(maker *m, prog_task *t)
{
    int r = pick(m, 100);
    t->program = m->p;
    t->salt = test_random(&m->state, UINT32_MAX);
    t->how = r < 70 ? PROG_PLAIN : r < 80 ? PROG_AGAIN : r < 90 ? PROG_ASYNC : PROG_TEAM;
    t->again = between(m, 1, 3);
    t->team = pick(m, 4);
    t->spin = chance(m, 70) ? 0 : pick(m, 400);
    t->priority = chance(m, 70) ? 0 : between(m, -3, 5);
    t->worker = chance(m, 80) ? -1 : pick(m, 9);
    t->scratch = chance(m, 25);
}

static void nest_under(maker *m, prog_task *t, int depth, int64_t rows, int64_t cols);

/* A task on some of n tiles: fine ones of its parent, or those from `first` on. */
static void random_task(maker *m, prog_task *t, int first, int n, bool fine)
{
    random_manner(m, t);
    int nargs = chance(m, 60) ? between(m, 1, 2) : between(m, 1, PROG_ARGS);
    for (int k = 0; k < nargs; k++)
        add_arg(t, first + pick(m, n), fine, random_kind(m));
}

static void children(maker *m, prog_task *t, int n)
{
    t->nchildren = n;
    t->child = prog_alloc(m->p, (size_t)n * sizeof *t->child);
}

/* Contributions that wait for nobody: any task may insert them. */
static void contribution(maker *m, prog_task *t)
{
    random_manner(m, t);
    for (int n = between(m, 1, 2); n > 0; n--)
        add_arg(t, shared_tile(m, REDUCES), false, TWILL_ARG_REDUCE);
}

/* Turn a task whose first argument is RW into one with a nested graph. */
static void nest_under(maker *m, prog_task *t, int depth, int64_t rows, int64_t cols)
{
    t->how = PROG_NEST;
    t->fine_rows = rows > 6 ? 2 : between(m, 1, rows > 1 ? 2 : 1);
    t->fine_cols = between(m, 1, cols > 1 ? 2 : 1);
    int n = prog_nfine(t, rows, cols);
    children(m, t, between(m, 1, 5));
    for (int i = 0; i < t->nchildren; i++) {
        prog_task *c = &t->child[i];
        c->parent = t;
        if (chance(m, 10)) {
            contribution(m, c);
            continue;
        }
        random_task(m, c, 0, n, true);
        if (chance(m, 15))
            add_arg(c, shared_tile(m, COMMUTES), false, TWILL_ARG_COMMUTE);
        if (depth < 2 && c->arg[0].kind == TWILL_ARG_READ_WRITE && c->nargs == 1 && chance(m, 50)) {
            prog_block whole = {NULL, rows, rows, cols};
            prog_block fine = prog_fine(t, &whole, c->arg[0].tile);
            nest_under(m, c, depth + 1, fine.rows, fine.cols);
        }
    }
}

/* A family of tasks on a tile of its own: each is inserted by the one before. */
static void spawn(maker *m, prog_task *t, int tile, int graph, int depth)
{
    random_manner(m, t);
    t->graph = graph;
    t->how = PROG_SPAWN;
    add_arg(t, tile, false, chance(m, 80) ? TWILL_ARG_READ_WRITE : TWILL_ARG_WRITE);
    if (chance(m, 50))
        add_arg(t, shared_tile(m, COMMUTES), false, TWILL_ARG_COMMUTE);
    if (depth == 0)
        return;
    children(m, t, between(m, 1, 4));
    for (int i = 0; i < t->nchildren; i++) {
        if (chance(m, 20))
            contribution(m, &t->child[i]);
        else
            spawn(m, &t->child[i], tile, graph, i == t->nchildren - 1 ? depth - 1 : 0);
    }
}

static void top_task(maker *m, prog_task *t, bool shared)
{
    random_task(m, t, m->first, m->end - m->first, false);
    const prog_tile *tile = &m->p->tile[t->arg[0].tile];
    if (t->arg[0].kind == TWILL_ARG_READ_WRITE && chance(m, 40))
        nest_under(m, t, 0, tile->rows, tile->cols);
    else if (shared && chance(m, 10))
        add_arg(t, shared_tile(m, COMMUTES), false, TWILL_ARG_COMMUTE);
}

/* ---- explicit graphs ------------------------------------------------------------------------ */

static bool conflict(const prog_task *a, const prog_task *b)
{
    for (int i = 0; i < a->nargs; i++)
        for (int k = 0; k < b->nargs; k++)
            if (a->arg[i].tile == b->arg[k].tile &&
                (a->arg[i].kind != TWILL_ARG_READ || b->arg[k].kind != TWILL_ARG_READ))
                return true;
    return false;
}

static prog_dag *make_dag(maker *m)
{
    prog_dag *d = prog_alloc(m->p, sizeof *d);
    d->n = between(m, 1, 6);
    d->node = prog_alloc(m->p, (size_t)d->n * sizeof *d->node);
    d->runs = between(m, 1, 3);
    d->stays = chance(m, 40);
    for (int j = 0; j < d->n; j++) {
        top_task(m, &d->node[j], false);
        for (int k = 0; k < d->node[j].nargs; k++)
            if (d->node[j].arg[k].kind >= TWILL_ARG_COMMUTE)
                d->node[j].arg[k].kind = TWILL_ARG_READ_WRITE;
        for (int i = 0; i < j; i++)
            if (conflict(&d->node[i], &d->node[j]) || (chance(m, 20) && d->nedges < PROG_EDGES)) {
                d->from[d->nedges] = i;
                d->to[d->nedges++] = j;
            }
    }
    d->next = m->lane->dags;
    m->lane->dags = d;
    return d;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void map_step(maker *m, prog_step *s)
{
    const prog_tile *tile = &m->p->tile[m->first + pick(m, m->end - m->first)];
    const prog_array *a = &m->p->array[tile->array];
    s->array = tile->array;
    s->mode = (twill_access)between(m, TWILL_READ, TWILL_READ_WRITE);
    s->hold = chance(m, 60) ? 0 : between(m, 1, 4);
    s->rows = a->rows;
    s->cols = a->cols;
    if (chance(m, 60)) {
        s->i = pick(m, (int)a->rows);
        s->j = pick(m, (int)a->cols);
        s->rows = between(m, 1, (int)(a->rows - s->i));
        s->cols = between(m, 1, (int)(a->cols - s->j));
    }
}

static void insert_step(maker *m, prog_step *s)
{
    s->task = prog_alloc(m->p, sizeof *s->task);
    if (m->spawn < m->spawn_end && chance(m, 10))
        spawn(m, s->task, m->spawn++, s->graph, between(m, 1, 3));
    else if (chance(m, 8))
        contribution(m, s->task);
    else
        top_task(m, s->task, true);
}

static void make_step(maker *m, prog_step *s)
{
    int r = pick(m, 100);
    int others = m->p->ngraphs - m->p->nlanes;
    s->salt = test_random(&m->state, UINT32_MAX);
    s->graph = others && chance(m, 40) ? m->p->nlanes + pick(m, others) : m->lane->number;
    s->kind = r < 80   ? PROG_INSERT
              : r < 83 ? PROG_WAIT
              : r < 87 ? PROG_WAIT_TILE
              : r < 95 ? PROG_MAP
              : r < 98 ? PROG_DAG
                       : PROG_REOPEN;
    s->tile = m->first + pick(m, m->end - m->first);
    if (s->kind == PROG_INSERT)
        insert_step(m, s);
    else if (s->kind == PROG_MAP)
        map_step(m, s);
    else if (s->kind == PROG_DAG)
        s->dag = make_dag(m);
    else if (s->kind == PROG_WAIT_TILE)
        s->mode = chance(m, 50) ? TWILL_READ : TWILL_READ_WRITE;
}

program *prog_make(uint64_t seed)
{
    program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    maker m = {.p = p, .state = seed * 1000003};
    p->seed = seed;
    p->array = prog_alloc(p, MOST_ARRAYS * sizeof *p->array);
    p->tile = prog_alloc(p, MOST_TILES * sizeof *p->tile);
    p->nlanes = chance(&m, 60) ? 1 : between(&m, 2, PROG_LANES);
    p->ngraphs = p->nlanes + pick(&m, PROG_GRAPHS - p->nlanes + 1);
    add_array(&m, -1, between(&m, 1, 3), 1, 3);
    add_array(&m, -1, between(&m, 1, 3), 1, 3)->reduces = true;
    for (int i = 0; i < p->nlanes; i++) {
        m.lane = &p->lane[i];
        m.lane->program = p;
        m.lane->number = i;
        for (int k = 0; k < 2; k++)
            m.lane->delta[k] =
                prog_alloc(p, (size_t)(p->array[k].rows * p->array[k].cols) * sizeof(int64_t));
        make_arrays(&m);
        m.lane->nsteps = between(&m, 5, MOST_STEPS);
        m.lane->step = prog_alloc(p, (size_t)m.lane->nsteps * sizeof *m.lane->step);
        for (int s = 0; s < m.lane->nsteps; s++)
            make_step(&m, &m.lane->step[s]);
    }
    return p;
}

void prog_free(program *p)
{
    while (p->memory) {
        chunk *c = p->memory;
        p->memory = c->next;
        free(c);
    }
    free(p->fine);
    free(p);
}
