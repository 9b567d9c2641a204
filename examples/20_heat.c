/* Heat in a plate: a stencil with a halo, step after step, between two arrays. The edges of the
 * plate keep their temperature; the state after all steps goes to a file that NumPy reads. */
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

enum { N = 34, TILE = 9, STEPS = 2000 };

static int failed(const char *what)
{
    printf("%s: %s\n", what, twill_message());
    return 1;
}

/* 100 degrees along column 0, and 0 elsewhere. */
static void begin(void *element, const int64_t *index, void *arg)
{
    (void)arg;
    *(double *)element = index[1] == 0 ? 100 : 0;
}

static void average(const twill_stencil_line *line, void *arg)
{
    const double *x = line->from;
    double *y = line->to;
    int64_t s = line->step[0], t = line->step[1];
    (void)arg;
    for (int64_t i = 0; i < line->n; i++)
        y[i] = (x[i - s] + x[i + s] + x[i - t] + x[i + t]) / 4;
}

/* Two steps: from one plate to the other, and back. */
static twill_status two_steps(twill_view one, twill_view other)
{
    twill_halo halo = {.size = sizeof halo, .width = {1, 1}, .edge = TWILL_EDGE_ARRAY};
    twill_status status = twill_stencil(one, other, &halo, average, NULL);
    return status == TWILL_OK ? twill_stencil(other, one, &halo, average, NULL) : status;
}

static int warm(twill_array *a, twill_array *b)
{
    twill_view x = twill_view_all(a), y = twill_view_all(b);
    twill_view inner = twill_view_sub(x, 1, 1, N - 2, N - 2);
    double first, least, most;
    if (twill_generate(x, begin, NULL) || twill_generate(y, begin, NULL))
        return failed("the beginning");
    for (int i = 0; i < STEPS; i += 2)
        if (two_steps(inner, twill_view_sub(y, 1, 1, N - 2, N - 2)))
            return failed("a step");
    if (twill_view_min(inner, &least, NULL) || twill_view_max(inner, &most, NULL) ||
        twill_view_sum(twill_view_element(a, (int64_t[]){N / 2, N / 2}), &first))
        return failed("looking");
    printf("after %d steps: %.2f degrees in the middle, %.2f to %.2f in all\n", STEPS, first, least,
           most);
    if (twill_save(x, "heat.npy"))
        return failed("heat.npy");
    /* a square plate with one hot edge has a quarter of its temperature in the middle */
    return !(fabs(first - 25) < 2 && least > 0 && most < 100);
}

int main(void)
{
    twill *tw;
    twill_array *a = NULL, *b = NULL;
    twill_pattern p = twill_tiled(N, N, TILE, TILE);
    if (twill_start(&tw, NULL))
        return failed("twill_start");
    int wrong = twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) ||
                        twill_array_create(tw, &p, TWILL_FLOAT64, 0, &b)
                    ? failed("arrays")
                    : warm(a, b);
    twill_stop(tw);
    return wrong;
}
