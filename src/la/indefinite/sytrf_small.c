/* Bunch and Kaufman's factorization of small matrices, by LAPACK: its form and Twill's differ in
 * what is kept where. */
#include "la/indefinite/indefinite.h"

#include <stdlib.h>

int64_t tw_indefinite_factor_whole(const tw_kernels *k, const twill_flow *x, const void *arg)
{
    enum { BLOCK = 32 };
    const tw_indefinite *o = arg;
    char uplo = (char)o->uplo;
    int n = (int)x[0].rows, ld = (int)x[0].ld, lwork = n * BLOCK, info, unused;
    int64_t *ipiv = x[2].data;
    char *work = malloc((size_t)lwork * k->size + (size_t)n * sizeof(int));
    if (!work)
        return TW_DIRECT_NO_MEMORY;
    int *pivots = (int *)(void *)(work + (size_t)lwork * k->size);
    (o->hermitian ? k->hetrf : k->sytrf)(&uplo, &n, x[0].data, &ld, pivots, work, &lwork, &info, 1);
    k->syconv(&uplo, "C", &n, x[0].data, &ld, pivots, x[1].data, &unused, 1, 1);
    for (int i = 0; i < n; i++)
        ipiv[i] = pivots[i];
    free(work);
    return info;
}
