/* Random calls of indefinite factorizations and solves. */
#include "support/sweep.h"

#include "support/indefinite.h"
#include "support/test.h"

#include <stdlib.h>

static sweep_matrix put(sweep *s)
{
    const sweep_case *c = s->c;
    return sweep_put_a(s, sweep_mirrored(s, c->n, c->hermitian), c->n, c->n, c->uplo);
}

static indefinite begin(const sweep *s, const sweep_matrix *a, const sweep_matrix *b)
{
    const sweep_case *c = s->c;
    indefinite p = {.hermitian = c->hermitian, .uplo = c->uplo, .a = a->array, .b = b->array};
    twill_pattern column = twill_tiled(c->n, 1, c->nb, 1);
    OK(twill_array_create(s->tw, &column, c->type->type, 0, &p.e));
    OK(twill_array_create(s->tw, &column, TWILL_BYTES, 8, &p.ipiv));
    return p;
}

static void end(sweep *s, indefinite *p)
{
    uint64_t digest = 0;
    int64_t *pivots = test_unpack(p->ipiv);
    sweep_bits(s, pivots, (size_t)s->c->n * sizeof *pivots);
    OK(twill_digest(p->e, TWILL_GENERAL, &digest));
    sweep_bits(s, &digest, sizeof digest);
    free(pivots);
    twill_array_free(p->e);
    twill_array_free(p->ipiv);
}

static void factor_and_solve(const sweep *s, twill_graph *g, const indefinite *p)
{
    const twill_la_options *o = &s->c->options;
    int64_t info = 0;
    if (p->hermitian) {
        OK(g ? twill_hetrf_insert(g, p->uplo, p->a, p->e, p->ipiv, o)
             : twill_hetrf(p->uplo, p->a, p->e, p->ipiv, &info));
        OK(g ? twill_hetrs_insert(g, p->uplo, p->a, p->e, p->ipiv, p->b, o)
             : twill_hetrs(p->uplo, p->a, p->e, p->ipiv, p->b));
    } else {
        OK(g ? twill_sytrf_insert(g, p->uplo, p->a, p->e, p->ipiv, o)
             : twill_sytrf(p->uplo, p->a, p->e, p->ipiv, &info));
        OK(g ? twill_sytrs_insert(g, p->uplo, p->a, p->e, p->ipiv, p->b, o)
             : twill_sytrs(p->uplo, p->a, p->e, p->ipiv, p->b));
    }
    assert_int_equal(info, 0);
}

static void check(sweep *s, const sweep_matrix *a, const sweep_matrix *b,
                  const indefinite *factored)
{
    dense_shape shape = s->c->hermitian ? DENSE_HERMITIAN : DENSE_SYMMETRIC;
    if (!s->checked)
        return;
    dense before = sweep_before(s, a, shape);
    sweep_solved(s, before, b, 'N');
    dense_free(before);
    if (!factored)
        return;
    before = dense_of(a->full, s->c->type->type, a->m, a->n, shape, a->part);
    sweep_ratio(s, "factor", indefinite_ratio(factored, before, s->c->type->eps));
    dense_free(before);
}

static void sytrf(sweep *s)
{
    sweep_matrix a = put(s), b = sweep_put_b(s, s->c->n);
    indefinite p = begin(s, &a, &b);
    twill_graph *g = sweep_begin(s);
    factor_and_solve(s, g, &p);
    assert_int_equal(sweep_end(g), 0);
    check(s, &a, &b, &p);
    end(s, &p);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

static void sysv(sweep *s)
{
    const sweep_case *c = s->c;
    sweep_matrix a = put(s), b = sweep_put_b(s, c->n);
    int64_t info = 0;
    twill_graph *g = sweep_begin(s);
    indefinite p = {0};
    if (g)
        p = begin(s, &a, &b);
    if (c->hermitian)
        OK(g ? twill_hesv_insert(g, c->uplo, a.array, p.e, p.ipiv, b.array, &c->options)
             : twill_hesv(c->uplo, a.array, b.array, &info));
    else
        OK(g ? twill_sysv_insert(g, c->uplo, a.array, p.e, p.ipiv, b.array, &c->options)
             : twill_sysv(c->uplo, a.array, b.array, &info));
    assert_int_equal(info, 0);
    assert_int_equal(sweep_end(g), 0);
    check(s, &a, &b, g ? &p : NULL);
    twill_array_free(p.e);
    twill_array_free(p.ipiv);
    sweep_take(s, &a);
    sweep_take(s, &b);
}

const sweep_routine sweep_indefinite[] = {
    {"sytrf and sytrs", sytrf, NULL, false},
    {"sysv", sysv, NULL, false},
    {NULL, NULL, NULL, false},
};
