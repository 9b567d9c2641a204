/* Scans, sorting and stencils: the same as loops over plain memory, on 1 to 4 ranks. */
#include "support/arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void on_all(void (*body)(twill *tw, void *arg))
{
    for (int ranks = 1; ranks <= 4; ranks++) {
        test_ranks r = {.ranks = ranks, .workers = 2};
        test_on_ranks(&r, body, NULL);
    }
}

/* Fewer over ranks, where each call is a conversation. */
static int rounds(const twill *tw, int n)
{
    return n / (test_slow() ? 5 : 1) / (twill_ranks(tw) > 1 ? 15 : 1);
}

/* ---- scans ------------------------------------------------------------------------------- */

/* Composition of x -> a x + b, which is associative and does not commute: in one double, as a
 * number of two digits modulo 7. */
static void compose(void *into, const void *from, void *arg)
{
    (void)arg;
    int64_t f = (int64_t) * (double *)into, g = (int64_t) * (const double *)from;
    int64_t a = (f / 10) * (g / 10) % 7, b = (f % 10 * (g / 10) + g % 10) % 7;
    *(double *)into = (double)(a * 10 + b);
}

static void scan_plain(double *plain, twill_view v, int d, const double *neutral, bool adds)
{
    int64_t at[TWILL_DIMS] = {0};
    do {
        double so_far = neutral ? *neutral : 0, x;
        if (at[d] != 0)
            continue;
        for (at[d] = 0; at[d] < twill_view_extent(v, d); at[d]++) {
            double *here = test_at(plain, v, at), before = so_far;
            x = *here;
            if (at[d] == 0 && !neutral)
                so_far = x;
            else if (adds)
                so_far += x;
            else
                compose(&so_far, &x, NULL);
            *here = neutral ? before : so_far;
        }
        at[d] = 0;
    } while (test_next(v, at));
}

static void scans(twill *tw, void *arg)
{
    uint64_t seed = 21;
    (void)arg;
    for (int i = 0; i < rounds(tw, 300); i++) {
        double *plain, neutral = i % 4 < 2 ? 0 : 10;
        int ndim = (int)test_pick(&seed, 1, 3);
        twill_array *a = test_array(tw, &seed, ndim, ndim == 1 ? 40 : 9, &plain);
        twill_view v = test_part(a, &seed);
        int d = (int)test_pick(&seed, 0, twill_view_ndim(v) - 1);
        const double *from = i % 2 ? &neutral : NULL;
        OK(twill_scan(v, d, from, i % 4 < 2 ? NULL : compose, NULL));
        scan_plain(plain, v, d, from, i % 4 < 2);
        assert_int_equal(test_differ(a, plain), 0);
        twill_array_free(a);
        free(plain);
    }
}

TEST(scans_are_prefixes)
{
    on_all(scans);
}

/* ---- sorting ----------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static int descending(const void *x, const void *y, void *arg)
{
    (void)arg;
    return -ascending(x, y);
}

static void sorts(twill *tw, void *arg)
{
    uint64_t seed = 22;
    (void)arg;
    for (int i = 0; i < rounds(tw, 300); i++) {
        double *plain;
        int ndim = i % 4 == 0 ? 2 : 1;
        twill_array *a = test_array(tw, &seed, ndim, ndim == 1 ? 100 : 20, &plain);
        int64_t extent[] = {1, 1}, n;
        extent[ndim - 1] = n = test_pick(&seed, 1, twill_array_pattern(a)->extent[ndim - 1]);
        twill_view v = test_box(a, &seed, extent);
        double sorted[100];
        v = ndim == 2 ? twill_view_row(v, 0) : v;
        for (int64_t k = 0; k < n; k++)
            sorted[k] = *test_at(plain, v, &k);
        qsort(sorted, (size_t)n, sizeof *sorted, ascending);
        OK(twill_sort(v, i % 2 ? descending : NULL, NULL));
        for (int64_t k = 0; k < n; k++)
            *test_at(plain, v, &k) = i % 2 ? sorted[n - 1 - k] : sorted[k];
        assert_int_equal(test_differ(a, plain), 0);
        twill_array_free(a);
        free(plain);
    }
}

TEST(sort_puts_all_in_order)
{
    on_all(sorts);
}

TEST(nans_are_sorted_last)
{
    twill *tw = test_start(2, NULL);
    float x[] = {NAN, 3, -INFINITY, NAN, -7, INFINITY, 0};
    const float wanted[] = {-INFINITY, -7, 0, 3, INFINITY};
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){7}, (int64_t[]){2}, NULL);
    twill_array *a;
    OK(twill_array_create(tw, &p, TWILL_FLOAT32, 0, &a));
    OK(twill_put(x, twill_view_all(a)));
    OK(twill_sort(twill_view_all(a), NULL, NULL));
    OK(twill_get(twill_view_all(a), x));
    assert_memory_equal(x, wanted, sizeof wanted);
    assert_true(isnan(x[5]) && isnan(x[6]));
    twill_stop(tw);
}

/* ---- stencils ---------------------------------------------------------------------------- */

typedef struct weights {
    int ndim;
    int64_t width[TWILL_DIMS];
} weights;

/* A weight for each neighbour, that no other one has. */
static void weigh(const twill_stencil_line *line, void *arg)
{
    const weights *w = arg;
    for (int64_t i = 0; i < line->n; i++) {
        int64_t k[TWILL_DIMS];
        double sum = 0, weight = 1;
        for (int d = 0; d < TWILL_DIMS; d++)
            k[d] = -w->width[d];
        for (bool more = true; more; weight++) {
            int64_t at = i;
            more = false;
            for (int d = 0; d < w->ndim; d++)
                at += k[d] * line->step[d];
            sum += weight * ((const double *)line->from)[at];
            for (int d = 0; d < w->ndim && !more; d++) {
                more = ++k[d] <= w->width[d];
                k[d] = more ? k[d] : -w->width[d];
            }
        }
        ((double *)line->to)[i] = sum;
    }
}

