/* What all test programs share: checks that say why, contexts, tasks that stay, child processes.
 *
 * Checks jump out of the test function, so they are for the thread that runs it; bodies and other
 * threads write down what they saw and let the test function look. */
#ifndef TEST_SUPPORT_TEST_H
#define TEST_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <twill/twill.h>

#define TEST(name) static void name(void **unused_state __attribute__((unused)))
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* The call succeeds; else the test fails with its sentence. */
#define OK(call) test_status((call), TWILL_OK, NULL, #call, __FILE__, __LINE__)

/* The call fails in this way, and its sentence contains `text`. */
#define REFUSED(call, status, text) test_status((call), (status), (text), #call, __FILE__, __LINE__)

/* The text contains the words. */
#define CONTAINS(text, words) test_contains((text), (words), __FILE__, __LINE__)

void test_status(twill_status got, twill_status wanted, const char *text, const char *call,
                 const char *file, int line);
void test_contains(const char *text, const char *words, const char *file, int line);

/* True in builds that are slow (sanitizers, coverage): take smaller sizes. */
bool test_slow(void);
void test_sleep_ms(int ms);

/* A context whose workers are not bound, so that tests running side by side share the cores. */
twill *test_start(int workers, const char *sched);
twill *test_start_with(twill_options options);

/* Schedulers and numbers of workers over which results must not differ. */
typedef struct test_setup {
    const char *sched;
    int workers;
} test_setup;
extern const test_setup test_setups[];
extern const int test_nsetups;

/* A matrix of doubles, of 64-bit integers, zero at first. */
twill_array *test_matrix(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb);
twill_array *test_integers(twill *tw, int64_t tiles);
int64_t test_get(twill_array *integers, int64_t tile);

/* A task that stays: its body leaves the task in `task` and returns TWILL_ASYNC. */
typedef struct test_hold {
    _Atomic(twill_task *) task;
} test_hold;

/* Insert one, and wait until its body has run; the context needs a worker besides the caller. */
void test_hold_begin(test_hold *hold, twill_graph *g, const char *name, twill_arg data);
void test_hold_end(test_hold *hold);
extern const twill_class test_hold_class; /* argument 0: TWILL_VALUE of a test_hold pointer */

/* Wait until the number is there; the test fails when that takes ten seconds. */
#define REACHES(counter, value) test_reaches((counter), (value), __FILE__, __LINE__)
void test_reaches(const atomic_int *counter, int value, const char *file, int line);

/* A body that adds 1 to the atomic_int whose address is argument 0 (TWILL_VALUE), and one that
 * fails with the sentence "planted". */
extern const twill_class test_count, test_planted;

/* Sum of the integers of test_integers. */
extern const twill_reduction test_plus;

/* Run `body` in a child process: what it returns (0 to 100), or -1 when it crashed or took longer
 * than that. Only while this process has one thread. */
int test_child(int (*body)(void *arg), void *arg, unsigned seconds);

/* A repeatable random number below n; *seed is its state. */
uint64_t test_random(uint64_t *seed, uint64_t n);

#endif
