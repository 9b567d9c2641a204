/* GMRES with a factor in single precision as preconditioner, column by column. The flexible form:
 * what the preconditioner gives is kept, so that its errors cost steps and not accuracy. */
#include "la/agree.h"
#include "la/matrix/vector.h"
#include "la/mixed/mixed.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { RESTART = TW_MIXED_STEPS };

/* One column under way: vectors of n numbers, complex whatever the type. */
typedef struct krylov {
    tw_mixed *m;
    int64_t n;
    twill_type type;
    twill_array *x, *r, *y;                 /* one column each: solution, double, single */
    double complex *basis;                  /* RESTART + 1 */
    double complex *steps;                  /* RESTART: what the preconditioner made of them */
    double complex h[RESTART + 1][RESTART]; /* the projected matrix, made triangular by rotations */
    double complex g[RESTART + 1];          /* the projected residual */
    double c[RESTART];
    double complex s[RESTART];
} krylov;

/* ---- vectors ----------------------------------------------------------------------------- */

static double length(const krylov *v, const double complex *x)
{
    double most = 0.0, sum = 0.0;
    for (int64_t i = 0; i < v->n; i++)
        most = cabs(x[i]) > most ? cabs(x[i]) : most;
    if (!(most > 0.0))
        return most;
    for (int64_t i = 0; i < v->n; i++)
        sum += creal(x[i] / most) * creal(x[i] / most) + cimag(x[i] / most) * cimag(x[i] / most);
    return most * sqrt(sum);
}

static double complex dot(const krylov *v, const double complex *x, const double complex *y)
{
    double complex sum = 0.0;
    for (int64_t i = 0; i < v->n; i++)
        sum += conj(x[i]) * y[i];
    return sum;
}

static void add(const krylov *v, double complex factor, const double complex *x, double complex *y)
{
    for (int64_t i = 0; i < v->n; i++)
        y[i] += factor * x[i];
}

static void scale(const krylov *v, double factor, double complex *x)
{
    for (int64_t i = 0; i < v->n; i++)
        x[i] *= factor;
}

/* ---- graphs ------------------------------------------------------------------------------ */

/* r := A^-1 r by the factor. */
static twill_status insert_precondition(twill_graph *g, void *arg)
{
    krylov *v = arg;
    return tw_mixed_insert_correction(g, v->m, v->r, v->y);
}

/* r := r - A x */
static twill_status insert_subtract(twill_graph *g, void *arg)
{
    krylov *v = arg;
    return v->m->subtract(g, v->m, v->x, v->r);
}

static twill_status run(krylov *v, tw_la_insert *insert)
{
    return tw_la_run(twill_array_context(v->m->a), insert, v, NULL);
}

/* next := A step, step being the preconditioned vector. */
static twill_status apply(krylov *v, const double complex *vector, double complex *step,
                          double complex *next)
{
    twill_status status = tw_vector_put(v->r, 0, vector);
    if (status == TWILL_OK)
        status = run(v, insert_precondition);
    if (status == TWILL_OK)
        status = tw_vector_get(v->r, 0, step);
    if (status == TWILL_OK)
        status = tw_vector_put(v->x, 0, step);
    for (int64_t i = 0; i < v->n; i++)
        next[i] = 0.0;
    if (status == TWILL_OK)
        status = tw_vector_put(v->r, 0, next);
    if (status == TWILL_OK)
        status = run(v, insert_subtract);
    if (status == TWILL_OK)
        status = tw_vector_get(v->r, 0, next);
    scale(v, -1.0, next);
    return status;
}

/* ---- the projected problem --------------------------------------------------------------- */

static double complex *vector(const krylov *v, double complex *list, int k)
{
    return list + (int64_t)k * v->n;
}

/* Make the new vector orthogonal to those before, twice over for the rounding errors. */
static void orthogonalize(krylov *v, int k)
{
    double complex *next = vector(v, v->basis, k + 1);
    for (int i = 0; i <= k; i++)
        v->h[i][k] = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= k; i++) {
            double complex projection = dot(v, vector(v, v->basis, i), next);
            v->h[i][k] += projection;
            add(v, -projection, vector(v, v->basis, i), next);
        }
    double rest = length(v, next);
    v->h[k + 1][k] = rest;
    if (rest > 0.0)
        scale(v, 1.0 / rest, next);
}

/* Rotate column k of h to a triangle's; the residual follows. */
static void rotate(krylov *v, int k)
{
    for (int i = 0; i < k; i++) {
        double complex a = v->h[i][k], b = v->h[i + 1][k];
        v->h[i][k] = v->c[i] * a + v->s[i] * b;
        v->h[i + 1][k] = -conj(v->s[i]) * a + v->c[i] * b;
    }
    double complex a = v->h[k][k], b = v->h[k + 1][k];
    double size = hypot(cabs(a), cabs(b));
    double complex phase = cabs(a) > 0.0 ? a / cabs(a) : 1.0;
    v->c[k] = size > 0.0 ? cabs(a) / size : 1.0;
    v->s[k] = size > 0.0 ? phase * conj(b) / size : 0.0;
    v->h[k][k] = phase * size;
    v->h[k + 1][k] = 0.0;
    v->g[k + 1] = -conj(v->s[k]) * v->g[k];
    v->g[k] *= v->c[k];
}

/* solution += what k steps have found. */
static void take_up(krylov *v, int k, double complex *solution)
{
    double complex weight[RESTART];
    for (int i = k - 1; i >= 0; i--) {
        weight[i] = v->g[i];
        for (int j = i + 1; j < k; j++)
            weight[i] -= v->h[i][j] * weight[j];
        weight[i] = v->h[i][i] != 0.0 ? weight[i] / v->h[i][i] : 0.0;
    }
    for (int i = 0; i < k; i++)
        add(v, weight[i], vector(v, v->steps, i), solution);
}

