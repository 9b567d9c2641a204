/* Libraries of our own: loaded so that nobody else sees them, and told to use one thread. */
#ifndef TW_LA_SECLUDED_H
#define TW_LA_SECLUDED_H

typedef struct tw_secluded {
    void *handle; /* for dlsym; NULL: could not be loaded, and dlerror says why */
    int copy;     /* the file it was loaded from, in memory; -1: the file itself */
} tw_secluded;

/* Load a library. `kernels` is the set that an OpenBLAS is to use, or NULL. With `blas`, the
 * library is a LAPACK whose calls of the BLAS shall end in that one. While a library is loaded the
 * environment is not the program's own for a moment. */
tw_secluded tw_seclude(const char *path, const char *kernels, const tw_secluded *blas);

/* The file is not needed any more: nothing else will be bound to this library. */
void tw_secluded_settle(tw_secluded *library);

void tw_secluded_close(tw_secluded *library);

#endif
