/* The rank that wants a copy: it cuts the view into parts, asks their owners, and takes answers.
 *
 * Requests stand in one queue and are sent in its order, so that copies of this rank meet in that
 * order at every owner. Those whose bytes need a copy here wait until there is room for it. */
#include "base/minmax.h"
#include "engine/reach/inside.h"

#include <stdlib.h>
#include <string.h>

struct tw_asked {
    struct tw_asked *next;
    tw_reach *reach;
    tw_reach_what what;
    tw_reach_part part;
    tw_reach_memory memory;
    uint64_t id;
    size_t bytes;
    bool line;    /* its bytes follow each other in memory, and are sent and received there */
    char *packed; /* else, of a put: a copy */
    tw_comm_key key;
    bool registered;
};

static tw_asking *asking_of(const twill *tw)
{
    return &tw->reaches->asking;
}

void tw_asking_open(tw_asking *all)
{
    all->last = &all->first;
}

/* ---- the end of a request ---------------------------------------------------------------- */

static void note_failure(tw_reach *r, twill_status status)
{
    tw_lock_take(&r->lock);
    if (r->status == TWILL_OK) {
        r->status = status;
        memcpy(r->text, twill_message(), sizeof r->text);
    }
    tw_unlock(&r->lock);
}

/* `sent`: it is in no list any more. The reach may be gone after it. */
static void finish(twill *tw, tw_worker *w, tw_asked *a, twill_status status)
{
    tw_asking *all = asking_of(tw);
    tw_reach *r = a->reach;
    if (a->registered)
        tw_comm_deregister(tw->reaches->comm, &a->key);
    tw_lock_take(&all->lock);
    all->buffers -= a->line ? 0 : a->bytes;
    const bool none = --all->requests == 0;
    if (none)
        all->ticks += tw_ticks() - all->since;
    tw_unlock(&all->lock);
    if (status != TWILL_OK)
        note_failure(r, status);
    free(a->packed);
    free(a);
    /* release pairs with the acquire in tw_reach_is_over */
    const bool over = atomic_fetch_sub_explicit(&r->left, 1, memory_order_acq_rel) == 1;
    if (over || none) /* a fence may wait while another thread has not begun all of the reach */
        tw_wake_waiters(tw);
    tw_remote_settle(tw, w, 1);
}

/* ---- sending ----------------------------------------------------------------------------- */

static tw_reach_head head_of(const tw_asked *a)
{
    const twill_view *v = &a->part.view;
    tw_reach_head h = {.say = TW_REACH_ASK,
                       .what = (int8_t)a->what,
                       .several = a->part.several,
                       .registered = a->registered,
                       .id = a->id,
                       .array = v->array->serial,
                       .print = tw_reach_print(v->array),
                       .local = v->local,
                       .first = a->part.first,
                       .last = a->part.last,
                       .bytes = a->bytes,
                       .key = a->key};
    memcpy(h.start, v->start, sizeof h.start);
    memcpy(h.extent, v->extent, sizeof h.extent);
    return h;
}

/* The bytes of a put are where the owner can read them, or go along. */
static twill_status prepare_put(twill *tw, tw_asked *a)
{
    char *bytes = a->memory.at;
    if (!a->line || a->bytes <= TW_REACH_INLINE) {
        bytes = a->packed = malloc(a->bytes);
        if (!a->packed)
            return tw_fail(TWILL_ERR_MEMORY, "no memory for %zu bytes of a copy", a->bytes);
        tw_reach_move_memory(&a->part, a->what, &a->memory, a->packed);
    }
    if (a->bytes <= TW_REACH_INLINE)
        return TWILL_OK;
    twill_status status = tw_comm_register(tw->reaches->comm, bytes, a->bytes, &a->key);
    a->registered = status == TWILL_OK;
    return status;
}

static twill_status send_one(twill *tw, tw_asked *a)
{
    twill_status status = a->what == TW_REACH_GET ? TWILL_OK : prepare_put(tw, a);
    if (status != TWILL_OK)
        return status;
    const bool along = a->what != TW_REACH_GET && !a->registered;
    const tw_reach_head h = head_of(a);
    return tw_comm_send(tw->reaches->comm, (int)a->part.owner,
                        &(tw_comm_message){.handler = TW_REACH_HANDLER,
                                           .head = &h,
                                           .head_size = sizeof h,
                                           .data = along ? a->packed : NULL,
                                           .size = along ? a->bytes : 0});
}

