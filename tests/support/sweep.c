/* Drawing, telling and running a case. */
#include "support/sweep.h"

#include "base/mix.h"
#include "support/limit.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

enum {
    MANY = 50,     /* tiles a side */
    ONE_TILE = 384 /* smaller matrices are one tile when Twill may choose */
};

static const sweep_routine *const families[] = {
    sweep_cholesky, sweep_lu, sweep_qr, sweep_indefinite, sweep_norms, sweep_elements, sweep_info};

static uint64_t pick(uint64_t *seed, uint64_t n)
{
    return test_random(seed, n);
}

/* ---- drawing ------------------------------------------------------------------------------- */

/* Sizes go up to this, rarely to twice of it. */
static uint64_t largest(void)
{
    return (uint64_t)limit_number("TW_LARGEST", 130);
}

/* 0, 1, around the tile size and multiples of it, primes, anything. */
static int64_t draw_size(uint64_t *seed, int64_t nb)
{
    static const int64_t primes[] = {2, 3, 5, 7, 13, 23, 37, 61, 97, 127};
    int64_t size = 0;
    switch (pick(seed, 10)) {
    case 0:
        size = (int64_t)pick(seed, 2);
        break;
    case 1:
    case 2:
    case 3:
        size = nb - 1 + (int64_t)pick(seed, 3);
        break;
    case 4:
    case 5:
        size = nb * (2 + (int64_t)pick(seed, 4)) - 1 + (int64_t)pick(seed, 3);
        break;
    case 6:
    case 7:
        size = primes[pick(seed, 10)];
        break;
    default:
        size = (int64_t)pick(seed, largest() * (pick(seed, 16) ? 1 : 2));
        break;
    }
    int64_t most = (int64_t)(largest() * (pick(seed, 32) ? 1 : 2));
    most = most < MANY * nb ? most : MANY * nb;
    return size <= most ? size : (int64_t)pick(seed, (uint64_t)most);
}

static const sweep_routine *draw_routine(uint64_t *seed)
{
    int count = 0, wanted;
    for (int f = 0; f < COUNT(families); f++)
        for (const sweep_routine *r = families[f]; r->name; r++)
            count++;
    wanted = (int)pick(seed, (uint64_t)count);
    for (int f = 0; f < COUNT(families); f++)
        for (const sweep_routine *r = families[f]; r->name; r++)
            if (wanted-- == 0)
                return r;
    return NULL;
}

/* Mostly 0; else near the ends of the range of the type. */
static int draw_exponent(uint64_t *seed, const test_type *type)
{
    bool single = type->type == TWILL_FLOAT32 || type->type == TWILL_COMPLEX64;
    int size = single ? 96 : 980;
    return pick(seed, 4) ? 0 : pick(seed, 2) ? size : -size;
}

static twill_la_options draw_options(uint64_t *seed)
{
    twill_la_options o = {.size = sizeof(twill_la_options),
                          .no_priority = pick(seed, 2),
                          .lookahead = (int)pick(seed, 4)};
    if (pick(seed, 2))
        return o;
    o.ib = pick(seed, 3) ? 2 + (int64_t)pick(seed, 20) : 0;
    o.tree = (twill_tree)pick(seed, 5);
    o.method = (twill_method)pick(seed, 4);
    return o;
}

