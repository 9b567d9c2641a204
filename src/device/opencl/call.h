/* What a routine enqueues on a lane: kernels of one type, with their matrices and workspace. */
#ifndef TW_DEVICE_OPENCL_CALL_H
#define TW_DEVICE_OPENCL_CALL_H

#include "device/opencl/lane.h"

/* A matrix on the device: offset and ld count elements. */
typedef struct tw_ocl_matrix {
    cl_mem memory;
    int64_t offset, ld;
} tw_ocl_matrix;

typedef union tw_ocl_scalar {
    float f32[2];
    double f64[2];
} tw_ocl_scalar;

/* One call of a routine, and the first error in it; after one nothing more is enqueued. */
typedef struct tw_ocl_call {
    tw_ocl_lane *lane;
    twill_type type;
    size_t element;
    const char *name;
    size_t used; /* workspace of the lane, before */
    cl_int code;
} tw_ocl_call;

/* Flags of kernels: kernels/elements.cl has the same. */
enum { TW_OCL_PLAIN, TW_OCL_TRANSPOSED, TW_OCL_CONJUGATED };
enum { TW_OCL_WHOLE, TW_OCL_LOWER, TW_OCL_UPPER, TW_OCL_BELOW, TW_OCL_ABOVE };
enum { TW_OCL_GENERAL, TW_OCL_SYMMETRIC, TW_OCL_HERMITIAN, TW_OCL_TRIANGULAR, TW_OCL_UNIT };

tw_ocl_call tw_ocl_call_of(const char *name, tw_launch *launch, twill_type type);
/* All has been enqueued: its workspace goes back. */
twill_status tw_ocl_finish(tw_ocl_call *c);

tw_ocl_matrix tw_ocl_at(tw_ocl_call *c, tw_place place);
/* The same for elements of `size` bytes. */
tw_ocl_matrix tw_ocl_at_size(tw_ocl_call *c, tw_place place, size_t size);
/* From row i and column j on. */
tw_ocl_matrix tw_ocl_sub(tw_ocl_matrix a, int64_t i, int64_t j);
tw_ocl_scalar tw_ocl_number(twill_type type, double x);
/* The scalar that a caller gave, of the type, or (real) of the real one. */
tw_ocl_scalar tw_ocl_read(twill_type type, bool real, const void *x);

/* Enqueue so many work groups of a kernel. A letter for each argument says what it is: i int, l
 * int64_t (a size: the kernel gets an int), e tw_ocl_scalar *, m tw_ocl_matrix (memory, offset,
 * ld), b cl_mem. */
void tw_ocl_enqueue(tw_ocl_call *c, tw_ocl_kernel kernel, int64_t groups_x, int64_t groups_y,
                    const char *letters, ...);

/* Room for a matrix, until the lane goes back to where it was: `c->lane->used`, read before. */
tw_ocl_matrix tw_ocl_room(tw_ocl_call *c, int64_t m, int64_t n);
void tw_ocl_go_back(tw_ocl_call *c, size_t used);

static inline int tw_ocl_trans(char trans)
{
    return trans == 'N' ? TW_OCL_PLAIN : trans == 'T' ? TW_OCL_TRANSPOSED : TW_OCL_CONJUGATED;
}

static inline int tw_ocl_part(char uplo)
{
    return uplo == 'L' ? TW_OCL_LOWER : uplo == 'U' ? TW_OCL_UPPER : TW_OCL_WHOLE;
}

static inline bool tw_ocl_is_complex(twill_type type)
{
    return type == TWILL_COMPLEX64 || type == TWILL_COMPLEX128;
}

static inline bool tw_ocl_is_double(twill_type type)
{
    return type == TWILL_FLOAT64 || type == TWILL_COMPLEX128;
}

#endif
