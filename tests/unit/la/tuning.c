/* The tuning file: what is written is read, and what is not quite right is not there. */
#include "support/test.h"

#include "la/choose.h"
#include "la/tuning.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char cpu[] = "A processor, rev. 2";

static const char *in_folder(const char *name)
{
    static char path[4096];
    char here[2048];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s", here, name);
    return path;
}

/* A library, as far as anybody looks at it here. */
static void make_library(const char *path, const char *content)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(content, f);
    fclose(f);
}

static twill_tuning sample(const char *library)
{
    twill_tuning t = {.size = sizeof(twill_tuning),
                      .kernels = "Haswell",
                      .one_tile = 300,
                      .tiles = 3,
                      .tile = {{.type = 'd', .workers = 2, .n = 2000, .nb = 160},
                               {.type = 'd', .workers = 2, .n = 8000, .nb = 320},
                               {.type = 's', .workers = 2, .n = 2000, .nb = 256}}};
    snprintf(t.blas, sizeof t.blas, "%s", library);
    snprintf(t.lapack, sizeof t.lapack, "%s", library);
    return t;
}

static void write_sample(const char *file, char library[4096])
{
    snprintf(library, 4096, "%s", in_folder("library.so"));
    make_library(library, "one");
    twill_tuning t = sample(library);
    OK(tw_tuning_write(file, cpu, &t));
}

TEST(what_is_written_is_read)
{
    char library[4096], file[4096];
    snprintf(file, sizeof file, "%s", in_folder("new/folders/tune"));
    write_sample(file, library);
    twill_tuning wanted = sample(library), t;
    assert_true(tw_tuning_read(file, cpu, &t));
    assert_string_equal(t.blas, library);
    assert_string_equal(t.lapack, library);
    assert_string_equal(t.kernels, "Haswell");
    assert_int_equal(t.one_tile, 300);
    assert_int_equal(t.tiles, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t.tile[i].type, wanted.tile[i].type);
        assert_int_equal(t.tile[i].workers, wanted.tile[i].workers);
        assert_int_equal(t.tile[i].n, wanted.tile[i].n);
        assert_int_equal(t.tile[i].nb, wanted.tile[i].nb);
    }
}

TEST(another_processor_is_a_miss)
{
    char library[4096], file[4096];
    snprintf(file, sizeof file, "%s", in_folder("tune"));
    write_sample(file, library);
    twill_tuning t = {.size = sizeof(twill_tuning), .one_tile = 7};
    assert_false(tw_tuning_read(file, "A processor, rev. 3", &t));
    assert_int_equal(t.one_tile, 7);
}

TEST(a_library_that_changed_is_a_miss)
{
    char library[4096], file[4096];
    snprintf(file, sizeof file, "%s", in_folder("tune"));
    write_sample(file, library);
    twill_tuning t = {.size = sizeof t};
    make_library(library, "another");
    assert_false(tw_tuning_read(file, cpu, &t));
    make_library(library, "one"); /* the same size, at another time */
    assert_false(tw_tuning_read(file, cpu, &t));
    write_sample(file, library);
    unlink(library);
    assert_false(tw_tuning_read(file, cpu, &t));
}

static size_t slurp(const char *file, char *bytes, size_t size)
{
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    size_t n = fread(bytes, 1, size, f);
    fclose(f);
    return n;
}

static void spill(const char *file, const char *bytes, size_t n)
{
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
}

TEST(a_damaged_file_is_a_miss_and_can_be_written_again)
{
    char library[4096], file[4096], bytes[4096];
    snprintf(file, sizeof file, "%s", in_folder("tune"));
    write_sample(file, library);
    twill_tuning t = {.size = sizeof t};
    size_t n = slurp(file, bytes, sizeof bytes);
    for (size_t i = 0; i < n; i++) {
        spill(file, bytes, i); /* cut short */
        assert_false(tw_tuning_read(file, cpu, &t));
        char before = bytes[i];
        bytes[i] ^= 1;
        spill(file, bytes, n); /* a bit changed */
        assert_false(tw_tuning_read(file, cpu, &t));
        bytes[i] = before;
    }
    memset(bytes, 'x', sizeof bytes);
    spill(file, bytes, sizeof bytes);
    assert_false(tw_tuning_read(file, cpu, &t));
    write_sample(file, library);
    assert_true(tw_tuning_read(file, cpu, &t));
}

