/* A hash table of locations. Nothing is ever taken out: addresses are not used twice. */
#include "location.h"

#include <sys/mman.h>

enum { ROOM = 1 << 20 };

/* Zero pages until they are used, so that a run pays for what it has. */
static ex_location **table;
static char *records, *end;

static void make_table(void)
{
    enum { RECORD_BYTES = 1 << 30 };
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    table = mmap(NULL, ROOM * sizeof *table, PROT_READ | PROT_WRITE, flags, -1, 0);
    records = mmap(NULL, RECORD_BYTES, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (table == MAP_FAILED || records == MAP_FAILED)
        ex_report(EX_BROKEN, "the explorer has no memory left");
    madvise(table, ROOM * sizeof *table, MADV_NOHUGEPAGE);
    madvise(records, RECORD_BYTES, MADV_NOHUGEPAGE);
    end = records + RECORD_BYTES;
}

/* Neighbouring addresses stay together: fewer pages are touched. */
static size_t slot_of(uintptr_t address)
{
    return (address >> 2 ^ (address >> 20) * 0x9e3779b1u) % ROOM;
}

ex_location *ex_location_find(const volatile void *address)
{
    uintptr_t a = (uintptr_t)address;
    if (!table)
        make_table();
    for (size_t i = slot_of(a); table[i]; i = (i + 1) % ROOM)
        if (table[i]->address == a)
            return table[i];
    return NULL;
}

ex_location *ex_location_make(const volatile void *address)
{
    ex_location *found = ex_location_find(address);
    if (found)
        return found;
    size_t bytes =
        ex_the_plan.weak ? sizeof *found : offsetof(ex_location, store) + sizeof(ex_store);
    found = (ex_location *)records;
    records += (bytes + 63) / 64 * 64;
    if (records > end)
        ex_report(EX_BROKEN, "too many atomic locations");
    found->address = (uintptr_t)address;
    size_t i = slot_of(found->address);
    while (table[i])
        i = (i + 1) % ROOM;
    table[i] = found;
    return found;
}
