/* The memory that one rank has registered: keys that are checked, also when they are old. */
#ifndef TW_COMM_REGISTRY_H
#define TW_COMM_REGISTRY_H

#include "comm/comm.h"

#include <pthread.h>

typedef struct tw_registered {
    char *memory;
    size_t size;
    uint64_t serial; /* of who has it, so that an old key is not taken for a new one; 0: free */
    size_t next;     /* free one, by number */
} tw_registered;

typedef struct tw_registry {
    pthread_mutex_t mutex; /* held during a copy, so that nobody frees what is copied */
    tw_registered *slots;
    size_t used, room, free; /* free: number of one, or SIZE_MAX */
    uint64_t serial;
} tw_registry;

void tw_registry_open(tw_registry *r);
void tw_registry_close(tw_registry *r);

/* Note the memory, and fill in key->token. TWILL_ERR_MEMORY. Any thread, like all below. */
twill_status tw_registry_add(tw_registry *r, void *memory, size_t size, tw_comm_key *key);

/* Forget it; a key that is not valid any more changes nothing. */
void tw_registry_remove(tw_registry *r, const tw_comm_key *key);

/* Copy bytes into registered memory (`in`), or out of it, and say where they are in it. False, and
 * nothing is copied, when they are not registered. */
bool tw_registry_copy(tw_registry *r, const tw_comm_key *key, uint64_t offset, void *other,
                      size_t size, bool in, void **place);

/* Where registered bytes are; NULL when they are not registered. Who deregisters memory sees to it
 * that no transfer is under way there. */
void *tw_registry_place(tw_registry *r, const tw_comm_key *key, uint64_t offset, size_t size);

#endif
