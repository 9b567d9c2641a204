/* The sink of a trace: a buffer per worker, which nobody else touches while it records.
 *
 * Whoever stops the recording sets `stopped` and then waits until nobody is inside a lane; whoever
 * enters a lane says so and then looks at `stopped`. Between saying and looking stands a fence, the
 * light one here, the heavy one there (see base/fence.h). */
#include "trace/record.h"

#include "base/fence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* SPARE: chunks that are kept for the next recording, whose pages are there already. */
enum { CHUNK_BYTES = 2 << 20, SPARE = 32, DEPTH = 16, RECENT = 16 };
enum { CHUNK_UNITS = (CHUNK_BYTES - sizeof(tw_units)) / sizeof(tw_unit) };

/* A class that this lane has seen lately. */
typedef struct recent {
    const void *cls;
    const char *name;
    uint32_t graph;
    uint16_t number;
} recent;

typedef struct lane {
    _Alignas(TW_LINE) atomic_bool inside;
    tw_units *newest, *oldest;
    int chunks;
    uint64_t lost;
    uint64_t last;        /* time of the last event, other than a beginning */
    int depth;            /* bodies inside one another */
    tw_unit *open[DEPTH]; /* their tasks; NULL: not recorded */
    recent recent[RECENT];
} lane;

struct tw_recorder {
    tw_sink sink;
    int lanes;
    bool membarrier;
    atomic_bool stopped;
    uint64_t begin, end;
    double begin_seconds, ns_per_tick;

    tw_lock lock; /* of what follows, and of the last lane */
    int64_t chunks_left;
    tw_units *spare;
    int nspare;
    tw_seen seen;
    lane lane[];
};

/* ---- room ---------------------------------------------------------------------------------- */

/* A chunk that is kept, else a new one. Under the lock. */
static tw_units *allocate(tw_recorder *r)
{
    assert(tw_is_locked(&r->lock));
    tw_units *chunk = r->spare;
    if (chunk) {
        r->spare = chunk->next;
        r->nspare--;
        return chunk;
    }
    chunk = aligned_alloc(CHUNK_BYTES, CHUNK_BYTES);
#if defined(MADV_HUGEPAGE)
    if (chunk) /* one fault instead of five hundred while tasks wait; a wish, not a need */
        madvise(chunk, CHUNK_BYTES, MADV_HUGEPAGE);
#endif
    return chunk;
}

static uint64_t count_records(const tw_units *chunk)
{
    uint64_t n = 0;
    for (size_t i = 0; i < chunk->used; i += (size_t)tw_unit_length(&chunk->units[i]))
        n++;
    return n;
}

/* Take the oldest chunk out of the ring, with all it holds. */
static tw_units *recycle(lane *l)
{
    tw_units *chunk = l->oldest;
    l->lost += count_records(chunk);
    l->oldest = chunk->next;
    l->chunks--;
    for (int i = 0; i < l->depth && i < DEPTH; i++)
        if (l->open[i] >= chunk->units && l->open[i] < chunk->units + CHUNK_UNITS)
            l->open[i] = NULL;
    return chunk;
}

/* The chunk to write to next; false when there is no memory at all. */
TW_NOINLINE static bool advance(tw_recorder *r, lane *l)
{
    tw_units *chunk = NULL;
    bool locked = l != &r->lane[r->lanes - 1];
    if (locked)
        tw_lock_take(&r->lock);
    bool more = r->chunks_left > 0 || l->chunks < 2;
    r->chunks_left -= more;
    if (more)
        chunk = allocate(r);
    if (locked)
        tw_unlock(&r->lock);
    if (!chunk && l->chunks > 1)
        chunk = recycle(l);
    if (!chunk)
        return false;
    chunk->next = NULL;
    chunk->used = 0;
    if (l->newest)
        l->newest->next = chunk;
    else
        l->oldest = chunk;
    l->newest = chunk;
    l->chunks++;
    return true;
}

static tw_unit *take_units(tw_recorder *r, lane *l, size_t n)
{
    if (tw_unlikely(!l->newest || l->newest->used + n > CHUNK_UNITS) && !advance(r, l)) {
        l->lost++;
        return NULL;
    }
    tw_unit *u = &l->newest->units[l->newest->used];
    l->newest->used += n;
    return u;
}