/* What is at these coordinates of the view, or beyond its edges. */
static double around(double *plain, twill_view v, twill_edge edge, const int64_t *at)
{
    int64_t there[TWILL_DIMS];
    for (int d = 0; d < twill_view_ndim(v); d++) {
        int64_t n = twill_view_extent(v, d);
        bool outside = at[d] < 0 || at[d] >= n;
        if (outside && edge == TWILL_EDGE_VALUE)
            return 0.5;
        there[d] = edge == TWILL_EDGE_PERIODIC  ? (at[d] + n) % n
                   : edge == TWILL_EDGE_NEAREST ? (at[d] < 0    ? 0
                                                   : at[d] >= n ? n - 1
                                                                : at[d])
                                                : at[d];
    }
    return *test_at(plain, v, there);
}

static double weigh_plain(double *plain, twill_view v, twill_edge edge, const weights *w,
                          const int64_t *at)
{
    int64_t k[TWILL_DIMS], there[TWILL_DIMS];
    double sum = 0, weight = 1;
    for (int d = 0; d < TWILL_DIMS; d++)
        k[d] = -w->width[d];
    for (bool more = true; more; weight++) {
        more = false;
        for (int d = 0; d < w->ndim; d++)
            there[d] = at[d] + k[d];
        sum += weight * around(plain, v, edge, there);
        for (int d = 0; d < w->ndim && !more; d++) {
            more = ++k[d] <= w->width[d];
            k[d] = more ? k[d] : -w->width[d];
        }
    }
    return sum;
}

static void stencils(twill *tw, void *arg)
{
    uint64_t seed = 23;
    const double outside = 0.5;
    (void)arg;
    for (int i = 0; i < rounds(tw, 300); i++) {
        double *pa, *pb;
        int ndim = (int)test_pick(&seed, 1, 3);
        twill_halo halo = {.size = sizeof halo, .edge = (twill_edge)(i % 4), .outside = &outside};
        weights w = {.ndim = ndim};
        twill_array *a = test_array(tw, &seed, ndim, 9, &pa);
        twill_pattern p = *twill_array_pattern(a);
        for (int d = 0; d < ndim; d++) /* cut and dealt in another way, and as large */
            p.block[d] = test_pick(&seed, 1, p.extent[d] + 1);
        twill_array *b;
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b));
        twill_view v = twill_view_all(a), u;
        for (int d = 0; d < ndim; d++) {
            int64_t n = p.extent[d], k = test_pick(&seed, 0, n > 6 ? 3 : (n - 1) / 2);
            w.width[d] = halo.width[d] = k;
            v = twill_view_range(v, d, k, n - k);
        }
        if (halo.edge == TWILL_EDGE_PERIODIC)
            v = twill_view_all(a);
        u = v;
        u.array = b;
        int64_t at[TWILL_DIMS] = {0}, size = twill_view_size(twill_view_all(a));
        pb = calloc((size_t)size, sizeof *pb);
        OK(twill_stencil(v, u, &halo, weigh, &w));
        do
            *test_at(pb, u, at) = weigh_plain(pa, v, halo.edge, &w, at);
        while (test_next(u, at));
        assert_int_equal(test_differ(b, pb), 0);
        twill_array_free(a);
        twill_array_free(b);
        free(pa);
        free(pb);
    }
}

TEST(stencils_see_their_neighbours)
{
    on_all(stencils);
}

/* ---- errors ------------------------------------------------------------------------------ */

TEST(what_makes_no_sense_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 8, 8, 3);
    twill_array *c = test_matrix(tw, TWILL_COMPLEX64, 8, 8, 3);
    twill_view all = twill_view_all(a), inner = twill_view_sub(all, 1, 1, 3, 3);
    twill_halo halo = {.size = sizeof halo, .width = {1, 1}};
    REFUSED(twill_scan(all, 2, NULL, NULL, NULL), TWILL_ERR_ARGUMENT, "no dimension 2");
    REFUSED(twill_sort(all, NULL, NULL), TWILL_ERR_ARGUMENT, "2 dimensions");
    REFUSED(twill_sort(twill_view_row(twill_view_all(c), 0), NULL, NULL), TWILL_ERR_ARGUMENT,
            "have an order");
    REFUSED(twill_stencil(all, all, NULL, weigh, NULL), TWILL_ERR_ARGUMENT, "NULL");
    REFUSED(twill_stencil(inner, inner, &halo, weigh, NULL), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_stencil(inner, twill_view_shift(inner, 0, 3), &halo, weigh, NULL),
            TWILL_ERR_ARGUMENT, "would read what it writes");
    REFUSED(twill_stencil(twill_view_sub(all, 0, 0, 3, 3), twill_view_sub(all, 5, 5, 3, 3), &halo,
                          weigh, NULL),
            TWILL_ERR_ARGUMENT, "leaves its array");
    halo.edge = TWILL_EDGE_VALUE;
    REFUSED(twill_stencil(inner, twill_view_shift(inner, 0, 4), &halo, weigh, NULL),
            TWILL_ERR_ARGUMENT, "outside");
    halo.size = 1;
    REFUSED(twill_stencil(inner, inner, &halo, weigh, NULL), TWILL_ERR_ARGUMENT, "size");
    twill_array_free(a);
    twill_array_free(c);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_are_prefixes),
        cmocka_unit_test(sort_puts_all_in_order),
        cmocka_unit_test(nans_are_sorted_last),
        cmocka_unit_test(stencils_see_their_neighbours),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