sweep_case sweep_draw(uint64_t number)
{
    static const twill_trans transposes[] = {TWILL_NO_TRANS, TWILL_TRANS, TWILL_CONJ_TRANS};
    static const twill_norm_kind norms[] = {TWILL_NORM_MAX, TWILL_NORM_ONE, TWILL_NORM_INF,
                                            TWILL_NORM_FRO};
    uint64_t seed = tw_mix(number) | 1;
    sweep_case c = {.number = number, .routine = draw_routine(&seed)};
    c.type = &test_types[pick(&seed, 4)];
    c.uplo = pick(&seed, 2) ? TWILL_LOWER : TWILL_UPPER;
    c.trans = transposes[pick(&seed, 3)];
    c.side = pick(&seed, 2) ? TWILL_LEFT : TWILL_RIGHT;
    c.diag = pick(&seed, 2) ? TWILL_UNIT : TWILL_NON_UNIT;
    c.norm = norms[pick(&seed, 4)];
    c.refine = pick(&seed, 2) ? TWILL_REFINE_CLASSIC : TWILL_REFINE_GMRES;
    c.hermitian = pick(&seed, 2), c.lq = pick(&seed, 2), c.inserted = pick(&seed, 2);
    c.nb = 1 + (int64_t)pick(&seed, pick(&seed, 6) ? largest() / 3 : 2 * largest());
    c.kb = 1 + (int64_t)pick(&seed, 40);
    c.m = draw_size(&seed, c.nb), c.n = draw_size(&seed, c.nb);
    c.k = pick(&seed, 8) ? (int64_t)pick(&seed, 12) : draw_size(&seed, c.kb);
    c.exponent = draw_exponent(&seed, c.type);
    c.storage[0] = (sweep_storage)pick(&seed, SWEEP_STORAGES);
    c.storage[1] = (sweep_storage)pick(&seed, SWEEP_CHOSEN);
    if (c.storage[0] == SWEEP_CHOSEN && c.n > ONE_TILE)
        c.storage[0] = SWEEP_TILED;
    if (c.storage[0] == SWEEP_CHOSEN) {
        c.nb = c.n ? c.n : 1;
        c.m = c.m < c.n ? c.m : c.n;
    }
    c.options = draw_options(&seed);
    if (c.routine->fit)
        c.routine->fit(&c);
    return c;
}

void sweep_describe(const sweep_case *c, char *text, size_t size)
{
    snprintf(text, size,
             "case %llu: %s %s uplo %c trans %c side %c diag %c norm %c refine %d hermitian %d "
             "lq %d inserted %d m=%d n=%d k=%d nb=%d kb=%d times 2^%d storage %d %d ib %d "
             "lookahead %d tree %d method %d",
             (unsigned long long)c->number, c->routine->name, c->type->name, c->uplo, c->trans,
             c->side, c->diag, c->norm, c->refine, c->hermitian, c->lq, c->inserted, (int)c->m,
             (int)c->n, (int)c->k, (int)c->nb, (int)c->kb, c->exponent, c->storage[0],
             c->storage[1], (int)c->options.ib, c->options.lookahead, c->options.tree,
             c->options.method);
}

void sweep_fit_mixed(sweep_case *c)
{
    bool single = c->type->type == TWILL_FLOAT32 || c->type->type == TWILL_COMPLEX64;
    c->type = single ? c->type + 1 : c->type;
    c->exponent = c->exponent == 0 ? 0 : c->exponent > 0 ? 980 : -980;
    c->inserted = false;
}

/* ---- running ------------------------------------------------------------------------------- */

uint64_t sweep_run(twill *tw, const sweep_case *c, bool checked, double *worst)
{
    sweep s = {.c = c, .tw = tw, .checked = checked, .worst = *worst};
    c->routine->run(&s);
    *worst = s.worst;
    return s.bits;
}

bool sweep_complex(const sweep *s)
{
    return s->c->type->type == TWILL_COMPLEX64 || s->c->type->type == TWILL_COMPLEX128;
}

void sweep_ratio(sweep *s, const char *what, double ratio)
{
    if (!(ratio >= 0.0 && ratio < 30.0))
        fail_msg("%s: %g", what, ratio);
    s->worst = ratio > s->worst ? ratio : s->worst;
}

void sweep_bits(sweep *s, const void *data, size_t bytes)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        s->bits = tw_mix(s->bits * 257 + byte[i]);
}

twill_graph *sweep_begin(sweep *s)
{
    twill_graph *g = NULL;
    if (s->c->inserted)
        OK(twill_stf_begin(s->tw, &g));
    return g;
}

int64_t sweep_end(twill_graph *g)
{
    if (!g)
        return 0;
    twill_status status = twill_wait(g);
    int64_t info = twill_graph_info(g);
    if (status != TWILL_OK && status != TWILL_ERR_NUMERICAL)
        OK(status);
    assert_true((status == TWILL_OK) == (info == 0));
    twill_graph_free(g);
    return info;
}
