/* Algorithms over several views: the same as loops over plain memory, on 1 to 4 ranks. */
#include "support/arrays.h"

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

/* Two arrays with views of the same extents: a part of one, and as much of the other one. */
typedef struct pair {
    twill_array *a, *b;
    double *pa, *pb;
    twill_view v, w;
} pair;

static pair some_pair(twill *tw, uint64_t *seed, bool turned)
{
    pair x;
    int ndim = (int)test_pick(seed, 1, 4);
    int64_t most = ndim < 3 ? 12 : 5, extent[TWILL_DIMS];
    x.a = test_array(tw, seed, ndim, most, &x.pa);
    x.b = test_array(tw, seed, ndim, most, &x.pb);
    const twill_pattern *p = twill_array_pattern(x.a), *q = twill_array_pattern(x.b);
    for (int d = 0; d < ndim; d++) {
        int64_t n = p->extent[d], m = q->extent[turned ? ndim - 1 - d : d];
        extent[d] = test_pick(seed, 1, n < m ? n : m);
    }
    x.v = test_box(x.a, seed, extent);
    for (int d = 0; d < ndim / 2 && turned; d++) {
        int64_t kept = extent[d];
        extent[d] = extent[ndim - 1 - d];
        extent[ndim - 1 - d] = kept;
    }
    x.w = test_box(x.b, seed, extent);
    return x;
}

static void free_pair(pair *x)
{
    twill_array_free(x->a);
    twill_array_free(x->b);
    free(x->pa);
    free(x->pb);
}

static void twice_and_one(void *to, const void *from, void *arg)
{
    (void)arg;
    *(double *)to = 2 * *(const double *)from + 1;
}

static void transforms(twill *tw, void *arg)
{
    uint64_t seed = 11;
    (void)arg;
    for (int i = 0; i < rounds(tw, 300); i++) {
        pair x = some_pair(tw, &seed, false);
        int64_t at[TWILL_DIMS] = {0};
        OK(twill_transform(x.v, x.w, twice_and_one, NULL));
        do
            *test_at(x.pb, x.w, at) = 2 * *test_at(x.pa, x.v, at) + 1;
        while (test_next(x.v, at));
        OK(twill_transform(x.w, x.w, twice_and_one, NULL)); /* where it is */
        memset(at, 0, sizeof at);
        do
            *test_at(x.pb, x.w, at) = 2 * *test_at(x.pb, x.w, at) + 1;
        while (test_next(x.v, at));
        assert_int_equal(test_differ(x.b, x.pb), 0);
        assert_int_equal(test_differ(x.a, x.pa), 0);
        free_pair(&x);
    }
}

TEST(transform_sets_one_view_from_another)
{
    on_all(transforms);
}

static void permutes(twill *tw, void *arg)
{
    uint64_t seed = 12;
    (void)arg;
    for (int i = 0; i < rounds(tw, 300); i++) {
        pair x = some_pair(tw, &seed, true);
        int64_t at[TWILL_DIMS] = {0}, turned[TWILL_DIMS];
        int n = twill_view_ndim(x.v), axes[TWILL_DIMS];
        for (int d = 0; d < n; d++)
            axes[d] = n - 1 - d;
        OK(twill_permute(x.v, x.w, i % 2 ? axes : NULL));
        do {
            for (int d = 0; d < n; d++)
                turned[n - 1 - d] = at[d];
            *test_at(x.pb, x.w, turned) = *test_at(x.pa, x.v, at);
        } while (test_next(x.v, at));
        assert_int_equal(test_differ(x.b, x.pb), 0);
        free_pair(&x);
    }
}

TEST(permute_turns_dimensions)
{
    on_all(permutes);
}

static void same(void *to, const void *from, void *arg)
{
    (void)arg;
    *(double *)to = *(const double *)from;
}

static void compares(twill *tw, void *arg)
{
    uint64_t seed = 13;
    (void)arg;
    for (int i = 0; i < rounds(tw, 90); i++) {
        pair x = some_pair(tw, &seed, false);
        int64_t at[TWILL_DIMS] = {0}, index[TWILL_DIMS], where[TWILL_DIMS];
        bool equal = false, found;
        double odd = 100;
        OK(twill_transform(x.v, x.w, same, NULL));
        OK(twill_equal(x.v, x.w, &equal));
        assert_true(equal);
        for (int d = 0; d < twill_view_ndim(x.w); d++)
            at[d] = test_pick(&seed, 0, twill_view_extent(x.w, d) - 1);
        twill_view_index(x.w, at, index);
        OK(twill_find(x.w, &odd, &found, where));
        assert_false(found);
        OK(twill_fill(twill_view_element(x.b, index), &odd));
        OK(twill_equal(x.v, x.w, &equal));
        assert_false(equal);
        OK(twill_find(x.w, &odd, &found, where));
        assert_true(found);
        assert_memory_equal(index, where, sizeof *index * (size_t)twill_view_ndim(x.w));
        free_pair(&x);
    }
}

TEST(equal_and_find_see_one_odd_element)
{
    on_all(compares);
}

/* All ranks get the same, which is what one rank gets. */
static bool is_negative(const void *x, void *arg)
{
    (void)arg;
    return *(const double *)x < 0;
}