TEST(no_file_is_a_miss)
{
    twill_tuning t = {.size = sizeof t};
    assert_false(tw_tuning_read(in_folder("nowhere"), cpu, &t));
    assert_false(tw_tuning_read("/", cpu, &t));
}

/* ---- several at once --------------------------------------------------------------------- */

enum { WRITERS = 3, ROUNDS = 60 };

typedef struct writer {
    const char *file, *library;
    int64_t number;
    int bad;
} writer;

/* Each writes tiles of its own size; whoever reads must see one writer's alone. */
static void *write_and_read(void *arg)
{
    writer *w = arg;
    twill_tuning t = sample(w->library), seen;
    for (int i = 0; i < t.tiles; i++)
        t.tile[i].nb = w->number;
    for (int r = 0; r < ROUNDS; r++) {
        w->bad += tw_tuning_write(w->file, cpu, &t) != TWILL_OK;
        w->bad += !tw_tuning_read(w->file, cpu, &seen);
        w->bad += seen.tile[0].nb != seen.tile[2].nb;
    }
    return NULL;
}

TEST(writers_at_the_same_time_leave_a_whole_file)
{
    char library[4096], file[4096];
    snprintf(file, sizeof file, "%s", in_folder("shared"));
    write_sample(file, library);
    twill_tuning same = sample(library);
    for (int i = 0; i < same.tiles; i++)
        same.tile[i].nb = 1;
    OK(tw_tuning_write(file, cpu, &same));
    pthread_t threads[WRITERS];
    writer writers[WRITERS];
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = (writer){file, library, i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read, &writers[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(writers[i].bad, 0);
    }
}

/* ---- what is taken from it --------------------------------------------------------------- */

TEST(the_nearest_measurement_counts)
{
    twill_tuning t = sample("");
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 2, 2000), 160);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 2, 3900), 160);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 2, 4100), 320);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 2, 90000), 320);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT32, 2, 90000), 256);
    assert_true(tw_tuning_tile(&t, TWILL_COMPLEX128, 2, 8000) > 0);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 3, 2000), 0);
    assert_int_equal(tw_tuning_tile(&t, TWILL_FLOAT64, 2, 0), 0);
}

TEST(a_context_goes_by_the_file)
{
    char file[4096];
    snprintf(file, sizeof file, "%s", in_folder("context"));
    unlink(file);
    twill *tw = test_start_with((twill_options){.workers = 2, .tune = file});
    twill_tuning t = {.size = sizeof t};
    assert_string_equal(twill_tune_file(tw), file);
    OK(twill_tune_get(tw, &t));
    assert_int_equal(t.tiles, 0);
    t = (twill_tuning){.size = sizeof(twill_tuning),
                       .one_tile = 50,
                       .tiles = 1,
                       .tile = {{.type = 'd', .workers = 2, .n = 100, .nb = 96}}};
    OK(twill_tune_set(tw, &t));
    twill_stop(tw);
    tw = test_start_with((twill_options){.workers = 2, .tune = file});
    OK(twill_tune_get(tw, &t));
    assert_int_equal(t.one_tile, 50);
    assert_int_equal(tw_choose_tile(tw, TWILL_FLOAT64, 50, 20), 50);
    assert_int_equal(tw_choose_tile(tw, TWILL_FLOAT64, 51, 20), 96);
    twill_stop(tw);
    tw = test_start_with((twill_options){.workers = 2, .tune = file, .blas = "openblas"});
    assert_int_equal(tw_choose_tile(tw, TWILL_FLOAT64, 51, 20),
                     51); /* of another BLAS, for all we know */
    twill_stop(tw);
    tw = test_start_with((twill_options){.workers = 2, .tune = "off"});
    assert_string_equal(twill_tune_file(tw), "");
    REFUSED(twill_tune_set(tw, &t), TWILL_ERR_STATE, "option tune");
    assert_int_equal(tw_choose_tile(tw, TWILL_FLOAT64, 0, 0), 1);
    twill_stop(tw);
}

