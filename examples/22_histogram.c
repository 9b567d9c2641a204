/* A histogram: a reduction whose result is a table, a scan that makes it cumulative, and the median
 * by sorting, which must agree. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 20000, TILE = 1500, BINS = 16 };

static int failed(const char *what)
{
    printf("%s: %s\n", what, twill_message());
    return 1;
}

/* Numbers from 0 to 1, more of them small. */
static void draw(void *element, const int64_t *index, void *arg)
{
    uint64_t x = (uint64_t)*index * 0x9E3779B97F4A7C15u;
    (void)arg;
    x ^= x >> 32;
    x *= 0xD6E8FEB86659FD93u;
    double u = (double)(x >> 11) / 9007199254740992.0;
    *(double *)element = u * u;
}

static void begin(void *table, void *arg)
{
    (void)arg;
    for (int i = 0; i < BINS; i++)
        ((double *)table)[i] = 0;
}

static void add(void *table, const twill_line *line, void *arg)
{
    const double *x = line->data;
    (void)arg;
    for (int64_t i = 0; i < line->n; i++)
        ((double *)table)[(int)(x[i] * BINS)] += 1;
}

static void combine(void *into, const void *from, void *arg)
{
    (void)arg;
    for (int i = 0; i < BINS; i++)
        ((double *)into)[i] += ((const double *)from)[i];
}

static int look(twill_array *a, twill_array *table)
{
    twill_reducer histogram = {.struct_size = sizeof histogram,
                               .size = BINS * sizeof(double),
                               .begin = begin,
                               .add = add,
                               .combine = combine};
    twill_view x = twill_view_all(a), t = twill_view_all(table);
    double counts[BINS], median;
    if (twill_generate(x, draw, NULL) || twill_reduce(x, &histogram, counts))
        return failed("counting");
    for (int i = 0; i < BINS; i++)
        printf("%5.3f %5.0f %.*s\n", (double)i / BINS, counts[i], (int)(counts[i] / 100),
               "##################################################");
    if (twill_put(counts, t) || twill_scan(t, 0, NULL, NULL, NULL) || twill_get(t, counts) ||
        twill_sort(x, NULL, NULL) || twill_get(twill_view_element(a, (int64_t[]){N / 2}), &median))
        return failed("sorting");
    int bin = 0;
    while (counts[bin] <= N / 2)
        bin++;
    printf("the median is %.4f, in bin %d of %d\n", median, bin, (int)BINS);
    return !(counts[BINS - 1] == N && bin == (int)(median * BINS));
}

int main(void)
{
    twill *tw;
    twill_array *a = NULL, *table = NULL;
    twill_pattern p = twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){TILE}, NULL);
    twill_pattern q = twill_pattern_nd(1, (int64_t[]){BINS}, (int64_t[]){5}, NULL);
    if (twill_start(&tw, NULL))
        return failed("twill_start");
    int wrong = twill_array_create(tw, &p, TWILL_FLOAT64, 0, &a) ||
                        twill_array_create(tw, &q, TWILL_FLOAT64, 0, &table)
                    ? failed("arrays")
                    : look(a, table);
    twill_stop(tw);
    return wrong;
}
