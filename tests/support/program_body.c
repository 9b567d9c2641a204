/* Bodies of random programs. */
#include "base/mix.h"
#include "support/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- marks ---------------------------------------------------------------------------------- */

static atomic_int *mark_of(prog_task *t, int k)
{
    return t->arg[k].fine ? &t->parent->held[t->arg[k].tile]
                          : &t->program->tile[t->arg[k].tile].held;
}

/* 0: the tile has a mark already, or needs none; 1: shared; -1: exclusive. */
static int mark_needed(prog_task *t, int k)
{
    bool writes = false;
    for (int i = 0; i < t->nargs; i++) {
        if (mark_of(t, i) != mark_of(t, k))
            continue;
        if (i < k || t->arg[i].kind == TWILL_ARG_REDUCE)
            return 0;
        writes |= t->arg[i].kind != TWILL_ARG_READ;
    }
    return writes ? -1 : 1;
}

/* A task of a nested graph is inside the tiles that the tasks around it hold. */
static void mark_parents(prog_task *t, int n)
{
    for (prog_task *p = t->parent; p; p = p->parent)
        if (atomic_fetch_add_explicit(mark_of(p, 0), n, memory_order_relaxed) < 0)
            prog_wrong(t->program, "a nested body runs while others write tile %d", p->arg[0].tile);
}

/* Relaxed, so that the marks order nothing that Twill should. */
void prog_hold(prog_task *t)
{
    mark_parents(t, 1);
    for (int k = 0; k < t->nargs; k++) {
        int needed = mark_needed(t, k), nobody = 0;
        bool good = true;
        if (needed > 0)
            good = atomic_fetch_add_explicit(mark_of(t, k), 1, memory_order_relaxed) >= 0;
        else if (needed < 0)
            good = atomic_compare_exchange_strong_explicit(
                mark_of(t, k), &nobody, -1, memory_order_relaxed, memory_order_relaxed);
        if (!good)
            prog_wrong(t->program, "a body begins to %s tile %d%s while %s",
                       needed > 0 ? "read" : "write", t->arg[k].tile,
                       t->arg[k].fine ? " of a nested graph" : "",
                       nobody > 0 ? "another reads it" : "another writes it");
    }
}

void prog_let_go(prog_task *t)
{
    mark_parents(t, -1);
    for (int k = 0; k < t->nargs; k++) {
        int needed = mark_needed(t, k);
        if (needed)
            atomic_fetch_sub_explicit(mark_of(t, k), needed, memory_order_relaxed);
    }
}

/* ---- parts of a body ------------------------------------------------------------------------ */

enum { SCRATCH = 192 };

static prog_task *spec_of(twill_task *task)
{
    return *(prog_task **)twill_task_data(task, 0);
}

static void find_blocks(twill_task *task, prog_task *t, prog_block *blocks)
{
    for (int k = 0; k < t->nargs; k++)
        blocks[k] = (prog_block){twill_task_data(task, k + 1), twill_task_ld(task, k + 1),
                                 twill_task_rows(task, k + 1), twill_task_cols(task, k + 1)};
    if (twill_task_int(task, t->nargs + 1) != (int64_t)t->salt)
        prog_wrong(t->program, "a body got the number of another task");
}

static void fill_scratch(twill_task *task, prog_task *t)
{
    if (t->scratch)
        memset(twill_task_data(task, t->nargs + 2), (int)(t->salt & 255), SCRATCH);
}

static void check_scratch(twill_task *task, prog_task *t)
{
    const unsigned char *bytes = t->scratch ? twill_task_data(task, t->nargs + 2) : NULL;
    for (int i = 0; bytes && i < SCRATCH; i++)
        if (bytes[i] != (t->salt & 255)) {
            prog_wrong(t->program, "somebody else wrote into the scratch memory of a body");
            return;
        }
}

static void perform(twill_task *task, prog_task *t)
{
    prog_block blocks[PROG_ARGS];
    find_blocks(task, t, blocks);
    prog_hold(t);
    uint64_t digest = prog_digest(t, blocks);
    prog_spin(t->spin);
    prog_update(t, blocks, digest, 0, 1);
    prog_let_go(t);
}

twill_status prog_perform_foreign(twill_task *task)
{
    perform(task, spec_of(task));
    return TWILL_OK;
}

static void remember_fine(program *p, twill_array *a)
{
    pthread_mutex_lock(&p->mutex);
    if (p->nfine == p->fine_room) {
        p->fine_room = p->fine_room ? 2 * p->fine_room : 16;
        p->fine = realloc(p->fine, (size_t)p->fine_room * sizeof(twill_array *));
    }
    p->fine[p->nfine++] = a;
    pthread_mutex_unlock(&p->mutex);
}

static void insert_children(twill_graph *g, prog_task *t)
{
    for (int i = 0; i < t->nchildren; i++) {
        twill_arg args[PROG_ALL_ARGS];
        prog_task *child = &t->child[i];
        const twill_class *cls = prog_arguments(&child, args);
        if (twill_insert_args(g, cls, args) != TWILL_OK)
            prog_wrong(t->program, "inserting inside a task: %s", twill_message());
    }
}

