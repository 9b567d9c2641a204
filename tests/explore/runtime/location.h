/* What is remembered of an address that atomic operations or locks use. */
#ifndef EX_LOCATION_H
#define EX_LOCATION_H

#include "know.h"

enum {
    EX_STORES = 8, /* that weak memory remembers per location */
    EX_READS = 8,
};

typedef struct ex_store {
    uint64_t value;
    uint64_t key;         /* place in the modification order */
    ex_released *carries; /* what its release sequence published */
    uint32_t time;        /* of the thread that stored */
    int8_t by;            /* that thread */
    int8_t head;          /* who began the release sequence; -1: nobody */
    bool update;          /* by a read-modify-write: nothing may come between */
} ex_store;

/* A thread has read a store: from then on it, and who knows of that, reads no older one. */
typedef struct ex_read {
    uint64_t key;
    uint32_t time;
    int8_t by;
} ex_read;

typedef struct ex_location {
    uintptr_t address;
    const ex_thread *owner; /* of a mutex */
    ex_released *lock;      /* what the last owner published */
    int count;              /* of a semaphore or barrier; of a once: done */
    int stores, reads;
    uint64_t floor;    /* weak memory: nobody reads a store below */
    uint64_t sc_floor; /* no load of total order does */
    ex_read read[EX_READS];
    ex_store store[EX_STORES]; /* oldest first; one unless memory is weak */
} ex_location;

/* NULL when nothing is known of the address. */
ex_location *ex_location_find(const volatile void *address);
ex_location *ex_location_make(const volatile void *address);

#endif
