/* Every function of a pattern is the inverse of its partner, and all agree with a plain model: over
 * thousands of random shapes, kinds of dimensions, grids and orders. */
#include "support/test.h"

#include "data/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 3000, RANKS = 64, CUTS = 2 * RANKS };

/* A pattern, and all that one can say of it by looking at every element. */
typedef struct sample {
    twill_pattern p;
    int64_t cuts[CUTS];
    int64_t elements, blocks, ranks;
    int64_t owners[ELEMENTS]; /* by number of the block */
    int64_t local_elements[RANKS], local_blocks[RANKS];
} sample;

/* ---- the model ------------------------------------------------------------------------------ */

/* Coordinate of the grid that owns block b along dimension d. */
static int64_t model_coordinate(const twill_pattern *p, int d, int64_t b)
{
    if (!p->cuts)
        return (b / (p->super[d] ? p->super[d] : 1) + p->source[d]) % p->grid[d];
    const int64_t *cuts = p->cuts;
    for (int e = 0; e < d; e++)
        cuts += p->grid[e] + 1;
    int64_t owner = 0;
    for (int64_t r = 0; r < p->grid[d]; r++)
        if (cuts[r] <= b)
            owner = r;
    return owner;
}

static int64_t scattered(const int64_t *block, void *arg)
{
    int64_t sum = 7;
    for (int d = 0; d < TWILL_DIMS; d++)
        sum = sum * 31 + block[d] * block[d];
    return (sum % 1009) % (int64_t)(uintptr_t)arg;
}

static int64_t model_owner(const twill_pattern *p, const int64_t *block)
{
    int64_t rank = 0, sum = 0;
    for (int d = 0; d < p->ndim; d++)
        sum += block[d];
    if (p->owner)
        return p->owner == scattered ? scattered(block, p->arg) : sum % (int64_t)(uintptr_t)p->arg;
    for (int k = 0; k < p->ndim; k++) {
        int d = p->order & TWILL_ROW_MAJOR_RANKS ? k : p->ndim - 1 - k;
        rank = rank * p->grid[d] + model_coordinate(p, d, block[d]);
    }
    return rank + p->first;
}

/* The next coordinates within these extents; the last dimension is fastest if `row_major`. */
static bool advance(int64_t *at, const int64_t *extent, int n, bool row_major)
{
    for (int k = 0; k < n; k++) {
        int d = row_major ? n - 1 - k : k;
        if (++at[d] < extent[d])
            return true;
        at[d] = 0;
    }
    return false;
}

/* ---- samples -------------------------------------------------------------------------------- */

static int64_t pick(uint64_t *seed, int64_t low, int64_t high)
{
    return low + (int64_t)test_random(seed, (uint64_t)(high - low + 1));
}

/* The program's own mapping, which counts the wrong way round. */
static int64_t count_back(const twill_pattern *p, int64_t rank)
{
    twill_pattern plain = *p;
    plain.mapping = NULL;
    return twill_pattern_rank_blocks(&plain, rank);
}

static int64_t number_back(const twill_pattern *p, const int64_t *block)
{
    twill_pattern plain = *p;
    plain.mapping = NULL;
    return count_back(p, twill_pattern_owner(p, block)) - 1 -
           twill_pattern_lblock_number(&plain, block);
}

static void block_back(const twill_pattern *p, int64_t rank, int64_t number, int64_t *block)
{
    twill_pattern plain = *p;
    plain.mapping = NULL;
    twill_pattern_lblock(&plain, rank, count_back(p, rank) - 1 - number, block);
}

static const twill_mapping backwards = {.size = sizeof backwards,
                                        .name = "backwards",
                                        .owner = scattered,
                                        .count = count_back,
                                        .number = number_back,
                                        .block = block_back};

