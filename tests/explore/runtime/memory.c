/* Atomic operations: the point where another thread may go on, the check of the access, and what
 * the orders say (history.c). */
#include "memory.h"

#include "history.h"
#include "race.h"

static uint64_t peek(const volatile void *a, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return *(const volatile uint8_t *)a;
    case 2:
        return *(const volatile uint16_t *)a;
    case 4:
        return *(const volatile uint32_t *)a;
    default:
        return *(const volatile uint64_t *)a;
    }
}

static void poke(volatile void *a, unsigned bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        *(volatile uint8_t *)a = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)a = (uint16_t)value;
        break;
    case 4:
        *(volatile uint32_t *)a = (uint32_t)value;
        break;
    default:
        *(volatile uint64_t *)a = value;
    }
}

static void put(ex_thread *me, volatile void *a, unsigned bytes, uint64_t value, int order,
                bool update)
{
    ex_location *l = ex_location_find(a);
    if (!l && (ex_the_plan.weak || ex_releases(order) || me->fence))
        l = ex_location_make(a);
    if (!l || ex_history_write(me, l, peek(a, bytes), value, order, update))
        poke(a, bytes, value);
}

uint64_t ex_atomic_load(const volatile void *a, unsigned bytes, int order, void *pc)
{
    ex_thread *me = ex.self;
    if (!me)
        return peek(a, bytes);
    ex_point("load", a, pc);
    ex_access(a, bytes, EX_ATOMIC, pc);
    ex_location *l = ex_location_find(a);
    uint64_t held = peek(a, bytes);
    return l ? ex_history_read(me, l, held, order, true) : held;
}

void ex_atomic_store(volatile void *a, unsigned bytes, uint64_t value, int order, void *pc)
{
    ex_thread *me = ex.self;
    if (!me) {
        poke(a, bytes, value);
        return;
    }
    ex_point("store", a, pc);
    ex_access(a, bytes, EX_ATOMIC | EX_WRITE, pc);
    put(me, a, bytes, value, order, false);
}

/* The load of a read-modify-write. */
static uint64_t take_newest(ex_thread *me, volatile void *a, unsigned bytes, int order)
{
    ex_location *l = ex_location_find(a);
    uint64_t held = peek(a, bytes);
    return l ? ex_history_read(me, l, held, order, false) : held;
}

static uint64_t apply(ex_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case EX_EXCHANGE:
        return b;
    case EX_ADD:
        return a + b;
    case EX_SUB:
        return a - b;
    case EX_OR:
        return a | b;
    case EX_AND:
        return a & b;
    case EX_XOR:
        return a ^ b;
    default:
        return ~(a & b);
    }
}

uint64_t ex_atomic_update(volatile void *a, unsigned bytes, ex_op op, uint64_t operand, int order,
                          void *pc)
{
    ex_thread *me = ex.self;
    static const char *const name[] = {"exchange", "add", "sub", "or", "and", "xor", "nand"};
    if (me) {
        ex_point(name[op], a, pc);
        ex_access(a, bytes, EX_ATOMIC | EX_WRITE, pc);
    }
    uint64_t value = me ? take_newest(me, a, bytes, order) : peek(a, bytes);
    uint64_t mask = bytes < 8 ? ((uint64_t)1 << 8 * bytes) - 1 : ~(uint64_t)0;
    uint64_t result = apply(op, value, operand) & mask;
    if (me)
        put(me, a, bytes, result, order, true);
    else
        poke(a, bytes, result);
    return value;
}

bool ex_atomic_cas(volatile void *a, unsigned bytes, uint64_t *expected, uint64_t value, int order,
                   int failed, bool weak, void *pc)
{
    ex_thread *me = ex.self;
    if (me) {
        ex_point("cas", a, pc);
        ex_access(a, bytes, EX_ATOMIC | EX_WRITE, pc);
    }
    uint64_t held = peek(a, bytes);
    bool fails = held != *expected || (me && weak && ex_one_in(ex.weak_cas));
    if (me)
        take_newest(me, a, bytes, fails ? failed : order);
    *expected = held;
    if (!fails && me)
        put(me, a, bytes, value, order, true);
    else if (!fails)
        poke(a, bytes, value);
    return !fails;
}
