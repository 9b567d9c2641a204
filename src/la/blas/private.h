/* Libraries of our own: loaded so that nobody else sees them, and told to use one thread. */
#ifndef TW_LA_BLAS_PRIVATE_H
#define TW_LA_BLAS_PRIVATE_H

typedef struct tw_private_library {
    void *handle; /* for dlsym; NULL: could not be loaded, and dlerror says why */
    int copy;     /* the file it was loaded from, in memory; -1: the file itself */
} tw_private_library;

/* Load a library. `kernels` is the set that an OpenBLAS is to use, or NULL. With `blas`, the
 * library is a LAPACK whose calls of the BLAS shall end in that one. While a library is loaded the
 * environment is not the program's own for a moment. */
tw_private_library tw_private_open(const char *path, const char *kernels,
                                   const tw_private_library *blas);

/* The file is not needed any more: nothing else will be bound to this library. */
void tw_private_settle(tw_private_library *library);

void tw_private_close(tw_private_library *library);

#endif
