/* Matrices on ranks of your choice: one that a function of the program places, factored where it
 * is, and brought together on rank 0 in other tiles.
 *
 *     mpirun -np 4 build/examples/17_redistribute
 *
 * Without mpirun there is one rank, and the program is the same. */
#include <stdio.h>
#include <twill/twill.h>

enum { N = 500, NB = 48 };

/* Columns of tiles go to and fro over the ranks: 0 1 2 3 3 2 1 0 0 1 ... The last ones of a
 * factorization take longest, and no rank has more of them than another. */
static int64_t to_and_fro(const int64_t *block, void *arg)
{
    int64_t ranks = *(const int *)arg, place = block[1] % (2 * ranks);
    return place < ranks ? place : 2 * ranks - 1 - place;
}

static twill_status factor_and_collect(twill *tw, double *corner)
{
    int ranks = twill_ranks(tw); /* lives as long as the arrays that it places */
    twill_pattern placed = twill_placed(N, N, NB, NB, to_and_fro, &ranks);
    twill_pattern together = twill_tiled(N, N, 100, 100);
    twill_array *a = NULL, *b = NULL;
    void *data;
    int64_t info = -1, ld;
    twill_status status = twill_array_create(tw, &placed, TWILL_FLOAT64, 0, &a);
    if (status == TWILL_OK)
        status = twill_array_create(tw, &together, TWILL_FLOAT64, 0, &b);
    if (status == TWILL_OK)
        status = twill_fill_spd(a, 42);
    if (status == TWILL_OK)
        status = twill_potrf(TWILL_LOWER, a, &info);
    if (status == TWILL_OK)
        status = twill_copy(a, b); /* each element travels once */
    twill_view last = twill_view_sub(twill_view_all(b), N - 1, N - 1, 1, 1);
    if (status == TWILL_OK && twill_rank(tw) == 0)
        status = twill_map(last, TWILL_READ, &data, &ld);
    if (status == TWILL_OK && twill_rank(tw) == 0) {
        *corner = *(double *)data;
        status = twill_unmap(last, data);
    }
    twill_array_free(a);
    twill_array_free(b);
    return status != TWILL_OK || info == 0 ? status : TWILL_ERR_NUMERICAL;
}

int main(void)
{
    twill *tw = NULL;
    double corner = 0.0;
    if (twill_start(&tw, NULL)) {
        fprintf(stderr, "%s\n", twill_message());
        return 1;
    }
    twill_status status = factor_and_collect(tw, &corner);
    if (status != TWILL_OK)
        fprintf(stderr, "rank %d: %s\n", twill_rank(tw), twill_message());
    if (twill_rank(tw) == 0)
        printf("%d ranks: the last element of the factor is %.6f\n", twill_ranks(tw), corner);
    bool good = status == TWILL_OK && (twill_rank(tw) > 0 || (corner > 20.0 && corner < 25.0));
    twill_stop(tw);
    return !good;
}
