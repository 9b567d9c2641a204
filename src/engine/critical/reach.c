/* The longest paths to tasks that are not over: hash tables with linear probing, a lock each. */
#include "engine/critical/reach.h"

#include "base/mix.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64 };

static uint64_t hash_of(const void *task)
{
    return tw_mix((uint64_t)(uintptr_t)task);
}

static tw_reach_shard *shard_of(tw_reaches *r, const void *task)
{
    return &r->shard[hash_of(task) >> 58];
}
_Static_assert(TW_REACH_SHARDS == 1 << (64 - 58), "the upper bits say which");

static uint32_t home(const tw_reach_shard *s, const void *task)
{
    return (uint32_t)hash_of(task) & (s->room - 1);
}

/* Where the task is, or could be put; there is always a free place. */
static tw_reach_entry *find(const tw_reach_shard *s, const void *task)
{
    uint32_t i = home(s, task);
    while (s->entry[i].task && s->entry[i].task != task)
        i = (i + 1) & (s->room - 1);
    return &s->entry[i];
}

static bool grow(tw_reach_shard *s)
{
    tw_reach_shard larger = {.room = s->room ? 2 * s->room : FIRST_ROOM};
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
static void erase(tw_reach_shard *s, tw_reach_entry *entry)
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

void tw_reach_join(tw_reach *longer, const tw_reach *other)
{
    if (other->ticks > longer->ticks) {
        longer->ticks = other->ticks;
        longer->tasks = other->tasks;
    }
    if (other->critical > longer->critical)
        longer->critical = other->critical;
}

/* The entry of the task, made if there is none; NULL if there is no memory. Under the lock. */
static tw_reach_entry *claim(tw_reaches *r, tw_reach_shard *s, const void *task, uint32_t graph)
{
    if (2 * s->used >= s->room && !grow(s) && s->used + 1 >= s->room) {
        atomic_store_explicit(&r->incomplete, true, memory_order_relaxed);
        return NULL;
    }
    tw_reach_entry *entry = find(s, task);
    s->used += !entry->task;
    if (!entry->task || entry->graph != graph)
        *entry = (tw_reach_entry){.task = task, .graph = graph};
    return entry;
}

void tw_reaches_add(tw_reaches *r, const void *task, uint32_t graph, const tw_reach *path)
{
    tw_reach_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_reach_entry *entry = claim(r, s, task, graph);
    if (entry)
        tw_reach_join(&entry->reach, path);
    tw_unlock(&s->lock);
}

tw_reach tw_reaches_begin(tw_reaches *r, const void *task, uint32_t graph, uint64_t now)
{
    tw_reach_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_reach_entry *entry = claim(r, s, task, graph);
    tw_reach reach = entry ? entry->reach : (tw_reach){0};
    if (entry)
        entry->begun = now;
    tw_unlock(&s->lock);
    return reach;
}

tw_reach tw_reaches_end(tw_reaches *r, const void *task, uint32_t graph, uint64_t *begun)
{
    tw_reach reach = {0};
    *begun = 0;
    tw_reach_shard *s = shard_of(r, task);
    tw_lock_take(&s->lock);
    tw_reach_entry *entry = s->room ? find(s, task) : NULL;
    if (entry && entry->task) {
        if (entry->graph == graph) {
            reach = entry->reach;
            *begun = entry->begun;
        }
        erase(s, entry);
    }
    tw_unlock(&s->lock);
    return reach;
}

void tw_reaches_clear(tw_reaches *r)
{
    for (int i = 0; i < TW_REACH_SHARDS; i++) {
        free(r->shard[i].entry);
        r->shard[i].entry = NULL;
        r->shard[i].room = r->shard[i].used = 0;
    }
    atomic_store_explicit(&r->incomplete, false, memory_order_relaxed);
}
