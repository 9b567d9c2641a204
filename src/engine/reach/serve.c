/* The owner: each request becomes a use of its tiles. What has been granted stands in a queue, and
 * one thread at a time does it, since a use that leaves may grant the next one, and so on. */
#include "engine/reach/inside.h"
#include "engine/use.h"

#include <stdlib.h>
#include <string.h>

struct tw_serving {
    struct tw_serving *next;
    twill *tw;
    int from;
    tw_reach_what what;
    uint64_t id;
    tw_reach_part part;
    size_t bytes;
    tw_comm_key key;
    tw_use *use;
    char *line;   /* where its bytes are, if they need no copy */
    char *packed; /* else the copy */
    bool counted; /* among the buffers */
    bool arrived; /* the bytes of a put are in the copy */
};

struct tw_early {
    struct tw_early *next;
    int from;
    tw_reach_head head;
    size_t size;
    char data[];
};

static tw_servings *servings_of(const twill *tw)
{
    return &tw->reaches->servings;
}

/* ---- answers ----------------------------------------------------------------------------- */

static twill_status answer(twill *tw, int to, uint64_t id, twill_status status,
                           const tw_comm_message *bytes)
{
    const tw_reach_head h = {.say = TW_REACH_ANSWER, .id = id, .status = status};
    tw_comm_message m = *bytes;
    m.handler = TW_REACH_HANDLER;
    m.head = &h;
    m.head_size = sizeof h;
    return tw_comm_send(tw->reaches->comm, to, &m);
}

/* An answer that there is no memory for is tried again, without its sentence. When the transport is
 * at its end it is not missed: who waits for it learns of that. */
static void owe(twill *tw, int to, uint64_t id, twill_status status)
{
    tw_servings *all = servings_of(tw);
    tw_lock_take(&all->lock);
    int n = atomic_load_explicit(&all->owed, memory_order_relaxed);
    if (n < TW_REACH_OWED) {
        all->owes[n] = (tw_reach_owed){to, id, status};
        atomic_store_explicit(&all->owed, n + 1, memory_order_relaxed);
    }
    tw_unlock(&all->lock);
}

/* The sentence is the thread's message. */
static void refuse(twill *tw, int to, uint64_t id, twill_status status)
{
    char text[TW_MESSAGE];
    memcpy(text, twill_message(), sizeof text);
    const tw_comm_message m = {.data = text, .size = strlen(text)};
    if (answer(tw, to, id, status, &m) == TWILL_ERR_MEMORY)
        owe(tw, to, id, status);
}

static void say_done(twill *tw, int to, uint64_t id)
{
    if (answer(tw, to, id, TWILL_OK, &(tw_comm_message){.data = NULL}) == TWILL_ERR_MEMORY)
        owe(tw, to, id, TWILL_OK);
}

void tw_serve_owed(twill *tw)
{
    tw_servings *all = servings_of(tw);
    tw_lock_take(&all->lock);
    bool sent = true;
    for (int n; (n = atomic_load_explicit(&all->owed, memory_order_relaxed)) > 0 && sent;) {
        const tw_reach_owed o = all->owes[n - 1];
        atomic_store_explicit(&all->owed, n - 1, memory_order_relaxed);
        tw_unlock(&all->lock);
        static const char text[] = "the owner of the elements has no memory";
        const tw_comm_message m = {.data = o.status ? text : NULL,
                                   .size = o.status ? sizeof text - 1 : 0};
        sent = answer(tw, o.to, o.id, o.status, &m) != TWILL_ERR_MEMORY;
        if (!sent)
            owe(tw, o.to, o.id, o.status);
        tw_lock_take(&all->lock);
    }
    tw_unlock(&all->lock);
}

/* ---- the end of a request ---------------------------------------------------------------- */

static void let_go(twill_array *a)
{
    tw_reaches *r = a->context->reaches;
    tw_lock_take(&r->lock);
    a->visitors--;
    tw_unlock(&r->lock);
}

