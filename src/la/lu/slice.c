/* A panel on several ranks: columns, leaves, and what slices say to one another. */
#include "la/lu/slice.h"

#include "base/minmax.h"

#include <math.h>
#include <string.h>

/* The largest element of a slice below the uppermost tile, and its row up to the end of the leaf.
 */
typedef struct proposal {
    tw_pivot pivot; /* its row counts in the whole column */
    char elements[];
} proposal;

/* Where the factorization is: column j of the leaf of columns j0 .. end-1. */
typedef struct place {
    int64_t j0, end, j;
} place;

/* Members of a team have their own place, and leave the rest to the one that leads. */
typedef struct tw_slice_state {
    bool begun, sent; /* this slice's messages of this step */
    bool goes;        /* all messages of the step have come */
    place at;         /* when it did not go on */
    tw_pivot top;     /* of the uppermost tile */
    tw_pivot mine;    /* of this slice below it */
    int64_t got;      /* slices whose messages of this step have been taken, or are not expected */
    _Alignas(TW_LINE) const tw_mail *mail[]; /* of each slice */
} tw_slice_state;

/* ---- room -------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes)
{
    return (bytes + TW_LINE - 1) / TW_LINE * TW_LINE;
}

static size_t header_bytes(int64_t slices)
{
    return aligned(sizeof(tw_slice_state) + (size_t)slices * sizeof(tw_mail *));
}

static size_t tile_bytes(int64_t nb, size_t element)
{
    return aligned((size_t)(nb * nb) * element);
}

/* The rows of a leaf, which are sent. */
static size_t packed_bytes(int64_t nb, size_t element)
{
    return aligned(sizeof(proposal) + (size_t)(TW_LEAF * nb) * element);
}

size_t tw_slice_bytes(int64_t slices, int64_t nb, size_t element)
{
    return header_bytes(slices) + tile_bytes(nb, element) + packed_bytes(nb, element) +
           (size_t)nb * sizeof(int64_t);
}

void *tw_slice_top(const tw_slice *s)
{
    return (char *)s->state + header_bytes(s->slices);
}

static char *packed_of(const tw_slice *s)
{
    return (char *)tw_slice_top(s) + tile_bytes(s->panel.nb, s->panel.kernels->size);
}

int64_t *tw_slice_pivots(const tw_slice *s)
{
    return (int64_t *)(void *)(packed_of(s) + packed_bytes(s->panel.nb, s->panel.kernels->size));
}

bool tw_slice_is_new(const tw_slice *s)
{
    return !s->state->begun;
}

/* ---- rows of the column ------------------------------------------------------------------ */

static int64_t tile_of(const tw_slice *s, int64_t row)
{
    return row / s->panel.nb;
}

/* The slice that has a row, if it is not in the uppermost tile. */
static int64_t slice_of(const tw_slice *s, int64_t row)
{
    return tile_of(s, row) % s->stride;
}

static bool is_below(const tw_slice *s, int64_t row)
{
    return row >= s->panel.nb;
}

static bool is_elsewhere(const tw_slice *s, int64_t row)
{
    return is_below(s, row) && slice_of(s, row) != s->own;
}

/* From a row of this slice to one of the column. Slice 0 has the uppermost tile as its own first
 * one, others in front of theirs. */
static int64_t row_in_column(const tw_slice *s, int64_t row)
{
    int64_t tile = tile_of(s, row), ahead = s->own > 0;
    if (tile > 0)
        tile = s->own + (tile - ahead) * s->stride;
    return tile * s->panel.nb + row % s->panel.nb;
}

/* A row that this slice has. */
static char *address(const tw_slice *s, int64_t row, size_t *step)
{
    const tw_panel *p = &s->panel;
    int64_t tile = is_below(s, row) ? tile_of(s, row) / s->stride + (s->own > 0) : 0;
    *step = (size_t)p->tiles[tile].ld * p->kernels->size;
    return (char *)p->tiles[tile].data + (size_t)(row % p->nb) * p->kernels->size;
}

/* ---- messages ---------------------------------------------------------------------------- */

static void send_to_all(const tw_slice *s, const void *bytes, size_t size)
{
    for (int64_t i = 1; i < s->slices; i++) {
        int64_t to = (s->own + i) % s->slices;
        int64_t rank = twill_owner_at(s->array, s->row + to, s->col);
        tw_mailbox_send(s->box, (int)rank, s->number + to, s->own, bytes, size);
    }
    s->state->sent = true;
    s->state->got = 0;
}

/* Rows of a slice below the uppermost tile that the leaf has chosen, without repetition, in the
 * order in which they were chosen: how many, or the number of row `wanted` among them. */
