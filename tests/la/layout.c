/* LAPACK's layout: matrices from and into memory with a leading dimension. */
#include "support/matrix.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const twill_uplo parts[] = {TWILL_GENERAL, TWILL_LOWER, TWILL_UPPER};

/* Into a matrix and out again: the part arrives, and nothing else is touched. */
static void round_trip(twill *tw, const test_type *type, twill_uplo part, const int64_t *size,
                       const int64_t *tiles)
{
    int64_t m = size[0], n = size[1], ld = m + 3;
    size_t element = twill_type_size(type->type), bytes = (size_t)(ld * n + 1) * element;
    char *from = malloc(bytes), *to = malloc(bytes);
    assert_true(from && to);
    for (size_t k = 0; k < bytes; k++)
        from[k] = (char)(k * 37 % 101);
    memset(to, 0x55, bytes);
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(m, n, tiles[0], tiles[1]);
    OK(twill_array_create(tw, &p, type->type, 0, &a));
    OK(twill_matrix_read(a, part, from, ld));
    void *full = test_unpack(a);
    OK(twill_matrix_write(a, part, to, ld));
    const char zero[16] = {0};
    char marked[16];
    memset(marked, 0x55, sizeof marked);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++) {
            size_t at = (size_t)(i + j * ld) * element;
            bool in = i < m && (part == TWILL_GENERAL || test_inside(part, i, j));
            assert_memory_equal(to + at, in ? from + at : marked, element);
            if (i < m)
                assert_memory_equal((char *)full + (size_t)(i + j * m) * element,
                                    in ? from + at : zero, element);
        }
    free(full);
    free(from);
    free(to);
    twill_array_free(a);
}

TEST(memory_becomes_a_matrix_and_a_matrix_memory)
{
    static const int64_t sizes[][2] = {{0, 0},   {3, 0},   {0, 3},  {1, 1},
                                       {40, 40}, {17, 50}, {50, 17}};
    static const int64_t tiles[][2] = {{8, 8}, {9, 4}, {100, 100}};
    twill *tw = test_start(2, NULL);
    for (int t = 0; t < COUNT(test_types); t++)
        for (int s = 0; s < COUNT(sizes); s++)
            for (int k = 0; k < COUNT(tiles); k++)
                for (int part = 0; part < COUNT(parts); part++)
                    round_trip(tw, &test_types[t], parts[part], sizes[s], tiles[k]);
    twill_stop(tw);
}

TEST(memory_that_does_not_fit_is_refused)
{
    twill *tw = test_start(1, NULL);
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, 20, 10, 8);
    double memory[200];
    REFUSED(twill_matrix_read(a, (twill_uplo)'X', memory, 20), TWILL_ERR_ARGUMENT, "argument 2");
    REFUSED(twill_matrix_read(a, TWILL_GENERAL, NULL, 20), TWILL_ERR_ARGUMENT, "argument 3");
    REFUSED(twill_matrix_write(a, TWILL_GENERAL, memory, 19), TWILL_ERR_ARGUMENT, "argument 4");
    REFUSED(twill_matrix_write(NULL, TWILL_GENERAL, memory, 20), TWILL_ERR_ARGUMENT, "NULL");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_becomes_a_matrix_and_a_matrix_memory),
        cmocka_unit_test(memory_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