static void make_grid(sample *s, const int64_t *extent, const twill_dim *dim, const int64_t *grid,
                      uint64_t *seed)
{
    int ndim = s->p.ndim;
    OK(twill_pattern_make(ndim, extent, dim, grid, pick(seed, 0, TWILL_ROW_MAJOR), &s->p));
    s->p.first = pick(seed, 0, 3) ? 0 : pick(seed, 1, 3);
    for (int d = 0; d < ndim && pick(seed, 0, 1); d++) {
        s->p.source[d] = pick(seed, 0, grid[d] - 1);
        s->p.super[d] = pick(seed, 0, 3);
    }
}

static void make_weighted(sample *s, uint64_t *seed)
{
    int64_t *cuts = s->cuts;
    for (int d = 0; d < s->p.ndim; d++) {
        double weights[8];
        int64_t n = s->p.grid[d];
        for (int64_t r = 0; r < n; r++)
            weights[r] = (double)pick(seed, r == 0, 5);
        OK(twill_pattern_weigh(twill_pattern_blocks(&s->p, d), n, weights, cuts));
        assert_int_equal(cuts[n], twill_pattern_blocks(&s->p, d));
        cuts += n + 1;
        s->p.source[d] = s->p.super[d] = 0;
    }
    s->p.cuts = s->cuts;
}

static void make_pattern(sample *s, uint64_t *seed)
{
    int ndim = (int)pick(seed, 1, TWILL_DIMS);
    int64_t extent[TWILL_DIMS], grid[TWILL_DIMS], block[TWILL_DIMS], elements = 1, ranks = 1;
    twill_dim dim[TWILL_DIMS];
    for (int d = 0; d < ndim; d++) {
        int64_t most = ndim == 1 ? 60 : ndim == 2 ? 20 : ndim == 3 ? 10 : 5;
        extent[d] = pick(seed, pick(seed, 0, 9) ? 1 : 0, most);
        extent[d] = elements * extent[d] > ELEMENTS ? 1 : extent[d];
        elements *= extent[d];
        block[d] = pick(seed, 1, 6);
        twill_dim_kind kind = (twill_dim_kind)pick(seed, 0, TWILL_DIM_TILED);
        dim[d] = twill_dim_of(kind, block[d]);
        grid[d] = kind == TWILL_DIM_NONE ? 1 : pick(seed, 1, ndim < 3 ? 5 : 3);
        grid[d] = ranks * grid[d] > RANKS / 2 ? 1 : grid[d];
        ranks *= grid[d];
    }
    memset(s, 0, sizeof *s);
    s->p.ndim = ndim;
    int kind = (int)pick(seed, 0, 9);
    void *arg = (void *)(uintptr_t)pick(seed, 1, 9);
    if (kind > 3)
        make_grid(s, extent, dim, grid, seed);
    else if (kind == 3)
        make_grid(s, extent, dim, grid, seed), make_weighted(s, seed);
    else if (kind == 2)
        s->p = twill_pattern_shifted(ndim, extent, block, (int64_t)(uintptr_t)arg);
    else
        s->p = twill_pattern_mapped(ndim, extent, block, &backwards, arg);
    if (kind == 0)
        s->p.mapping = NULL;
    if (s->p.owner)
        s->p.order = pick(seed, 0, TWILL_ROW_MAJOR);
    OK(twill_pattern_check(&s->p));
}

/* ---- checks --------------------------------------------------------------------------------- */

