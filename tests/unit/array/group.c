/* Groups of ranks: split to any depth, and arrays that lie on one. */
#include "engine/remote/places.h"
#include "support/arrays.h"

#include <stdlib.h>

enum { N = 24, B = 4 };

/* ---- the tree ---------------------------------------------------------------------------- */

static void check_ranks(const twill_group *g, const int64_t *ranks, int64_t size)
{
    assert_int_equal(twill_group_size(g), size);
    for (int64_t i = 0; i < size; i++) {
        assert_int_equal(twill_group_rank(g, i), ranks[i]);
        assert_int_equal(twill_group_number(g, ranks[i]), i);
    }
    assert_int_equal(twill_group_rank(g, -1), -1);
    assert_int_equal(twill_group_rank(g, size), -1);
}

static void tree(twill *tw, void *arg)
{
    twill_group *all, *again, *odd;
    int rank = twill_rank(tw);
    (void)arg;
    OK(twill_group_all(tw, &all));
    check_ranks(all, (int64_t[]){0, 1, 2, 3, 4, 5}, 6);
    assert_int_equal(twill_group_mine(all), rank);
    assert_null(twill_group_parent(all));
    assert_int_equal(twill_group_parts(all), 0);
    assert_null(twill_group_part(all, 0));
    /* 4 2 0 and 5 3 1: colors and keys need not be small */
    OK(twill_group_split(all, 1000000 * (rank % 2), -rank));
    assert_int_equal(twill_group_parts(all), 2);
    check_ranks(twill_group_part(all, 0), (int64_t[]){4, 2, 0}, 3);
    check_ranks(odd = twill_group_part(all, 1), (int64_t[]){5, 3, 1}, 3);
    assert_ptr_equal(twill_group_part_of(all, 3), odd);
    assert_ptr_equal(twill_group_parent(odd), all);
    assert_int_equal(twill_group_mine(odd), rank % 2 ? 2 - rank / 2 : -1);
    assert_int_equal(twill_group_number(odd, 2), -1);
    /* again: 5 and 1, but not 3; equal keys keep the order; what others say means nothing */
    OK(twill_group_split(odd, rank == 3 ? TWILL_GROUP_NONE : rank % 2 ? 7 : -9, 0));
    assert_int_equal(twill_group_parts(odd), 1);
    check_ranks(twill_group_part(odd, 0), (int64_t[]){5, 1}, 2);
    assert_null(twill_group_part_of(odd, 3));
    OK(twill_group_split(twill_group_part(odd, 0), rank, 0));
    check_ranks(twill_group_part(twill_group_part(odd, 0), 0), (int64_t[]){1}, 1);
    /* all are on this host */
    OK(twill_group_all(tw, &again));
    OK(tw_places_exchange(tw));
    assert_true(twill_group_equal(all, again) && !twill_group_equal(all, odd));
    OK(twill_group_split_host(again));
    assert_int_equal(twill_group_parts(again), 1);
    assert_true(twill_group_equal(twill_group_part(again, 0), all));
    twill_group_free(odd); /* a part: freed with its root */
    check_ranks(odd, (int64_t[]){5, 3, 1}, 3);
    twill_group_free(again);
    twill_group_free(all);
}

TEST(groups_are_split_to_any_depth)
{
    test_ranks r = {.ranks = 6, .workers = 1};
    test_on_ranks(&r, tree, NULL);
}

/* Every rank knows the parts of all: they are disjoint, together the group, and sorted. */
static void random_parts(twill *tw, void *arg)
{
    int64_t ranks = twill_ranks(tw), seen = 0;
    int rank = twill_rank(tw);
    uint64_t seed = (uint64_t)(rank + 17);
    (void)arg;
    for (int i = 0; i < 4; i++) {
        twill_group *all;
        int64_t color = test_pick(&seed, 0, 3), key = test_pick(&seed, -2, 2);
        OK(twill_group_all(tw, &all));
        OK(twill_group_split(all, color, key));
        seen = 0;
        for (int64_t p = 0; p < twill_group_parts(all); p++) {
            twill_group *part = twill_group_part(all, p);
            for (int64_t k = 0; k < twill_group_size(part); k++)
                seen |= INT64_C(1) << twill_group_rank(part, k);
            OK(twill_group_split(part, twill_group_mine(part) / 2, 0)); /* by twos */
            assert_int_equal(twill_group_parts(part), (twill_group_size(part) + 1) / 2);
        }
        assert_int_equal(seen, (INT64_C(1) << ranks) - 1);
        assert_true(twill_group_mine(twill_group_part_of(all, rank)) >= 0);
        twill_group_free(all);
    }
}

