/* Checks, contexts and tasks that the test programs share. */
#include "support/test.h"

#include "base/clock.h"
#include "base/mix.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void test_status(twill_status got, twill_status wanted, const char *text, const char *call,
                 const char *file, int line)
{
    if (got != wanted) {
        /* at once: what cmocka says in threads other than its own is lost */
        fprintf(stderr, "%s:%d: %s\n    gave '%s', expected '%s'\n    message: %s\n", file, line,
                call, twill_status_name(got), twill_status_name(wanted), twill_message());
        _fail(file, line);
    }
    if (text)
        test_contains(twill_message(), text, file, line);
}

void test_contains(const char *text, const char *words, const char *file, int line)
{
    if (strstr(text, words))
        return;
    fprintf(stderr, "%s:%d: '%s' is not in:\n%s\n", file, line, words, text);
    _fail(file, line);
}

bool test_slow(void)
{
    const char *slow = getenv("TW_SLOW");
    return slow && !strcmp(slow, "1");
}

void test_sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

twill *test_start_with(twill_options options)
{
    twill *tw = NULL;
    options.size = sizeof options;
    if (!options.bind)
        options.bind = "off";
    OK(twill_start(&tw, &options));
    return tw;
}

twill *test_start(int workers, const char *sched)
{
    return test_start_with((twill_options){.workers = workers, .sched = sched});
}

const test_setup test_setups[] = {
    {"serial", 1}, {"eager", 1}, {"prio", 1}, {"rand", 1}, {"lws", 1},  {"lws", 2},
    {"eager", 3},  {"prio", 4},  {"rand", 4}, {"lws", 5},  {"rand", 8}, {"lws", 8},
};
const int test_nsetups = COUNT(test_setups);

twill_array *test_matrix(twill *tw, twill_type type, int64_t m, int64_t n, int64_t nb)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(m, n, nb, nb);
    OK(twill_array_create(tw, &p, type, 0, &a));
    return a;
}

twill_array *test_integers(twill *tw, int64_t tiles)
{
    twill_array *a = NULL;
    twill_pattern p = twill_tiled(tiles, 1, 1, 1);
    OK(twill_array_create(tw, &p, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

int64_t test_get(twill_array *integers, int64_t tile)
{
    void *data = NULL;
    int64_t ld;
    twill_view v = twill_view_tile(integers, tile, 0);
    OK(twill_map(v, TWILL_READ, &data, &ld));
    int64_t value = *(int64_t *)data;
    OK(twill_unmap(v, data));
    return value;
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static twill_outcome hold_body(twill_task *t)
{
    test_hold *hold = *(test_hold *const *)twill_task_data(t, 0);
    atomic_store(&hold->task, t);
    return TWILL_ASYNC;
}

const twill_class test_hold_class = {
    .size = sizeof(twill_class), .name = "hold", .chores = {TWILL_CPU(hold_body)}};

void test_hold_begin(test_hold *hold, twill_graph *g, const char *name, twill_arg data)
{
    atomic_store(&hold->task, NULL);
    OK(twill_insert(g, &test_hold_class, TWILL_VALUE(hold), data, TWILL_NAME(name)));
    double until = tw_seconds() + 10;
    while (!atomic_load(&hold->task) && tw_seconds() < until)
        test_sleep_ms(1);
    assert_non_null(atomic_load(&hold->task));
}

void test_hold_end(test_hold *hold)
{
    twill_task_done(atomic_load(&hold->task), TWILL_OK);
}

void test_reaches(const atomic_int *counter, int value, const char *file, int line)
{
    double until = tw_seconds() + 10;
    while (atomic_load(counter) != value && tw_seconds() < until)
        test_sleep_ms(1);
    if (atomic_load(counter) == value)
        return;
    print_error("the count is %d and does not reach %d\n", atomic_load(counter), value);
    _fail(file, line);
}

static twill_outcome count_body(twill_task *t)
{
    atomic_fetch_add(*(atomic_int *const *)twill_task_data(t, 0), 1);
    return TWILL_DONE;
}

static twill_outcome planted_body(twill_task *t)
{
    return twill_task_fail(t, "planted");
}

const twill_class test_count = {
    .size = sizeof(twill_class), .name = "count", .chores = {TWILL_CPU(count_body)}};
const twill_class test_planted = {
    .size = sizeof(twill_class), .name = "bad", .chores = {TWILL_CPU(planted_body)}};

static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    *(int64_t *)into = 0;
}

static void sum(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                int64_t cols)
{
    (void)ld_into, (void)ld_from, (void)rows, (void)cols;
    *(int64_t *)into += *(const int64_t *)from;
}

const twill_reduction test_plus = {sizeof(twill_reduction), "plus", zero, sum};

uint64_t test_random(uint64_t *seed, uint64_t n)
{
    *seed += 1;
    return tw_mix(*seed) % n;
}
