/* B = alpha op(A) + beta B between ranks. What one rank has for another is packed as it
 * is visited, until a buffer is full: each element travels once, and a message has as much as a few
 * tiles, however small the overlaps are. Every rank plans all of it, so nobody asks for anything.
 */
#include "la/matrix/pairs.h"

#include "engine/engine.h"
#include "front/stf/ranks.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 64,   /* of a message, at most */
    TILES = 8,    /* that a message may be large, at most */
    ALL = 32,     /* the same of all ranks that one rank sends to: with many of them it is less */
    LEAST = 4096, /* elements: with less a message costs as much */
    BUFFERS = 2   /* that two ranks use in turn: one is filled while the other is on its way */
};

/* ---- the tasks ----------------------------------------------------------------------------- */

/* An overlap on its way: where it begins in the buffer, and how many rows and columns of A it is.
 */
typedef struct parcel {
    int64_t at, rows, cols;
    tw_overlap overlap;
    int64_t tile; /* the argument with its tile of B, counted from the first of them */
} parcel;

/* Of both: the parcels, how many, the buffer; of the second one the tw_sum. Then tiles. */
enum { PARCELS, COUNT, BUFFER, FIRST_OF_A, SUM = FIRST_OF_A, FIRST_OF_B };

static twill_outcome pack_body(twill_task *t)
{
    const parcel *p = twill_task_data(t, PARCELS);
    size_t size = twill_array_element(twill_task_array(t, BUFFER));
    for (int64_t n = 0; n < twill_task_int(t, COUNT); n++, p++) {
        int arg = FIRST_OF_A + (int)n;
        int64_t ld = twill_task_ld(t, arg), first = p->overlap.in_a[0] + p->overlap.in_a[1] * ld;
        const char *from = (const char *)twill_task_data(t, arg) + (size_t)first * size;
        char *to = (char *)twill_task_data(t, BUFFER) + (size_t)p->at * size;
        for (int64_t j = 0; j < p->cols; j++)
            memcpy(to + (size_t)(j * p->rows) * size, from + (size_t)(j * ld) * size,
                   (size_t)p->rows * size);
    }
    return TWILL_DONE;
}

static twill_outcome unpack_body(twill_task *t)
{
    const parcel *p = twill_task_data(t, PARCELS);
    const twill_array *buffer = twill_task_array(t, BUFFER);
    for (int64_t n = 0; n < twill_task_int(t, COUNT); n++, p++) {
        int arg = FIRST_OF_B + (int)p->tile;
        int64_t ld = twill_task_ld(t, arg);
        tw_operand a = {twill_task_data(t, BUFFER), twill_array_type(buffer), p->rows, p->at};
        tw_operand b = {twill_task_data(t, arg), twill_array_type(twill_task_array(t, arg)), ld,
                        p->overlap.in_b[0] + p->overlap.in_b[1] * ld};
        tw_combine(twill_task_data(t, SUM), &p->overlap, a, b);
    }
    return TWILL_DONE;
}

static const twill_class pack = {
    .size = sizeof(twill_class), .name = "pack", .chores = {TWILL_CPU(pack_body)}};
static const twill_class unpack = {
    .size = sizeof(twill_class), .name = "unpack", .chores = {TWILL_CPU(unpack_body)}};

/* ---- messages ------------------------------------------------------------------------------ */

/* What one rank has for another. */
typedef struct load {
    int64_t from;
    twill_array *buffers; /* when one was full */
    int64_t messages, count, elements;
    tw_pair pair[PAIRS];
} load;

typedef struct journey {
    twill_graph *g;
    const tw_combination *c;
    int64_t ranks, room; /* elements of a buffer */
    load **loads;        /* from rank p to rank q: number p + q * ranks, NULL when there is none */
} journey;

static twill_status create(const journey *o, int64_t from, int64_t elements, int64_t tiles,
                           twill_array **buffers)
{
    twill_pattern p =
        twill_pattern_nd(1, (int64_t[]){elements * tiles}, (int64_t[]){elements}, NULL);
    p.first = from;
    return tw_stf_create(o->g, &p, twill_array_type(o->c->a), buffers);
}

/* The last message of a pair has a buffer of its size. */
static twill_status find_buffer(const journey *o, load *x, bool last, twill_tile **buffer)
{
    twill_array *only;
    twill_status status = TWILL_OK;
    if (last)
        status = create(o, x->from, x->elements, 1, &only);
    else if (!x->buffers)
        status = create(o, x->from, o->room, BUFFERS, &x->buffers);
    if (status == TWILL_OK)
        *buffer =
            last ? twill_tile_at(only, 0, 0) : twill_tile_at(x->buffers, x->messages % BUFFERS, 0);
    return status;
}

