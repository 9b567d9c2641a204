/* A parameterised graph that goes over the tiles of integers again and again: each step adds 1. */
#ifndef TEST_SUPPORT_STEPS_H
#define TEST_SUPPORT_STEPS_H

#include <stdatomic.h>
#include <twill/ptg.h>
#include <twill/twill.h>

/* Given by value to steps_new. */
typedef struct steps {
    twill_array *a;
    int64_t tiles, length; /* steps over each tile */
    const int64_t *memory; /* of the array, if it is wrapped: */
    atomic_int *elsewhere; /* counts steps that worked on other bytes */
} steps;

twill_status steps_new(twill *tw, const steps *s, twill_graph **g);

#endif
