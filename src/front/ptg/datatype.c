/* Which elements of a tile a datatype names. Elements are counted column after column, as if there
 * were no gaps between columns, because `displ` and `repeats` are. */
#include "front/ptg/ptg.h"

#include <string.h>

const char tw_ptg_no_memory[] = "no memory for its data";
const char tw_ptg_no_size[] = "its type says no size: write .size = sizeof(twill_datatype)";

/* ---- what dependencies make of types ----------------------------------------------------- */

void tw_ptg_copy_type(twill_datatype *to, const twill_datatype *type)
{
    if (TW_ABI_IN(twill_datatype, repeats, to, type) != TWILL_OK)
        memset(to, 0, sizeof *to);
}

/* Into the program's, or what is refused where it is used. */
static const twill_datatype *give(twill_datatype *made, const twill_datatype *t)
{
    static const twill_datatype refused;
    bool good = tw_ptg_is_sized(t) && TW_ABI_OUT(twill_datatype, repeats, made, t) == TWILL_OK;
    return good ? made : &refused;
}

/* Move and repeat. */
static void repeat_at(twill_datatype *t, int64_t count, int64_t displ)
{
    int64_t times, more;
    /* more than any tile has, and less than nothing, stay so */
    if (__builtin_add_overflow(t->repeats, 1, &times) ||
        __builtin_mul_overflow(times, count, &times))
        times = (t->repeats < 0) == (count < 0) ? INT64_MAX : -1;
    t->repeats = times < 0 ? -2 : times - 1;
    if (__builtin_add_overflow(t->displ, displ, &more))
        more = displ < 0 ? INT64_MIN : INT64_MAX;
    t->displ = more;
}

const twill_datatype *twill_datatype_at(twill_datatype *made, const twill_datatype *type,
                                        int64_t count, int64_t displ)
{
    twill_datatype t = {.size = sizeof t};
    if (type)
        tw_ptg_copy_type(&t, type);
    repeat_at(&t, count, displ);
    return give(made, &t);
}

const twill_datatype *twill_datatype_run(twill_datatype *made, const twill_datatype *layout,
                                         int64_t count, int64_t displ)
{
    twill_datatype one = {.size = layout && !tw_ptg_is_sized(layout) ? 0 : sizeof one,
                          .element = layout ? layout->element : 0,
                          .row = {.count = 1},
                          .col = {.count = 1}};
    repeat_at(&one, count, displ);
    return give(made, &one);
}

static bool same_lines(const twill_lines *a, const twill_lines *b)
{
    return a->first == b->first && a->count == b->count && a->step == b->step;
}

bool tw_ptg_same_type(const twill_datatype *a, const twill_datatype *b)
{
    return tw_ptg_is_sized(a) == tw_ptg_is_sized(b) && a->region == b->region &&
           a->element == b->element && same_lines(&a->row, &b->row) &&
           same_lines(&a->col, &b->col) && a->displ == b->displ && a->repeats == b->repeats;
}

/* ---- one of them ------------------------------------------------------------------------- */

/* Lines of a tile that there are: count > 0, or nothing. */
typedef struct span {
    int64_t first, count, step;
} span;

static int64_t last_of(const span *s)
{
    return s->first + (s->count - 1) * s->step;
}

/* Those of `n` lines. No step need be longer than n. */
static span find_lines(const twill_lines *lines, int64_t n)
{
    span s = {.first = lines->first < 0 ? n + lines->first : lines->first,
              .step = !lines->step      ? 1
                      : lines->step < n ? lines->step
                                        : n};
    if (s.first < 0 || s.first >= n)
        return (span){.step = 1};
    s.count = (n - 1 - s.first) / s.step + 1;
    if (lines->count && lines->count < s.count)
        s.count = lines->count;
    return s;
}

/* What is repeated: rows and columns, cut by a triangle. */
typedef struct piece {
    tw_region region;
    span row, col;
    int64_t rows, cols; /* of the tile */
} piece;

/* The rows of a column. */
static span rows_of(const piece *p, int64_t col)
{
    span s = p->row;
    int64_t low = p->region & TW_ABOVE ? 0 : p->region & TW_DIAGONAL ? col : col + 1;
    int64_t high = p->region & TW_BELOW ? p->rows : p->region & TW_DIAGONAL ? col + 1 : col;
    if (low > s.first) {
        int64_t skip = (low - s.first - 1) / s.step + 1;
        s.first += skip * s.step;
        s.count -= skip;
    }
    if (s.count > 0 && last_of(&s) >= high)
        s.count = high > s.first ? (high - 1 - s.first) / s.step + 1 : 0;
    return s;
}

/* Where the first and the last element of a piece are, and how many there are. */
typedef struct extent {
    int64_t first, last, count;
} extent;

static extent find_extent(const piece *p)
{
    extent e = {0};
    if (p->region == TW_FULL && p->row.count && p->col.count)
        return (extent){p->col.first * p->rows + p->row.first,
                        last_of(&p->col) * p->rows + last_of(&p->row), p->row.count * p->col.count};
    for (int64_t j = 0; j < p->col.count; j++) {
        int64_t col = p->col.first + j * p->col.step;
        span rows = rows_of(p, col);
        if (rows.count <= 0)
            continue;
        if (!e.count)
            e.first = col * p->rows + rows.first;
        e.last = col * p->rows + last_of(&rows);
        e.count += rows.count;
    }
    return e;
}

