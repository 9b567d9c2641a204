/* Small files that are remembered between runs: lines of text, the last one a sum over those
 * before. Each is replaced as a whole, so what a reader finds is all old or all new. */
#ifndef TW_BASE_STORED_H
#define TW_BASE_STORED_H

#include <stdbool.h>
#include <stddef.h>
#include <twill/status.h>

typedef struct tw_stored {
    char *bytes; /* ends with a zero; NULL when there was no memory */
    size_t size, room;
} tw_stored;

/* Zeroed memory is an empty text. After a failed addition the text cannot be written. */
void tw_stored_add(tw_stored *t, const char *format, ...) TWILL_PRINTF(2, 3);
void tw_stored_free(tw_stored *t);

/* Put the text and its sum in the place of the file, whose folder is made if need be. */
twill_status tw_stored_write(tw_stored *t, const char *file);

/* The file without its sum; false when it is not there, is longer than `most`, or its sum is
 * wrong. */
bool tw_stored_read(tw_stored *t, const char *file, size_t most);

/* Where users have such a file of this processor: machines that share a home have one each. ""
 * when neither XDG_CACHE_HOME nor HOME is set. */
void tw_stored_place(const char *name, const char *cpu, char *file, size_t size);

/* A library as it is now: "SIZE SECONDS NANOSECONDS PATH". False when it is not there. */
bool tw_stored_library(const char *path, char *text, size_t size);

#endif
