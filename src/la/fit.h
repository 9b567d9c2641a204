/* Matrices whose tiles do not fit each other: a routine works on others in their place, copies in
 * tiles that do. Tiles that the program chose stay: only where both are its own choice must they
 * fit. See docs/decisions/0040-tiles-that-fit.md. */
#ifndef TW_LA_FIT_H
#define TW_LA_FIT_H

#include "la/la.h"

/* Can dimension `da` of one be made to fit dimension `db` of the other, of the same size? */
bool tw_can_fit(const twill_array *a, int da, const twill_array *b, int db);

/* The sizes of a routine: m, n and k of products. */
enum { TW_FIT_SIZES = 3, TW_FIT_MATRICES = 5 };

/* A matrix of a routine. */
typedef struct tw_fit {
    twill_array **a; /* where the routine has it: names the one to work on, in between */
    twill_access mode;
    twill_uplo uplo; /* its elements that count */
    int size[2];     /* which of the sizes its rows and columns are */
    bool stays;      /* something else belongs to its tiles: pivots, reflectors */
    twill_array *program;
} tw_fit;

static inline tw_fit tw_fit_of(twill_array **a, twill_access mode, twill_uplo uplo, int rows,
                               int cols)
{
    return (tw_fit){.a = a, .mode = mode, .uplo = uplo, .size = {rows, cols}};
}

/* Before the tasks of a routine are inserted: find tiles for all of them, so that as few elements
 * as possible are copied, insert the copies, and put them in their places. Nothing is inserted when
 * they fit. */
twill_status tw_fit_begin(twill_graph *g, tw_fit *x, int n);

/* After its tasks: copy results back, and put the program's matrices back into their places. Call
 * it after a failure too; `status` is what came before, and returned unless that was TWILL_OK. */
twill_status tw_fit_end(twill_graph *g, tw_fit *x, int n, twill_status status);

/* The two matrices of a system: A stays, and dimension db of B, which is read and written, is to be
 * cut as dimension da of A is. */
static inline void tw_fit_system(tw_fit *x, twill_array **a, int da, twill_array **b, int db)
{
    x[0] = tw_fit_of(a, TWILL_READ, TWILL_GENERAL, da ? 2 : 0, da ? 0 : 2);
    x[1] = tw_fit_of(b, TWILL_READ_WRITE, TWILL_GENERAL, db ? 1 : 0, db ? 0 : 1);
    x[0].stays = true;
}

#endif
