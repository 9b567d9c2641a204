/* Whole matrices as complex numbers, multiplied by plain loops: what results are checked with. */
#ifndef TEST_SUPPORT_DENSE_H
#define TEST_SUPPORT_DENSE_H

#include "support/matrix.h"

/* How to read a matrix. */
typedef enum dense_shape {
    DENSE_GENERAL,
    DENSE_TRIANGLE,
    DENSE_UNIT_TRIANGLE,
    DENSE_SYMMETRIC,
    DENSE_HERMITIAN
} dense_shape;

typedef struct dense {
    int64_t rows, cols;
    double complex *at; /* column-major */
} dense;

dense dense_zeros(int64_t rows, int64_t cols);
dense dense_identity(int64_t n);
dense dense_read(twill_array *a, dense_shape shape, twill_uplo uplo);
/* The same of packed memory. */
dense dense_of(const void *full, twill_type type, int64_t rows, int64_t cols, dense_shape shape,
               twill_uplo uplo);
dense dense_copy(dense a);
/* op(A), op being 'N', 'T' or 'C'. */
dense dense_op(dense a, char how);
void dense_free(dense a);

void dense_scale(dense a, double factor);
void dense_swap_rows(dense a, int64_t i, int64_t j);

/* C += alpha op(A) op(B), op being 'N', 'T' or 'C'. */
void dense_multiply(double complex alpha, char ta, dense a, char tb, dense b, dense c);

/* The 1-norm; NaN wins. */
double dense_norm(dense a);

/* The X of A X = B, by elimination with pivots. */
dense dense_solve(dense a, dense b);

/* A residual over what it is measured by; 0 when there is none, of empty matrices too. */
double dense_ratio(double residual, double scale);

/* LAPACK's ratio |B - A X| / (n |A| |X| eps), and |I - A Y| / (n |A| |Y| eps). */
double dense_solve_ratio(dense a, dense x, dense b, double eps);
double dense_inverse_ratio(dense a, dense y, double eps);

/* A function of LAPACK that is not among the kernels: "potrs" of the type; NULL if there is none.
 */
void *dense_lapack(twill *tw, twill_type type, const char *name);

#endif
