/* Loops over the elements of a piece. */
#include "la/kernel/combine.h"

#include "la/kernel/numbers.h"

#include <string.h>

static tw_operand operand_of(const twill_task *t, int arg, const int64_t *inside)
{
    int64_t ld = twill_task_ld(t, arg);
    return (tw_operand){twill_task_data(t, arg), twill_array_type(twill_task_array(t, arg)), ld,
                        inside[0] + inside[1] * ld};
}

static bool is_one(twill_scalar x)
{
    return x.re == 1.0 && x.im == 0.0;
}

/* n elements of column j of the piece, from row i. */
static void combine(const tw_sum *s, const tw_operand *a, const tw_operand *b, int64_t i, int64_t j,
                    int64_t n)
{
    double x[2 * TW_NUMBERS], y[2 * TW_NUMBERS];
    bool is_complex = tw_la_complex(b->type), straight = s->op == TWILL_NO_TRANS;
    int64_t from = a->origin + (straight ? i + j * a->ld : j + i * a->ld);
    int64_t to = b->origin + i + j * b->ld;
    tw_numbers_load(x, a->data, a->type, from, straight ? 1 : a->ld, n);
    if (is_complex && s->op == TWILL_CONJ_TRANS)
        tw_numbers_conjugate(x, n);
    if (!is_one(s->alpha))
        tw_numbers_scale(x, s->alpha, is_complex, n);
    if (!tw_scalar_zero(s->beta)) {
        tw_numbers_load(y, b->data, b->type, to, 1, n);
        tw_numbers_add(x, s->beta, y, is_complex, n);
    }
    tw_numbers_store(b->data, b->type, to, x, n);
}

/* The bytes are the same. */
static void copy(const tw_operand *a, const tw_operand *b, int64_t i, int64_t j, int64_t n)
{
    size_t element = twill_type_size(a->type);
    memmove((char *)b->data + (size_t)(b->origin + i + j * b->ld) * element,
            (const char *)a->data + (size_t)(a->origin + i + j * a->ld) * element,
            (size_t)n * element);
}

void tw_combine(const tw_sum *s, const tw_overlap *p, tw_operand a, tw_operand b)
{
    bool same =
        s->op == TWILL_NO_TRANS && a.type == b.type && is_one(s->alpha) && tw_scalar_zero(s->beta);
    /* few rows at a time: of a matrix that is transposed, their lines stay in the cache */
    for (int64_t i = 0; i < p->rows; i += TW_NUMBERS)
        for (int64_t j = 0; j < p->cols; j++) {
            tw_span span = tw_uplo_rows(s->uplo, p->i0, p->rows, p->j0 + j);
            int64_t first = span.first > i ? span.first : i;
            int64_t end = span.end < i + TW_NUMBERS ? span.end : i + TW_NUMBERS;
            if (first < end && same)
                copy(&a, &b, first, j, end - first);
            else if (first < end)
                combine(s, &a, &b, first, j, end - first);
        }
}

twill_outcome tw_combine_body(twill_task *t)
{
    const tw_overlap *p = twill_task_data(t, 3);
    tw_combine(twill_task_data(t, 2), p, operand_of(t, 0, p->in_a), operand_of(t, 1, p->in_b));
    return TWILL_DONE;
}
