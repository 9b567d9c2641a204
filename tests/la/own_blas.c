/* The program's own BLAS is none of Twill's business, whoever loads first. */
#include "support/test.h"

#include "la/blas/blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where Twill finds its BLAS, asked in another process so that nothing is loaded here. */
static int tell_path(void *arg)
{
    twill *tw;
    twill_blas blas = {.size = sizeof blas};
    int *pipe_ends = arg;
    if (twill_start(&tw, NULL) != TWILL_OK || twill_blas_info(tw, &blas) != TWILL_OK)
        return 1;
    if (write(pipe_ends[1], blas.path, strlen(blas.path) + 1) < 0)
        return 2;
    twill_stop(tw);
    return 0;
}

static void find_path(char *path, size_t size)
{
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    assert_int_equal(test_child(tell_path, pipe_ends, 20), 0);
    assert_true(read(pipe_ends[0], path, size) > 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    if (!strncmp(path, "linked", 6))
        skip(); /* sanitizer builds share one BLAS by intention */
}

typedef struct threads {
    int (*get)(void);
    void (*set)(int);
} threads;

/* What a program does that uses OpenBLAS itself. */
static bool load_own(const char *path, threads *own)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!handle)
        return false;
    *(void **)&own->get = dlsym(handle, "openblas_get_num_threads");
    *(void **)&own->set = dlsym(handle, "openblas_set_num_threads");
    return own->get && own->set;
}

static int factor(twill *tw)
{
    twill_array *a;
    int64_t info = -1;
    if (twill_matrix_create(tw, TWILL_FLOAT64, 300, 300, &a) != TWILL_OK ||
        twill_fill_spd(a, 1) != TWILL_OK || twill_potrf(TWILL_LOWER, a, &info) != TWILL_OK)
        return -1;
    return (int)info;
}

static int program_first(void *arg)
{
    threads own;
    twill *tw;
    if (!load_own(arg, &own))
        return 1;
    own.set(2);
    if (own.get() != 2)
        return 2;
    if (twill_start(&tw, NULL) != TWILL_OK || factor(tw) != 0)
        return 3;
    twill_stop(tw);
    return own.get() == 2 ? 0 : 4;
}

TEST(a_blas_that_the_program_loaded_before_keeps_its_threads)
{
    char path[600];
    find_path(path, sizeof path);
    assert_int_equal(test_child(program_first, path, 20), 0);
}

/* The program asks for two threads in its environment, as users do, and loads its BLAS late. */
static int twill_first(void *arg)
{
    threads own;
    twill *tw;
    setenv("OPENBLAS_NUM_THREADS", "2", 1);
    if (twill_start(&tw, NULL) != TWILL_OK || factor(tw) != 0)
        return 1;
    if (!load_own(arg, &own))
        return 2;
    if (own.get() != 2)
        return 3;
    own.set(1);
    if (factor(tw) != 0)
        return 4;
    twill_stop(tw);
    return 0;
}

TEST(a_blas_that_the_program_loads_later_is_its_own)
{
    char path[600];
    find_path(path, sizeof path);
    assert_int_equal(test_child(twill_first, path, 20), 0);
}

/* Whatever the program does to its threads, those of Twill's BLAS stay one. */
static int program_changes_its_mind(void *arg)
{
    threads own;
    twill *tw;
    const tw_blas *blas;
    int (*private)(void);
    if (!load_own(arg, &own))
        return 1;
    own.set(1);
    if (twill_start(&tw, NULL) != TWILL_OK || factor(tw) != 0 || tw_blas_get(tw, &blas) != TWILL_OK)
        return 2;
    *(void **)&private = blas->library.symbol(&blas->library, "openblas_get_num_threads");
    own.set(2);
    return private() == 1 && own.get() == 2 ? 0 : 3;
}

TEST(a_program_that_changes_its_threads_does_not_change_ours)
{
    char path[600];
    find_path(path, sizeof path);
    assert_int_equal(test_child(program_changes_its_mind, path, 20), 0);
}

static int environment_stays(void *arg)
{
    twill *tw;
    (void)arg;
    setenv("OPENBLAS_NUM_THREADS", "2", 1);
    unsetenv("OPENBLAS_CORETYPE");
    if (twill_start(&tw, NULL) != TWILL_OK || factor(tw) != 0)
        return 1;
    twill_stop(tw);
    return !strcmp(getenv("OPENBLAS_NUM_THREADS"), "2") && !getenv("OPENBLAS_CORETYPE") ? 0 : 2;
}

TEST(the_environment_is_as_it_was)
{
    assert_int_equal(test_child(environment_stays, NULL, 20), 0);
}

TEST(the_blas_in_use_is_described)
{
    twill_blas blas = {.size = sizeof blas};
    twill *tw = test_start(1, NULL);
    OK(twill_blas_info(tw, &blas));
    assert_string_not_equal(blas.provider, "");
    assert_string_not_equal(blas.path, "");
    assert_string_not_equal(blas.why, "");
    assert_int_equal(blas.threads, 1);
    twill_stop(tw);
}

/* At the start, or when it is first needed. */
static int refuse_blas(void *arg)
{
    static const struct {
        const char *blas;
        twill_status status;
    } cases[] = {{"openblass", TWILL_ERR_OPTION}, {"/no/such/file.so", TWILL_ERR_UNSUPPORTED}};
    (void)arg;
    for (int i = 0; i < COUNT(cases); i++) {
        twill *tw = NULL;
        twill_blas blas = {.size = sizeof blas};
        twill_status status = twill_start(
            &tw, &(twill_options){.size = sizeof(twill_options), .blas = cases[i].blas});
        if (status == TWILL_OK)
            status = twill_blas_info(tw, &blas);
        if (status != cases[i].status || !strstr(twill_message(), cases[i].blas))
            return 1;
        twill_stop(tw);
    }
    return 0;
}

TEST(a_blas_that_is_not_there_is_refused_by_name)
{
    char path[600];
    find_path(path, sizeof path); /* skips where there is no choice */
    assert_int_equal(test_child(refuse_blas, NULL, 20), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blas_that_the_program_loaded_before_keeps_its_threads),
        cmocka_unit_test(a_blas_that_the_program_loads_later_is_its_own),
        cmocka_unit_test(a_program_that_changes_its_threads_does_not_change_ours),
        cmocka_unit_test(the_environment_is_as_it_was),
        cmocka_unit_test(the_blas_in_use_is_described),
        cmocka_unit_test(a_blas_that_is_not_there_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