static void leave_chains(tw_serving *s, tw_worker *w)
{
    if (s->use)
        tw_use_leave(s->use, w, 0);
    s->use = NULL;
}

static void serve_granted(twill *tw, tw_worker *w);

static void discard(tw_serving *s, tw_worker *w)
{
    twill *tw = s->tw;
    tw_servings *all = servings_of(tw);
    leave_chains(s, w);
    if (s->counted) {
        tw_lock_take(&all->lock);
        all->buffers -= s->bytes;
        tw_unlock(&all->lock);
    }
    let_go(s->part.view.array);
    free(s->packed);
    free(s);
}

static void fail(tw_serving *s, tw_worker *w, twill_status status)
{
    refuse(s->tw, s->from, s->id, status);
    discard(s, w);
}

/* ---- what it wants ----------------------------------------------------------------------- */

static void find_line(twill_array *a, int64_t number, const tw_section *section, void *arg)
{
    tw_serving *s = arg;
    s->line = tw_reach_line_in_tile(a, number, section);
}

/* The poller is NULL when the endpoint is closed: then nobody is in the chains any more. */
static void sent(void *arg, twill_status status, void *poller)
{
    tw_serving *s = arg;
    twill *tw = s->tw;
    (void)status; /* the other rank knows of it */
    discard(s, poller);
    if (poller) {
        tw_remote_settle(tw, poller, 1);
        serve_granted(tw, poller);
    }
}

static void give_bytes(tw_serving *s, tw_worker *w)
{
    if (!s->line) {
        tw_reach_move_tiles(&s->part, TW_REACH_GET, s->packed);
        leave_chains(s, w);
    }
    tw_remote_expect(s->tw, 1);
    twill_status status = answer(
        s->tw, s->from, s->id, TWILL_OK,
        &(tw_comm_message){
            .data = s->line ? s->line : s->packed, .size = s->bytes, .sent = sent, .arg = s});
    if (status == TWILL_OK)
        return;
    tw_remote_settle(s->tw, w, 1);
    fail(s, w, status);
}

/* The bytes of a put are here, perhaps in their place. */
static void end_put(tw_serving *s, tw_worker *w)
{
    if (!s->line || s->what == TW_REACH_ADD)
        tw_reach_move_tiles(&s->part, s->what, s->packed);
    leave_chains(s, w);
    say_done(s->tw, s->from, s->id);
    discard(s, w);
}

static void came(void *arg, twill_status status, void *poller)
{
    tw_serving *s = arg;
    twill *tw = s->tw;
    if (status == TWILL_OK)
        end_put(s, poller);
    else if (poller)
        fail(s, poller, status);
    else
        discard(s, NULL);
    if (poller) {
        tw_remote_settle(tw, poller, 1);
        serve_granted(tw, poller);
    }
}

static void take_bytes(tw_serving *s, tw_worker *w)
{
    const tw_comm_transfer t = {.key = s->key,
                                .memory = s->line ? s->line : s->packed,
                                .size = s->bytes,
                                .done = came,
                                .arg = s};
    tw_remote_expect(s->tw, 1);
    twill_status status = tw_comm_get(s->tw->reaches->comm, &t);
    if (status == TWILL_OK)
        return;
    tw_remote_settle(s->tw, w, 1);
    fail(s, w, status);
}

static twill_status check_data(const tw_use *use, tw_reach_what what)
{
    if (use->poisoned && what != TW_REACH_PUT)
        return tw_fail(TWILL_ERR_CANCELED, "the elements come from a graph that failed; twill_wait "
                                           "for that graph says why");
    return use->status == TWILL_OK
               ? TWILL_OK
               : tw_fail(use->status, "the elements could not be copied to the host");
}

static void serve_one(tw_serving *s, tw_worker *w)
{
    twill_status status = check_data(s->use, s->what);
    if (status == TWILL_OK && s->counted && !s->packed && !(s->packed = malloc(s->bytes)))
        status = tw_fail(TWILL_ERR_MEMORY, "no memory for %zu bytes of a copy", s->bytes);
    if (status != TWILL_OK)
        fail(s, w, status);
    else if (s->what == TW_REACH_GET)
        give_bytes(s, w);
    else if (s->arrived)
        end_put(s, w);
    else
        take_bytes(s, w);
}

