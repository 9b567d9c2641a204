/* fft.jdf: transforms of some signals of 64 points, compared with the sums that define them. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

#include "fft.h"

enum { LEVELS = 6, POINTS = 1 << LEVELS, SIGNALS = 8 };
typedef double complex number;
static const double pi = 3.14159265358979323846;

void fft_step(int64_t s, int64_t i, number *own, const number *other, int64_t n);

void fft_step(int64_t s, int64_t i, number *own, const number *other, int64_t n)
{
    int64_t half = (int64_t)1 << (s - 1);
    number w = cexp(-I * pi * (double)(i % half) / (double)half);
    for (int64_t k = 0; k < n; k++)
        own[k] = i & half ? other[k] - w * own[k] : own[k] + w * other[k];
}

static number sample(int point, int signal)
{
    return sin(0.1 * point * signal) + I * ((point * 7 + signal) % 5);
}

static int reverse_bits(int i)
{
    int r = 0;
    for (int b = 0; b < LEVELS; b++)
        r |= (i >> b & 1) << (LEVELS - 1 - b);
    return r;
}

/* How far the transforms are from their definition. */
static double error(number (*found)[SIGNALS])
{
    double most = 0;
    for (int k = 0; k < SIGNALS; k++)
        for (int i = 0; i < POINTS; i++) {
            number sum = 0;
            for (int j = 0; j < POINTS; j++)
                sum += sample(j, k) * cexp(-2 * I * pi * (i * j % POINTS) / POINTS);
            most = fmax(most, cabs(sum - found[i][k]));
        }
    return most;
}

int main(void)
{
    static number data[POINTS][SIGNALS];
    twill *tw;
    twill_array *a;
    twill_graph *graph;
    twill_pattern pattern = twill_tiled(POINTS * SIGNALS, 1, SIGNALS, 1);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < SIGNALS; k++)
            data[reverse_bits(i)][k] = sample(i, k);
    if (twill_start(&tw, NULL) ||
        twill_array_wrap(tw, &pattern, TWILL_COMPLEX128, 0, data, POINTS * SIGNALS, &a) ||
        twill_fft_new(tw, LEVELS, a, &graph) || twill_ptg_run(graph) || twill_wait(graph)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_graph_free(graph);
    twill_stop(tw);
    double most = error(data);
    printf("%d transforms of %d points, largest error %.1e\n", SIGNALS, POINTS, most);
    return most < 1e-11 ? 0 : 1;
}
