/* Atomic operations with the meaning of their orders. */
#ifndef EX_MEMORY_H
#define EX_MEMORY_H

#include "run.h"

typedef enum ex_op { EX_EXCHANGE, EX_ADD, EX_SUB, EX_OR, EX_AND, EX_XOR, EX_NAND } ex_op;

uint64_t ex_atomic_load(const volatile void *a, unsigned bytes, int order, void *pc);
void ex_atomic_store(volatile void *a, unsigned bytes, uint64_t value, int order, void *pc);
uint64_t ex_atomic_update(volatile void *a, unsigned bytes, ex_op op, uint64_t operand, int order,
                          void *pc);
bool ex_atomic_cas(volatile void *a, unsigned bytes, uint64_t *expected, uint64_t value, int order,
                   int failed, bool weak, void *pc);

#endif
