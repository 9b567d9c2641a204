/* The private, serial BLAS: Fortran entry points, one table per element type. */
#ifndef TW_LA_BLAS_H
#define TW_LA_BLAS_H

#include "engine/extension.h"
#include "la/blas/private.h"

#include <twill/array.h>
#include <twill/context.h>

/* Fortran's BLAS and LAPACK, the element type left open: scalars go by address. The lengths of
 * character arguments come last. */
typedef void tw_gemm(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                     const void *alpha, const void *a, const int *lda, const void *b,
                     const int *ldb, const void *beta, void *c, const int *ldc, size_t, size_t);
/* Tiles of a product: A(i), B(j) and C(i, j), those of C column by column. */
typedef struct tw_tile_view {
    void *data;
    int rows, cols, ld;
} tw_tile_view;
typedef struct tw_grid {
    int rows, cols;
    char ta, tb;
    const void *alpha;
    const tw_tile_view *a, *b, *c;
} tw_grid;
typedef void tw_grid_gemm(const tw_grid *g);

typedef void tw_gemv(const char *trans, const int *m, const int *n, const void *alpha,
                     const void *a, const int *lda, const void *x, const int *incx,
                     const void *beta, void *y, const int *incy, size_t);
typedef void tw_symm(const char *side, const char *uplo, const int *m, const int *n,
                     const void *alpha, const void *a, const int *lda, const void *b,
                     const int *ldb, const void *beta, void *c, const int *ldc, size_t, size_t);
typedef void tw_herk(const char *uplo, const char *trans, const int *n, const int *k,
                     const void *alpha, const void *a, const int *lda, const void *beta, void *c,
                     const int *ldc, size_t, size_t);
typedef void tw_her2k(const char *uplo, const char *trans, const int *n, const int *k,
                      const void *alpha, const void *a, const int *lda, const void *b,
                      const int *ldb, const void *beta, void *c, const int *ldc, size_t, size_t);
typedef void tw_trsm(const char *side, const char *uplo, const char *trans, const char *diag,
                     const int *m, const int *n, const void *alpha, const void *a, const int *lda,
                     void *b, const int *ldb, size_t, size_t, size_t, size_t);
/* trsv and trmv. */
typedef void tw_trsv(const char *uplo, const char *trans, const char *diag, const int *n,
                     const void *a, const int *lda, void *x, const int *incx, size_t, size_t,
                     size_t);
typedef void tw_potrf(const char *uplo, const int *n, void *a, const int *lda, int *info, size_t);
typedef void tw_trtri(const char *uplo, const char *diag, const int *n, void *a, const int *lda,
                      int *info, size_t, size_t);

typedef void tw_gels(const char *trans, const int *m, const int *n, const int *nrhs, void *a,
                     const int *lda, void *b, const int *ldb, void *work, const int *lwork,
                     int *info, size_t);
typedef void tw_sysv(const char *uplo, const int *n, const int *nrhs, void *a, const int *lda,
                     int *ipiv, void *b, const int *ldb, void *work, const int *lwork, int *info,
                     size_t);
typedef void tw_sytrf(const char *uplo, const int *n, void *a, const int *lda, int *ipiv,
                      void *work, const int *lwork, int *info, size_t);
typedef void tw_syconv(const char *uplo, const char *way, const int *n, void *a, const int *lda,
                       const int *ipiv, void *e, int *info, size_t, size_t);
typedef void tw_ger(const int *m, const int *n, const void *alpha, const void *x, const int *incx,
                    const void *y, const int *incy, void *a, const int *lda);
typedef void tw_larfg(const int *n, void *alpha, void *x, const int *incx, void *tau);
typedef void tw_geqrt(const int *m, const int *n, const int *nb, void *a, const int *lda, void *t,
                      const int *ldt, void *work, int *info);
typedef void tw_tpqrt(const int *m, const int *n, const int *l, const int *nb, void *a,
                      const int *lda, void *b, const int *ldb, void *t, const int *ldt, void *work,
                      int *info);
typedef void tw_lascl(const char *type, const int *kl, const int *ku, const void *from,
                      const void *to, const int *m, const int *n, void *a, const int *lda,
                      int *info, size_t);

/* The kernels of one element type. Those named after Hermitian matrices are the symmetric ones when
 * the type is real. blas.c lists where each comes from. */
typedef struct tw_kernels {
    const struct tw_multiply *own; /* Twill's products, for what is large enough, or NULL */
    tw_gemm *gemm;
    tw_gemv *gemv;
    tw_ger *gerc; /* A += alpha x y^H */
    tw_symm *symm, *hemm;
    tw_herk *syrk, *herk;    /* herk: alpha and beta are real */
    tw_her2k *syr2k, *her2k; /* her2k: beta is real */
    tw_trsm *trsm, *trmm;
    tw_trsv *trsv, *trmv;
    tw_potrf *potrf, *lauum;
    tw_trtri *trtri;
    tw_sysv *sysv, *hesv;
    tw_sytrf *sytrf, *hetrf;
    tw_syconv *syconv;
    tw_gels *gels;
    tw_larfg *larfg;
    tw_geqrt *geqrt;
    tw_tpqrt *tpqrt;
    tw_lascl *lascl; /* from and to are real */
    twill_type type;
    size_t size; /* of an element */
    bool single; /* precision */
    bool complex;
    const void *one, *minus_one, *zero; /* as elements; their real parts serve herk too */
} tw_kernels;

/* A BLAS library, and the one LAPACK comes from when that is another: where symbols come from, and
 * what `twill info` says about it. blas_load.c opens private ones at run time, blas_linked.c stands
 * for the one the program is linked with (sanitizers need that). */
typedef struct tw_library {
    void *(*symbol)(const struct tw_library *library, const char *name);
    tw_private_library blas, lapack;
    char path[512], lapack_path[512];
    char provider[128], kernels[64]; /* name and version; kernel set */
    char why[512];                   /* this library, and these kernels */
    bool own_products;               /* Twill's stand in for the library's */
} tw_library;

/* What is asked for. */
typedef struct tw_wish {
    const char *blas, *lapack, *kernels; /* options */
    int callers;                         /* threads that will call it at once */
    const char *why;                     /* where the wish comes from; NULL: from options */
} tw_wish;

twill_status tw_library_open(tw_library *library, const tw_wish *wish);

void tw_library_close(tw_library *library);

/* Kernel set of OpenBLAS that suits this processor better than its own choice, or NULL. */
const char *tw_cpu_kernels(const char **why);

/* AVX2 with fused products: what the files named *_wide.c are compiled for. */
bool tw_cpu_has_wide_vectors(void);

typedef struct tw_blas {
    tw_extension extension;
    tw_library library;
    tw_kernels kernels[TWILL_COMPLEX128 + 1];
} tw_blas;

/* The context's BLAS, opened on first use; what it is now, or NULL. */
twill_status tw_blas_get(twill *tw, const tw_blas **blas);
const tw_blas *tw_blas_find(const twill *tw);

#endif
