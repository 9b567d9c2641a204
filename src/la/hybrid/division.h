/* One product of matrices for devices and cores: who computes which part of C, and when.
 *
 * C is cut into the part of the devices and that of the cores, side by side or one below the other:
 * across its longer side, so that flat matrices are cut, too. The part of the devices consists of
 * tiles, each a product of a block row of A with a block column of B. Each device begins with block
 * columns of its own, and needs each block of an operand once: it keeps the blocks of B, and those
 * of A are needed no more when the next row of tiles begins.
 *
 * Three phases for cores: their part at once; then as many of the tiles that are left as their
 * share is, at once, too; then single tiles. But no tile that the devices would have done before.
 * A device that has nothing left takes tiles of the others.
 *
 * Nothing here computes, waits or is locked. */
#ifndef TW_LA_HYBRID_DIVISION_H
#define TW_LA_HYBRID_DIVISION_H

#include <stdbool.h>
#include <stddef.h>
#include <twill/status.h>

enum { TW_DIVIDERS = 48, TW_DIVIDED = 15 };

/* Rates by the size of C: operations per second of the cores and of each device. Remembered from
 * call to call, and corrected by each. Zeroed memory knows nothing. */
typedef struct tw_rates {
    double cores, device[TW_DIVIDED];
} tw_rates;

typedef struct tw_divider {
    tw_rates at[TW_DIVIDERS]; /* by the logarithm of m n */
} tw_divider;

/* What is known for this size: of the size, of the nearest one, or else `guess`. */
tw_rates tw_divider_rates(const tw_divider *d, int64_t m, int64_t n, int devices,
                          const tw_rates *guess);

/* A call has shown these; 0: nothing new. */
void tw_divider_note(tw_divider *d, int64_t m, int64_t n, int devices, const tw_rates *measured);

/* A part of C. */
typedef struct tw_part {
    int64_t row, col, rows, cols;
    bool needs_a, needs_b; /* a device does not have that block of the operand yet */
} tw_part;

typedef struct tw_division {
    int64_t m, n, k, tile;
    int devices;
    tw_rates rates;
    double share;       /* of the cores */
    tw_part of_cores;   /* the first phase; may be empty */
    int64_t rows, cols; /* of tiles, of the devices */
    int64_t left;       /* tiles that nobody has taken */
    int phase;          /* of the cores: 1 to 3 */
    bool *taken;
    bool *has_a, *has_b;           /* of each device: block rows and columns that it has got */
    int64_t first[TW_DIVIDED + 1]; /* block columns of each device */
} tw_division;

/* The side of tiles for C: large ones make good use of devices, several keep them busy. 0 for no
 * restriction by memory, else elements of it that each device has. */
int64_t tw_division_tile(int64_t m, int64_t n, int64_t k, int devices, int64_t elements);

/* TWILL_ERR_MEMORY. Rates of the cores may be 0, those of devices not. */
twill_status tw_division_open(tw_division *d, int64_t m, int64_t n, int64_t k, int64_t tile,
                              int devices, const tw_rates *rates);
void tw_division_close(tw_division *d);

/* The next part for a device, from 0, and for the cores. False: there is none, and there will be
 * none. */
bool tw_division_next(tw_division *d, int device, tw_part *part);
bool tw_division_next_of_cores(tw_division *d, tw_part *part);

#endif