static int64_t chosen(const tw_slice *s, const place *at, int64_t slice, int64_t wanted)
{
    int64_t rows[TW_LEAF], n = 0;
    for (int64_t j = at->j0; j < at->end; j++) {
        int64_t row = s->panel.pivots[j] - s->panel.offset - 1, i = 0;
        if (!is_below(s, row) || slice_of(s, row) != slice)
            continue;
        while (i < n && rows[i] != row)
            i++;
        if (row == wanted)
            return i;
        rows[i] = row;
        n += i == n;
    }
    return n;
}

enum { ALL = -1 };

/* What slices send in a step: each for a column; for a leaf, those of which rows were chosen. */
static bool sends(const tw_slice *s, const place *leaf, int64_t slice)
{
    return slice != s->own && (!leaf || chosen(s, leaf, slice, ALL) > 0);
}

static bool receive_from_all(const tw_slice *s, const place *leaf, double patience)
{
    tw_slice_state *st = s->state;
    for (; st->got < s->slices; st->got++) {
        if (!sends(s, leaf, st->got))
            continue;
        st->mail[st->got] = tw_mailbox_take(s->box, st->got, patience);
        if (!st->mail[st->got])
            return false;
    }
    return true;
}

/* ---- a column ---------------------------------------------------------------------------- */

static void propose(const tw_slice *s, const place *at)
{
    const tw_panel *p = &s->panel;
    tw_slice_state *st = s->state;
    proposal *x = (proposal *)(void *)packed_of(s);
    size_t step, element = p->kernels->size, cols = (size_t)(at->end - at->j0);
    st->top = tw_column_pivot(p, at->j, 0, 1);
    st->mine = tw_column_pivot(p, at->j, 1, p->pieces);
    if (st->mine.size >= 0) {
        const char *row = address(s, row_in_column(s, st->mine.row), &step);
        for (size_t c = 0; c < cols; c++)
            memcpy(x->elements + c * element, row + ((size_t)at->j0 + c) * step, element);
        st->mine.row = row_in_column(s, st->mine.row);
    }
    x->pivot = st->mine;
    send_to_all(s, x, sizeof *x + cols * element);
}

/* Of equals the uppermost, as if the column were one. A diagonal element that is NaN stays. */
static tw_pivot larger(tw_pivot x, tw_pivot y)
{
    return y.size > x.size || (y.size == x.size && y.row < x.row) ? y : x;
}

static int64_t choose(const tw_slice *s)
{
    const tw_slice_state *st = s->state;
    tw_pivot best = larger(st->top, st->mine);
    for (int64_t i = 0; i < s->slices; i++)
        if (i != s->own)
            best = larger(best, ((const proposal *)(const void *)st->mail[i]->bytes)->pivot);
    return best.row;
}

/* Swap rows j and `row` of the column in the leaf. One that another slice has is there, too. */
static void swap_in_leaf(const tw_slice *s, const place *at, int64_t row)
{
    size_t element = s->panel.kernels->size;
    tw_swap x;
    x.a = address(s, at->j, &x.step_a) + (size_t)at->j0 * x.step_a;
    if (is_elsewhere(s, row)) {
        x.b = ((proposal *)(uintptr_t)s->state->mail[slice_of(s, row)]->bytes)->elements;
        x.step_b = element;
    } else {
        x.b = address(s, row, &x.step_b) + (size_t)at->j0 * x.step_b;
    }
    tw_swap_rows(&x, 1, element, 0, at->end - at->j0);
}

/* Nobody knows when the others begin; from then on they are at most in some other body. */
static bool take_pivot(const tw_slice *s, const place *at, const char *u)
{
    const tw_panel *p = &s->panel;
    if (!s->state->sent)
        propose(s, at);
    if (!receive_from_all(s, NULL, at->j == 0 ? 0 : s->patience))
        return false;
    int64_t row = choose(s);
    tw_column_set_above(p, at->j0, at->j, u);
    p->pivots[at->j] = p->offset + row + 1;
    if (row != at->j)
        swap_in_leaf(s, at, row);
    tw_mailbox_clear(s->box);
    s->state->sent = false;
    return true;
}

static bool factor_column(const tw_slice *s, twill_team *team, const place *at)
{
    const tw_panel *p = &s->panel;
    char u[TW_LEAF * 16];
    tw_column_above(p, at->j0, at->j, u);
    if (!s->state->sent)
        tw_column_update(p, team, at->j0, at->j, u);
    tw_panel_barrier(team);
    if (tw_panel_leads(team))
        s->state->goes = take_pivot(s, at, u);
    tw_panel_barrier(team);
    if (s->state->goes)
        tw_column_scale(p, team, at->j);
    return s->state->goes;
}

