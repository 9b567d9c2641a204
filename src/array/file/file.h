/* Formats of files: each is bytes of elements in one piece, and something before them that says
 * what they are. */
#ifndef TW_ARRAY_FILE_FILE_H
#define TW_ARRAY_FILE_FILE_H

#include <stdbool.h>
#include <twill/file.h>

/* What is in a file, and where. */
typedef struct tw_file_shape {
    twill_file_info info;
    int64_t offset; /* of the first element, in bytes */
} tw_file_shape;

typedef struct tw_file_format {
    const char *endings; /* ".raw .bin" */
    /* Make a file for such elements; sets `offset`, and may change `row_major`. */
    twill_status (*create)(const char *path, tw_file_shape *shape);
    /* Find out what is there; NULL: it does not say. */
    twill_status (*look)(const char *path, tw_file_shape *shape);
} tw_file_format;

extern const tw_file_format tw_file_npy, tw_file_raw;

/* "twill_save: PATH: what the system says." */
twill_status tw_file_refused(const char *who, const char *path);

/* Elements altogether. */
int64_t tw_file_elements(const twill_file_info *info);

#endif
