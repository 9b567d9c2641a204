/* One random call of linear algebra: the case that was drawn, its matrices in whatever storage, and
 * what came out. Elements that are none of the routine's business are NaN and must stay. */
#ifndef TEST_SUPPORT_SWEEP_H
#define TEST_SUPPORT_SWEEP_H

#include "support/dense.h"

typedef enum sweep_storage {
    SWEEP_TILED,
    SWEEP_WRAPPED,       /* memory of the program's, with rows to spare */
    SWEEP_PART,          /* part of a larger matrix */
    SWEEP_WRAPPED_PART,  /* part of a larger one in memory of the program's */
    SWEEP_TRIANGLE,      /* where the routine needs a triangle alone, else as SWEEP_TILED */
    SWEEP_TRIANGLE_PART, /* part of a triangle, else as SWEEP_PART */
    SWEEP_CHOSEN,        /* a single tile, which is what Twill chooses for small matrices */
    SWEEP_STORAGES
} sweep_storage;

/* A case: every routine looks at what it needs. */
typedef struct sweep_case {
    uint64_t number; /* the seed of the elements */
    const struct sweep_routine *routine;
    const test_type *type;
    twill_uplo uplo;
    twill_trans trans;
    twill_side side;
    twill_diag diag;
    twill_norm_kind norm;
    twill_refine refine;
    bool hermitian;  /* or symmetric */
    bool lq;         /* or QR */
    bool inserted;   /* the asynchronous form */
    int64_t m, n, k; /* k: right-hand sides */
    int64_t nb, kb;  /* tiles are nb by nb, of right-hand sides nb by kb */
    int exponent;    /* entries of A are multiplied by 2^exponent, which is even */
    sweep_storage storage[2];
    twill_la_options options;
} sweep_case;

/* A case at work. */
typedef struct sweep {
    const sweep_case *c;
    twill *tw;
    bool checked;  /* or only run, for its bits */
    double worst;  /* ratio */
    uint64_t bits; /* depends on all results */
} sweep;

/* Routines, a list of them per family that ends with a name of NULL. */
typedef struct sweep_routine {
    const char *name;
    void (*run)(sweep *s);
    void (*fit)(sweep_case *c); /* change what it cannot take; NULL: it takes all */
    bool two_ways;              /* the inserted form is another algorithm */
} sweep_routine;
extern const sweep_routine sweep_cholesky[], sweep_lu[], sweep_qr[], sweep_indefinite[],
    sweep_norms[], sweep_elements[], sweep_info[];

/* The case of a number, and what it is, in words. */
sweep_case sweep_draw(uint64_t number);
void sweep_describe(const sweep_case *c, char *text, size_t size);

/* Run it and check it; returns the bits. */
uint64_t sweep_run(twill *tw, const sweep_case *c, bool checked, double *worst);

/* ---- for the routines ---------------------------------------------------------------------- */

/* For routines of mixed precision, which are of double precision and wait. */
void sweep_fit_mixed(sweep_case *c);

bool sweep_complex(const sweep *s);

/* A ratio that must be below 30. */
void sweep_ratio(sweep *s, const char *what, double ratio);

/* Something else that belongs to the result. */
void sweep_bits(sweep *s, const void *data, size_t bytes);

/* The graph that the calls of an inserted case go to, else NULL; and its end, which gives info. */
twill_graph *sweep_begin(sweep *s);
int64_t sweep_end(twill_graph *g);

/* Elements in packed memory, to be freed: random ones, with `diagonal` added on the diagonal; those
 * of a symmetric, Hermitian or positive definite matrix. `salt` tells matrices of a case apart. A
 * complex diagonal that is read as real has something imaginary. */
void *sweep_random(sweep *s, int64_t m, int64_t n, double diagonal, uint64_t salt);
void *sweep_mirrored(sweep *s, int64_t n, bool hermitian);
void *sweep_definite(sweep *s, int64_t n);
void sweep_times_power(const sweep *s, void *full, int64_t count, int exponent);

typedef struct sweep_matrix {
    twill_array *array;
    void *full; /* the elements that were put in, packed */
    int64_t m, n;
    twill_uplo part; /* elements that the routine reads and writes */
    bool unit;       /* without the diagonal */
    bool read_only;
    twill_array *whole;
    int64_t row, col; /* where it begins in the whole */
    void *memory;
    void *before; /* the elements of the whole, spare rows included */
    int64_t ld, cols;
} sweep_matrix;

/* A matrix of these elements, which it frees in the end; outside the part they become NaN. Tiles
 * are mb by nb. */
sweep_matrix sweep_put(sweep *s, int storage, void *full, twill_type type, int64_t m, int64_t n,
                       int64_t mb, int64_t nb, twill_uplo part);
/* The case's A, of square tiles, and right-hand sides of `rows` rows. */
sweep_matrix sweep_put_a(sweep *s, void *full, int64_t m, int64_t n, twill_uplo part);
sweep_matrix sweep_put_b(sweep *s, int64_t rows);

/* It is done with: look whether anything was touched outside, take the bits of what is inside, and
 * free it. */
void sweep_take(sweep *s, sweep_matrix *x);

/* The elements that were put in, and those that are there now, without the case's power of two (of
 * results: times 2^exponent of the argument). */
dense sweep_before(const sweep *s, const sweep_matrix *x, dense_shape shape);
dense sweep_after(const sweep_matrix *x, dense_shape shape, int exponent);

/* |I - A Y| where a was put in and is Y now. */
void sweep_inverted(sweep *s, const sweep_matrix *a, dense_shape shape);

/* An estimate of 1 / (|A| |A^-1|): a condition that is too small, but not by much. */
void sweep_condition(sweep *s, dense a, double rcond);

/* |B - op(A) X| where b was put in and is X now. */
void sweep_solved(sweep *s, dense a, const sweep_matrix *b, char op);

#endif
