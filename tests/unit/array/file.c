/* Files: what is written is what NumPy writes, byte for byte, on 1 to 4 ranks; what is read is what
 * was written, in either order; and files that are something else are refused. */
#include "support/arrays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* numpy.save of numpy.array([[1., 2., 3.], [4., 5., 6.]]), and of its float32 in Fortran order */
static const char rows_header[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }"
    "                                                          \n";
static const char cols_header[] =
    "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"
    "                                                           \n";

static void write_file(const char *path, const char *header, size_t n, const void *data, size_t m)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_true(fwrite(header, 1, n, f) == n && fwrite(data, 1, m, f) == m);
    fclose(f);
}

static size_t read_file(const char *path, char *bytes, size_t most)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, most, f);
    fclose(f);
    return n;
}

static twill_array *matrix_of(twill *tw, twill_type type, int64_t order)
{
    twill_pattern p = twill_tiled(2, 3, 1, 2);
    twill_array *a;
    p.order = order;
    OK(twill_array_create(tw, &p, type, 0, &a));
    return a;
}

TEST(files_are_those_of_numpy)
{
    twill *tw = test_start(2, NULL);
    const double rows[] = {1, 2, 3, 4, 5, 6};
    const float cols[] = {1, 4, 2, 5, 3, 6};
    char bytes[512];
    twill_array *r = matrix_of(tw, TWILL_FLOAT64, TWILL_ROW_MAJOR), *back;
    twill_array *c = matrix_of(tw, TWILL_FLOAT32, 0);
    bool equal;
    OK(twill_put(rows, twill_view_all(r)));
    OK(twill_put(cols, twill_view_all(c)));
    OK(twill_save(twill_view_all(r), "rows.npy"));
    assert_int_equal(read_file("rows.npy", bytes, sizeof bytes), 128 + sizeof rows);
    assert_memory_equal(bytes, rows_header, 128);
    assert_memory_equal(bytes + 128, rows, sizeof rows);
    OK(twill_save(twill_view_all(c), "cols.npy"));
    assert_int_equal(read_file("cols.npy", bytes, sizeof bytes), 128 + sizeof cols);
    assert_memory_equal(bytes, cols_header, 128);
    assert_memory_equal(bytes + 128, cols, sizeof cols);
    back = matrix_of(tw, TWILL_FLOAT64, 0); /* from the other order */
    OK(twill_load("rows.npy", twill_view_all(back)));
    OK(twill_equal(twill_view_all(back), twill_view_all(r), &equal));
    assert_true(equal);
    twill_stop(tw);
}

TEST(a_file_says_what_is_in_it)
{
    twill_file_info info = {.size = sizeof info};
    const double x[6] = {0};
    write_file("look.npy", rows_header, 128, x, sizeof x);
    OK(twill_file_look("look.npy", &info));
    assert_true(info.type == TWILL_FLOAT64 && info.ndim == 2 && info.bytes == 8);
    assert_true(info.extent[0] == 2 && info.extent[1] == 3 && info.row_major);
}

/* On any ranks, any pattern and any part of it. */
static void saves(twill *tw, void *arg)
{
    uint64_t seed = 41;
    (void)arg;
    for (int i = 0; i < (twill_ranks(tw) > 1 ? 12 : 150); i++) {
        static const char *const endings[] = {"npy", "raw"};
        int ndim = (int)test_pick(&seed, 1, 4);
        double *pa, *pb;
        twill_array *a = test_array(tw, &seed, ndim, ndim < 3 ? 12 : 5, &pa), *b;
        twill_pattern p = *twill_array_pattern(a);
        char path[64];
        int64_t at[TWILL_DIMS] = {0};
        for (int d = 0; d < ndim; d++)
            p.block[d] = test_pick(&seed, 1, p.extent[d] + 1);
        if (i % 2 == 0) /* raw files have no order */
            p.order ^= test_pick(&seed, 0, 1) * TWILL_ROW_MAJOR_ELEMENTS;
        OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b));
        twill_view v = test_part(a, &seed), w = v;
        w.array = b;
        snprintf(path, sizeof path, "ranks%d.%s", twill_ranks(tw), endings[i % 2]);
        OK(twill_save(v, path));
        OK(twill_load(path, w));
        pb = calloc((size_t)twill_view_size(twill_view_all(b)), sizeof *pb);
        do
            *test_at(pb, w, at) = *test_at(pa, v, at);
        while (test_next(v, at));
        assert_int_equal(test_differ(b, pb), 0);
        twill_array_free(a);
        twill_array_free(b);
        free(pa);
        free(pb);
    }
}

