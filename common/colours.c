/* Names of usual tasks have a colour each that differs from those of the tasks beside them; all
 * others have the colour that their letters come to. */
#include "common/colours.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BASES = 8 };

/* Blue, orange, green, mauve, sky, red, yellow, slate: all eyes tell them apart. */
static const tw_rgb bases[BASES] = {{0x24, 0x68, 0xb0}, {0xde, 0x8f, 0x33}, {0x50, 0xa9, 0x7c},
                                    {0xb7, 0x84, 0xb4}, {0xb4, 0xd6, 0xfb}, {0xbb, 0x3d, 0x2f},
                                    {0xef, 0xd8, 0x3d}, {0x54, 0x5b, 0x5c}};

static const struct {
    const char *name;
    int colour;
} usual[] = {{"gemm", 0},  {"trsm", 1},  {"herk", 2},  {"syrk", 2},  {"potrf", 5}, {"panel", 5},
             {"laswp", 6}, {"geqrt", 5}, {"gelqt", 5}, {"unmqr", 0}, {"unmlq", 0}, {"ttqrt", 1},
             {"ttlqt", 1}, {"ttmqr", 2}, {"ttmlq", 2}, {"trmm", 3},  {"lauum", 7}, {"trtri", 4},
             {"copy", 4},  {"fill", 6},  {"symm", 0},  {"hemm", 0},  {"pack", 7}};

/* The colour that a name has when it is alone: FNV-1a of its small letters, or one of the table. */
static int wish(const char *name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcasecmp(usual[i].name, name) == 0)
            return usual[i].colour;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c)) * 16777619u;
    return (int)(hash % TW_COLOURS);
}

static unsigned char mix(unsigned char from, int to, double share)
{
    return (unsigned char)(from + (to - from) * share + 0.5);
}

/* The bases, then the same hues lighter, then darker. */
static tw_rgb colour(int i)
{
    tw_rgb base = bases[i % BASES];
    int to = i / BASES == 1 ? 255 : 0;
    double share = i < BASES ? 0 : i / BASES == 1 ? 0.45 : 0.35;
    return (tw_rgb){mix(base.red, to, share), mix(base.green, to, share),
                    mix(base.blue, to, share)};
}

typedef struct place {
    const char *name;
    int class;
} place;

static int by_name(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->class > y->class) - (x->class < y->class);
}

void tw_colours(const char *const *names, int n, tw_rgb *colours)
{
    place *order = calloc((size_t)n + 1, sizeof *order);
    int taken[TW_COLOURS] = {0};
    for (int i = 0; i < n; i++) {
        if (order)
            order[i] = (place){names[i], i};
        else
            colours[i] = colour(wish(names[i])); /* without memory colours may come twice */
    }
    if (!order)
        return;
    qsort(order, (size_t)n, sizeof *order, by_name);
    for (int i = 0; i < n; i++) {
        int at = wish(order[i].name);
        for (int tries = 0; tries < TW_COLOURS && taken[at] > i / TW_COLOURS; tries++)
            at = (at + 1) % TW_COLOURS;
        taken[at]++;
        colours[order[i].class] = colour(at);
    }
    free(order);
}
