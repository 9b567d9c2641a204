/* Areas as bytes without gaps, against plain sets of elements. */
#include "support/test.h"

#include "data/pack.h"

#include <string.h>

enum { ROWS = 150, COLS = 9, GAP = 3, ELEMENT = 24, MOST = (ROWS + GAP) * COLS * ELEMENT };

static const size_t elements[] = {1, 2, 4, 8, 16, ELEMENT};

/* An area of a tile, and the same as a set. */
typedef struct set {
    tw_area area;
    bool has[ROWS * COLS];
} set;

static int64_t rows, cols, ld;
static size_t element;
static uint64_t seed;

static int64_t pick(int64_t n)
{
    return (int64_t)test_random(&seed, (uint64_t)n);
}

static void make_region(set *s, tw_region region)
{
    s->area = tw_area_of(region);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++)
            s->has[i + j * rows] = region & (i > j ? TW_BELOW : i == j ? TW_DIAGONAL : TW_ABOVE);
}

/* Every so many rows, beginning at some one, of some columns. */
static void make_mask(set *s)
{
    int64_t row = pick(rows), n = 1 + pick(rows - row), col = pick(cols);
    tw_mask *mask = tw_mask_new(row, n, col, cols - col);
    assert_non_null(mask);
    memset(s->has, 0, sizeof s->has);
    for (int64_t j = col; j < cols; j += 1 + pick(2)) {
        int64_t step = 1 + pick(3), taken = (n + step - 1) / step;
        tw_mask_add(mask, row, taken, step, j);
        for (int64_t k = 0; k < taken; k++)
            s->has[row + k * step + j * rows] = true;
    }
    s->area = tw_area_from(mask, rows, cols);
}

static void fill(unsigned char *bytes, unsigned char first)
{
    for (int64_t i = 0; i < MOST; i++)
        bytes[i] = (unsigned char)(first + i * 7);
}

static tw_value value_at(void *bytes, int64_t leading)
{
    return (tw_value){.host = {bytes, leading},
                      .rows = rows,
                      .cols = cols,
                      .element = element,
                      .region = TW_FULL};
}

static size_t place(int64_t i, int64_t j, int64_t leading)
{
    return (size_t)(i + j * leading) * element;
}

/* Pack, compare with the elements one by one, and unpack into a tile with other gaps. */
static void check(const set *s)
{
    static unsigned char from[MOST], to[MOST], wanted[MOST], packed[MOST + 1];
    int64_t other = rows + pick(GAP + 1);
    tw_value a = value_at(from, ld), b = value_at(to, other);
    size_t size = 0;
    fill(from, 1);
    fill(to, 100);
    memcpy(wanted, to, sizeof to);
    memset(packed, 0x5a, sizeof packed);
    tw_pack(&a, s->area, packed);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < rows; i++) {
            if (!s->has[i + j * rows])
                continue;
            assert_memory_equal(packed + size, from + place(i, j, ld), element);
            memcpy(wanted + place(i, j, other), from + place(i, j, ld), element);
            size += element;
        }
    assert_int_equal(tw_pack_size(&a, s->area), size);
    assert_int_equal(tw_pack_size(&b, s->area), size);
    for (size_t i = size; i < sizeof packed; i++)
        assert_int_equal(packed[i], 0x5a);
    tw_unpack(&b, s->area, packed);
    assert_memory_equal(to, wanted, sizeof to);
}

static void make_tile(void)
{
    rows = pick(4) ? 1 + pick(COLS + 3) : 1 + pick(ROWS);
    cols = 1 + pick(COLS);
    ld = rows + pick(GAP + 1);
    element = elements[pick(COUNT(elements))];
}

TEST(regions_travel_whatever_the_shape)
{
    static set s;
    seed = 1;
    for (int round = 0; round < (test_slow() ? 5 : 50); round++)
        for (tw_region region = 0; region <= TW_FULL; region++) {
            make_tile();
            make_region(&s, region);
            check(&s);
        }
}

TEST(masks_travel_element_by_element)
{
    static set s;
    seed = 2;
    for (int round = 0; round < (test_slow() ? 50 : 500); round++) {
        make_tile();
        make_mask(&s);
        check(&s);
        tw_area_drop(s.area);
    }
}

/* A mask of a full tile, used for one at the edge of an array, names elements that are not there.
 */
TEST(what_a_tile_does_not_have_does_not_travel)
{
    static set s;
    tw_mask *mask = tw_mask_new(0, 4, 0, 4);
    assert_non_null(mask);
    for (int64_t j = 0; j < 4; j += 2)
        tw_mask_add(mask, 1, 3, 1, j);
    s.area = tw_area_from(mask, 4, 4);
    rows = 3;
    cols = 2;
    ld = 4;
    element = 8;
    memset(s.has, 0, sizeof s.has);
    s.has[1] = s.has[2] = true;
    check(&s);
    tw_area_drop(s.area);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_travel_whatever_the_shape),
        cmocka_unit_test(masks_travel_element_by_element),
        cmocka_unit_test(what_a_tile_does_not_have_does_not_travel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
