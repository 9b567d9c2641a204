/* Elements of any of the four types as double precision numbers, a few at a time: what is written
 * once for all types works on these. A complex number is two doubles. */
#ifndef TW_LA_NUMBERS_H
#define TW_LA_NUMBERS_H

#include <twill/matrix.h>

/* How many are taken at a time: enough to make loops of it, few enough for the stack. */
enum { TW_NUMBERS = 256 };

/* n elements, `stride` apart, beginning with element `at`; and n beside one another back. */
void tw_numbers_load(double *to, const void *from, twill_type type, int64_t at, int64_t stride,
                     int64_t n);
void tw_numbers_store(void *to, twill_type type, int64_t at, const double *from, int64_t n);

/* Magnitudes of n elements beside one another. */
void tw_magnitudes(double *to, const void *from, twill_type type, int64_t at, int64_t n);

/* Is none of n elements beside one another a NaN or an infinity? */
bool tw_numbers_finite(const void *x, twill_type type, int64_t n);

/* x = alpha x; x = x + beta y; x = conj(x); of n numbers that are complex or real. A scalar without
 * imaginary part multiplies the parts alone: infinity stays infinity. */
void tw_numbers_scale(double *x, twill_scalar alpha, bool is_complex, int64_t n);
void tw_numbers_add(double *x, twill_scalar beta, const double *y, bool is_complex, int64_t n);
void tw_numbers_conjugate(double *x, int64_t n);

#endif