static void check_all_blocks(sample *s)
{
    const twill_pattern *p = &s->p;
    int64_t at[TWILL_DIMS] = {0}, blocks[TWILL_DIMS], back[TWILL_DIMS], next[RANKS] = {0};
    s->blocks = 1;
    for (int d = 0; d < p->ndim; d++) {
        blocks[d] = (p->extent[d] + p->block[d] - 1) / p->block[d];
        s->blocks *= blocks[d];
        assert_int_equal(twill_pattern_blocks(p, d), blocks[d]);
    }
    for (int64_t number = 0; number < s->blocks; number++) {
        int64_t rank = model_owner(p, at);
        size_t size = (size_t)p->ndim * sizeof *at;
        assert_int_equal(twill_pattern_owner(p, at), rank);
        assert_int_equal(twill_pattern_block_number(p, at), number);
        twill_pattern_block(p, number, back);
        assert_memory_equal(back, at, size);
        int64_t local = twill_pattern_lblock_number(p, at);
        if (p->mapping != &backwards)
            assert_int_equal(local, next[rank]);
        assert_in_range(local, 0, twill_pattern_rank_blocks(p, rank) - 1);
        next[rank]++;
        twill_pattern_lblock(p, rank, local, back);
        assert_memory_equal(back, at, size);
        s->owners[number] = rank;
        s->ranks = rank >= s->ranks ? rank + 1 : s->ranks;
        advance(at, blocks, p->ndim, p->order & TWILL_ROW_MAJOR_BLOCKS);
    }
    for (int64_t rank = 0; rank < RANKS; rank++) {
        s->local_blocks[rank] = next[rank];
        assert_int_equal(twill_pattern_rank_blocks(p, rank), next[rank]);
    }
    assert_true(twill_pattern_ranks(p) >= s->ranks);
}

/* Elements in their order: those of a rank have ascending local numbers if these are of one array;
 * otherwise the blocks do, one after the other. */
static void check_all_elements(sample *s)
{
    const twill_pattern *p = &s->p;
    int64_t at[TWILL_DIMS] = {0}, back[TWILL_DIMS], rank;
    size_t size = (size_t)p->ndim * sizeof *at;
    char *seen = calloc(RANKS, ELEMENTS);
    s->elements = 1;
    for (int d = 0; d < p->ndim; d++)
        s->elements *= p->extent[d];
    for (int64_t number = 0; number < s->elements; number++) {
        assert_int_equal(twill_pattern_index(p, at), number);
        twill_pattern_coords(p, number, back);
        assert_memory_equal(back, at, size);
        twill_place place = twill_pattern_find(p, at);
        memset(back, -1, sizeof back);
        twill_pattern_element(p, &place, back);
        assert_memory_equal(back, at, size);
        int64_t local = twill_pattern_local(p, at, &rank);
        assert_int_equal(rank, place.rank);
        assert_int_equal(rank, s->owners[twill_pattern_block_number(p, place.block)]);
        assert_in_range(local, 0, s->elements - 1);
        assert_false(seen[rank * ELEMENTS + local]++);
        if (p->order & TWILL_LOCAL_ARRAY && !p->owner)
            assert_int_equal(local, s->local_elements[rank]);
        s->local_elements[rank]++;
        memset(back, -1, sizeof back);
        twill_pattern_global(p, rank, local, back);
        assert_memory_equal(back, at, size);
        advance(at, p->extent, p->ndim, p->order & TWILL_ROW_MAJOR_ELEMENTS);
    }
    for (rank = 0; rank < RANKS; rank++)
        assert_int_equal(twill_pattern_rank_elements(p, rank), s->local_elements[rank]);
    free(seen);
}

/* Local numbers go on from block to block. */
static void check_block_order(const sample *s)
{
    const twill_pattern *p = &s->p;
    int64_t index[TWILL_DIMS], block[TWILL_DIMS], rank;
    for (int64_t r = 0; r < s->ranks && !(p->order & TWILL_LOCAL_ARRAY); r++)
        for (int64_t n = 0, next = 0; n < s->local_blocks[r]; n++) {
            int64_t elements = 1;
            twill_pattern_lblock(p, r, n, block);
            for (int d = 0; d < p->ndim; d++) {
                index[d] = block[d] * p->block[d];
                elements *= twill_pattern_block_extent(p, d, block[d]);
            }
            assert_int_equal(twill_pattern_local(p, index, &rank), next);
            next += elements;
        }
}

/* ---- properties, by looking ----------------------------------------------------------------- */