/* ---- classes ------------------------------------------------------------------------------- */

TW_NOINLINE static void look_up(tw_recorder *r, const tw_event_about *about, recent *x)
{
    tw_lock_take(&r->lock);
    *x = (recent){about->cls, about->name, about->graph, tw_seen_note(&r->seen, about)};
    tw_unlock(&r->lock);
}

static uint16_t class_number(tw_recorder *r, lane *l, const tw_event_about *about)
{
    recent *x = &l->recent[((uintptr_t)about->cls >> 4) % RECENT];
    if (tw_unlikely(x->cls != about->cls || x->name != about->name || x->graph != about->graph))
        look_up(r, about, x);
    return x->number;
}

/* ---- events -------------------------------------------------------------------------------- */

static void begin_task(tw_recorder *r, lane *l, const tw_event *e)
{
    const tw_event_about *a = e->about;
    const twill_about *task = &a->task;
    tw_unit *u = take_units(r, l, task->parameters <= 2 ? 2 : 3);
    if (l->depth < DEPTH)
        l->open[l->depth] = u;
    l->depth++;
    if (!u)
        return;
    u->task.kind = TW_EVENT_BEGIN;
    u->task.n = (uint8_t)task->parameters;
    u->task.cls = class_number(r, l, a);
    u->task.graph = a->graph;
    u->task.start = e->ticks;
    atomic_store_explicit(&u->task.end, 0, memory_order_relaxed);
    u->task.task = e->subject;
    u[1].about.priority = a->priority;
    u[1].about.critical = a->critical;
    u[1].about.flops = (float)task->flops;
    u[1].about.bytes = (float)task->bytes;
    for (int i = 0; i < task->parameters && i < 2; i++)
        u[1].about.parameter[i] = task->parameter[i];
    for (int i = 2; i < task->parameters; i++)
        u[2].parameter[i - 2] = task->parameter[i];
}

static void end_task(lane *l, const tw_event *e)
{
    l->last = e->ticks;
    if (l->depth == 0)
        return; /* it began before the trace did */
    l->depth--;
    tw_unit *u = l->depth < DEPTH ? l->open[l->depth] : NULL;
    if (u)
        atomic_store_explicit(&u->task.end, 4 * e->ticks + (unsigned)e->detail,
                              memory_order_relaxed);
}

/* The task whose body the worker is in; NULL when it is in none, or that is not kept. */
static const void *body_of(const lane *l)
{
    const tw_unit *u = l->depth > 0 && l->depth <= DEPTH ? l->open[l->depth - 1] : NULL;
    return u ? u->task.task : NULL;
}

static void keep(tw_recorder *r, lane *l, const tw_event *e)
{
    tw_unit *u = take_units(r, l, 1);
    if (!u)
        return;
    u->event.kind = (uint8_t)e->kind;
    u->event.peer = (int16_t)e->peer;
    u->event.detail = e->detail;
    l->last = u->event.ticks = e->ticks ? e->ticks : l->last;
    u->event.subject = e->subject;
    if (e->kind >= TW_EVENT_MOVE)
        u->event.amount = e->amount;
    else
        u->event.other = e->other || e->kind != TW_EVENT_ENABLE ? e->other : body_of(l);
}

/* Told by any thread, not by the one that acts as a worker. */
static bool is_shared(tw_event_kind kind)
{
    return kind > TW_EVENT_END &&
           (kind == TW_EVENT_WAIT || kind == TW_EVENT_GO || kind == TW_EVENT_MEMORY);
}

