/* A hash table of tasks. */
#include "verify/world.h"

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

static uint64_t hash(const task *t)
{
    uint64_t h = mix(1, (uint64_t)t->class);
    for (int i = 0; i < MOST_PARAMETERS; i++)
        h = mix(h, (uint64_t)t->args[i]);
    return h;
}

/* The slot that holds the task, or the free one where it belongs. */
static int *slot_of(const task_table *table, const task *t)
{
    size_t mask = (size_t)table->slot_count - 1;
    size_t at = (size_t)hash(t) & mask;
    while (table->slots[at] && !task_equal(&table->tasks[table->slots[at] - 1], t))
        at = (at + 1) & mask;
    return &table->slots[at];
}

static void grow(task_table *table)
{
    table->slot_count = table->slot_count ? 2 * table->slot_count : 64;
    table->slots = arena_get(table->memory, sizeof *table->slots * (size_t)table->slot_count);
    for (int i = 0; i < table->count; i++)
        *slot_of(table, &table->tasks[i]) = i + 1;
}

int table_add(task_table *table, const task *t, bool *fresh)
{
    if (2 * table->count >= table->slot_count)
        grow(table);
    int *slot = slot_of(table, t);
    *fresh = !*slot;
    if (*fresh) {
        ARENA_ADD(table->memory, table->tasks, table->count, *t);
        *slot = table->count;
    }
    return *slot - 1;
}

int table_find(const task_table *table, const task *t)
{
    return table->count ? *slot_of(table, t) - 1 : -1;
}
