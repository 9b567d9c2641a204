/* Matrices in .npy files, a slice at a time; and vectors of 64-bit integers, which are written
 * only. */
#ifndef NPY_H
#define NPY_H

#include <stdio.h>
#include <twill/twill.h>

enum { NPY_ERROR = 1280 };

/* An open file. A slice is a column when `by_columns`, a row otherwise; slices follow one another
 * in the file. */
typedef struct npy {
    FILE *file;
    twill_type type;
    size_t element; /* bytes */
    int64_t rows, cols;
    bool by_columns;
} npy;

/* Open a file of one matrix and check that it holds what its header promises. False: `error` is a
 * sentence that names the file. */
bool npy_open(const char *path, npy *f, char error[NPY_ERROR]);

/* Begin a column-major file. TWILL_BYTES is a vector of `rows` 64-bit integers. */
bool npy_create(const char *path, twill_type type, int64_t rows, int64_t cols, npy *f,
                char error[NPY_ERROR]);

/* The next slice, whole. */
bool npy_read(npy *f, void *slice);
bool npy_write(npy *f, const void *slice);

/* False when what was written did not reach the file. */
bool npy_close(npy *f);

#endif