static void take(tw_sink *sink, const tw_event *e)
{
    tw_recorder *r = (tw_recorder *)sink;
    bool shared = tw_unlikely(is_shared(e->kind) || e->worker < 0);
    lane *l = &r->lane[shared ? r->lanes - 1 : e->worker];
    if (shared)
        tw_lock_take(&r->lock);
    atomic_store_explicit(&l->inside, true, memory_order_relaxed);
    tw_fence_light(r->membarrier);
    /* acquire pairs with the release of tw_recorder_start */
    if (tw_likely(!atomic_load_explicit(&r->stopped, memory_order_acquire))) {
        if (e->kind == TW_EVENT_BEGIN)
            begin_task(r, l, e);
        else if (e->kind == TW_EVENT_END)
            end_task(l, e);
        else
            keep(r, l, e);
    }
    /* release pairs with the acquire of tw_recorder_stop */
    atomic_store_explicit(&l->inside, false, memory_order_release);
    if (shared)
        tw_unlock(&r->lock);
}

/* ---- beginning and end --------------------------------------------------------------------- */

twill_status tw_recorder_open(int workers, bool membarrier, tw_recorder **out)
{
    int lanes = workers + 2;
    size_t size = sizeof(tw_recorder) + (size_t)lanes * sizeof(lane);
    size = tw_whole_lines(size);
    tw_recorder *r = aligned_alloc(TW_LINE, size);
    if (!r)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for a trace");
    memset(r, 0, size);
    r->sink.take = take;
    r->lanes = lanes;
    r->membarrier = membarrier;
    atomic_init(&r->stopped, true);
    *out = r;
    return TWILL_OK;
}

void tw_recorder_start(tw_recorder *r, size_t limit)
{
    r->chunks_left = (int64_t)(limit / CHUNK_BYTES);
    r->begin_seconds = tw_seconds();
    r->begin = tw_ticks();
    atomic_store_explicit(&r->stopped, false, memory_order_release);
}

tw_sink *tw_recorder_sink(tw_recorder *r)
{
    return &r->sink;
}

void tw_recorder_stop(tw_recorder *r)
{
    if (atomic_exchange_explicit(&r->stopped, true, memory_order_relaxed))
        return;
    tw_fence_heavy(r->membarrier); /* pairs with the light one in take */
    for (int i = 0; i < r->lanes; i++)
        while (atomic_load_explicit(&r->lane[i].inside, memory_order_acquire))
            tw_pause();
    r->end = tw_ticks();
    /* Some time must pass between two looks at both clocks, or their quotient is no good. */
    double now;
    uint64_t ticks;
    do {
        now = tw_seconds();
        ticks = tw_ticks();
    } while (now - r->begin_seconds < 2e-3);
    r->ns_per_tick = 1e9 * (now - r->begin_seconds) / (double)(ticks - r->begin);
}

static void clear_lane(tw_recorder *r, lane *l)
{
    while (l->oldest) {
        tw_units *chunk = l->oldest;
        l->oldest = chunk->next;
        if (r->nspare == SPARE) {
            free(chunk);
        } else {
            chunk->next = r->spare;
            r->spare = chunk;
            r->nspare++;
        }
    }
    l->newest = NULL;
    l->chunks = l->depth = 0;
    l->lost = l->last = 0;
    memset(l->recent, 0, sizeof l->recent);
}

void tw_recorder_clear(tw_recorder *r)
{
    for (int i = 0; i < r->lanes; i++)
        clear_lane(r, &r->lane[i]);
    tw_seen_clear(&r->seen);
}

void tw_recorder_close(tw_recorder *r)
{
    if (!r)
        return;
    tw_recorder_clear(r);
    while (r->spare) {
        tw_units *chunk = r->spare;
        r->spare = chunk->next;
        free(chunk);
    }
    tw_seen_close(&r->seen);
    free(r);
}

int tw_recorder_lanes(const tw_recorder *r)
{
    return r->lanes;
}

const tw_units *tw_recorder_units(const tw_recorder *r, int lane)
{
    return r->lane[lane].oldest;
}

uint64_t tw_recorder_lost(const tw_recorder *r, int lane)
{
    return r->lane[lane].lost;
}

const tw_seen *tw_recorder_seen(const tw_recorder *r)
{
    return &r->seen;
}

double tw_recorder_times(const tw_recorder *r, uint64_t *begin, uint64_t *end, double *ns_per_tick)
{
    *begin = r->begin;
    *end = r->end;
    *ns_per_tick = r->ns_per_tick;
    return r->begin_seconds;
}
