/* Data races: each word of 8 bytes remembers its last accesses, at most four, with the time of
 * their threads. Two that touch a byte in common, of which one writes and not both are atomic, must
 * be ordered by happens-before. */
#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SLOTS = 4, USED = 4 };

/* An access in 64 bits: time of the thread, the thread, bytes of the word, kind. 0: none. */
typedef uint64_t access;

static access make(uint32_t time, int thread, unsigned mask, unsigned kind)
{
    return (uint64_t)time << 32 | (uint64_t)thread << 24 | mask << 8 | kind | USED;
}

static uint32_t time_of(access x)
{
    return (uint32_t)(x >> 32);
}

static int thread_of(access x)
{
    return (int)(x >> 24 & 0xff);
}

static unsigned mask_of(access x)
{
    return x >> 8 & 0xff;
}

static access *cell_of(uintptr_t a)
{
    return (access *)EX_CELLS + (a >> 3) * SLOTS;
}

static void **places_of(uintptr_t a)
{
    return (void **)EX_PLACES + (a >> 3) * SLOTS;
}

static void map(uintptr_t at, size_t bytes)
{
    if (mmap((void *)at, bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
             0) != (void *)at) {
        perror("explore: cannot reserve the shadow of memory");
        exit(2);
    }
    madvise((void *)at, bytes, MADV_NOHUGEPAGE); /* a run touches little of it */
}

void ex_races_open(void)
{
    map(EX_CELLS, EX_SHADOWED / 8 * sizeof(access) * SLOTS);
    map(EX_PLACES, EX_SHADOWED / 8 * sizeof(void *) * SLOTS);
    map(EX_STATES, EX_SHADOWED / 16);
}

static bool conflict(access old, unsigned mask, unsigned kind)
{
    return mask_of(old) & mask && ((old | kind) & EX_WRITE) && !(old & kind & EX_ATOMIC);
}

static bool before(const ex_thread *me, access old)
{
    return me->know.hb.at[thread_of(old)] >= time_of(old);
}

static _Noreturn void race(uintptr_t a, int slot, unsigned kind, void *pc)
{
    static char text[96];
    static const char *const name[] = {"read", "write", "atomic read", "atomic write"};
    access old = cell_of(a)[slot];
    snprintf(text, sizeof text, "data race: %s by thread %d and %s by thread %d of %p", name[kind],
             ex.self->id, name[old & 3], thread_of(old), (void *)a);
    ex_report_at(EX_RACE, text, pc, places_of(a)[slot]);
}

/* Whether the new access can stand for the old one: whoever races with the old one later races
 * with it, too, or knew it before. */
static bool covers(const ex_thread *me, access old, unsigned mask, unsigned kind)
{
    if (mask_of(old) & ~mask)
        return false;
    bool as_strong =
        (kind & EX_WRITE || !(old & EX_WRITE)) && (!(kind & EX_ATOMIC) || old & EX_ATOMIC);
    return as_strong && (thread_of(old) == me->id || (before(me, old) && kind & EX_WRITE));
}

void ex_access_word(ex_thread *me, uintptr_t a, unsigned bytes, unsigned kind, void *pc)
{
    access *cell = cell_of(a);
    unsigned mask = ((1u << bytes) - 1) << (a & 7);
    access now = make(me->know.hb.at[me->id], me->id, mask, kind);
    if (cell[0] == now || cell[1] == now)
        return;
    int place = -1;
    for (int i = 0; i < SLOTS; i++) {
        access old = cell[i];
        if (!old) {
            if (place < 0)
                place = i;
            break;
        }
        if (thread_of(old) != me->id && conflict(old, mask, kind) && !before(me, old))
            race(a, i, kind, pc);
        if (covers(me, old, mask, kind))
            place = i;
    }
    if (place < 0) /* one is forgotten: a race may be missed */
        place = (int)(ex.steps % SLOTS);
    cell[place] = now;
    if (__builtin_expect(ex_the_plan.verbose, 0))
        places_of(a)[place] = pc;
}

void ex_access_range(const volatile void *address, size_t bytes, unsigned kind, void *pc)
{
    uintptr_t a = (uintptr_t)address, end = a + bytes;
    if (!ex.self || end > EX_SHADOWED)
        return;
    while (a < end) {
        unsigned n = 8 - (unsigned)(a & 7);
        if (n > end - a)
            n = (unsigned)(end - a);
        unsigned state = ((const uint8_t *)EX_STATES)[a >> 4];
        if (state != EX_USABLE)
            ex_bad_memory(a, state, pc);
        if (ex_the_plan.races)
            ex_access_word(ex.self, a, n, kind, pc);
        a += n;
    }
}

void ex_access_last(const volatile void *address, size_t bytes, void *pc)
{
    enum { MOST = 4096 }; /* large blocks: their beginning must do */
    uintptr_t a = (uintptr_t)address & ~(uintptr_t)7, end = a + (bytes < MOST ? bytes : MOST);
    for (; ex_the_plan.races && a < end; a += 8)
        for (int i = 0; i < SLOTS && cell_of(a)[i]; i++)
            if (thread_of(cell_of(a)[i]) != ex.self->id && !before(ex.self, cell_of(a)[i]))
                race(a, i, EX_WRITE, pc);
}

void ex_access_forget(const volatile void *address, size_t bytes)
{
    uintptr_t a = (uintptr_t)address & ~(uintptr_t)7, end = (uintptr_t)address + bytes;
    for (; end <= EX_SHADOWED && a < end; a += 8)
        for (int i = 0; i < SLOTS; i++)
            cell_of(a)[i] = 0;
}
