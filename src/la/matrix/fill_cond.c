/* Positive definite matrices with a known condition number: A = H D H, where D has the eigenvalues
 * and H = I - t v v^H reflects at a random vector v. So
 *
 *     a(i,j) = d(i) [i = j] - t v(i) conj(v(j)) (d(i) + d(j)) + t^2 (v^H D v) v(i) conj(v(j))
 *
 * and an entry costs a few operations. */
#include "base/mix.h"
#include "la/matrix/fill.h"
#include "la/matrix/uplo.h"

#include <math.h>
#include <stdlib.h>

typedef struct recipe {
    double *d, *re, *im;  /* eigenvalues; v */
    double t, correction; /* t^2 (v^H D v) */
} recipe;

/* Sums in the order of k: the same whatever the tiles. */
static void choose(recipe *r, uint64_t seed, double cond, int64_t n, bool is_complex)
{
    double norm = 0.0, weighted = 0.0;
    for (int64_t k = 0; k < n; k++) {
        uint64_t bits = tw_mix(tw_mix(seed) + (uint64_t)k);
        r->d[k] = n > 1 ? pow(cond, -(double)k / (double)(n - 1)) : 1.0;
        r->re[k] = tw_uniform(bits);
        r->im[k] = is_complex ? tw_uniform(tw_mix(~bits)) : 0.0;
        double square = r->re[k] * r->re[k] + r->im[k] * r->im[k];
        norm += square;
        weighted += r->d[k] * square;
    }
    r->t = norm > 0.0 ? 2.0 / norm : 0.0;
    r->correction = r->t * r->t * weighted;
}

static void entries(const void *arg, int64_t i, int64_t j, int64_t n, bool is_complex, double *x)
{
    const recipe *r = arg;
    for (int64_t end = i + n; i < end; i++) {
        double factor = r->correction - r->t * (r->d[i] + r->d[j]);
        *x++ = factor * (r->re[i] * r->re[j] + r->im[i] * r->im[j]) + (i == j ? r->d[i] : 0.0);
        if (!is_complex)
            continue;
        /* from the entry below the diagonal: compilers may round a mirrored product differently */
        int64_t k = i > j ? i : j, l = i > j ? j : i;
        double im = factor * (r->im[k] * r->re[l] - r->re[k] * r->im[l]);
        *x++ = i == j ? 0.0 : i > j ? im : -im;
    }
}

twill_status twill_fill_spd_cond(twill_array *a, uint64_t seed, double cond)
{
    twill_status status = tw_la_check_order("fill_spd_cond", a);
    if (status != TWILL_OK)
        return status;
    if (!(cond >= 1.0) || isinf(cond))
        return tw_la_bad(NULL, "fill_spd_cond", 3, "(cond) is %g; it must be finite and at least 1",
                         cond);
    int64_t n = twill_array_pattern(a)->extent[0];
    double *memory = malloc((size_t)(3 * n + 1) * sizeof *memory);
    if (!memory)
        return tw_fail(TWILL_ERR_MEMORY, "fill_spd_cond: no memory for a vector");
    recipe r = {.d = memory, .re = memory + n, .im = memory + 2 * n};
    choose(&r, seed, cond, n, tw_la_complex(twill_array_type(a)));
    status = tw_fill(a, entries, &r);
    free(memory);
    return status;
}
