/* Matrices in .npy files, block by block in any order, so that several ranks may share a file; and
 * 64-bit integers: vectors of them are written, matrices read as doubles. */
#ifndef NPY_H
#define NPY_H

#include <stdio.h>
#include <twill/twill.h>

enum { NPY_ERROR = 1280 };

/* An open file: columns follow one another when `by_columns`, rows otherwise. */
typedef struct npy {
    FILE *file;
    int64_t offset; /* of the first element */
    twill_type type;
    size_t element; /* bytes */
    int64_t rows, cols;
    bool by_columns;
    bool is_integer; /* 64 bits, read as doubles */
    char *memory;    /* the elements, where there is no file but memory that is read like one */
} npy;

/* Open a file of one matrix, or of a vector, which is a column, and check that it holds what its
 * header promises. False: `error` is a sentence that names the file. */
bool npy_open(const char *path, npy *f, char error[NPY_ERROR]);

/* Begin a column-major file of its full size; or, with `more`, open the one that somebody has begun
 * with the same values. TWILL_BYTES is a vector of `rows` 64-bit integers. */
bool npy_create(const char *path, twill_type type, int64_t rows, int64_t cols, bool more, npy *f,
                char error[NPY_ERROR]);

/* A part of the matrix, in column-major memory. */
typedef struct npy_block {
    int64_t row, col, rows, cols;
    void *data;
    int64_t ld;
} npy_block;

/* False: it cannot be read, or written, or there is no memory. */
bool npy_read(const npy *f, const npy_block *b);
bool npy_write(const npy *f, const npy_block *b);

/* Free the memory, or close the file: false when what was written did not reach it. */
bool npy_close(npy *f);

#endif
