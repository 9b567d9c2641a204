/* Where ranks are: hosts and cores, which they tell each other when they join. Ranks of one host
 * that may use the same cores share them politely: workers are not bound, and yield when they look
 * for work. */
#ifndef TW_ENGINE_REMOTE_PLACES_H
#define TW_ENGINE_REMOTE_PLACES_H

#include "engine/remote/remote.h"

typedef struct tw_places tw_places;

/* With an endpoint, before it sends; without one (NULL) for a context of its own. False: no memory.
 */
bool tw_places_open(twill *tw, tw_comm *comm);
void tw_places_close(twill *tw);

/* Tell all other ranks, and wait until they have told. Collective; when nobody else uses the
 * context yet. */
twill_status tw_places_exchange(twill *tw);

/* Where a rank is, and what it has. Any thread. */
typedef struct tw_place {
    const char *host;
    int numa; /* the domain of its cores there; -1: they belong to several */
    int workers, devices;
} tw_place;
twill_status tw_places_get(twill *tw, int rank, tw_place *place);

/* Do all ranks record because of options, as far as they have told? */
bool tw_places_all_record(const twill *tw);

#endif
