/* Smith and Waterman's local alignment of two sequences: how well does the best part of one fit a
 * part of the other? An element of the table of scores depends on those above, to the left and in
 * between. So blocks of it are tasks, and those on a diagonal run at the same time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twill/twill.h>

enum { M = 1500, N = 1100, NB = 128, MATCH = 3, MISMATCH = -2, GAP = -4 };

static char a[M], b[N]; /* the sequences, which nobody changes any more */

static int32_t larger(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

static int32_t score(int64_t i, int64_t j, int32_t corner, int32_t above, int32_t left)
{
    int32_t meet = corner + (a[i] == b[j] ? MATCH : MISMATCH);
    return larger(larger(meet, 0), larger(above, left) + GAP);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* A block of scores, and its neighbours: the one above, to the left, and in between. */
typedef struct block {
    int32_t *h;
    int64_t ld;
} block;

enum { OWN, ABOVE, LEFT, CORNER, BLOCKS };

/* Element (i, j) of a block, also just outside: the blocks before it are full ones. */
static int32_t at(const block *x, int64_t i, int64_t j)
{
    const block *y = &x[(i < 0 ? ABOVE : 0) + (j < 0 ? LEFT : 0)];
    return y->h[(i < 0 ? NB - 1 : i) + (j < 0 ? NB - 1 : j) * y->ld];
}

static twill_outcome align_body(twill_task *t)
{
    block x[BLOCKS];
    for (int k = 0; k < BLOCKS; k++)
        x[k] = (block){twill_task_data(t, k), twill_task_ld(t, k)};
    int32_t *best = twill_task_data(t, BLOCKS), most = 0;
    int64_t i0 = twill_task_int(t, BLOCKS + 1), j0 = twill_task_int(t, BLOCKS + 2);
    for (int64_t j = 0; j < twill_task_cols(t, OWN); j++)
        for (int64_t i = 0; i < twill_task_rows(t, OWN); i++) {
            int32_t h =
                score(i0 + i, j0 + j, at(x, i - 1, j - 1), at(x, i - 1, j), at(x, i, j - 1));
            x[OWN].h[i + j * x[OWN].ld] = h;
            most = larger(most, h);
        }
    *best = larger(*best, most);
    return TWILL_DONE;
}

static const twill_class align = {
    .size = sizeof(twill_class), .name = "align", .chores = {TWILL_CPU(align_body)}};

/* Beyond the edge of the table there is a block of zeros. The best score is for one task at a time,
 * in any order. */
static void insert(twill_graph *g, twill_array *h, twill_array *zeros, twill_array *best)
{
    twill_tile *none = twill_tile_at(zeros, 0, 0);
    for (int64_t j = 0; j * NB < N; j++)
        for (int64_t i = 0; i * NB < M; i++)
            twill_insert(g, &align, TWILL_W(twill_tile_at(h, i, j)),
                         TWILL_R(i ? twill_tile_at(h, i - 1, j) : none),
                         TWILL_R(j ? twill_tile_at(h, i, j - 1) : none),
                         TWILL_R(i && j ? twill_tile_at(h, i - 1, j - 1) : none),
                         TWILL_COMMUTE(twill_tile_at(best, 0, 0)), TWILL_INT(i * NB),
                         TWILL_INT(j * NB));
}

/* ---- the same in sequence ---------------------------------------------------------------- */

/* With a row and a column of zeros before the first ones. */
static int32_t table[(M + 1) * (N + 1)];

static int32_t align_in_sequence(void)
{
    int32_t most = 0;
    for (int64_t j = 1; j <= N; j++)
        for (int64_t i = 1; i <= M; i++) {
            int32_t *h = &table[i + j * (M + 1)];
            *h = score(i - 1, j - 1, h[-1 - (M + 1)], h[-1], h[-(M + 1)]);
            most = larger(most, *h);
        }
    return most;
}

static bool is_the_same(const int32_t *h, int64_t ld)
{
    bool same = true;
    for (int64_t j = 0; j < N; j++)
        same = same && !memcmp(h + j * ld, &table[1 + (j + 1) * (M + 1)], M * sizeof *h);
    return same;
}

/* ------------------------------------------------------------------------------------------ */

static void make_sequence(char *text, int n)
{
    for (int i = 0; i < n; i++)
        text[i] = "ACGT"[rand() / 7 % 4];
}

static twill_array *make(twill *tw, int64_t m, int64_t n, int64_t mb, int64_t nb)
{
    twill_array *h = NULL;
    twill_pattern p = twill_tiled(m, n, mb, nb);
    twill_array_create(tw, &p, TWILL_BYTES, sizeof(int32_t), &h); /* of zeros */
    return h;
}

/* Is the whole table as it is in sequence? The best score goes to *most. */
static bool check(twill_array *h, twill_array *best, int32_t *most)
{
    void *data;
    int64_t ld;
    if (twill_map(twill_view_all(h), TWILL_READ, &data, &ld))
        return false;
    bool same = is_the_same(data, ld);
    twill_unmap(twill_view_all(h), data);
    if (twill_map(twill_view_all(best), TWILL_READ, &data, &ld))
        return false;
    *most = *(const int32_t *)data;
    twill_unmap(twill_view_all(best), data);
    return same;
}

int main(void)
{
    twill *tw;
    twill_graph *g;
    make_sequence(a, M);
    make_sequence(b, N);
    memcpy(b + 300, a + 700, 60); /* something to find */
    int32_t wanted = align_in_sequence(), most = -1;
    if (twill_start(&tw, NULL)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_array *h = make(tw, M, N, NB, NB), *zeros = make(tw, NB, NB, NB, NB);
    twill_array *best = make(tw, 1, 1, 1, 1);
    bool good = h && zeros && best && !twill_stf_begin(tw, &g);
    if (good)
        insert(g, h, zeros, best);
    good = good && !twill_wait(g) && check(h, best, &most) && most == wanted;
    printf("best score %d, in sequence %d\n", (int)most, (int)wanted);
    if (!good)
        fprintf(stderr, "%s\n", twill_message());
    twill_stop(tw);
    return good ? 0 : 1;
}
