/* Conway's game of life on a torus: cells of one byte, a stencil with periodic edges. A glider is
 * one row and one column further after four generations. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 40, TILE = 9, GENERATIONS = 4 * N };

static int failed(const char *what)
{
    printf("%s: %s\n", what, twill_message());
    return 1;
}

static void live(const twill_stencil_line *line, void *arg)
{
    const unsigned char *x = line->from;
    unsigned char *y = line->to;
    int64_t s = line->step[0], t = line->step[1];
    (void)arg;
    for (int64_t i = 0; i < line->n; i++) {
        int around = x[i - s - t] + x[i - s] + x[i - s + t] + x[i - t] + x[i + t] + x[i + s - t] +
                     x[i + s] + x[i + s + t];
        y[i] = around == 3 || (around == 2 && x[i]);
    }
}

static bool is_alive(const void *cell, void *arg)
{
    (void)arg;
    return *(const unsigned char *)cell != 0;
}

static int play(twill_array *a, twill_array *b, twill_array *kept)
{
    static const unsigned char glider[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    twill_halo halo = {.size = sizeof halo, .width = {1, 1}, .edge = TWILL_EDGE_PERIODIC};
    twill_view x = twill_view_all(a), y = twill_view_all(b);
    int64_t cells;
    bool same;
    if (twill_put(glider, twill_view_sub(x, 5, 30, 3, 3)) ||
        twill_transfer(x, twill_view_all(kept)))
        return failed("the glider");
    for (int i = 0; i < GENERATIONS; i += 2)
        if (twill_stencil(x, y, &halo, live, NULL) || twill_stencil(y, x, &halo, live, NULL))
            return failed("a generation");
    if (twill_count_of(x, is_alive, NULL, &cells) || twill_equal(x, twill_view_all(kept), &same))
        return failed("looking");
    printf("after %d generations: %lld cells, %s\n", (int)GENERATIONS, (long long)cells,
           same ? "where they began" : "elsewhere");
    return !(cells == 5 && same);
}

int main(void)
{
    twill *tw;
    twill_array *x[3] = {NULL};
    twill_pattern p = twill_tiled(N, N, TILE, TILE);
    if (twill_start(&tw, NULL))
        return failed("twill_start");
    for (int i = 0; i < 3; i++)
        if (twill_array_create(tw, &p, TWILL_BYTES, 1, &x[i]))
            return failed("an array");
    int wrong = play(x[0], x[1], x[2]);
    twill_stop(tw);
    return wrong;
}
