/* What the subcommands of QR and LQ share: the reflectors, and products of Q with vectors. */
#ifndef QR_SUPPORT_H
#define QR_SUPPORT_H

#include "operation/probe.h"

/* `prepare` and `finish` of an operation whose own data are the reflectors. */
twill_status reflectors_prepare(work *w);
void reflectors_finish(work *w);

/* Report the tree, its branches and the inner block that were chosen. */
void reflectors_learn(work *w);
void reflectors_json(const work *w, json *j);

/* Run what an insertion adds to a graph; its status is that of the wait, if that failed. */
typedef twill_status insertion(work *w, twill_graph *graph, const twill_la_options *expert);
twill_status reflectors_run(work *w, insertion *insert, int64_t *info);

/* Make vectors real where the elements are. */
void vectors_fit(const work *w, double complex *x, int64_t length);

/* x := Q x or Q^H x, with the Q of w->x[0] and the reflectors; `lq`: of an LQ factorization. */
twill_status vectors_times_q(work *w, bool lq, twill_trans trans, int64_t length,
                             double complex *x);

#endif