TEST(what_is_not_valid_is_refused)
{
    twill *tw = test_start_with((twill_options){.workers = 2, .tune = in_folder("refused")});
    twill_tuning t = {.size = sizeof(twill_tuning), .blas = "/no/such/library"};
    REFUSED(twill_tune_set(tw, &t), TWILL_ERR_ARGUMENT, "/no/such/library");
    t = (twill_tuning){.size = sizeof(twill_tuning), .tiles = TWILL_TUNED_TILES + 1};
    REFUSED(twill_tune_set(tw, &t), TWILL_ERR_ARGUMENT, "tile sizes");
    t = (twill_tuning){.size = sizeof(twill_tuning),
                       .tiles = 1,
                       .tile = {{.type = 'q', .workers = 1, .n = 1, .nb = 1}}};
    REFUSED(twill_tune_set(tw, &t), TWILL_ERR_ARGUMENT, "number 0");
    twill_stop(tw);
    tw = test_start_with((twill_options){.workers = 2, .tune = "/proc/no/tune"});
    t = (twill_tuning){.size = sizeof(twill_tuning)};
    REFUSED(twill_tune_set(tw, &t), TWILL_ERR_SYSTEM, "/proc/no/tune");
    twill_stop(tw);
}

/* Every matrix gets a tile size that is neither too small nor too large for it. */
TEST(chosen_tiles_are_sensible)
{
    for (int workers = 1; workers <= 64; workers *= 4) {
        twill *tw = test_start_with((twill_options){.workers = workers, .tune = "off"});
        for (int64_t n = 1; n < 100000; n = n * 3 / 2 + 1)
            for (int type = TWILL_FLOAT32; type <= TWILL_COMPLEX128; type++) {
                int64_t nb = tw_choose_tile(tw, (twill_type)type, n, n / 2);
                assert_true(nb == n || (nb >= 96 && nb <= 512 && nb % 16 == 0));
                assert_int_equal(nb, tw_choose_tile(tw, (twill_type)type, n / 2, n));
            }
        twill_stop(tw);
    }
}

static int64_t chosen_with(twill_options options)
{
    options.tune = "off";
    twill *tw = test_start_with(options);
    int64_t nb = tw_choose_tile(tw, TWILL_FLOAT64, 3000, 3000);
    twill_stop(tw);
    return nb;
}

TEST(workers_that_share_cores_do_not_make_tiles_smaller)
{
    twill *tw = test_start_with((twill_options){0});
    int cores = twill_workers(tw);
    twill_stop(tw);
    int64_t nb = chosen_with((twill_options){.workers = cores});
    assert_int_equal(chosen_with((twill_options){.workers = 8 * cores}), nb);
    /* where they have cores of their own they do */
    const char *machine = "package:1 core:8 pu:1";
    int64_t one = chosen_with((twill_options){.workers = 1, .topology = machine});
    assert_true(chosen_with((twill_options){.workers = 8, .topology = machine}) < one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(another_processor_is_a_miss),
        cmocka_unit_test(a_library_that_changed_is_a_miss),
        cmocka_unit_test(a_damaged_file_is_a_miss_and_can_be_written_again),
        cmocka_unit_test(no_file_is_a_miss),
        cmocka_unit_test(writers_at_the_same_time_leave_a_whole_file),
        cmocka_unit_test(the_nearest_measurement_counts),
        cmocka_unit_test(a_context_goes_by_the_file),
        cmocka_unit_test(what_is_not_valid_is_refused),
        cmocka_unit_test(chosen_tiles_are_sensible),
        cmocka_unit_test(workers_that_share_cores_do_not_make_tiles_smaller),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