static void reduces(twill *tw, void *arg)
{
    uint64_t seed = 14;
    (void)arg;
    for (int i = 0; i < rounds(tw, 90); i++) {
        double *plain, sum, least, wanted = 0, low = 1e9;
        twill_array *a = test_array(tw, &seed, (int)test_pick(&seed, 1, 3), 8, &plain);
        twill_view v = test_part(a, &seed);
        int64_t at[TWILL_DIMS] = {0}, index[TWILL_DIMS], negative = 0, n;
        int64_t first = INT64_MAX;
        bool none, found;
        const twill_pattern *p = twill_array_pattern(a);
        do {
            double x = *test_at(plain, v, at);
            int64_t number = test_at(plain, v, at) - plain;
            wanted += x;
            low = x < low ? x : low;
            negative += x < 0;
            first = x < 0 && number < first ? number : first;
        } while (test_next(v, at));
        OK(twill_view_sum(v, &sum));
        assert_true(sum == wanted);
        OK(twill_view_min(v, &least, index));
        assert_true(least == low && plain[twill_pattern_index(p, index)] == low);
        OK(twill_count_of(v, is_negative, NULL, &n));
        assert_int_equal(n, negative);
        OK(twill_none_of(v, is_negative, NULL, &none));
        assert_int_equal(none, negative == 0);
        OK(twill_find_if(v, is_negative, NULL, &found, index));
        assert_int_equal(found, negative > 0);
        assert_true(!found || twill_pattern_index(p, index) == first);
        twill_array_free(a);
        free(plain);
    }
}

TEST(reductions_are_of_all_ranks)
{
    on_all(reduces);
}

/* Sum of three views, one of them a row of another array. */
static void add_up(const twill_zip_line *line, void *arg)
{
    (void)arg;
    for (int64_t i = 0; i < line->n; i++) {
        double sum = 0;
        for (int k = 1; k < line->views; k++)
            sum += *(const double *)((char *)line->data[k] + i * line->step[k]);
        *(double *)((char *)line->data[0] + i * line->step[0]) = sum;
    }
}

TEST(views_of_any_arrays_go_together)
{
    twill *tw = test_start(3, NULL);
    uint64_t seed = 15;
    for (int i = 0; i < 50; i++) {
        double *pa, *pb, *pc, *pm;
        twill_array *a = test_array(tw, &seed, 1, 9, &pa), *b = test_array(tw, &seed, 1, 9, &pb);
        twill_array *c = test_array(tw, &seed, 1, 9, &pc), *m = test_array(tw, &seed, 2, 9, &pm);
        int64_t n = 9, row = test_pick(&seed, 0, twill_array_pattern(m)->extent[0] - 1);
        twill_view views[] = {twill_view_all(a), twill_view_all(b), twill_view_all(c),
                              twill_view_row(twill_view_all(m), row)};
        const twill_access modes[] = {TWILL_WRITE, TWILL_READ, TWILL_READ, TWILL_READ};
        for (int k = 0; k < 4; k++)
            n = twill_view_size(views[k]) < n ? twill_view_size(views[k]) : n;
        for (int k = 0; k < 4; k++)
            views[k] = twill_view_range(views[k], 0, 0, n);
        OK(twill_for_each_of(4, views, modes, add_up, NULL));
        for (int64_t k = 0; k < n; k++)
            *test_at(pa, views[0], &k) = *test_at(pb, views[1], &k) + *test_at(pc, views[2], &k) +
                                         *test_at(pm, views[3], &k);
        assert_int_equal(test_differ(a, pa), 0);
        free(pa);
        free(pb);
        free(pc);
        free(pm);
        twill_array_free(a);
        twill_array_free(b);
        twill_array_free(c);
        twill_array_free(m);
    }
    twill_stop(tw);
}

TEST(what_does_not_go_together_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 4, 6, 2);
    twill_array *f = test_matrix(tw, TWILL_FLOAT32, 6, 4, 2);
    twill_view all = twill_view_all(a), row = twill_view_row(all, 1);
    twill_view left = twill_view_range(all, 1, 0, 3), right = twill_view_range(all, 1, 2, 5);
    bool equal;
    const twill_access read = TWILL_READ;
    REFUSED(twill_transform(all, row, same, NULL), TWILL_ERR_ARGUMENT, "have 1 and 2 dimensions");
    REFUSED(twill_transform(all, left, same, NULL), TWILL_ERR_ARGUMENT, "3 and 6 elements");
    REFUSED(twill_transform(left, right, same, NULL), TWILL_ERR_ARGUMENT, "overlap");
    REFUSED(twill_transform(left, right, NULL, NULL), TWILL_ERR_ARGUMENT, "no function");
    REFUSED(twill_permute(all, twill_view_all(f), NULL), TWILL_ERR_ARGUMENT, "type");
    REFUSED(twill_permute(all, all, (const int[]){0, 0}), TWILL_ERR_ARGUMENT, "axes");
    REFUSED(twill_equal(all, all, NULL), TWILL_ERR_ARGUMENT, "no place");
    REFUSED(twill_for_each_of(5, &all, &read, add_up, NULL), TWILL_ERR_ARGUMENT, "1 to 4");
    OK(twill_equal(left, right, &equal)); /* reading may overlap */
    assert_true(equal);
    twill_array_free(a);
    twill_array_free(f);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transform_sets_one_view_from_another),
        cmocka_unit_test(permute_turns_dimensions),
        cmocka_unit_test(equal_and_find_see_one_odd_element),
        cmocka_unit_test(reductions_are_of_all_ranks),
        cmocka_unit_test(views_of_any_arrays_go_together),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