TEST(parts_are_the_whole_on_all_ranks)
{
    for (int ranks = 1; ranks <= 6; ranks++) {
        test_ranks r = {.ranks = ranks, .workers = 1};
        test_on_ranks(&r, random_parts, NULL);
    }
}

/* ---- places and units -------------------------------------------------------------------- */

/* Domains 0, 0, 3, several, 0, several; 1, 2, 3, 1, 2, 3 workers; rank 4 has two devices. */
static twill_options on_domains(int rank)
{
    static const char *const machines[] = {
        "numa:1 core:4 pu:1", "numa:1 core:4 pu:1", "numa:1(indexes=3) core:4 pu:1",
        "numa:2 core:2 pu:1", "numa:1 core:4 pu:1", "numa:2 core:2 pu:1"};
    twill_options o = {.size = sizeof o, .topology = machines[rank], .workers = 1 + rank % 3};
    o.devices = rank == 4 ? "cpu,host:0*2" : "cpu";
    return o;
}

static void domains(twill *tw, void *arg)
{
    static const int64_t worker_ranks[] = {0, 1, 1, 4, 4};
    twill_group *all, *first;
    twill_unit unit;
    (void)arg;
    OK(tw_places_exchange(tw)); /* as in twill_start, over MPI */
    OK(twill_group_all(tw, &all));
    OK(twill_group_split_numa(all));
    assert_int_equal(twill_group_parts(all), 3);
    check_ranks(first = twill_group_part(all, 0), (int64_t[]){0, 1, 4}, 3);
    check_ranks(twill_group_part(all, 1), (int64_t[]){2}, 1);
    check_ranks(twill_group_part(all, 2), (int64_t[]){3, 5}, 2);
    assert_int_equal(twill_group_units(all, TWILL_UNIT_RANK), 6);
    assert_int_equal(twill_group_units(all, TWILL_UNIT_WORKER), 12);
    assert_int_equal(twill_group_units(first, TWILL_UNIT_WORKER), 5);
    for (int64_t i = 0; i < 5; i++) {
        OK(twill_group_unit(first, TWILL_UNIT_WORKER, i, &unit));
        assert_int_equal(unit.rank, worker_ranks[i]);
        assert_int_equal(unit.number, i == 2 || i == 4);
    }
    assert_int_equal(twill_group_units(first, TWILL_UNIT_DEVICE), 2);
    OK(twill_group_unit(first, TWILL_UNIT_DEVICE, 1, &unit));
    assert_true(unit.rank == 4 && unit.number == 2);
    OK(twill_group_unit(first, TWILL_UNIT_RANK, 2, &unit));
    assert_true(unit.rank == 4 && unit.number == 0);
    REFUSED(twill_group_unit(first, TWILL_UNIT_DEVICE, 2, &unit), TWILL_ERR_ARGUMENT,
            "2 devices, and no number 2");
    twill_group_free(all);
}

TEST(domains_and_units_are_known_to_all)
{
    test_ranks r = {.ranks = 6, .workers = 1, .start = on_domains};
    if (!test_launched())
        test_on_ranks(&r, domains, NULL);
}

/* ---- patterns ---------------------------------------------------------------------------- */