/* The next request that may be sent now. Under the lock. */
static tw_asked *take_next(tw_asking *all)
{
    tw_asked *a = all->first;
    size_t copy = a && !a->line ? a->bytes : 0;
    if (!a || (copy && all->buffers && all->buffers + copy > TW_REACH_BUFFERS))
        return NULL;
    all->first = a->next;
    if (!all->first)
        all->last = &all->first;
    all->buffers += copy;
    a->next = all->sent[a->id % TW_REACH_CHAINS];
    all->sent[a->id % TW_REACH_CHAINS] = a;
    return a;
}

/* The request with this number that was sent to this rank (-1: any), or NULL. Under the lock. */
static tw_asked *take_sent(tw_asking *all, uint64_t id, int64_t owner)
{
    tw_asked **link = &all->sent[id % TW_REACH_CHAINS];
    while (*link && ((*link)->id != id || (*link)->part.owner != owner))
        link = &(*link)->next;
    tw_asked *a = *link;
    if (a)
        *link = a->next;
    return a;
}

static void fail_sent(twill *tw, tw_worker *w, uint64_t id, int64_t owner, twill_status status)
{
    tw_asking *all = asking_of(tw);
    tw_lock_take(&all->lock);
    tw_asked *a = take_sent(all, id, owner);
    tw_unlock(&all->lock);
    if (a) /* else it has been answered, or given up */
        finish(tw, w, a, status);
}

static twill_status refuse_left(int64_t rank)
{
    return tw_fail(TWILL_ERR_STATE, "rank %lld has stopped: it cannot be reached any more",
                   (long long)rank);
}

/* One thread at a time, so that they leave in order. */
static void send_queue(twill *tw, tw_worker *w)
{
    tw_asking *all = asking_of(tw);
    tw_lock_take(&all->lock);
    bool sends = !all->sending;
    all->sending = true;
    for (tw_asked *a; sends && (a = take_next(all));) {
        const bool left = tw->reaches->left[a->part.owner];
        const uint64_t id = a->id;
        const int64_t owner = a->part.owner;
        tw_unlock(&all->lock);
        twill_status status = left ? refuse_left(owner) : send_one(tw, a);
        if (status != TWILL_OK) /* else it may be answered and gone */
            fail_sent(tw, w, id, owner, status);
        tw_lock_take(&all->lock);
    }
    if (sends)
        all->sending = false;
    tw_unlock(&all->lock);
}

/* ---- parts ------------------------------------------------------------------------------- */

/* The tiles of one owner that go together. */
typedef struct batch {
    int64_t first, last;
    size_t bytes;
} batch;

typedef struct cutting {
    tw_reach *reach;
    tw_reach_what what;
    const twill_view *view;
    const tw_reach_memory *memory;
    batch *batches; /* of each owner */
} cutting;

static void add(const cutting *c, const tw_reach_part *part, const tw_reach_memory *memory,
                size_t bytes, bool line)
{
    twill *tw = c->reach->tw;
    tw_asking *all = asking_of(tw);
    tw_asked *a = malloc(sizeof *a);
    if (!a) {
        note_failure(c->reach, tw_fail(TWILL_ERR_MEMORY, "no memory for a copy between ranks"));
        return;
    }
    *a = (tw_asked){.reach = c->reach,
                    .what = c->what,
                    .part = *part,
                    .memory = *memory,
                    .bytes = bytes,
                    .line = line};
    atomic_fetch_add_explicit(&c->reach->left, 1, memory_order_relaxed);
    tw_remote_expect(tw, 1);
    tw_lock_take(&all->lock);
    a->id = ++all->ids;
    if (all->requests++ == 0)
        all->since = tw_ticks();
    all->total++;
    all->total_bytes += (int64_t)bytes;
    *all->last = a;
    all->last = &a->next;
    tw_unlock(&all->lock);
}

/* Part of a section, as a view of its own and a place in memory. */
static void add_section(const cutting *c, int64_t number, int64_t owner, const tw_section *section)
{
    const twill_array *a = c->view->array;
    tw_reach_part part = {.view = *c->view, .owner = owner, .first = number, .last = number};
    tw_reach_memory memory = *c->memory;
    for (int d = 0; d < a->pattern.ndim; d++) {
        part.view.start[d] += section->at[d];
        part.view.extent[d] = section->extent[d];
        memory.at += section->at[d] * memory.step[d];
    }
    add(c, &part, &memory, tw_reach_section_bytes(a, section),
        tw_reach_is_line(a, section, memory.step));
}