TEST(what_is_saved_can_be_loaded)
{
    for (int ranks = 1; ranks <= 4; ranks++) {
        test_ranks r = {.ranks = ranks, .workers = 2};
        test_on_ranks(&r, saves, NULL);
    }
}

TEST(elements_of_any_size_are_saved)
{
    twill *tw = test_start(2, NULL);
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){50}, (int64_t[]){8}, NULL);
    twill_array *a, *b;
    bool equal;
    char bytes[50][24];
    memset(bytes, 7, sizeof bytes);
    bytes[30][3] = 1;
    OK(twill_array_create(tw, &p, TWILL_BYTES, 24, &a));
    OK(twill_array_create(tw, &p, TWILL_BYTES, 24, &b));
    OK(twill_put(bytes, twill_view_all(a)));
    OK(twill_save(twill_view_all(a), "bytes.npy"));
    OK(twill_load("bytes.npy", twill_view_all(b)));
    OK(twill_equal(twill_view_all(a), twill_view_all(b), &equal));
    assert_true(equal);
    twill_stop(tw);
}

TEST(what_is_no_such_file_is_refused)
{
    twill *tw = test_start(2, NULL);
    twill_array *a = matrix_of(tw, TWILL_FLOAT64, 0);
    twill_view all = twill_view_all(a), row = twill_view_row(all, 0);
    const double x[6] = {0};
    char broken[128];
    write_file("good.npy", rows_header, 128, x, sizeof x);
    OK(twill_load("good.npy", all));
    REFUSED(twill_load("good.npy", row), TWILL_ERR_ARGUMENT, "its shape is not that of the view");
    write_file("short.npy", rows_header, 128, x, sizeof x - 1);
    REFUSED(twill_load("short.npy", all), TWILL_ERR_ARGUMENT, "it has 175 bytes, and 176");
    write_file("type.npy", cols_header, 128, x, sizeof x);
    REFUSED(twill_load("type.npy", all), TWILL_ERR_ARGUMENT, "another type");
    for (size_t i = 0; i < 70; i++) { /* any one byte that is another one is noticed, or harmless */
        memcpy(broken, rows_header, 128);
        broken[i] ^= 1;
        write_file("broken.npy", broken, 128, x, sizeof x);
        (void)twill_load("broken.npy", all);
    }
    write_file("magic.npy", "hello, world", 12, x, sizeof x);
    REFUSED(twill_load("magic.npy", all), TWILL_ERR_ARGUMENT, "not a .npy file");
    REFUSED(twill_load("none.npy", all), TWILL_ERR_SYSTEM, "No such file");
    REFUSED(twill_load("good.txt", all), TWILL_ERR_UNSUPPORTED, "says no format");
    REFUSED(twill_save(all, "no/such/folder.npy"), TWILL_ERR_SYSTEM, "No such file");
    REFUSED(twill_save(all, NULL), TWILL_ERR_ARGUMENT, "no path");
    if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", "full.raw") == 0)
        assert_int_equal(twill_save(all, "full.raw"), TWILL_ERR_SYSTEM);
    (void)unlink("full.raw");
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_those_of_numpy),
        cmocka_unit_test(a_file_says_what_is_in_it),
        cmocka_unit_test(what_is_saved_can_be_loaded),
        cmocka_unit_test(elements_of_any_size_are_saved),
        cmocka_unit_test(what_is_no_such_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
