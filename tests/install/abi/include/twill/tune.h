/* What was measured on this machine, and is remembered: `twill tune` measures, contexts read.
 *
 * Threads: any thread, at any time while the context lives. */
#ifndef TWILL_TUNE_H
#define TWILL_TUNE_H

#include <twill/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The best tile size for square matrices of order n on so many workers. An element of an array: its
 * size is fixed for one TWILL_ABI. */
typedef struct twill_tuned_tile {
    char type; /* s, d, c or z */
    int workers;
    int64_t n, nb;
    int64_t reserved; /* 0 */
} twill_tuned_tile;

enum { TWILL_TUNED_TILES = 64 };

/* An empty text or a zero means that nothing is known. */
typedef struct twill_tuning {
    size_t size;                 /* sizeof(twill_tuning) */
    char blas[512], lapack[512]; /* files of the best provider */
    char kernels[64];            /* and its best kernel set, "auto" for its own choice */
    int64_t one_tile;            /* order up to which a matrix is one tile */
    int tiles;
    twill_tuned_tile tile[TWILL_TUNED_TILES];
} twill_tuning;

/* What this context goes by: what the file has for this processor, as long as the libraries are the
 * ones that were measured. All zero when there is none. A file that is damaged or for another
 * machine counts as none. Any thread. */
TWILL_API twill_status twill_tune_get(twill *tw, twill_tuning *tuning);

/* Remember it for contexts that are started later. The file is replaced in one step: readers and
 * other writers see the old one or the new one. Errors: TWILL_ERR_ARGUMENT for a library that is
 * not there or a size below 1, TWILL_ERR_STATE when option tune is off, TWILL_ERR_SYSTEM. Any
 * thread. */
TWILL_API twill_status twill_tune_set(twill *tw, const twill_tuning *tuning);

/* The file, as option tune names it; "" when that is off or there is no place for it. The text
 * lives with the context. */
TWILL_API const char *twill_tune_file(twill *tw);

#ifdef __cplusplus
}
#endif
#endif
