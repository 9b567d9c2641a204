/* Checking results by their products with a few vectors, computed by plain loops: no code is shared
 * with what is checked, and the cost is that of reading the matrices. */
#ifndef PROBE_H
#define PROBE_H

#include "operation/operation.h"

#include <complex.h>

enum { PROBES = 4 };

/* How to read an array. */
typedef enum probe_shape {
    PROBE_GENERAL,
    PROBE_DIAGONAL,      /* zeros elsewhere */
    PROBE_TRIANGLE,      /* zeros elsewhere; m by n with m != n: a trapezoid */
    PROBE_UNIT_TRIANGLE, /* and ones on the diagonal, whatever is stored there */
    PROBE_SYMMETRIC,     /* the other triangle mirrors this one, */
    PROBE_HERMITIAN      /* conjugated; the diagonal is real */
} probe_shape;

/* An array read in a certain way: its first `rows` and `cols`, 0: all of them. */
typedef struct probe_matrix {
    twill_array *array;
    probe_shape shape;
    twill_uplo uplo;   /* unless general */
    twill_trans trans; /* of what the shape makes of it */
    int64_t rows, cols;
} probe_matrix;

/* PROBES vectors of some length, one after the other. */
typedef double complex *probe_vectors;

/* New ones, filled with numbers in (-0.5, 0.5); NULL without memory. `free` frees them. */
probe_vectors probe_random(int64_t length, uint64_t seed);
probe_vectors probe_zeros(int64_t length);

/* y := alpha op(A) x + y. `x` and `y` are as long as op(A) is wide and high. */
twill_status probe_multiply(double complex alpha, probe_matrix a, const double complex *x,
                            double complex *y);

/* The 1-norm of the matrix as it is read; NaN when it has one. */
twill_status probe_norm(probe_matrix a, double *norm);

/* The largest 1-norm of the vectors. */
double probe_size(const double complex *x, int64_t length);

/* Unit roundoff of an element type. */
double probe_eps(twill_type type);

/* residual / scale, with 0/0 being 0. */
double probe_ratio(double residual, double scale);

#endif