static void check_pattern(const twill_group *g, const twill_pattern *numbers,
                          const twill_pattern *p)
{
    int64_t index[TWILL_DIMS] = {0}, back[TWILL_DIMS], elements = 1, owned = 0;
    OK(twill_pattern_check(p));
    for (int d = 0; d < p->ndim; d++)
        elements *= p->extent[d];
    for (int64_t i = 0; i < elements; i++) {
        twill_pattern_coords(p, i, index);
        twill_place place = twill_pattern_find(p, index), n = twill_pattern_find(numbers, index);
        assert_int_equal(place.rank, twill_group_rank(g, n.rank));
        assert_true(place.local == n.local && place.offset == n.offset);
        twill_pattern_element(p, &place, back);
        assert_memory_equal(index, back, (size_t)p->ndim * sizeof *index);
        int64_t rank, local = twill_pattern_local(p, index, &rank);
        twill_pattern_global(p, rank, local, back);
        assert_memory_equal(index, back, (size_t)p->ndim * sizeof *index);
    }
    for (int64_t rank = 0; rank < 6; rank++) {
        owned += twill_pattern_rank_elements(p, rank);
        assert_true(twill_group_number(g, rank) >= 0 || twill_pattern_rank_blocks(p, rank) == 0);
    }
    assert_int_equal(owned, elements);
    uint64_t had = twill_pattern_properties(numbers), has = twill_pattern_properties(p);
    assert_true((had & ~has & ~(uint64_t)TWILL_SEPARABLE) == 0);
}

/* Each group of the tree, any grid on it, or shifted blocks. */
static void patterns(twill *tw, void *arg)
{
    twill_group *all;
    uint64_t seed = 5;
    (void)arg;
    OK(twill_group_all(tw, &all));
    OK(twill_group_split(all, twill_rank(tw) % 3 == 0, twill_rank(tw) % 2));
    for (int i = 0; i < 120; i++) {
        twill_group *g = i % 3 ? twill_group_part(all, i % 3 - 1) : all;
        int64_t extent[3], block[3], grid[3], room = twill_group_size(g);
        twill_pattern numbers, p;
        for (int d = 0; d < 3; d++) {
            extent[d] = test_pick(&seed, 1, 9);
            block[d] = test_pick(&seed, 1, 4);
            grid[d] = test_pick(&seed, 1, room);
            room /= grid[d];
        }
        numbers = i % 2 ? twill_pattern_nd(3, extent, block, grid)
                        : twill_pattern_shifted(3, extent, block, twill_group_size(g));
        numbers.order = test_pick(&seed, 0, TWILL_ROW_MAJOR);
        OK(twill_group_pattern(g, &numbers, &p));
        check_pattern(g, &numbers, &p);
    }
    twill_group_free(all);
}

TEST(patterns_on_groups_are_those_of_their_numbers)
{
    test_ranks r = {.ranks = 6, .workers = 1};
    test_on_ranks(&r, patterns, NULL);
}

/* ---- arrays ------------------------------------------------------------------------------ */

static double number(const int64_t *index)
{
    return (double)(index[0] + 100 * index[1]);
}

static void numbers(void *element, const int64_t *index, void *arg)
{
    (void)arg;
    *(double *)element = number(index);
}

static twill_outcome add_rank(twill_task *t)
{
    double *x = twill_task_data(t, 0);
    for (int64_t j = 0; j < twill_task_cols(t, 0); j++)
        for (int64_t i = 0; i < twill_task_rows(t, 0); i++)
            x[i + j * twill_task_ld(t, 0)] += (double)twill_task_int(t, 1);
    return TWILL_DONE;
}

static const twill_class adder = {
    .size = sizeof(twill_class), .name = "add_rank", .chores = {TWILL_CPU(add_rank)}};

/* Tasks of all ranks, algorithms, and copies by anybody. */
static void use(twill *tw, const twill_group *g, twill_array *a)
{
    twill_graph *graph;
    double *whole = malloc(N * N * sizeof *whole), sum, want = 0;
    OK(twill_generate(twill_view_all(a), numbers, NULL));
    OK(twill_stf_begin(tw, &graph));
    for (int64_t j = 0; j < N / B; j++)
        for (int64_t i = 0; i < N / B; i++)
            OK(twill_insert(graph, &adder, TWILL_RW(twill_tile_at(a, i, j)),
                            TWILL_INT(twill_owner_at(a, i, j))));
    OK(twill_wait(graph));
    twill_graph_free(graph);
    OK(twill_barrier(tw));
    OK(twill_get(twill_view_all(a), whole));
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = 0; i < N; i++) {
            int64_t owner = twill_owner_at(a, i / B, j / B);
            assert_true(twill_group_number(g, owner) >= 0);
            assert_true(whole[i + j * N] == number((int64_t[]){i, j}) + (double)owner);
            want += whole[i + j * N];
        }
    OK(twill_view_sum(twill_view_all(a), &sum));
    assert_true(sum == want);
    free(whole);
}