/* From the residual in basis[0], up to `most` steps, until it is as small as `enough` or a
 * millionth of what it was: what is beyond that is left to a new start, which sees the true
 * residual. */
static twill_status cycle(krylov *v, int64_t most, double enough, double complex *solution,
                          int64_t *taken)
{
    double first = length(v, v->basis);
    double goal = enough > 1e-6 * first ? enough : 1e-6 * first;
    twill_status status = TWILL_OK;
    int k = 0;
    v->g[0] = first;
    scale(v, 1.0 / first, v->basis);
    while (k < RESTART && k < most && status == TWILL_OK && cabs(v->g[k]) > goal) {
        status =
            apply(v, vector(v, v->basis, k), vector(v, v->steps, k), vector(v, v->basis, k + 1));
        if (status != TWILL_OK)
            break;
        orthogonalize(v, k);
        rotate(v, k);
        k++;
        if (!isfinite(cabs(v->g[k])))
            break;
    }
    take_up(v, k, solution);
    *taken = k;
    return status;
}

/* ---- columns ----------------------------------------------------------------------------- */

/* basis[0] := b - A x. */
static twill_status residual(krylov *v, const double complex *b, const double complex *x)
{
    twill_status status = tw_vector_put(v->x, 0, x);
    if (status == TWILL_OK)
        status = tw_vector_put(v->r, 0, b);
    if (status == TWILL_OK)
        status = run(v, insert_subtract);
    return status == TWILL_OK ? tw_vector_get(v->r, 0, v->basis) : status;
}

/* Is the residual in basis[0] small enough for x? LAPACK's rule. *enough is the bound. */
static bool good(const krylov *v, const double complex *x, double *enough)
{
    double of_x = 0.0, of_r = 0.0;
    for (int64_t i = 0; i < v->n; i++) {
        double a = fabs(creal(x[i])) + fabs(cimag(x[i]));
        double b = fabs(creal(v->basis[i])) + fabs(cimag(v->basis[i]));
        of_x = a > of_x ? a : of_x;
        of_r = !(b <= of_r) && !isnan(of_r) ? b : of_r;
    }
    *enough = v->m->bound * of_x;
    return of_r <= *enough;
}

static twill_status solve_column(krylov *v, const double complex *b, double complex *x,
                                 int64_t *steps)
{
    double enough;
    *steps = 0;
    for (;;) {
        int64_t taken = 0;
        twill_status status = residual(v, b, x);
        if (status != TWILL_OK || good(v, x, &enough))
            return status;
        double size = length(v, v->basis);
        if (*steps >= TW_MIXED_STEPS || !isfinite(size)) {
            *steps = TW_MIXED_INACCURATE;
            return TWILL_OK;
        }
        status = cycle(v, TW_MIXED_STEPS - *steps, enough / 2, x, &taken);
        if (status != TWILL_OK)
            return status;
        *steps += taken > 0 ? taken : 1;
    }
}

static twill_status solve_all(krylov *v, double complex *b, double complex *x, int64_t *iterations)
{
    twill_status status = TWILL_OK;
    *iterations = 0;
    for (int64_t j = 0; j < twill_array_pattern(v->m->b)->extent[1]; j++) {
        int64_t steps = 0;
        status = tw_vector_get(v->m->b, j, b);
        if (status == TWILL_OK)
            status = tw_vector_get(v->m->x, j, x);
        if (status == TWILL_OK)
            status = solve_column(v, b, x, &steps);
        if (status == TWILL_OK)
            status = tw_vector_put(v->m->x, j, x);
        if (status != TWILL_OK || steps < 0) {
            *iterations = steps;
            return status;
        }
        *iterations = steps > *iterations ? steps : *iterations;
    }
    return status;
}

static twill_status make_arrays(krylov *v)
{
    twill_status status = tw_la_column_like(v->m->a, v->type, 0, &v->x);
    if (status == TWILL_OK)
        status = tw_la_column_like(v->m->a, v->type, 0, &v->r);
    if (status == TWILL_OK)
        status = tw_la_column_like(v->m->a, tw_mixed_low(v->type), 0, &v->y);
    return status;
}

/* Every rank has all vectors and computes the same numbers; only A, its factor and the right-hand
 * sides are dealt out. */
static twill_status solve_with(krylov *v, double complex *vectors, int64_t *iterations)
{
    v->basis = vectors + 2 * v->n;
    v->steps = v->basis + (RESTART + 1) * v->n;
    return solve_all(v, vectors, vectors + v->n, iterations);
}

twill_status tw_mixed_gmres(tw_mixed *m, int64_t *iterations)
{
    krylov *v = calloc(1, sizeof *v);
    int64_t n = twill_array_pattern(m->b)->extent[0];
    double complex *vectors = calloc((size_t)(n * (2 * RESTART + 3)), sizeof *vectors);
    twill_status status =
        v && vectors ? TWILL_OK : tw_fail(TWILL_ERR_MEMORY, "no memory for GMRES");
    if (status == TWILL_OK) {
        *v = (krylov){.m = m, .n = n, .type = twill_array_type(m->b)};
        status = make_arrays(v);
    }
    status = tw_agree_status(twill_array_context(m->b), status);
    if (status == TWILL_OK)
        status = solve_with(v, vectors, iterations);
    if (v) {
        twill_array_free(v->x);
        twill_array_free(v->r);
        twill_array_free(v->y);
    }
    free(vectors);
    free(v);
    return status;
}