/* ---- a leaf ------------------------------------------------------------------------------ */

/* The rows that it has chosen, all columns of them. */
static void send_rows(const tw_slice *s, const place *at)
{
    const tw_panel *p = &s->panel;
    int64_t count = chosen(s, at, s->own, ALL), n = 0;
    size_t element = p->kernels->size;
    char *packed = packed_of(s);
    tw_swap list[TW_LEAF];
    for (int64_t j = at->j0; j < at->end && n < count; j++) {
        int64_t row = p->pivots[j] - p->offset - 1;
        if (!is_below(s, row) || slice_of(s, row) != s->own || chosen(s, at, s->own, row) < n)
            continue;
        list[n].a = address(s, row, &list[n].step_a);
        list[n].b = packed + (size_t)n * element;
        list[n++].step_b = (size_t)count * element;
    }
    tw_copy_rows(list, count, element, p->cols);
    if (count > 0)
        send_to_all(s, packed, (size_t)(count * p->cols) * element);
    s->state->sent = true;
    s->state->got = 0;
}

/* The swaps of the leaf. Rows of other slices are in their messages. */
static int64_t list_swaps(const tw_slice *s, const place *at, tw_swap *list)
{
    const tw_panel *p = &s->panel;
    size_t element = p->kernels->size;
    int64_t n = 0;
    for (int64_t j = at->j0; j < at->end; j++) {
        int64_t row = p->pivots[j] - p->offset - 1;
        if (row == j)
            continue;
        tw_swap *x = &list[n++];
        x->a = address(s, j, &x->step_a);
        x->b = is_elsewhere(s, row) ? NULL : address(s, row, &x->step_b);
        if (!x->b) {
            int64_t slice = slice_of(s, row);
            x->b = (char *)(uintptr_t)s->state->mail[slice]->bytes +
                   (size_t)chosen(s, at, slice, row) * element;
            x->step_b = (size_t)chosen(s, at, slice, ALL) * element;
        }
    }
    return n;
}

static bool exchange_rows(const tw_slice *s, const place *at)
{
    if (!s->state->sent)
        send_rows(s, at);
    if (!receive_from_all(s, at, s->patience))
        return false;
    s->state->sent = false;
    return true;
}

static bool swap_others(const tw_slice *s, twill_team *team, const place *at)
{
    tw_swap list[TW_LEAF];
    tw_panel_barrier(team);
    if (tw_panel_leads(team))
        s->state->goes = exchange_rows(s, at);
    tw_panel_barrier(team);
    if (!s->state->goes)
        return false;
    tw_panel_swap(&s->panel, team, list, list_swaps(s, at, list), at->j0, at->end);
    tw_panel_barrier(team);
    if (tw_panel_leads(team))
        tw_mailbox_clear(s->box);
    return true;
}

/* ---- all leaves -------------------------------------------------------------------------- */

static int64_t end_of_leaf(const tw_panel *p, int64_t j0)
{
    int64_t first = 0, end = p->cols;
    while (!tw_panel_is_leaf(p, end - first)) {
        int64_t mid = first + tw_panel_half(end - first);
        if (j0 < mid)
            end = mid;
        else
            first = mid;
    }
    return end;
}

/* Columns before j are factored: if they are a first half, the second one is updated. */
static void update(const tw_panel *p, twill_team *team, int64_t j)
{
    int64_t first = 0, end = p->cols, mid = 0;
    while (!tw_panel_is_leaf(p, end - first) && mid != j) {
        mid = first + tw_panel_half(end - first);
        if (mid == j)
            tw_panel_update(p, team, first, mid, end);
        else if (j < mid)
            end = mid;
        else
            first = mid;
    }
}

static bool factor_leaf(const tw_slice *s, twill_team *team, place *at)
{
    for (; at->j < at->end; at->j++)
        if (!factor_column(s, team, at))
            return false;
    return swap_others(s, team, at);
}

bool tw_slice_factor(const tw_slice *s, twill_team *team)
{
    place at = s->state->at;
    bool goes = true;
    tw_panel_barrier(team);
    while (goes && at.j0 < s->panel.cols) {
        at.end = end_of_leaf(&s->panel, at.j0);
        goes = factor_leaf(s, team, &at);
        if (goes) {
            update(&s->panel, team, at.end);
            at.j0 = at.j = at.end;
        }
    }
    if (tw_panel_leads(team)) {
        s->state->begun = true;
        s->state->at = at;
    }
    return goes;
}
