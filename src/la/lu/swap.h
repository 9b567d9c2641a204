/* Rows of a tile column that change places, wherever their tiles are. */
#ifndef TW_LA_SWAP_H
#define TW_LA_SWAP_H

#include <twill/ptg.h>

/* Two rows: where their first elements are, and how far apart columns are there, in bytes. */
typedef struct tw_swap {
    char *a, *b;
    size_t step_a, step_b;
} tw_swap;

/* Rows as the tiles of one column have them, nb in each tile. */
typedef struct tw_rows {
    const twill_flow *tiles;
    int64_t nb;
    size_t element; /* bytes */
} tw_rows;

/* Write down the swaps of row first+i with row pivot[i]-offset, i = 0 .. count-1, leaving out those
 * of a row with itself; `backward` for the inverse. Returns how many there are. */
int64_t tw_swap_list(const tw_rows *rows, int64_t first, int64_t count, const int64_t *pivot,
                     int64_t offset, bool backward, tw_swap *list);

/* Do them in columns first .. first+cols-1. */
void tw_swap_rows(const tw_swap *list, int64_t count, size_t element, int64_t first, int64_t cols);

/* Copy row a of each into row b, all columns from the first on. */
void tw_copy_rows(const tw_swap *list, int64_t count, size_t element, int64_t cols);

/* Many swaps at once: the same swaps add up to row i becoming what row from[i] was, where `from` is
 * 0, 1, 2 and so on at first. */
void tw_permutation_add(int64_t *from, int64_t first, int64_t count, const int64_t *pivot,
                        int64_t offset);

/* Do that to all rows, of which there are `count`, and `cols` columns. `column` has room for the
 * elements of one. */
void tw_permute_rows(const tw_rows *rows, int64_t count, const int64_t *from, char *column,
                     int64_t cols);

/* Whether that is faster: it reads all rows one after the other, and a swap reads two from
 * anywhere. */
bool tw_permuting_pays(int64_t swaps, int64_t rows);

#endif
