/* A hash table of instances that wait for inputs. Its buckets are a line each, with a lock, and
 * say of each instance who it is and how many inputs it waits for: what arrives without data, and
 * is not the last, touches no other line. */
#ifndef TW_FRONT_PTG_TABLE_H
#define TW_FRONT_PTG_TABLE_H

#include "engine/engine.h"

enum { TW_BUCKET_SLOTS = 3 };

typedef struct tw_bucket {
    _Alignas(TW_LINE) tw_lock lock;
    bool moved; /* its instances are in a larger table */
    _Atomic int32_t left[TW_BUCKET_SLOTS];
    _Atomic uint64_t id[TW_BUCKET_SLOTS]; /* 0: free */
    /* More instances hang off the last one, linked by `next`, and only if that one is there. */
    _Atomic(twill_task *) task[TW_BUCKET_SLOTS];
} tw_bucket;

struct tw_buckets;

typedef struct tw_table {
    _Atomic(struct tw_buckets *) buckets; /* those in use; smaller ones are kept until the end */
    struct tw_occupancy *of;              /* who came and went, by worker */
    int workers;
    tw_lock growing;
    int64_t most; /* under that lock */
} tw_table;

/* Where an instance is in its bucket; `link` is NULL if it is not there. */
typedef struct tw_bucket_slot {
    _Atomic(twill_task *) *link;
    _Atomic int32_t *left;
} tw_bucket_slot;

bool tw_table_open(tw_table *table, int workers);
void tw_table_close(tw_table *table);

/* The bucket of an instance, as long as the table does not grow: an arrival will touch its line,
 * which is asked for. */
tw_bucket *tw_table_bucket(const tw_table *table, uint64_t id);

/* Ask for the lines of the instance that an arrival touches if it is about `data` or the last. */
void tw_bucket_prefetch(const tw_bucket *b, uint64_t id, bool data);

/* The bucket of an instance, locked; `b` is what it was last. */
tw_bucket *tw_table_lock(tw_table *table, tw_bucket *b, uint64_t id);

/* Under the bucket's lock. A bucket that is crowded says so: see tw_table_entered. */
tw_bucket_slot tw_bucket_find(tw_bucket *b, uint64_t id, const int64_t *p);
bool tw_bucket_enter(tw_bucket *b, uint64_t id, twill_task *t, int32_t left);
void tw_bucket_leave(tw_bucket *b, tw_bucket_slot slot);

/* Worker `w` has entered an instance, or made one leave. Without any lock. */
void tw_table_entered(tw_table *table, int w, bool crowded);
void tw_table_left(tw_table *table, int w);

/* Most instances that waited at a time, which may be a few too many. */
int64_t tw_table_most(const tw_table *table);

/* While nobody else uses it: how many wait; forget how many there were; visit all; clear. */
int64_t tw_table_count(const tw_table *table);
void tw_table_recount(tw_table *table);
void tw_table_each(const tw_table *table, void (*visit)(twill_task *t, void *arg), void *arg);
void tw_table_clear(tw_table *table);

#endif