/* Elements without gaps in memory, and in a tile that is stored as most are. */
static bool is_plain(const cutting *c, const tw_section *section)
{
    const twill_array *a = c->view->array;
    int64_t step[TWILL_DIMS];
    tw_section_steps(&a->pattern, section->whole, tw_pattern_tile_ld(&a->pattern), a->element,
                     step);
    return !a->ld && tw_reach_is_line(a, section, step) &&
           tw_reach_is_line(a, section, c->memory->step);
}

/* What needs a copy at one of its ends goes in pieces, halves of halves along the slowest dimension
 * that has more than one element. */
static void cut_section(const cutting *c, int64_t number, int64_t owner, const tw_section *section)
{
    const twill_array *a = c->view->array;
    int d = 0;
    for (int k = 0; k < a->pattern.ndim; k++) {
        int dim = tw_pattern_dim(&a->pattern, TWILL_ROW_MAJOR_ELEMENTS, k);
        d = section->extent[dim] > 1 ? dim : d;
    }
    if (tw_reach_section_bytes(a, section) <= TW_REACH_PIECE || section->extent[d] == 1 ||
        is_plain(c, section)) {
        add_section(c, number, owner, section);
        return;
    }
    tw_section first = *section, second = *section;
    first.extent[d] /= 2;
    second.extent[d] -= first.extent[d];
    second.at[d] += first.extent[d];
    second.inside[d] += first.extent[d];
    cut_section(c, number, owner, &first);
    cut_section(c, number, owner, &second);
}

static void close_batch(const cutting *c, int64_t owner)
{
    batch *b = &c->batches[owner];
    tw_reach_part part = {
        .view = *c->view, .owner = owner, .first = b->first, .last = b->last, .several = true};
    if (b->bytes)
        add(c, &part, c->memory, b->bytes, false);
    b->bytes = 0;
}

static void cut_tile(int64_t number, void *arg)
{
    const cutting *c = arg;
    twill_array *a = c->view->array;
    int64_t block[TWILL_DIMS];
    tw_section section;
    tw_array_block(a, number, block);
    int64_t owner = twill_pattern_owner(&a->pattern, block);
    if (owner == a->shared->rank)
        return;
    tw_view_section(c->view, block, &section);
    size_t bytes = tw_reach_section_bytes(a, &section);
    batch *b = &c->batches[owner];
    if (bytes > TW_REACH_SMALL) {
        cut_section(c, number, owner, &section);
        return;
    }
    if (b->bytes + bytes > TW_REACH_PIECE)
        close_batch(c, owner);
    b->first = b->bytes ? b->first : number;
    b->last = number;
    b->bytes += bytes;
}

/* One tile: what most copies of elements and of blocks are, and no memory for the others. */
static bool cut_only_tile(cutting *c)
{
    const twill_array *a = c->view->array;
    int64_t block[TWILL_DIMS] = {0};
    if (c->view->local)
        return false;
    for (int d = 0; d < a->pattern.ndim; d++) {
        block[d] = c->view->start[d] / a->pattern.block[d];
        if ((c->view->start[d] + c->view->extent[d] - 1) / a->pattern.block[d] != block[d])
            return false;
    }
    int64_t owner = twill_pattern_owner(&a->pattern, block);
    tw_section section;
    int64_t number = 0;
    for (int d = a->pattern.ndim - 1; d >= 0; d--)
        number = number * a->blocks[d] + block[d];
    tw_view_section(c->view, block, &section);
    if (owner != a->shared->rank)
        cut_section(c, number, owner, &section);
    return true;
}

static void cut(cutting *c)
{
    const int ranks = c->reach->tw->data.ranks;
    if (cut_only_tile(c))
        return;
    c->batches = calloc((size_t)ranks, sizeof *c->batches);
    if (!c->batches) {
        note_failure(c->reach, tw_fail(TWILL_ERR_MEMORY, "no memory for a copy between ranks"));
        return;
    }
    tw_view_tiles(c->view, cut_tile, c);
    for (int64_t owner = 0; owner < ranks; owner++)
        close_batch(c, owner);
    free(c->batches);
}

/* ---- a reach ----------------------------------------------------------------------------- */

void tw_reach_open(tw_reach *r, twill *tw)
{
    r->tw = tw;
    r->status = TWILL_OK;
    r->text[0] = '\0';
    atomic_init(&r->left, 1);
}