static bool look_balanced_blocks(const sample *s)
{
    int64_t block[TWILL_DIMS], first = 0;
    for (int64_t number = 0; number < s->blocks; number++) {
        int64_t elements = 1;
        twill_pattern_block(&s->p, number, block);
        for (int d = 0; d < s->p.ndim; d++)
            elements *= twill_pattern_block_extent(&s->p, d, block[d]);
        first = number ? first : elements;
        if (elements != first)
            return false;
    }
    return true;
}

static uint64_t look_at_counts(const sample *s)
{
    int64_t least = INT64_MAX, most = 0;
    for (int64_t r = s->p.first; r < (s->p.owner ? s->ranks : twill_pattern_ranks(&s->p)); r++) {
        if (s->p.owner && !s->local_blocks[r])
            continue;
        least = s->local_blocks[r] < least ? s->local_blocks[r] : least;
        most = s->local_blocks[r] > most ? s->local_blocks[r] : most;
    }
    return (least == most || !s->blocks ? TWILL_BALANCED_RANKS : 0) |
           (most <= 1 ? TWILL_SINGLE_BLOCK : 0);
}

static bool look_contiguous(const sample *s)
{
    int64_t index[TWILL_DIMS], rank, last[RANKS];
    memset(last, -1, sizeof last);
    for (int64_t number = 0; number < s->elements; number++) {
        twill_pattern_coords(&s->p, number, index);
        twill_pattern_local(&s->p, index, &rank);
        if (last[rank] >= 0 && last[rank] != number - 1)
            return false;
        last[rank] = number;
    }
    return true;
}

static bool look_diagonal(const sample *s)
{
    const twill_pattern *p = &s->p;
    int64_t block[TWILL_DIMS], ranks = p->owner ? s->ranks : twill_pattern_ranks(p);
    for (int d = 0; d < p->ndim; d++)
        for (int64_t number = 0; number < s->blocks; number++) {
            int64_t counts[RANKS] = {0}, least = INT64_MAX, most = 0;
            twill_pattern_block(p, number, block);
            if (block[d])
                continue;
            for (; block[d] < twill_pattern_blocks(p, d); block[d]++)
                counts[twill_pattern_owner(p, block)]++;
            for (int64_t r = p->first; r < ranks; r++) {
                least = counts[r] < least ? counts[r] : least;
                most = counts[r] > most ? counts[r] : most;
            }
            if (most - least > 1)
                return false;
        }
    return true;
}

static void check_properties(const sample *s)
{
    uint64_t wanted = look_at_counts(s);
    wanted |= look_balanced_blocks(s) ? TWILL_BALANCED_BLOCKS : 0;
    wanted |= look_contiguous(s) ? TWILL_CONTIGUOUS : 0;
    wanted |= look_diagonal(s) ? TWILL_DIAGONAL : 0;
    wanted |= s->p.owner ? 0 : TWILL_SEPARABLE;
    assert_int_equal(twill_pattern_properties(&s->p), wanted);
    OK(twill_pattern_require(&s->p, wanted));
    for (int bit = 0; bit < 6; bit++)
        if (!(wanted >> bit & 1))
            REFUSED(twill_pattern_require(&s->p, UINT64_C(1) << bit), TWILL_ERR_ARGUMENT,
                    "the pattern does not fit");
}

/* ---- tests ---------------------------------------------------------------------------------- */

TEST(every_function_is_the_inverse_of_its_partner)
{
    uint64_t seed = 19;
    sample *s = malloc(sizeof *s);
    for (int i = 0; i < (test_slow() ? 500 : 3000); i++) {
        make_pattern(s, &seed);
        check_all_blocks(s);
        check_all_elements(s);
        check_block_order(s);
        check_properties(s);
    }
    free(s);
}

