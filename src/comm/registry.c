/* A table of slots that are used again, each time with another serial number. */
#include "comm/registry.h"

#include <stdlib.h>
#include <string.h>

void tw_registry_open(tw_registry *r)
{
    *r = (tw_registry){.free = SIZE_MAX};
    pthread_mutex_init(&r->mutex, NULL);
}

void tw_registry_close(tw_registry *r)
{
    pthread_mutex_destroy(&r->mutex);
    free(r->slots);
}

/* A free slot; NULL when there is no memory. */
static tw_registered *take_slot(tw_registry *r)
{
    if (r->free != SIZE_MAX) {
        tw_registered *slot = &r->slots[r->free];
        r->free = slot->next;
        return slot;
    }
    if (r->used == r->room) {
        size_t room = r->room ? 2 * r->room : 16;
        tw_registered *slots = realloc(r->slots, room * sizeof *slots);
        if (!slots)
            return NULL;
        r->slots = slots;
        r->room = room;
    }
    return &r->slots[r->used++];
}

twill_status tw_registry_add(tw_registry *r, void *memory, size_t size, tw_comm_key *key)
{
    pthread_mutex_lock(&r->mutex);
    tw_registered *slot = take_slot(r);
    if (slot) {
        *slot = (tw_registered){.memory = memory, .size = size, .serial = ++r->serial};
        key->token[0] = (uint64_t)(slot - r->slots);
        key->token[1] = slot->serial;
    }
    pthread_mutex_unlock(&r->mutex);
    if (!slot)
        return tw_fail(TWILL_ERR_MEMORY, "no memory to register %zu bytes", size);
    return TWILL_OK;
}

/* The slot of a key, or NULL. Under the mutex. */
static tw_registered *find(tw_registry *r, const tw_comm_key *key)
{
    if (key->token[0] >= r->used)
        return NULL;
    tw_registered *slot = &r->slots[key->token[0]];
    return slot->serial == key->token[1] && slot->serial > 0 ? slot : NULL;
}

void tw_registry_remove(tw_registry *r, const tw_comm_key *key)
{
    pthread_mutex_lock(&r->mutex);
    tw_registered *slot = find(r, key);
    if (slot) {
        slot->serial = 0;
        slot->next = r->free;
        r->free = (size_t)(slot - r->slots);
    }
    pthread_mutex_unlock(&r->mutex);
}

/* Does the slot, if there is one, have these bytes? */
static bool has_bytes(const tw_registered *slot, uint64_t offset, size_t size)
{
    return slot && offset <= slot->size && size <= slot->size - offset;
}

void *tw_registry_place(tw_registry *r, const tw_comm_key *key, uint64_t offset, size_t size)
{
    pthread_mutex_lock(&r->mutex);
    const tw_registered *slot = find(r, key);
    char *place = has_bytes(slot, offset, size) ? slot->memory : NULL;
    pthread_mutex_unlock(&r->mutex);
    return place ? place + offset : NULL;
}

bool tw_registry_copy(tw_registry *r, const tw_comm_key *key, uint64_t offset, void *other,
                      size_t size, bool in, void **place)
{
    pthread_mutex_lock(&r->mutex);
    const tw_registered *slot = find(r, key);
    bool there = has_bytes(slot, offset, size);
    if (there) {
        *place = offset > 0 ? slot->memory + offset : slot->memory; /* no bytes may be at NULL */
        if (size > 0) /* memmove: a rank may copy within its own memory */
            memmove(in ? *place : other, in ? other : *place, size);
    }
    pthread_mutex_unlock(&r->mutex);
    return there;
}