static twill_outcome nest(twill_task *task, prog_task *t)
{
    program *p = t->program;
    twill_graph *g;
    twill_array *home = twill_task_array(task, 1);
    if (!home)
        return twill_task_fail(task, "a tile without an array");
    int64_t rows = twill_task_rows(task, 1), cols = twill_task_cols(task, 1);
    twill_pattern pattern = twill_tiled(rows, cols, t->fine_rows, t->fine_cols);
    if (twill_array_wrap(p->tw, &pattern, TWILL_BYTES, sizeof(int64_t), twill_task_data(task, 1),
                         twill_task_ld(task, 1), &t->fine) != TWILL_OK ||
        twill_nest(task, &g) != TWILL_OK)
        return twill_task_fail(task, "%s", twill_message());
    remember_fine(p, t->fine);
    insert_children(g, t);
    check_scratch(task, t);
    return twill_nest_end(g);
}

/* ---- bodies --------------------------------------------------------------------------------- */

static twill_outcome body(twill_task *task)
{
    prog_task *t = spec_of(task);
    if (t->how == PROG_AGAIN && atomic_fetch_add(&t->tries, 1) % (t->again + 1) != t->again)
        return TWILL_AGAIN;
    if (t->how == PROG_ASYNC) {
        foreign_give(t->program->foreign, task);
        return TWILL_ASYNC;
    }
    fill_scratch(task, t);
    perform(task, t);
    if (t->how == PROG_NEST)
        return nest(task, t);
    if (t->how == PROG_SPAWN)
        insert_children(t->program->graph[t->graph], t);
    check_scratch(task, t);
    return TWILL_DONE;
}

static twill_outcome team_body(twill_task *task, twill_team *team)
{
    prog_task *t = spec_of(task);
    prog_block blocks[PROG_ARGS];
    int rank = twill_team_rank(team), size = twill_team_size(team);
    find_blocks(task, t, blocks);
    if (rank == 0) {
        atomic_store_explicit(&t->members, 0, memory_order_relaxed);
        prog_hold(t);
    }
    twill_team_barrier(team);
    unsigned before = atomic_fetch_or_explicit(&t->members, 1u << rank, memory_order_relaxed);
    uint64_t digest = prog_digest(t, blocks);
    twill_team_barrier(team);
    prog_update(t, blocks, digest, rank, size);
    twill_team_barrier(team);
    if (before & 1u << rank)
        prog_wrong(t->program, "two members of a team have the rank %d", rank);
    if (rank == 0) {
        if (atomic_load_explicit(&t->members, memory_order_relaxed) != (1u << size) - 1)
            prog_wrong(t->program, "a team of %d has members %x", size,
                       atomic_load_explicit(&t->members, memory_order_relaxed));
        prog_let_go(t);
    }
    return TWILL_DONE;
}

static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(body)}};
static const twill_class teams[] = {
    {.size = sizeof(twill_class),
     .name = "team",
     .chores = {TWILL_TEAM(team_body, 2), TWILL_CPU(body)}},
    {.size = sizeof(twill_class), .name = "team of all", .chores = {TWILL_TEAM(team_body, 0)}},
    {.size = sizeof(twill_class), .name = "team of three", .chores = {TWILL_TEAM(team_body, 3)}},
    {.size = sizeof(twill_class), .name = "team of one", .chores = {TWILL_TEAM(team_body, 1)}},
};

static twill_tile *tile_of(const prog_task *t, const prog_arg *arg)
{
    if (!arg->fine)
        return t->program->tile[arg->tile].tile;
    int64_t down = twill_pattern_blocks(twill_array_pattern(t->parent->fine), 0);
    return twill_tile_at(t->parent->fine, arg->tile % down, arg->tile / down);
}

static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    prog_block b = {into, ld, rows, cols};
    for (int64_t e = 0; e < rows * cols; e++)
        *prog_at(&b, e) = 0;
}

static void combine(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    prog_block to = {into, ld_into, rows, cols}, part = {(int64_t *)from, ld_from, rows, cols};
    for (int64_t e = 0; e < rows * cols; e++)
        *prog_at(&to, e) = (int64_t)((uint64_t)*prog_at(&to, e) + (uint64_t)*prog_at(&part, e));
}

static const twill_reduction sum = {sizeof(twill_reduction), "sum", zero, combine};

const twill_class *prog_arguments(prog_task **task, twill_arg *args)
{
    const prog_task *t = *task;
    *args++ = TWILL_VALUE(*task);
    for (int k = 0; k < t->nargs; k++) {
        *args = twill_arg_tile(t->arg[k].kind, tile_of(t, &t->arg[k]));
        if (t->arg[k].kind == TWILL_ARG_REDUCE)
            args->v.reduction = &sum;
        args++;
    }
    if (t->priority)
        *args++ = TWILL_PRIORITY(t->priority);
    *args++ = TWILL_INT((int64_t)t->salt);
    if (t->worker >= 0)
        *args++ = TWILL_WORKER(t->worker);
    if (t->scratch)
        *args++ = TWILL_SCRATCH(SCRATCH);
    *args = TWILL_END;
    return t->how == PROG_TEAM ? &teams[t->team % COUNT(teams)] : &plain;
}
