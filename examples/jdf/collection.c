/* Run the filters of collection.jdf over blocks that the program keeps itself: a list of blocks,
 * each allocated on its own, on the rank and near the worker that the program chooses. */
#include "collection.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { BLOCKS = 12, FILTERS = 5, SIZE = 1000 };

void filter(int64_t f, double *x, int64_t n);

typedef struct store {
    int ranks;
    double *block[BLOCKS]; /* NULL: on another rank */
} store;

/* The first half of the blocks is on the first rank, the other on the last one. */
static int64_t rank_of(const int64_t *block, void *arg)
{
    const store *s = arg;
    return block[0] < BLOCKS / 2 ? 0 : s->ranks - 1;
}

static void *data_of(const int64_t *block, int64_t *ld, void *arg)
{
    const store *s = arg;
    (void)ld; /* of one column */
    return s->block[block[0]];
}

/* Three blocks in a row are for one worker, as long as no other is idle. */
static int64_t worker_of(const int64_t *block, void *arg)
{
    (void)arg;
    return block[0] / 3;
}

void filter(int64_t f, double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = (double)(f + 1) * sqrt(x[i]) + (double)f;
}

static bool fill(store *s, int rank)
{
    for (int64_t b = 0; b < BLOCKS; b++) {
        if (rank_of(&b, s) != rank)
            continue;
        s->block[b] = malloc(SIZE * sizeof(double));
        for (int i = 0; s->block[b] && i < SIZE; i++)
            s->block[b][i] = (double)(b * SIZE + i);
        if (!s->block[b])
            return false;
    }
    return true;
}

static bool is_right(const double *block, int64_t b)
{
    double wanted[SIZE];
    bool right = true;
    for (int i = 0; i < SIZE; i++)
        wanted[i] = (double)(b * SIZE + i);
    for (int64_t f = 0; f < FILTERS; f++)
        filter(f, wanted, SIZE);
    for (int i = 0; i < SIZE; i++)
        right = right && block[i] == wanted[i];
    return right;
}

static bool run(twill *tw, store *s)
{
    twill_array *a = NULL;
    twill_graph *g = NULL;
    twill_pattern blocks = twill_pattern_nd(1, (int64_t[]){BLOCKS * SIZE}, (int64_t[]){SIZE}, NULL);
    twill_collection mine = {.size = sizeof mine,
                             .rank_of = rank_of,
                             .data_of = data_of,
                             .worker_of = worker_of,
                             .arg = s};
    bool good = twill_array_collection(tw, &blocks, TWILL_FLOAT64, 0, &mine, &a) == TWILL_OK &&
                twill_collection_new(tw, BLOCKS, FILTERS, a, &g) == TWILL_OK &&
                twill_ptg_run(g) == TWILL_OK && twill_wait(g) == TWILL_OK;
    if (!good)
        fprintf(stderr, "%s\n", twill_message());
    for (int64_t b = 0; b < BLOCKS && good; b++)
        good = !s->block[b] || is_right(s->block[b], b);
    twill_graph_free(g);
    twill_array_free(a);
    return good;
}

int main(void)
{
    twill *tw;
    if (twill_start(&tw, NULL) != TWILL_OK) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    store s = {.ranks = twill_ranks(tw)};
    bool good = fill(&s, twill_rank(tw)) && run(tw, &s);
    for (int b = 0; b < BLOCKS; b++)
        free(s.block[b]);
    twill_stop(tw);
    puts(good ? "all blocks went through all filters" : "wrong");
    return good ? 0 : 1;
}
