/* .twt files: what is written is read again, and anything else is refused with a reason. */
#include "support/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const test_task tasks[] = {{0, 100, 0, 0, 0, TW_BY_PROGRAM, 3},
                                  {150, 350, 100, 0, 1, 0, -2},
                                  {200, 700, 100, 1, 1, 0, 0},
                                  {800, 1000, 700, 0, 1, 2, 0},
                                  TASKS_END};
static const test_edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, EDGES_END};
static const test_state states[] = {{100, 150, 0, TW_STATE_SEARCH}, STATES_END};

static twill_trace *sample(void)
{
    twill_trace *t = test_trace(&(test_run){1000, 2, 2, tasks, edges, states});
    t->lost = 7;
    t->nparameters[1] = 2;
    t->parameter[0][1] = -5;
    t->parameter[1][1] = INT64_MAX;
    t->flops[2] = 12.5f;
    OK(twill_trace_label(t, "a title", "twill potrf -n 5"));
    return t;
}

/* What reading gives for these bytes. */
static twill_status parse(const unsigned char *bytes, size_t n)
{
    twill_trace *t = NULL;
    twill_status status = tw_file_parse(bytes, n, "the file", &t);
    if (status == TWILL_OK)
        twill_trace_free(t);
    else
        assert_null(t);
    return status;
}

TEST(what_is_written_is_read_again)
{
    twill_trace *t = sample(), *again = NULL;
    size_t n, m;
    unsigned char *bytes = test_file(t, &n);
    OK(tw_file_parse(bytes, n, "the file", &again));
    unsigned char *second = test_file(again, &m);
    assert_int_equal(m, n);
    assert_memory_equal(second, bytes, n);
    assert_int_equal(again->parameter[1][1], INT64_MAX);
    assert_string_equal(again->text[TW_TEXT_TITLE], "a title");
    assert_string_equal(tw_class_name(again, 1), "class 1");
    assert_int_equal(again->lost, 7);
    twill_trace_free(again);
    twill_trace_free(t);
    free(bytes);
    free(second);
}

TEST(a_file_cut_off_anywhere_is_refused)
{
    twill_trace *t = sample();
    size_t n;
    unsigned char *bytes = test_file(t, &n);
    for (size_t k = 0; k < n; k++) {
        unsigned char *part = malloc(k ? k : 1); /* so that a sanitizer sees what is beyond it */
        assert_non_null(part);
        memcpy(part, bytes, k);
        assert_int_equal(parse(part, k), TWILL_ERR_ARGUMENT);
        free(part);
    }
    assert_int_equal(parse(bytes, n), TWILL_OK);
    REFUSED(parse(bytes, n - 8), TWILL_ERR_ARGUMENT, "is it complete?");
    REFUSED(parse(bytes, 3), TWILL_ERR_ARGUMENT, "does not begin as a .twt file does");
    twill_trace_free(t);
    free(bytes);
}

TEST(no_byte_that_is_changed_does_harm)
{
    twill_trace *t = sample();
    size_t n;
    unsigned char *bytes = test_file(t, &n);
    for (size_t k = 0; k < n; k++)
        for (int bit = 0; bit < 8; bit++) {
            bytes[k] ^= (unsigned char)(1 << bit);
            parse(bytes, n); /* refused or not: it comes back, and sanitizers have nothing to say */
            bytes[k] ^= (unsigned char)(1 << bit);
        }
    twill_trace_free(t);
    free(bytes);
}

TEST(another_version_is_named)
{
    twill_trace *t = sample();
    size_t n;
    unsigned char *bytes = test_file(t, &n);
    bytes[8] = 9;
    REFUSED(parse(bytes, n), TWILL_ERR_ARGUMENT, "version 9");
    twill_trace_free(t);
    free(bytes);
}

/* Files from before there were messages lack some columns: a reader that looks for them finds
 * others of names that it does not know. */
