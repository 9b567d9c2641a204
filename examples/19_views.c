/* Views of a matrix and of a cube: parts of parts, local blocks, copies in the background, and
 * algorithms over them. What a view shows waits for the tasks that write it. */
#include <stdio.h>
#include <twill/twill.h>

enum { M = 12, N = 9, MB = 3, NB = 3 };

static int failed(const char *what)
{
    printf("%s: %s\n", what, twill_message());
    return 1;
}

/* Element (i, j) is 100 i + j. */
static void number(const twill_line *line, void *arg)
{
    (void)arg;
    double *x = line->data;
    for (int64_t i = 0; i < line->n; i++)
        x[i] = (double)(100 * (line->index[0] + i) + line->index[1]);
}

/* Rows 4 to 6, columns 2 to 6, and of these the second row. */
static int parts(twill_view all)
{
    double block[3 * 5], row[5];
    twill_view dom = twill_view_range(twill_view_range(all, 0, 4, 7), 1, 2, 7);
    if (twill_get(dom, block) || twill_get(twill_view_row(dom, 1), row))
        return failed("parts");
    printf("the part begins with %g, its second row with %g\n", block[0], row[0]);
    return !(block[0] == 402 && block[1] == 502 && row[0] == 502 && row[4] == 506);
}

/* The block of this rank that is number 7, one column further west, goes to its block number 0:
 * while it does, the program may do something else. */
static int blocks(twill_view all)
{
    twill_view mine = twill_view_local(all);
    twill_view west = twill_view_shift(twill_view_global(twill_view_block_nth(mine, 7)), 1, -1);
    twill_view first = twill_view_block_nth(mine, 0);
    twill_future *copying;
    double corner;
    if (twill_transfer_async(west, first, &copying) || twill_future_wait(copying))
        return failed("blocks");
    if (twill_get(twill_view_element(all.array, (int64_t[]){0, 0}), &corner))
        return failed("an element");
    printf("element (0, 0) is now %g\n", corner);
    return corner != 902;
}

static int extremes(twill_view all)
{
    double most, sum;
    int64_t where[2];
    if (twill_view_max(all, &most, where) || twill_view_sum(twill_view_row(all, 11), &sum))
        return failed("extremes");
    printf("the largest element is %g at (%lld, %lld); the last row adds up to %g\n", most,
           (long long)where[0], (long long)where[1], sum);
    return !(most == 1108 && where[0] == 11 && where[1] == 8 && sum == 9 * 1100 + 36);
}

/* A plane of a cube whose elements are in C's order is a matrix. */
static int cube(twill *tw)
{
    const int64_t extent[] = {4, 5, 6};
    const twill_dim dim[] = {TWILL_BLOCKED, TWILL_TILED(2), TWILL_NONE};
    double in[4][5][6], plane[4][6];
    twill_pattern p;
    twill_array *a;
    for (int i = 0; i < 4 * 5 * 6; i++)
        (&in[0][0][0])[i] = i;
    if (twill_pattern_make(3, extent, dim, NULL, TWILL_ROW_MAJOR, &p) ||
        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a))
        return failed("a cube");
    if (twill_put(in, twill_view_all(a)) ||
        twill_get(twill_view_slice(twill_view_all(a), 1, 3), plane))
        return failed("a plane");
    printf("plane 3 of the cube ends with %g\n", plane[3][5]);
    twill_array_free(a);
    return plane[3][5] != in[3][3][5] || plane[0][1] != in[0][3][1];
}

int main(void)
{
    twill *tw;
    twill_array *a;
    twill_pattern p = twill_tiled(M, N, MB, NB);
    if (twill_start(&tw, NULL) || twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a))
        return failed("start");
    twill_view all = twill_view_all(a);
    if (twill_for_each(all, TWILL_WRITE, number, NULL))
        return failed("for each");
    int bad = parts(all) || extremes(all) || blocks(all) || cube(tw);
    twill_stop(tw);
    return bad;
}
