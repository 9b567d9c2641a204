/* Iterating over local elements costs what the plain loop costs: instructions are counted, which is
 * exact however busy the machine is. The program runs itself under callgrind for that. */
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 1 << 20, TILE = 1 << 14, ROWS = 1 << 10 };

/* What is counted: called by the one or by the other. */
__attribute__((noinline)) void scale(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] *= 1.5;
}

__attribute__((noinline)) void plain_loop(double *x)
{
    scale(x, N);
}

static void scale_line(const twill_line *line, void *arg)
{
    (void)arg;
    scale(line->data, line->n);
}

static void scale_box(const twill_box *box, void *arg)
{
    (void)arg;
    for (int64_t j = 0; j < box->extent[1]; j++)
        scale((double *)box->data + j * box->step[1], box->extent[0]);
}

/* Do it once, in the way that is asked for. */
static int run(const char *how)
{
    twill *tw = test_start(1, NULL);
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){TILE}, NULL);
    twill_array *a;
    void *data;
    int64_t ld;
    if (strcmp(how, "boxes") == 0)
        p = twill_tiled(ROWS, N / ROWS, ROWS, N / ROWS / 4);
    OK(twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a));
    if (strcmp(how, "lines") == 0) {
        OK(twill_for_each(twill_view_all(a), TWILL_READ_WRITE, scale_line, NULL));
    } else if (strcmp(how, "boxes") == 0) {
        OK(twill_for_each_box(twill_view_all(a), TWILL_READ_WRITE, scale_box, NULL));
    } else {
        twill_view all = twill_view_all(a);
        OK(twill_map(all, TWILL_READ_WRITE, &data, &ld));
        plain_loop(data);
        OK(twill_unmap(all, data));
    }
    twill_stop(tw);
    return 0;
}

/* Instructions inside a function and what it calls. */
static double count(const char *how, const char *function)
{
    char command[512], line[512], self[256] = "";
    double collected = 0;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 0;
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='%s' %s %s "
             "2>&1",
             function, self, how);
    FILE *f = popen(command, "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        const char *at = strstr(line, "Collected : ");
        collected = at ? strtod(at + strlen("Collected : "), NULL) : collected;
    }
    assert_int_equal(pclose(f), 0);
    assert_true(collected > 0);
    return collected;
}

TEST(lines_and_boxes_are_plain_loops)
{
    if (test_slow() || system("command -v valgrind > /dev/null 2>&1") != 0)
        skip(); /* counts of instrumented builds say nothing */
    double plain = count("plain", "plain_loop");
    double lines = count("lines", "tw_lines_visit"), boxes = count("boxes", "scale_box");
    print_message("instructions: %.0f plain, %.4f with lines, %.4f with boxes\n", plain,
                  lines / plain, boxes / plain);
    assert_true(lines < 1.02 * plain && lines > 0.98 * plain);
    assert_true(boxes < 1.02 * plain && boxes > 0.98 * plain);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_and_boxes_are_plain_loops)};
    return argc > 1 ? run(argv[1]) : cmocka_run_group_tests(tests, NULL, NULL);
}