/* Number the tiles of B: pairs with one of them come in a row. */
static void fill_parcels(const journey *o, const load *x, parcel *parcels)
{
    int64_t at = 0, tile = 0;
    bool straight = o->c->s.op == TWILL_NO_TRANS;
    for (int64_t n = 0; n < x->count; n++) {
        const tw_pair *p = &x->pair[n];
        tile += n > 0 && (p->k != p[-1].k || p->l != p[-1].l);
        parcels[n] = (parcel){.at = at,
                              .rows = straight ? p->overlap.rows : p->overlap.cols,
                              .cols = straight ? p->overlap.cols : p->overlap.rows,
                              .overlap = p->overlap,
                              .tile = tile};
        at += p->overlap.rows * p->overlap.cols;
    }
}

static twill_status send(const journey *o, load *x, bool last)
{
    twill_tile *buffer = NULL;
    parcel parcels[PAIRS];
    twill_status status = find_buffer(o, x, last, &buffer);
    if (status != TWILL_OK)
        return status;
    fill_parcels(o, x, parcels);
    twill_arg args[FIRST_OF_B + PAIRS + 1] = {
        TWILL_COPY(parcels, (size_t)x->count * sizeof *parcels), TWILL_INT(x->count)};
    args[BUFFER] = TWILL_W(buffer);
    for (int64_t n = 0; n < x->count; n++)
        args[FIRST_OF_A + n] = TWILL_R(twill_tile_at(o->c->a, x->pair[n].i, x->pair[n].j));
    args[FIRST_OF_A + x->count] = TWILL_END;
    status = twill_insert_args(o->g, &pack, args);
    args[BUFFER] = TWILL_R(buffer);
    args[SUM] = TWILL_VALUE(o->c->s);
    for (int64_t n = 0; n < x->count; n++)
        args[FIRST_OF_B + parcels[n].tile] =
            TWILL_RW(twill_tile_at(o->c->b, x->pair[n].k, x->pair[n].l));
    args[FIRST_OF_B + parcels[x->count - 1].tile + 1] = TWILL_END;
    if (status == TWILL_OK)
        status = twill_insert_args(o->g, &unpack, args);
    x->messages++;
    x->count = x->elements = 0;
    return status;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static load *find_load(const journey *o, int64_t from, int64_t to)
{
    load **x = &o->loads[from + to * o->ranks];
    if (!*x && (*x = calloc(1, sizeof **x)))
        (*x)->from = from;
    return *x;
}

static twill_status no_memory(const journey *o)
{
    return tw_stf_missed(
        o->g, tw_fail(TWILL_ERR_MEMORY, "%s: no memory for what travels", o->c->cls->name));
}

static twill_status visit(const tw_pair *pair, void *arg)
{
    const journey *o = arg;
    int64_t from = twill_owner_at(o->c->a, pair->i, pair->j);
    int64_t to = twill_owner_at(o->c->b, pair->k, pair->l);
    if (from == to)
        return tw_pair_insert(o->g, o->c, pair);
    int64_t elements = pair->overlap.rows * pair->overlap.cols;
    load *x = find_load(o, from, to);
    twill_status status = x ? TWILL_OK : no_memory(o);
    if (x && (x->count == PAIRS || x->elements + elements > o->room))
        status = send(o, x, false);
    if (status != TWILL_OK)
        return status;
    x->pair[x->count++] = *pair;
    x->elements += elements;
    return TWILL_OK;
}

/* So many elements fit into a tile of A and into one of B: no overlap has more. */
static int64_t most_of_a_pair(const tw_combination *c)
{
    int64_t most = INT64_MAX;
    const twill_array *both[] = {c->a, c->b};
    for (int x = 0; x < 2; x++) {
        const twill_pattern *p = twill_array_pattern(both[x]);
        most = tw_min(most, tw_pattern_room(p, 0) * tw_pattern_room(p, 1));
    }
    return most;
}

static int64_t room_for(const tw_combination *c, int64_t ranks)
{
    int64_t most = most_of_a_pair(c);
    int64_t room = tw_max(most * tw_clamp(ALL / ranks, 1, TILES), LEAST);
    return tw_min(room, most * PAIRS);
}

twill_status tw_pairs_travel(twill_graph *g, const tw_combination *c)
{
    int64_t ranks = twill_ranks(g->tw), loads = ranks * ranks;
    journey o = {.g = g,
                 .c = c,
                 .ranks = ranks,
                 .room = room_for(c, ranks),
                 .loads = calloc((size_t)loads, sizeof *o.loads)};
    twill_status status = o.loads ? tw_pairs_each(c, visit, &o) : no_memory(&o);
    for (int64_t n = 0; o.loads && n < loads; n++) {
        if (o.loads[n] && o.loads[n]->count && status == TWILL_OK)
            status = send(&o, o.loads[n], true);
        free(o.loads[n]);
    }
    free(o.loads);
    return status;
}
