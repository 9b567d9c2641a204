/* Views in files, for other programs and from them: NumPy's .npy, and raw bytes.
 *
 * The ending of a path says the format: .npy; .raw or .bin, the elements alone. Elements stand in
 * the file in the order of the array, the shape is that of the view, and what is read from .npy may
 * be in either order.
 *
 * All workers write and read, each rank what it owns, at its place in the one file, which all ranks
 * must see. All ranks call, but not for local views. Like algorithms they stand in line with tasks;
 * not inside tasks. */
#ifndef TWILL_FILE_H
#define TWILL_FILE_H

#include <twill/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make a file, or write over it. Elements of type BYTES are void (|V) in .npy.
 * TWILL_ERR_SYSTEM says what the system refused; then the file is of no use. TWILL_ERR_UNSUPPORTED:
 * there is no such format. */
TWILL_API twill_status twill_save(twill_view v, const char *path);

/* Set all elements from a file of this shape and type; to elements of type BYTES all types of their
 * size are right. TWILL_ERR_ARGUMENT says how it differs, or that it is no such file. If reading
 * fails later on, elements are undefined. */
TWILL_API twill_status twill_load(const char *path, twill_view v);

/* What is in a file. */
typedef struct twill_file_info {
    size_t size;     /* sizeof(twill_file_info) */
    twill_type type; /* TWILL_BYTES for all that are none of the others */
    int ndim;
    int64_t bytes; /* of an element */
    int64_t extent[TWILL_DIMS];
    int row_major; /* the last dimension runs fastest */
    int reserved;  /* 0 */
} twill_file_info;

/* Of any format but raw. Any thread. */
TWILL_API twill_status twill_file_look(const char *path, twill_file_info *info);

#ifdef __cplusplus
}
#endif
#endif
