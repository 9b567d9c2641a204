/* LU factorization of a tile column that several ranks have, each its slice: its tiles of it.
 *
 * A slice is a panel of the uppermost tile of all, or a copy of that, and of the rank's own tiles
 * below it. What happens to the uppermost tile happens on every rank, so nobody sends it again. For
 * each column the slices exchange their largest elements with the rows that these are in, as far as
 * the leaf goes; and for each leaf the rest of the rows that were chosen. Pieces of rows and the
 * order of operations are those of tw_panel_factor, and so are the bits. */
#ifndef TW_LA_SLICE_H
#define TW_LA_SLICE_H

#include "front/stf/mailbox.h"
#include "la/lu/steps.h"

/* Tile t of the column, counted from the uppermost one, is in slice t % stride. */
typedef struct tw_slice {
    tw_panel panel; /* pivots: room for them in each slice */
    tw_mailbox *box;
    int64_t number; /* of the mailbox of slice 0; others follow */
    int64_t own, slices, stride;
    const twill_array *array; /* with the uppermost tile at (row, col): so ranks are known */
    int64_t row, col;
    double patience; /* how long others may be in other bodies, in seconds */
    struct tw_slice_state *state;
} tw_slice;

/* Size of the state of the mailbox; where in it there is room for a copy of the uppermost tile, and
 * for the pivots. */
size_t tw_slice_bytes(int64_t slices, int64_t nb, size_t element);
void *tw_slice_top(const tw_slice *s);
int64_t *tw_slice_pivots(const tw_slice *s);

/* Has it not begun yet? */
bool tw_slice_is_new(const tw_slice *s);

/* Go on. All members of a team call this with the same slice. False: the body is to return
 * TWILL_AGAIN. */
bool tw_slice_factor(const tw_slice *s, twill_team *team);

#endif