/* ---- all of them ------------------------------------------------------------------------- */

/* Elements from `first` on, which may go on in the next column, or leave the tile. */
static void add_run(tw_mask *s, const piece *p, int64_t first, int64_t n)
{
    int64_t all = p->rows * p->cols;
    while (n > 0 && first < all) {
        int64_t row = first % p->rows, here = p->rows - row < n ? p->rows - row : n;
        tw_mask_add(s, row, here, 1, first / p->rows);
        first += here;
        n -= here;
    }
}

static void add_piece(tw_mask *s, const piece *p, int64_t shift)
{
    for (int64_t j = 0; j < p->col.count; j++) {
        int64_t col = p->col.first + j * p->col.step;
        span rows = rows_of(p, col);
        int64_t first = col * p->rows + rows.first + shift;
        if (rows.step == 1)
            add_run(s, p, first, rows.count);
        else
            for (int64_t i = 0; i < rows.count; i++)
                add_run(s, p, first + i * rows.step, 1);
    }
}

/* The same for one that is moved by whole columns, and stays in its rows. */
static void add_columns(tw_mask *s, const piece *p, int64_t shift)
{
    int64_t on = shift / p->rows;
    for (int64_t j = 0; j < p->col.count; j++) {
        int64_t col = p->col.first + j * p->col.step;
        if (col + on >= p->cols)
            break;
        span rows = rows_of(p, col);
        if (j > 0 && p->region == TW_FULL)
            tw_mask_add_like(s, p->col.first + on, col + on);
        else if (rows.count > 0)
            tw_mask_add(s, rows.first, rows.count, rows.step, col + on);
    }
}

/* A mask with room for elements `first` to `last`, and for the rows of the piece alone if it is
 * only moved by whole columns. */
static tw_mask *make_room(const piece *p, int64_t first, int64_t last, bool straight)
{
    int64_t row = 0, end = p->rows, col = first / p->rows, cols = last / p->rows - col + 1;
    if (straight) {
        row = p->row.first;
        end = last_of(&p->row) + 1;
    } else if (cols == 1) {
        row = first % p->rows;
        end = last % p->rows + 1;
    }
    return tw_mask_new(row, end - row, col, cols);
}

/* `times` of a piece, moved by `shift`. False: there is no memory. */
static bool repeat(const piece *p, int64_t times, int64_t shift, tw_area *area)
{
    extent e = find_extent(p);
    int64_t all = p->rows * p->cols, length = e.last - e.first + 1, first = e.first + shift;
    *area = tw_area_of(0);
    if (!e.count || times <= 0 || first >= all)
        return true;
    int64_t fit = (all - 1 - first) / length + 1; /* the last of them perhaps in part */
    if (times > fit)
        times = fit;
    int64_t end = first + times * length < all ? first + times * length : all;
    bool straight = shift % p->rows == 0 && (times == 1 || length % p->rows == 0);
    tw_mask *s = make_room(p, first, end - 1, straight);
    if (!s)
        return false;
    if (e.count == length)
        add_run(s, p, first, times * length);
    else
        for (int64_t i = 0; i < times; i++)
            straight ? add_columns(s, p, shift + i * length) : add_piece(s, p, shift + i * length);
    *area = tw_area_from(s, p->rows, p->cols);
    return true;
}

static const char *check_type(const twill_datatype *type, const tw_value *v)
{
    int64_t element = (int64_t)v->element;
    if (!tw_ptg_is_sized(type))
        return tw_ptg_no_size;
    if (type->row.count < 0 || type->row.step < 0 || type->col.count < 0 || type->col.step < 0)
        return "its type has a negative count or step";
    if (type->element && type->element != v->element)
        return "its type has elements of another size than the data";
    if (type->repeats < -1)
        return "the count of its type is negative";
    if (type->displ < 0)
        return "the displ of its type is negative";
    if (type->displ % element)
        return "the displ of its type is in bytes, and no multiple of the element's size";
    if (type->displ && type->displ / element >= v->rows * v->cols)
        return "the displ of its type is outside of the tile";
    return NULL;
}

const char *tw_ptg_shape(const twill_datatype *type, const tw_value *v, tw_area *area)
{
    const char *why = check_type(type, v);
    const twill_datatype plain = {.size = sizeof plain, .region = type->region};
    *area = tw_area_of(0);
    if (why || v->rows <= 0 || v->cols <= 0)
        return why;
    piece p = {.region = tw_ptg_region(&plain),
               .row = find_lines(&type->row, v->rows),
               .col = find_lines(&type->col, v->cols),
               .rows = v->rows,
               .cols = v->cols};
    bool made = repeat(&p, type->repeats + 1, type->displ / (int64_t)v->element, area);
    return made ? NULL : tw_ptg_no_memory;
}
