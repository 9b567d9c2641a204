/* What the ranks of a program agree upon, since all of them must insert the same tasks and go the
 * same way. */
#ifndef TW_LA_AGREE_H
#define TW_LA_AGREE_H

#include "la/la.h"

/* What tasks may rely on wherever they run. */
typedef struct tw_agreed {
    int width;                      /* tasks at the same time on a rank: see tw_choose_width */
    bool own[TWILL_COMPLEX128 + 1]; /* types for which there are products of Twill's own */
} tw_agreed;

/* For tasks of a graph: of this context, or of all ranks the least if the graph is theirs. The
 * first time ranks ask each other, so that it is collective then, and waits. */
twill_status tw_agree(twill_graph *g, tw_agreed *agreed);

/* Has something succeeded on all ranks? `status` is that of this one; if it is TWILL_OK, but not on
 * another rank, the sentence is that of the other. Collective; on one rank nothing happens. */
twill_status tw_agree_status(twill *tw, twill_status status);

#endif
