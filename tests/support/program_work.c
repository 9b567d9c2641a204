/* What tasks of random programs do to their tiles, and the same on the model. */
#include "base/lock.h"
#include "base/mix.h"
#include "support/program.h"

void prog_spin(int spins)
{
    for (int i = 0; i < spins; i++)
        tw_pause();
}

static bool reads(twill_arg_kind kind)
{
    return kind == TWILL_ARG_READ || kind == TWILL_ARG_READ_WRITE;
}

uint64_t prog_digest(const prog_task *t, const prog_block *blocks)
{
    uint64_t digest = tw_mix(t->salt);
    for (int k = 0; k < t->nargs; k++)
        for (int64_t e = 0; reads(t->arg[k].kind) && e < blocks[k].rows * blocks[k].cols; e++)
            digest = tw_mix(digest ^ (uint64_t)*prog_at(&blocks[k], e));
    return digest;
}

/* Additions commute, and are not atomic: if another task comes in between, one of them is lost. */
static void add(volatile int64_t *element, uint64_t number, int spin)
{
    uint64_t before = (uint64_t)*element;
    prog_spin(spin);
    *element = (int64_t)(before + number);
}

void prog_update(const prog_task *t, const prog_block *blocks, uint64_t digest, int rank, int size)
{
    for (int k = 0; k < t->nargs; k++) {
        twill_arg_kind kind = t->arg[k].kind;
        if (kind == TWILL_ARG_READ)
            continue;
        for (int64_t e = rank; e < blocks[k].rows * blocks[k].cols; e += size) {
            uint64_t number = tw_mix(digest + (uint64_t)(100 * k + e));
            int64_t *element = prog_at(&blocks[k], e);
            if (kind == TWILL_ARG_WRITE)
                *element = (int64_t)number;
            else if (kind == TWILL_ARG_READ_WRITE)
                *element = (int64_t)tw_mix((uint64_t)*element ^ number);
            else
                add(element, number, t->spin / 4);
        }
    }
}

/* ---- finer tiles ---------------------------------------------------------------------------- */

static int64_t pieces(int64_t whole, int64_t piece)
{
    return (whole + piece - 1) / piece;
}

int prog_nfine(const prog_task *parent, int64_t rows, int64_t cols)
{
    return (int)(pieces(rows, parent->fine_rows) * pieces(cols, parent->fine_cols));
}

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

prog_block prog_fine(const prog_task *parent, const prog_block *whole, int k)
{
    int64_t down = pieces(whole->rows, parent->fine_rows);
    int64_t i = k % down * parent->fine_rows, j = k / down * parent->fine_cols;
    return (prog_block){whole->data + i + j * whole->ld, whole->ld,
                        lower(parent->fine_rows, whole->rows - i),
                        lower(parent->fine_cols, whole->cols - j)};
}

/* ---- the model ------------------------------------------------------------------------------ */

static prog_block model_block(const prog_lane *lane, const prog_task *t, const prog_arg *arg)
{
    if (arg->fine) {
        prog_block whole = model_block(lane, t->parent, &t->parent->arg[0]);
        return prog_fine(t->parent, &whole, arg->tile);
    }
    const prog_tile *tile = &lane->program->tile[arg->tile];
    const prog_array *a = &lane->program->array[tile->array];
    int64_t *model = a->lane < 0 ? lane->delta[a->reduces] : a->model;
    return (prog_block){model + tile->i * a->block_rows + tile->j * a->block_cols * a->rows,
                        a->rows, tile->rows, tile->cols};
}

void prog_model(const prog_lane *lane, const prog_task *t)
{
    prog_block blocks[PROG_ARGS];
    for (int k = 0; k < t->nargs; k++)
        blocks[k] = model_block(lane, t, &t->arg[k]);
    prog_update(t, blocks, prog_digest(t, blocks), 0, 1);
    for (int i = 0; i < t->nchildren; i++)
        prog_model(lane, &t->child[i]);
}
