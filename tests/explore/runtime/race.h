/* Accesses to memory: freed memory and data races. */
#ifndef EX_RACE_H
#define EX_RACE_H

#include "layout.h"
#include "run.h"

enum { EX_WRITE = 1, EX_ATOMIC = 2 };

/* What a byte of EX_STATES says of 16 bytes. */
enum { EX_USABLE = 0, EX_GONE = 1, EX_OUTSIDE = 2 };

void ex_races_open(void);
/* `bytes` within an aligned word of 8. */
void ex_access_word(ex_thread *me, uintptr_t a, unsigned bytes, unsigned kind, void *pc);
void ex_access_range(const volatile void *a, size_t bytes, unsigned kind, void *pc);
/* Whoever still uses this memory races with its end; does not remember the access. */
void ex_access_last(const volatile void *a, size_t bytes, void *pc);
/* Forget accesses: the memory is somebody else's now. */
void ex_access_forget(const volatile void *a, size_t bytes);

/* heap.c */
_Noreturn void ex_bad_memory(uintptr_t a, unsigned state, void *pc);

static inline void ex_access(const volatile void *address, unsigned bytes, unsigned kind, void *pc)
{
    uintptr_t a = (uintptr_t)address;
    ex_thread *me = ex.self;
    if (!me || a >= EX_SHADOWED)
        return;
    unsigned state = ((const uint8_t *)EX_STATES)[a >> 4];
    if (__builtin_expect(state != EX_USABLE, 0))
        ex_bad_memory(a, state, pc);
    if (!ex_the_plan.races)
        return;
    if ((a & 7) + bytes <= 8)
        ex_access_word(me, a, bytes, kind, pc);
    else
        ex_access_range(address, bytes, kind, pc);
}

#endif
