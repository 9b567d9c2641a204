/* Providers by name: each gives right results with one thread per worker, alone and side by side.
 */
#include "support/test.h"

#include "la/blas/blas.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"openblas", "blis", "mkl", "reference"};

/* A context with that provider; NULL when this machine does not have it. */
static twill *start(const char *blas, const char *lapack)
{
    twill_blas info = {.size = sizeof info};
    twill *tw = test_start_with((twill_options){.workers = 2, .blas = blas, .lapack = lapack});
    if (twill_blas_info(tw, &info) == TWILL_OK)
        return tw;
    CONTAINS(twill_message(), "found");
    twill_stop(tw);
    return NULL;
}

static bool is_linked(void)
{
    twill_blas info = {.size = sizeof info};
    twill *tw = test_start(1, NULL);
    OK(twill_blas_info(tw, &info));
    bool linked = !strncmp(info.path, "linked", 6);
    twill_stop(tw);
    return linked;
}

static void factor(twill *tw, int64_t n)
{
    twill_array *a = test_matrix(tw, TWILL_FLOAT64, n, n, 64);
    twill_array *before = test_matrix(tw, TWILL_FLOAT64, n, n, 64);
    double ratio = INFINITY;
    int64_t info = -1;
    OK(twill_fill_spd(a, 3));
    OK(twill_fill_spd(before, 3));
    OK(twill_potrf(TWILL_LOWER, a, &info));
    assert_int_equal(info, 0);
    OK(twill_potrf_residual(TWILL_LOWER, before, a, &ratio));
    assert_true(ratio < 30);
    twill_array_free(a);
    twill_array_free(before);
}

static int threads(void)
{
    int n = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));)
        n += e->d_name[0] != '.';
    closedir(folder);
    return n;
}

TEST(each_provider_factors_with_one_thread_per_worker)
{
    if (is_linked())
        skip();
    for (int i = 0; i < COUNT(names); i++) {
        int before = threads();
        twill *tw = start(names[i], NULL);
        if (!tw) {
            print_message("no %s here\n", names[i]);
            continue;
        }
        factor(tw, 500);
        assert_int_equal(threads(), before + 1); /* the waiting thread is a worker, too */
        twill_stop(tw);
    }
}

TEST(the_environment_is_the_programs_afterwards)
{
    if (is_linked())
        skip();
    setenv("BLIS_NUM_THREADS", "2", 1);
    setenv("BLIS_JC_NT", "2", 1);
    unsetenv("OPENBLAS_NUM_THREADS");
    for (int i = 0; i < COUNT(names); i++) {
        twill *tw = start(names[i], NULL);
        assert_string_equal(getenv("BLIS_NUM_THREADS"), "2");
        assert_string_equal(getenv("BLIS_JC_NT"), "2");
        assert_null(getenv("OPENBLAS_NUM_THREADS"));
        assert_null(getenv("MKL_NUM_THREADS"));
        if (tw)
            factor(tw, 200);
        twill_stop(tw);
    }
    unsetenv("BLIS_NUM_THREADS");
    unsetenv("BLIS_JC_NT");
}

/* The loader knows libraries by the numbers of files that are closed meanwhile. */
TEST(contexts_side_by_side_have_each_its_own)
{
    if (is_linked())
        skip();
    twill *tw[COUNT(names)];
    char first[COUNT(names)][128];
    for (int i = 0; i < COUNT(names); i++) {
        twill_blas info = {.size = sizeof info};
        tw[i] = start(names[i], NULL);
        if (!tw[i])
            continue;
        OK(twill_blas_info(tw[i], &info));
        snprintf(first[i], sizeof first[i], "%s", info.provider);
        for (int k = 0; k < i; k++)
            assert_true(!tw[k] || strcmp(first[k], first[i]));
    }
    for (int i = 0; i < COUNT(names); i++)
        if (tw[i])
            factor(tw[i], 200);
    for (int i = 0; i < COUNT(names); i++)
        twill_stop(tw[i]);
}

static void *load_blas(void *arg)
{
    twill_blas info = {.size = sizeof info};
    return twill_blas_info(arg, &info) == TWILL_OK ? arg : NULL;
}

/* The environment that providers read is one for all contexts. */
TEST(contexts_that_load_at_once_have_one_thread_per_worker)
{
    enum { CONTEXTS = 4, ROUNDS = 20 };
    if (is_linked())
        skip();
    for (int round = 0; round < ROUNDS; round++) {
        twill *tw[CONTEXTS];
        pthread_t threads[CONTEXTS];
        void *loaded[CONTEXTS];
        for (int i = 0; i < CONTEXTS; i++)
            tw[i] = test_start(1, NULL);
        for (int i = 0; i < CONTEXTS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, load_blas, tw[i]), 0);
        for (int i = 0; i < CONTEXTS; i++)
            pthread_join(threads[i], &loaded[i]);
        for (int i = 0; i < CONTEXTS; i++) {
            assert_ptr_equal(loaded[i], tw[i]);
            twill_stop(tw[i]);
        }
    }
}

/* Whatever libblas.so.3 is on this machine: the calls of LAPACK end in the BLAS that was chosen. */
TEST(a_lapack_of_another_file_calls_the_blas_that_was_chosen)
{
    if (is_linked())
        skip();
    twill *tw = start("blis", "reference");
    if (!tw)
        skip();
    const tw_blas *blas;
    OK(tw_blas_get(tw, &blas));
    assert_non_null(blas->library.lapack.handle);
    assert_ptr_equal(dlsym(blas->library.lapack.handle, "dgemm_"),
                     dlsym(blas->library.blas.handle, "dgemm_"));
    factor(tw, 200);
    twill_stop(tw);
}

TEST(a_lapack_with_a_blas_of_its_own_will_do)
{
    if (is_linked())
        skip();
    twill *tw = start("blis", "openblas");
    if (!tw)
        skip();
    factor(tw, 300);
    twill_stop(tw);
}

TEST(what_cannot_be_is_refused)
{
    if (is_linked())
        skip();
    twill_blas info = {.size = sizeof info};
    twill *tw = start("openblas", NULL);
    if (!tw)
        skip();
    twill_stop(tw);
    tw = test_start_with((twill_options){.blas = "openblas", .lapack = "reference"});
    REFUSED(twill_blas_info(tw, &info), TWILL_ERR_OPTION, "LAPACK of its own");
    twill_stop(tw);
    tw = test_start_with((twill_options){.blas = "openblas", .kernels = "nosuch"});
    REFUSED(twill_blas_info(tw, &info), TWILL_ERR_OPTION, "no kernels 'nosuch'");
    twill_stop(tw);
    REFUSED(twill_start(&tw, &(twill_options){.size = sizeof(twill_options), .blas = "blas"}),
            TWILL_ERR_OPTION, "reference");
    REFUSED(twill_start(&tw, &(twill_options){.size = sizeof(twill_options), .lapack = "blis"}),
            TWILL_ERR_OPTION, "full path");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_provider_factors_with_one_thread_per_worker),
        cmocka_unit_test(the_environment_is_the_programs_afterwards),
        cmocka_unit_test(contexts_side_by_side_have_each_its_own),
        cmocka_unit_test(contexts_that_load_at_once_have_one_thread_per_worker),
        cmocka_unit_test(a_lapack_of_another_file_calls_the_blas_that_was_chosen),
        cmocka_unit_test(a_lapack_with_a_blas_of_its_own_will_do),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