TEST(kinds_of_dimensions_are_what_they_say)
{
    const int64_t extent[] = {10, 10, 10, 10, 10}, grid[] = {3, 3, 3, 3, 1};
    const twill_dim dim[] = {TWILL_BLOCKED, TWILL_CYCLIC, TWILL_BLOCKCYCLIC(2), TWILL_TILED(4),
                             TWILL_NONE};
    const int64_t blocks[] = {4, 1, 2, 4, 10};
    twill_pattern p;
    OK(twill_pattern_make(5, extent, dim, grid, 0, &p));
    for (int d = 0; d < 5; d++)
        assert_int_equal(p.block[d], blocks[d]);
    assert_int_equal(p.order, 0);
    OK(twill_pattern_make(3, extent, dim, grid, TWILL_ROW_MAJOR, &p));
    assert_int_equal(p.order, TWILL_ROW_MAJOR | TWILL_LOCAL_ARRAY);
    /* more ranks than elements: the last ones have nothing */
    OK(twill_pattern_make(1, (int64_t[]){3}, dim, (int64_t[]){5}, 0, &p));
    assert_int_equal(p.block[0], 1);
    assert_int_equal(twill_pattern_rank_elements(&p, 4), 0);
    assert_int_equal(twill_pattern_rank_elements(&p, 5), 0);
}

TEST(ranks_of_a_shifted_pattern_are_in_every_row_and_column)
{
    twill_pattern p = twill_pattern_shifted(2, (int64_t[]){8, 8}, (int64_t[]){2, 2}, 4);
    const int64_t owners[4][4] = {{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}};
    for (int64_t i = 0; i < 4; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_int_equal(twill_pattern_owner(&p, (int64_t[]){i, j}), owners[i][j]);
    OK(twill_pattern_require(&p, TWILL_DIAGONAL | TWILL_BALANCED_RANKS | TWILL_BALANCED_BLOCKS));
    REFUSED(twill_pattern_require(&p, TWILL_DIAGONAL | TWILL_SEPARABLE), TWILL_ERR_ARGUMENT,
            "choose a grid of ranks");
    REFUSED(twill_pattern_require(&p, 1 << 20), TWILL_ERR_ARGUMENT, "no property 1048576");
}

TEST(weights_say_how_many_blocks_a_rank_gets)
{
    int64_t cuts[4];
    OK(twill_pattern_weigh(10, 3, (double[]){1, 3, 1}, cuts));
    assert_int_equal(cuts[0], 0);
    assert_int_equal(cuts[1], 2);
    assert_int_equal(cuts[2], 8);
    assert_int_equal(cuts[3], 10);
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){20}, (int64_t[]){2}, (int64_t[]){3});
    p.cuts = cuts;
    assert_int_equal(twill_pattern_rank_elements(&p, 1), 12);
    assert_int_equal(twill_pattern_owner(&p, (int64_t[]){11}), 2); /* as the last one that is */
    REFUSED(twill_pattern_weigh(10, 2, (double[]){1, -1}, cuts), TWILL_ERR_ARGUMENT,
            "weight 1 is -1");
    REFUSED(twill_pattern_weigh(10, 2, (double[]){0, 0}, cuts), TWILL_ERR_ARGUMENT, "the sum 0");
}

/* A part of blocks has the owners of the whole, whatever says who these are. */
TEST(a_part_has_the_owners_of_the_whole)
{
    uint64_t seed = 5;
    sample *s = malloc(sizeof *s);
    for (int i = 0; i < 500; i++) {
        int64_t first[TWILL_DIMS], extent[TWILL_DIMS], blocks[TWILL_DIMS], at[TWILL_DIMS] = {0};
        make_pattern(s, &seed);
        bool empty = false;
        for (int d = 0; d < s->p.ndim; d++) {
            first[d] = pick(&seed, 0, twill_pattern_blocks(&s->p, d));
            extent[d] = s->p.extent[d] - first[d] * s->p.block[d];
            extent[d] = extent[d] < 0 ? 0 : extent[d];
            empty = empty || extent[d] == 0;
        }
        twill_pattern part = tw_pattern_part(&s->p, first, extent);
        OK(twill_pattern_check(&part));
        for (int d = 0; d < s->p.ndim; d++)
            blocks[d] = twill_pattern_blocks(&part, d);
        do {
            int64_t whole[TWILL_DIMS], index[TWILL_DIMS], back[TWILL_DIMS];
            for (int d = 0; d < s->p.ndim; d++) {
                whole[d] = at[d] + first[d];
                index[d] = at[d] * part.block[d];
            }
            if (empty)
                break;
            assert_int_equal(twill_pattern_owner(&part, at), twill_pattern_owner(&s->p, whole));
            twill_place place = twill_pattern_find(&part, index);
            twill_pattern_element(&part, &place, back);
            assert_memory_equal(back, index, (size_t)part.ndim * sizeof *index);
        } while (advance(at, blocks, part.ndim, false));
    }
    free(s);
}