static void arrays(twill *tw, void *arg)
{
    int rank = twill_rank(tw);
    twill_group *all;
    (void)arg;
    OK(twill_group_all(tw, &all));
    OK(twill_group_split(all, rank % 2, -rank));
    for (int64_t i = 0; i < twill_group_parts(all); i++) {
        twill_group *g = twill_group_part(all, i);
        twill_pattern on = twill_block_cyclic(N, N, B, B, 1, twill_group_size(g)), p, q;
        twill_array *a, *b, *c;
        OK(twill_group_pattern(g, &on, &p));
        on.extent[0] = 2 * N; /* of another shape on the same ranks */
        OK(twill_group_pattern(g, &on, &q));
        assert_true(p.owner == q.owner && p.arg == q.arg);
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b));
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &c));
        use(tw, g, a);
        double x, one = 1;
        OK(twill_fill(twill_view_all(b), &one));
        OK(twill_gemm(TWILL_NO_TRANS, TWILL_NO_TRANS, twill_real(1), a, b, twill_real(0),
                      c)); /* sums of rows of a */
        OK(twill_barrier(tw));
        OK(twill_get(twill_view_element(c, (int64_t[]){0, 0}), &x));
        double want = 0;
        for (int64_t k = 0; k < N; k++)
            want += number((int64_t[]){0, k}) + (double)twill_owner_at(a, 0, k / B);
        assert_true(x == want);
        OK(twill_barrier(tw)); /* others get elements of this rank */
        twill_array_free(c);
        twill_array_free(b);
        twill_array_free(a);
    }
    twill_group_free(all);
}

TEST(arrays_lie_on_a_group)
{
    for (int ranks = 1; ranks <= 6; ranks += ranks < 3 ? 1 : 3) {
        test_ranks r = {.ranks = ranks, .workers = 2};
        test_on_ranks(&r, arrays, NULL);
    }
}

/* ---- errors ------------------------------------------------------------------------------ */

static void errors(twill *tw, void *arg)
{
    int rank = twill_rank(tw);
    twill_group *all, *other;
    twill_pattern on = twill_block_cyclic(N, N, B, B, 2, 2), p;
    (void)arg;
    OK(twill_group_all(tw, &all));
    OK(twill_group_all(tw, &other));
    REFUSED(twill_group_pattern(all, &on, &p), TWILL_ERR_ARGUMENT, "the group, which has 3");
    REFUSED(twill_group_split(all, rank == 1 ? -2 : 0, 0), TWILL_ERR_ARGUMENT,
            "rank 1 has color -2");
    OK(twill_group_split(other, rank == 0, 0));
    REFUSED(twill_group_split(rank == 2 ? all : twill_group_part(other, 0), 0, 0),
            TWILL_ERR_ARGUMENT, "rank 2 splits another group than rank 0");
    OK(twill_group_split(all, TWILL_GROUP_NONE, 0)); /* into nothing, so it may be split */
    assert_int_equal(twill_group_parts(all), 0);
    assert_int_not_equal(twill_group_split(rank == 2 ? other : all, 0, 0), TWILL_OK);
    assert_int_equal(twill_group_parts(all), 0);
    assert_int_equal(twill_group_parts(other), 2); /* it keeps what it has */
    REFUSED(twill_group_split(other, 0, 0), TWILL_ERR_STATE, "has parts already");
    REFUSED(twill_group_split_host(other), TWILL_ERR_STATE, "has parts already");
    twill_group_free(other);
    twill_group_free(all);
}

TEST(mistakes_are_told_on_all_ranks)
{
    test_ranks r = {.ranks = 3, .workers = 1};
    test_on_ranks(&r, errors, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_split_to_any_depth),
        cmocka_unit_test(parts_are_the_whole_on_all_ranks),
        cmocka_unit_test(domains_and_units_are_known_to_all),
        cmocka_unit_test(patterns_on_groups_are_those_of_their_numbers),
        cmocka_unit_test(arrays_lie_on_a_group),
        cmocka_unit_test(mistakes_are_told_on_all_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