TEST(an_older_file_is_read)
{
    static const char *const later[] = {"task.message", "point.id", "point.task"};
    twill_trace *t = sample(), *again = NULL;
    size_t n;
    unsigned char *bytes = test_file(t, &n);
    tw_file_header h;
    memcpy(&h, bytes, sizeof h);
    for (uint32_t i = 0; i < h.columns; i++)
        for (int k = 0; k < 3; k++) {
            char *name = (char *)bytes + sizeof h + i * sizeof(tw_file_column);
            if (!strcmp(name, later[k]))
                name[0] = 'x';
        }
    OK(tw_file_parse(bytes, n, "the file", &again));
    assert_int_equal(again->ntasks, 4);
    assert_int_equal(again->message[2], 0);
    assert_int_equal(again->analysis->total.ranks, 1);
    twill_trace_free(again);
    twill_trace_free(t);
    free(bytes);
}

/* Write the sample with one number changed, and read it. */
#define SPOILT(statement, words)                             \
    do {                                                     \
        twill_trace *t = sample();                           \
        size_t n;                                            \
        statement;                                           \
        unsigned char *bytes = test_file(t, &n);             \
        REFUSED(parse(bytes, n), TWILL_ERR_ARGUMENT, words); \
        twill_trace_free(t);                                 \
        free(bytes);                                         \
    } while (0)

TEST(numbers_that_make_no_sense_are_refused)
{
    SPOILT(t->start[2] = 120, "task number 2");
    SPOILT(t->start[0] = NAN, "task number 0");
    SPOILT(t->start[0] = -1, "task number 0");
    SPOILT(t->end[3] = 1001, "task number 3");
    SPOILT(t->end[1] = 149, "task number 1");
    SPOILT(t->ready[1] = 151, "task number 1");
    SPOILT(t->by[1] = 1, "task number 1");
    SPOILT(t->by[1] = -3, "task number 1");
    SPOILT(t->row[0] = 2, "task number 0");
    SPOILT(t->cls[0] = 2, "task number 0");
    SPOILT(t->graph[0] = 1, "task number 0");
    SPOILT(t->nparameters[0] = 7, "task number 0");
    SPOILT(t->flops[0] = -1, "task number 0");
    SPOILT(t->bytes[0] = INFINITY, "task number 0");
    SPOILT(t->edge_from[0] = 1, "edge number 0");
    SPOILT(t->edge_to[3] = 4, "edge number 3");
    SPOILT(t->edge_from[3] = 0, "edge number 3");
    SPOILT(t->state_end[0] = 99, "state number 0");
    SPOILT(t->state_kind[0] = TW_STATES, "state number 0");
    SPOILT(t->state_row[0] = 2, "state number 0");
    SPOILT(t->row_kind[1] = 9, "row number 1");
    SPOILT(t->row_rank[1] = -1, "row number 1");
    SPOILT(t->row_rank[0] = 1 << 20, "row number 0");
    SPOILT(t->message[3] = 1, "task number 3");
    SPOILT(t->span = INFINITY, "header");
    SPOILT(t->peak = -1, "header");
}

TEST(files_that_are_not_there_or_cannot_be_written_are_named)
{
    twill_trace *t = sample(), *again = NULL;
    OK(tw_analyse(t));
    REFUSED(twill_trace_load("no/such.twt", &again), TWILL_ERR_ARGUMENT, "no/such.twt");
    REFUSED(twill_trace_load(".", &again), TWILL_ERR_ARGUMENT, "cannot be read");
    REFUSED(twill_trace_save(t, "no/such/folder/x.twt"), TWILL_ERR_SYSTEM, "cannot be written");
    REFUSED(twill_trace_save(t, "x.png"), TWILL_ERR_ARGUMENT, ".html");
    REFUSED(twill_trace_check_path("html"), TWILL_ERR_ARGUMENT, "must end");
    OK(twill_trace_check_path("a.b.HTML"));
    OK(twill_trace_save(t, "sample.twt"));
    OK(twill_trace_load("sample.twt", &again));
    assert_int_equal(again->ntasks, 4);
    twill_trace_free(again);
    twill_trace_free(t);
    twill_trace_free(NULL);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(a_file_cut_off_anywhere_is_refused),
        cmocka_unit_test(no_byte_that_is_changed_does_harm),
        cmocka_unit_test(another_version_is_named),
        cmocka_unit_test(an_older_file_is_read),
        cmocka_unit_test(numbers_that_make_no_sense_are_refused),
        cmocka_unit_test(files_that_are_not_there_or_cannot_be_written_are_named),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
