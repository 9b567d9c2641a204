/* The longest paths to tasks that are not over: hash tables with linear probing, a lock each. */
#include "engine/critical/lengths.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static uint64_t hash_of(const void *task)
{
    return tw_mix((uint64_t)(uintptr_t)task);
}

static tw_length_shard *shard_of(tw_lengths *r, const void *task)
{
    return &r->shard[hash_of(task) >> 58];
}
_Static_assert(TW_LENGTH_SHARDS == 1 << (64 - 58), "the upper bits say which");

static uint32_t home(const tw_length_shard *s, const void *task)
{
    return (uint32_t)hash_of(task) & (s->room - 1);
}

/* Where the task is, or could be put; there is always a free place. */
static tw_length_entry *find(const tw_length_shard *s, const void *task)
{
    uint32_t i = home(s, task);
    while (s->entry[i].task && s->entry[i].task != task)
        i = (i + 1) & (s->room - 1);
    return &s->entry[i];
}

static bool grow(tw_length_shard *s)
{
    tw_length_shard larger = {.room = s->room ? 2 * s->room : FIRST_ROOM};
    larger.entry = calloc(larger.room, sizeof *larger.entry);
    if (!larger.entry)
        return false;
    for (uint32_t i = 0; i < s->room; i++)
        if (s->entry[i].task)
            *find(&larger, s->entry[i].task) = s->entry[i];
    free(s->entry);
    s->entry = larger.entry;
    s->room = larger.room;
    return true;
}

/* Others that probed past this place move up, so that no gap hides them. */
static void erase(tw_length_shard *s, tw_length_entry *entry)
{
    uint32_t mask = s->room - 1, gap = (uint32_t)(entry - s->entry);
    for (uint32_t i = (gap + 1) & mask; s->entry[i].task; i = (i + 1) & mask) {
        uint32_t at = home(s, s->entry[i].task);
        if (((i - at) & mask) < ((i - gap) & mask))
            continue;
        s->entry[gap] = s->entry[i];
        gap = i;
    }
    s->entry[gap].task = NULL;
    s->used--;
}

void tw_length_join(tw_length *longer, const tw_length *other)
{
    if (other->ticks > longer->ticks) {
        longer->ticks = other->ticks;
        longer->tasks = other->tasks;
    }
    if (other->critical > longer->critical)
        longer->critical = other->critical;
}

/* The entry of the task, made if there is none; NULL if there is no memory. Under the lock. */
static tw_length_entry *claim(tw_lengths *r, tw_length_shard *s, const void *task, uint32_t graph)
{
    if (2 * s->used >= s->room && !grow(s) && s->used + 1 >= s->room) {
        atomic_store_explicit(&r->incomplete, true, memory_order_relaxed);
        return NULL;
    }
    tw_length_entry *entry = find(s, task);
    s->used += !entry->task;
    if (!entry->task || entry->graph != graph)
        *entry = (tw_length_entry){.task = task, .graph = graph};
    return entry;
}

void tw_lengths_add(tw_lengths *r, const void *task, uint32_t graph, const tw_length *path)
{
    tw_length_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_length_entry *entry = claim(r, s, task, graph);
    if (entry)
        tw_length_join(&entry->length, path);
    tw_unlock(&s->lock);
}

tw_length tw_lengths_begin(tw_lengths *r, const void *task, uint32_t graph, uint64_t now)
{
    tw_length_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_length_entry *entry = claim(r, s, task, graph);
    tw_length length = entry ? entry->length : (tw_length){0};
    if (entry)
        entry->begun = now;
    tw_unlock(&s->lock);
    return length;
}

tw_length tw_lengths_end(tw_lengths *r, const void *task, uint32_t graph, uint64_t *begun)
{
    tw_length length = {0};
    *begun = 0;
    tw_length_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_length_entry *entry = s->room ? find(s, task) : NULL;
    if (entry && entry->task) {
        if (entry->graph == graph) {
            length = entry->length;
            *begun = entry->begun;
        }
        erase(s, entry);
    }
    tw_unlock(&s->lock);
    return length;
}

void tw_lengths_clear(tw_lengths *r)
{
    for (int i = 0; i < TW_LENGTH_SHARDS; i++) {
        free(r->shard[i].entry);
        r->shard[i].entry = NULL;
        r->shard[i].room = r->shard[i].used = 0;
    }
    atomic_store_explicit(&r->incomplete, false, memory_order_relaxed);
}
