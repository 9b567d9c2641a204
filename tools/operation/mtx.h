/* Matrix Market files: a text with the entries of a matrix, all of them or those that are not zero.
 * They are read as a whole and become dense. */
#ifndef MTX_H
#define MTX_H

#include "operation/npy.h"

/* An open file, after its header. */
typedef struct mtx {
    FILE *file;
    const char *path;
    int64_t rows, cols, entries; /* that the file holds */
    bool coordinates;            /* each entry says where it is */
    bool is_complex, is_pattern; /* pattern: entries have no value and are ones */
    char symmetry;               /* what is above the diagonal: g(eneral), s(ymmetric), h(ermitian),
                                    or k (skew-symmetric) */
    int64_t line;
    char *text, *at; /* the line, and what is left of it */
    size_t room;
} mtx;

/* Is that the name of one? */
bool mtx_is_name(const char *path);

/* Open a file and read its header, and close it. False: `error` is a sentence that names the file
 * and the line. `path` must live as long. */
bool mtx_open(const char *path, mtx *m, char error[NPY_ERROR]);
void mtx_close(mtx *m);

/* Read the entries into memory that is read as an open .npy file is. A complex matrix needs a
 * complex type. */
bool mtx_read(mtx *m, twill_type type, npy *f, char error[NPY_ERROR]);

#endif