void tw_reach_begin(tw_reach *r, tw_worker *w, tw_reach_what what, const twill_view *v,
                    const tw_reach_memory *memory)
{
    cutting c = {.reach = r, .what = what, .view = v, .memory = memory};
    for (int d = 0; d < v->array->pattern.ndim; d++)
        if (v->extent[d] == 0)
            return;
    cut(&c);
    send_queue(r->tw, w);
}

void tw_reach_begun(tw_reach *r)
{
    atomic_fetch_sub_explicit(&r->left, 1, memory_order_acq_rel);
}

bool tw_reach_is_over(const tw_reach *r)
{
    return atomic_load_explicit(&r->left, memory_order_acquire) == 0;
}

twill_status tw_reach_status(tw_reach *r)
{
    return r->status == TWILL_OK ? TWILL_OK : tw_fail(r->status, "%s", r->text);
}

/* ---- how long it takes ------------------------------------------------------------------- */

void tw_reaches_waited(twill *tw, uint64_t ticks)
{
    tw_asking *all = asking_of(tw);
    tw_lock_take(&all->lock);
    all->waited += ticks;
    tw_unlock(&all->lock);
}

static int64_t nanoseconds(const twill *tw, uint64_t ticks)
{
    return (int64_t)((double)ticks * 1e3 / (double)tw->us_ticks);
}

void tw_reaches_count(const twill *tw, twill_counters *c)
{
    tw_asking *all = tw->reaches ? asking_of(tw) : NULL;
    if (!all)
        return;
    tw_lock_take(&all->lock);
    c->copies = all->total;
    c->copy_bytes = all->total_bytes;
    c->copy_ns = nanoseconds(tw, all->ticks + (all->requests ? tw_ticks() - all->since : 0));
    c->copy_wait_ns =
        tw_min(nanoseconds(tw, all->waited), c->copy_ns); /* who waits wakes up late */
    tw_unlock(&all->lock);
}

/* ---- answers ----------------------------------------------------------------------------- */

static const tw_asked *find_sent(const tw_asking *all, uint64_t id, int64_t owner)
{
    const tw_asked *a = all->sent[id % TW_REACH_CHAINS];
    while (a && (a->id != id || a->part.owner != owner))
        a = a->next;
    return a;
}

void *tw_asking_place(twill *tw, int from, const tw_reach_head *h, size_t size)
{
    tw_asking *all = asking_of(tw);
    tw_lock_take(&all->lock);
    const tw_asked *a = find_sent(all, h->id, from);
    bool here =
        a && h->status == TWILL_OK && a->what == TW_REACH_GET && a->line && size == a->bytes;
    char *place = here ? a->memory.at : NULL;
    tw_unlock(&all->lock);
    return place;
}

static twill_status take_bytes(const tw_asked *a, const tw_reach_head *h, const void *data,
                               size_t size)
{
    if (h->status != TWILL_OK)
        return tw_fail((twill_status)h->status, "%.*s", (int)size, (const char *)data);
    if (a->what != TW_REACH_GET)
        return TWILL_OK;
    if (size != a->bytes || !data)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %zu bytes of rank %lld", a->bytes,
                       (long long)a->part.owner);
    if (data != a->memory.at)
        tw_reach_move_memory(&a->part, a->what, &a->memory, (char *)(uintptr_t)data);
    return TWILL_OK;
}

void tw_asking_answered(twill *tw, tw_worker *w, int from, const tw_reach_head *h, const void *data,
                        size_t size)
{
    tw_asking *all = asking_of(tw);
    tw_lock_take(&all->lock);
    tw_asked *a = take_sent(all, h->id, from);
    tw_unlock(&all->lock);
    if (!a)
        return;
    finish(tw, w, a, take_bytes(a, h, data, size));
    send_queue(tw, w);
}

void tw_asking_fail(twill *tw, tw_worker *w, int rank, twill_status status)
{
    tw_asking *all = asking_of(tw);
    tw_asked *gone = NULL;
    tw_lock_take(&all->lock);
    for (int i = 0; i < TW_REACH_CHAINS; i++)
        for (tw_asked **link = &all->sent[i], *a; (a = *link);) {
            if (rank >= 0 && a->part.owner != rank) {
                link = &a->next;
                continue;
            }
            *link = a->next;
            a->next = gone;
            gone = a;
        }
    tw_unlock(&all->lock);
    for (tw_asked *next; gone; gone = next) {
        next = gone->next;
        finish(tw, w, gone, status);
    }
    send_queue(tw, w); /* those that wait are refused */
}