/* ---- the queue --------------------------------------------------------------------------- */

/* The first one, when there is room for its copy. Under the lock. */
static tw_serving *take_granted(tw_servings *all)
{
    tw_serving *s = all->first;
    if (!s || (s->counted && all->buffers && all->buffers + s->bytes > TW_REACH_BUFFERS))
        return NULL;
    all->first = s->next;
    if (!all->first)
        all->last = &all->first;
    all->buffers += s->counted ? s->bytes : 0;
    return s;
}

static void serve_granted(twill *tw, tw_worker *w)
{
    tw_servings *all = servings_of(tw);
    tw_lock_take(&all->lock);
    bool mine = !all->busy;
    all->busy = true;
    for (tw_serving *s; mine && (s = take_granted(all));) {
        tw_unlock(&all->lock);
        serve_one(s, w);
        tw_lock_take(&all->lock);
    }
    if (mine)
        all->busy = false;
    tw_unlock(&all->lock);
}

static void granted(tw_use *use, tw_worker *w)
{
    tw_serving *s = use->told;
    tw_servings *all = servings_of(s->tw);
    if (s->what != TW_REACH_ADD && s->part.first == s->part.last && !s->arrived)
        tw_reach_each(&s->part, find_line, s);
    s->counted = !s->line && !s->arrived;
    tw_lock_take(&all->lock);
    s->next = NULL;
    *all->last = s;
    all->last = &s->next;
    tw_unlock(&all->lock);
    serve_granted(use->tw, w);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* The array, with a hold of it; NULL: there is none, or (*early) not yet. */
static twill_array *find_array(twill *tw, uint64_t serial, bool *early)
{
    tw_reaches *r = tw->reaches;
    tw_lock_take(&r->lock);
    twill_array *a = tw_data_find(&tw->data, serial, early);
    if (a && a->unreachable)
        a = NULL;
    if (a)
        a->visitors++;
    tw_unlock(&r->lock);
    return a;
}

static twill_status check_request(const twill_array *a, int from, const tw_reach_head *h,
                                  const tw_reach_part *part, size_t size, int64_t *tiles)
{
    if (h->print != tw_reach_print(a))
        return tw_fail(TWILL_ERR_STATE,
                       "rank %d reaches for array %llu, which is another one on rank %d: all ranks "
                       "make the same arrays in the same order",
                       from, (unsigned long long)h->array, a->shared->rank);
    bool known = h->what >= TW_REACH_GET && h->what <= TW_REACH_ADD &&
                 (h->what != TW_REACH_ADD || a->type != TWILL_BYTES) && a->stored == TW_FULL;
    if (!known || tw_view_check(&part->view) != TWILL_OK ||
        tw_reach_bytes(part, tiles) != h->bytes || *tiles == 0 || *tiles > INT32_MAX ||
        (h->what != TW_REACH_GET && !h->registered && size != h->bytes))
        return tw_fail(TWILL_ERR_STATE, "rank %d has sent what is no request for a copy", from);
    return TWILL_OK;
}

typedef struct naming {
    tw_use *use;
    tw_reach_what what;
} naming;

static void name_tile(twill_array *a, int64_t number, const tw_section *section, void *arg)
{
    const naming *n = arg;
    bool whole = true;
    for (int d = 0; d < a->pattern.ndim; d++)
        whole = whole && section->extent[d] == section->whole[d];
    tw_use_tile(n->use, tw_array_nth(a, number),
                n->what == TW_REACH_GET            ? TWILL_READ
                : n->what == TW_REACH_PUT && whole ? TWILL_WRITE
                                                   : TWILL_READ_WRITE);
}

static bool begin(twill *tw, tw_worker *w, const tw_serving *like, int64_t tiles, const void *data)
{
    tw_serving *s = malloc(sizeof *s);
    tw_use *use = tw_use_make(tw, "copy of another rank", (uint32_t)tiles);
    char *packed = data ? malloc(like->bytes) : NULL;
    if (!s || !use || (data && !packed))
        goto undo;
    *s = *like;
    s->use = use;
    if (data) {
        s->packed = memcpy(packed, data, s->bytes);
        s->arrived = true;
    }
    use->granted = granted;
    use->told = s;
    tw_reach_each(&s->part, name_tile, &(naming){use, s->what});
    if (tw_use_enter_as(use, w))
        return true;
undo:
    tw_use_discard(use);
    free(packed);
    free(s);
    return false;
}

/* False: there is no such array yet. */
static bool serve(twill *tw, tw_worker *w, int from, const tw_reach_head *h, const void *data,
                  size_t size)
{
    bool early;
    int64_t tiles = 0;
    twill_array *a = find_array(tw, h->array, &early);
    if (!a) {
        if (!early)
            refuse(tw, from, h->id,
                   tw_fail(TWILL_ERR_STATE, "rank %d has freed the array", tw->data.rank));
        return !early;
    }
    tw_serving s = {.tw = tw,
                    .from = from,
                    .what = (tw_reach_what)h->what,
                    .id = h->id,
                    .bytes = h->bytes,
                    .key = h->key,
                    .part = {.view = {.array = a, .local = h->local},
                             .owner = tw->data.rank,
                             .first = h->first,
                             .last = h->last,
                             .several = h->several}};
    memcpy(s.part.view.start, h->start, sizeof h->start);
    memcpy(s.part.view.extent, h->extent, sizeof h->extent);
    twill_status status = check_request(a, from, h, &s.part, size, &tiles);
    if (status == TWILL_OK && !begin(tw, w, &s, tiles, h->registered ? NULL : data))
        status = tw_fail(TWILL_ERR_MEMORY, "no memory on rank %d for a copy", tw->data.rank);
    if (status == TWILL_OK)
        return true;
    refuse(tw, from, h->id, status);
    let_go(a);
    return true;
}

/* ---- requests that come too early -------------------------------------------------------- */

static void keep(twill *tw, int from, const tw_reach_head *h, const void *data, size_t size)
{
    tw_servings *all = servings_of(tw);
    tw_early *e = malloc(sizeof *e + size);
    if (!e) {
        refuse(tw, from, h->id,
               tw_fail(TWILL_ERR_MEMORY, "no memory on rank %d for a request", tw->data.rank));
        return;
    }
    *e = (tw_early){.from = from, .head = *h, .size = size};
    if (size)
        memcpy(e->data, data, size);
    all->held_up[from] = true;
    *all->early_end = e;
    all->early_end = &e->next;
}

void tw_serve(twill *tw, tw_worker *w, int from, const tw_reach_head *h, const void *data,
              size_t size)
{
    if (servings_of(tw)->held_up[from] || !serve(tw, w, from, h, data, size))
        keep(tw, from, h, data, size);
}

/* Those of one rank stay in order. */
void tw_serve_early(twill *tw, tw_worker *w)
{
    tw_servings *all = servings_of(tw);
    memset(all->held_up, 0, (size_t)tw->data.ranks);
    for (tw_early **link = &all->early, *e; (e = *link);) {
        all->held_up[e->from] = all->held_up[e->from] ||
                                !serve(tw, w, e->from, &e->head, e->size ? e->data : NULL, e->size);
        if (all->held_up[e->from]) {
            link = &e->next;
            continue;
        }
        *link = e->next;
        free(e);
    }
    all->early_end = &all->early;
    while (*all->early_end)
        all->early_end = &(*all->early_end)->next;
}

bool tw_servings_open(tw_servings *all, int ranks)
{
    all->last = &all->first;
    all->early_end = &all->early;
    all->held_up = calloc((size_t)ranks, sizeof *all->held_up);
    return all->held_up;
}

void tw_servings_close(tw_servings *all)
{
    while (all->early) {
        tw_early *e = all->early;
        all->early = e->next;
        free(e);
    }
    free(all->held_up);
}