TEST(bad_patterns_are_refused)
{
    const int64_t extent[] = {10, 10}, block[] = {2, 2}, grid[] = {2, 2};
    twill_pattern p = twill_pattern_nd(2, extent, block, grid), q;
    twill_dim dim[] = {TWILL_NONE, TWILL_TILED(0)};
    REFUSED(twill_pattern_make(2, extent, dim, grid, 0, &q), TWILL_ERR_ARGUMENT,
            "dimension 0 is NONE");
    REFUSED(twill_pattern_make(2, extent, dim, NULL, 0, &q), TWILL_ERR_ARGUMENT,
            "dimension 1 has blocks of 0");
    REFUSED(twill_pattern_make(7, extent, dim, NULL, 0, &q), TWILL_ERR_ARGUMENT, "not 7");
    dim[1] = twill_dim_of((twill_dim_kind)9, 1);
    REFUSED(twill_pattern_make(2, extent, dim, NULL, 0, &q), TWILL_ERR_ARGUMENT, "no kind");
    p.order = 16;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "no order 16");
    p.order = 0;
    p.cuts = (int64_t[]){0, 3, 5, 0, 4, 3};
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "cuts of dimension 1 do not ascend");
    p.cuts = (int64_t[]){0, 3, 5, 0, 4, 5};
    p.source[1] = 1;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "dimension 1 has cuts");
    p = twill_pattern_shifted(2, extent, block, 0);
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "the grid is 0");
    twill_mapping half = backwards;
    half.block = NULL;
    p = twill_pattern_mapped(2, extent, block, &half, (void *)(uintptr_t)3);
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "it needs all or none");
    half.size = 8;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "sizeof(twill_mapping)");
    p = twill_pattern_mapped(2, extent, block, &backwards, (void *)(uintptr_t)3);
    p.cuts = (int64_t[]){0, 3, 5, 0, 4, 5};
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "not both");
    p.owner = NULL;
    REFUSED(twill_pattern_check(&p), TWILL_ERR_ARGUMENT, "another owner function");
}

/* What a mapping declares is believed. */
static uint64_t declared(const twill_pattern *p)
{
    (void)p;
    return TWILL_DIAGONAL;
}

TEST(a_mapping_declares_its_properties)
{
    twill_mapping own = backwards;
    own.properties = declared;
    twill_pattern p =
        twill_pattern_mapped(2, (int64_t[]){9, 9}, (int64_t[]){2, 2}, &own, (void *)(uintptr_t)3);
    assert_int_equal(twill_pattern_properties(&p), TWILL_DIAGONAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_function_is_the_inverse_of_its_partner),
        cmocka_unit_test(kinds_of_dimensions_are_what_they_say),
        cmocka_unit_test(ranks_of_a_shifted_pattern_are_in_every_row_and_column),
        cmocka_unit_test(weights_say_how_many_blocks_a_rank_gets),
        cmocka_unit_test(a_part_has_the_owners_of_the_whole),
        cmocka_unit_test(bad_patterns_are_refused),
        cmocka_unit_test(a_mapping_declares_its_properties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
