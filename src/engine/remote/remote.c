/* A context as a rank: its endpoint, and messages to graphs. */
#include "engine/reach/reach.h"
#include "engine/remote/agree.h"
#include "engine/remote/gather.h"
#include "engine/remote/keep.h"
#include "engine/remote/messages.h"
#include "engine/remote/places.h"

#include <stdlib.h>
#include <string.h>

enum { INTERVAL_US = 1 }; /* between polls of workers that have tasks */
enum { SMALL = 1024 /* bytes that are rather copied than waited for */ };

typedef struct tw_remote {
    tw_service service;
    tw_comm *comm;
    tw_lock lock; /* of the list of graphs */
    tw_shared *graphs;
    tw_keep keep;
    tw_absence absence;
    int distrusted; /* rank that has sent what is no message, plus one; 0: none has */
    _Atomic int64_t messages, bytes; /* sent */
} tw_remote;

tw_absence *tw_absence_of(const twill *tw)
{
    return &tw->remote->absence;
}

/* ---- sending ----------------------------------------------------------------------------- */

static void free_bytes(void *bytes, twill_status status, void *poller)
{
    (void)status, (void)poller;
    free(bytes);
}

twill_status tw_remote_send(twill *tw, int to, const tw_remote_head *head, void *bytes, size_t size)
{
    tw_comm_message m = {.handler = TW_REMOTE_HANDLER,
                         .head = head,
                         .head_size = sizeof *head,
                         .data = bytes,
                         .size = size,
                         .sent = size > SMALL ? free_bytes : NULL,
                         .arg = bytes};
    twill_status status = tw_comm_send(tw->remote->comm, to, &m);
    if (status != TWILL_OK || !m.sent)
        free(bytes);
    return status;
}

static tw_remote_sort sort_of(const tw_shared *s)
{
    return s->agree ? TW_REMOTE_INSERTED : TW_REMOTE_PARAMETERISED;
}

tw_remote_head tw_remote_head_of(const tw_shared *s, tw_remote_what what)
{
    return (tw_remote_head){.graph = (uint64_t)s->graph->id,
                            .run = s->run,
                            .what = (int16_t)what,
                            .sort = (int16_t)sort_of(s)};
}

/* Before it can be received. Returns its number. */
static uint32_t count(twill_graph *g, int to, size_t size)
{
    tw_remote *r = g->tw->remote;
    int64_t n = atomic_fetch_add_explicit(&r->messages, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&r->bytes, (int64_t)size, memory_order_relaxed);
    atomic_fetch_add_explicit(&g->shared->sent, 1, memory_order_relaxed);
    tw_emit_send(g->tw, to, (uint32_t)n, size);
    return (uint32_t)n;
}

/* It was not sent. */
static void take_back(twill_graph *g, int to, size_t size, twill_status status)
{
    tw_remote *r = g->tw->remote;
    atomic_fetch_sub_explicit(&r->messages, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&r->bytes, (int64_t)size, memory_order_relaxed);
    atomic_fetch_sub_explicit(&g->shared->sent, 1, memory_order_relaxed);
    tw_graph_fail(g, status, "rank %d: no message to rank %d: %s", g->tw->data.rank, to,
                  twill_message());
}

void tw_shared_send(twill_graph *g, int to, int kind, void *bytes, size_t size)
{
    tw_remote_head head = tw_remote_head_of(g->shared, TW_REMOTE_FRONT);
    head.kind = kind;
    head.number = count(g, to, size);
    twill_status status = tw_remote_send(g->tw, to, &head, bytes, size);
    if (status != TWILL_OK)
        take_back(g, to, size, status);
}

void tw_remote_count(const twill *tw, int64_t *messages, int64_t *bytes)
{
    const tw_remote *r = tw->remote;
    *messages = r ? atomic_load_explicit(&r->messages, memory_order_relaxed) : 0;
    *bytes = r ? atomic_load_explicit(&r->bytes, memory_order_relaxed) : 0;
}

bool tw_shared_lend(twill_graph *g, int to, const tw_shared_loan *loan)
{
    tw_shared *s = g->shared;
    tw_remote_head head = tw_remote_head_of(s, TW_REMOTE_LOAN);
    memcpy(head.word, loan->word, sizeof head.word);
    tw_comm_message m = {.handler = TW_REMOTE_HANDLER,
                         .head = &head,
                         .head_size = sizeof head,
                         .data = loan->bytes,
                         .size = loan->size,
                         .sent = loan->sent,
                         .arg = loan->arg};
    head.number = count(g, to, loan->size);
    atomic_fetch_add_explicit(&s->lent, 1, memory_order_relaxed);
    twill_status status = tw_comm_send(g->tw->remote->comm, to, &m);
    if (status == TWILL_OK)
        return true;
    atomic_fetch_sub_explicit(&s->lent, 1, memory_order_relaxed);
    take_back(g, to, loan->size, status);
    return false;
}

void tw_shared_returned(twill_graph *g)
{
    /* release pairs with the acquire in tw_end_poll: what `sent` did comes before the end */
    atomic_fetch_sub_explicit(&g->shared->lent, 1, memory_order_release);
}

void tw_shared_arriving(twill_graph *g, int n)
{
    g->shared->arriving += n;
}

/* ---- receiving --------------------------------------------------------------------------- */

/* Is there a graph in such a run here? Others do not know when this rank begins it. `*over`: it has
 * been here, and ended; a failure that comes after the end, or in the middle of it, is told late.
 * The lock keeps the graph from being freed meanwhile; one in such a run is not freed. */
static twill_graph *find(twill *tw, const tw_remote_head *head, bool *over)
{
    tw_lock_take(&tw->remote->lock);
    twill_graph *g = tw_graph_find(tw, (int64_t)head->graph);
    const tw_shared *s = g ? g->shared : NULL;
    *over = s ? head->run <= s->over : !g && tw_graph_was(tw, (int64_t)head->graph);
    /* acquire pairs with the release in tw_shared_open */
    bool here =
        s && head->run == s->over + 1 && atomic_load_explicit(&s->open, memory_order_acquire);
    tw_unlock(&tw->remote->lock);
    return here ? g : NULL;
}

/* Is it for the front end, and counted? */
static bool is_front(const tw_remote_head *head)
{
    return head->what == TW_REMOTE_FRONT || head->what == TW_REMOTE_LOAN;
}

static bool is_of_another_sort(const twill_graph *g, const tw_remote_head *head)
{
    return head->sort != TW_REMOTE_UNKNOWN && head->sort != (int16_t)sort_of(g->shared);
}

/* The sender has made another graph. What is only about the end of the run is understood, the rest
 * nobody here can read. True: it was of that kind. */
static bool refuse_sort(twill_graph *g, const tw_remote_head *head)
{
    static const char *const names[] = {[TW_REMOTE_PARAMETERISED] = "is parameterised",
                                        [TW_REMOTE_INSERTED] = "has tasks inserted into it"};
    tw_graph_fail(
        g, TWILL_ERR_STATE,
        "graph %lld %s on rank %d, and %s on rank %d: all ranks make the same graphs in "
        "the same order",
        (long long)g->id, names[sort_of(g->shared)], g->tw->data.rank,
        names[head->sort == TW_REMOTE_INSERTED ? TW_REMOTE_INSERTED : TW_REMOTE_PARAMETERISED],
        head->from);
    g->shared->unread += is_front(head);
    return is_front(head) || head->what >= TW_REMOTE_STATE;
}

static void deliver(twill_graph *g, const tw_remote_head *head, const void *bytes, size_t size,
                    tw_worker *w)
{
    if (tw_unlikely(is_of_another_sort(g, head)) && refuse_sort(g, head))
        return;
    if (!is_front(head)) {
        tw_end_receive(g, head, bytes, size, w);
        return;
    }
    atomic_fetch_add_explicit(&g->shared->received, 1, memory_order_relaxed);
    if (tw_unlikely(!bytes && !size)) {
        tw_graph_fail(g, TWILL_ERR_MEMORY, "no memory for a message of rank %d", head->from);
        return;
    }
    tw_emit_receive(w, head->from, head->number, size);
    if (head->what == TW_REMOTE_LOAN)
        g->ops->land(g, w, head->from, head->word, bytes, size);
    else
        g->ops->receive(g, w, head->from, head->kind, bytes, size);
    tw_emit_handled(w);
}

/* A rank takes no part in a graph, or in any. False: there is no such graph yet. */
static bool note_left(twill *tw, const tw_remote_head *head)
{
    tw_lock_take(&tw->remote->lock);
    twill_graph *g = tw_graph_find(tw, (int64_t)head->graph);
    tw_shared *s = g ? g->shared : NULL;
    bool known = tw_absence_learn(tw, s, head);
    tw_unlock(&tw->remote->lock);
    tw_wake_waiters(tw); /* of a talk with that rank */
    return known;
}

/* Something may be missing in a run, which would wait for it. Under the lock. */
static void fail_distrusted(tw_shared *s, int from)
{
    tw_graph_fail(s->graph, TWILL_ERR_STATE, "rank %d has sent what is no message", from);
    s->unread++;
}

/* What has come is no message: nobody can say what is missing now, nor in runs that begin later,
 * as others may have begun them before. */
static void distrust(twill *tw, int from)
{
    tw_lock_take(&tw->remote->lock);
    tw->remote->distrusted = from + 1;
    for (tw_shared *s = tw->remote->graphs; s; s = s->next)
        if (atomic_load_explicit(&s->open, memory_order_acquire))
            fail_distrusted(s, from);
    tw_unlock(&tw->remote->lock);
}

static bool is_head(const tw_remote_head *head)
{
    return head->what >= TW_REMOTE_FRONT && head->what <= TW_REMOTE_STEP;
}

static void handle(void *arg, int from, const void *head_bytes, size_t head_size, const void *bytes,
                   size_t size, void *poller)
{
    twill *tw = arg;
    tw_remote_head head;
    bool over;
    if (head_size == sizeof head)
        memcpy(&head, head_bytes, sizeof head);
    if (head_size != sizeof head || !is_head(&head)) {
        distrust(tw, from);
        return;
    }
    head.from = from;
    if (head.what == TW_REMOTE_LEFT && note_left(tw, &head))
        return;
    twill_graph *g = find(tw, &head, &over);
    if (g && !tw_keep_has(&tw->remote->keep, &head))
        deliver(g, &head, bytes, size, poller);
    else if (!over)
        tw_keep_add(&tw->remote->keep, &head, bytes, size);
}

/* What is lent goes to its place at once, if its run has begun. */
static void *place(void *arg, int from, const void *head_bytes, size_t head_size, size_t size,
                   void *poller)
{
    tw_remote_head head;
    bool over;
    (void)from;
    if (head_size != sizeof head)
        return NULL;
    memcpy(&head, head_bytes, sizeof head);
    /* what is kept may lose its bytes, for want of memory, and then does not land */
    bool lands = head.what == TW_REMOTE_LOAN && !tw_keep_has(&((twill *)arg)->remote->keep, &head);
    twill_graph *g = lands ? find(arg, &head, &over) : NULL;
    bool reads = g && g->ops->place && !is_of_another_sort(g, &head);
    return reads ? g->ops->place(g, poller, head.word, size) : NULL;
}

/* Who offers what was kept, and to whom. */
typedef struct offer {
    twill *tw;
    tw_worker *w;
} offer;

static bool take_kept(void *arg, const tw_kept *k)
{
    const offer *o = arg;
    bool over;
    if (k->head.what == TW_REMOTE_LEFT)
        return note_left(o->tw, &k->head);
    twill_graph *g = find(o->tw, &k->head, &over);
    if (!g)
        return over;
    atomic_fetch_add_explicit(&g->shared->received, k->more, memory_order_relaxed);
    deliver(g, &k->head, k->bytes, k->size, o->w);
    return true;
}

/* ---- progress ---------------------------------------------------------------------------- */

/* The transport has failed: runs end here, with its sentence, and waits for other ranks. */
static void cut_off(twill *tw, tw_worker *w)
{
    tw_lock_take(&tw->remote->lock);
    tw_absence_cut_off(tw);
    tw_unlock(&tw->remote->lock);
    tw_reaches_cut_off(tw, w);
    tw_wake_waiters(tw);
}

const char *tw_remote_failure(const twill *tw)
{
    return tw_comm_failure(tw->remote->comm);
}

bool tw_remote_has_left(twill *tw, int rank)
{
    tw_lock_take(&tw->remote->lock);
    bool left = tw_absence_of(tw)->away[rank];
    tw_unlock(&tw->remote->lock);
    return left;
}

static bool poll(tw_service *service, tw_worker *w)
{
    tw_remote *r = (tw_remote *)service;
    twill *tw = service->tw;
    bool some = tw_comm_progress(r->comm, w);
    if (r->keep.runs)
        tw_keep_offer(&r->keep, take_kept, &(offer){tw, w});
    tw_shared *over = NULL;
    if (tw_unlikely(tw_comm_failure(r->comm) && !r->absence.cut_off))
        cut_off(tw, w);
    tw_reaches_poll(tw, w);
    tw_lock_take(&r->lock);
    if (tw_unlikely(r->absence.owed))
        tw_absence_tell(tw);
    for (tw_shared *s = r->graphs; s; s = s->next)
        if (tw_end_poll(s, w))
            over = s;
    tw_unlock(&r->lock);
    if (over) /* one at a time; nobody frees it before */
        tw_shared_ended(over, w);
    return some;
}

static bool reaches(tw_service *service, const twill_graph *g)
{
    (void)service;
    return g->shared && !atomic_load_explicit(&g->shared->ended, memory_order_acquire);
}

twill_status tw_remote_open(twill *tw, tw_comm *comm)
{
    tw_remote *r = calloc(1, sizeof *r);
    bool *away = calloc((size_t)comm->ranks, sizeof *away);
    if (!r || !away || !tw_gather_open(tw, comm) || !tw_places_open(tw, comm) ||
        !tw_reaches_open(tw, comm)) {
        tw_gather_close(tw);
        free(away);
        free(r);
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the messages of a rank");
    }
    r->service = (tw_service){.name = comm->ops->name,
                              .things = "runs",
                              .poll = poll,
                              .reaches = reaches,
                              .attentive = comm->ranks > 1};
    atomic_init(&r->service.interval_ticks, INTERVAL_US * tw->us_ticks);
    r->comm = comm;
    r->absence.away = away;
    tw_keep_open(&r->keep);
    tw_comm_set_handler(comm, TW_REMOTE_HANDLER, handle, tw);
    tw_comm_set_place(comm, TW_REMOTE_HANDLER, place);
    tw->remote = r;
    tw->data.rank = comm->rank;
    tw->data.ranks = comm->ranks;
    return tw_service_add(tw, &r->service);
}

void tw_remote_close(twill *tw)
{
    tw_remote *r = tw->remote;
    if (!r)
        return;
    tw_reaches_leave(tw);
    tw_absence_leave(tw);
    tw_keep_close(&r->keep);
    tw_comm_close(r->comm, NULL);
    tw_reaches_close(tw);
    tw_gather_close(tw);
    free(r->absence.away);
    free(r);
    tw->remote = NULL;
}

/* ---- shared graphs ----------------------------------------------------------------------- */

static void discard(tw_shared *s)
{
    tw_agree_close(s->agree);
    free(s);
}

bool tw_shared_make(twill_graph *g, tw_sequence *sequence)
{
    tw_remote *r = g->tw->remote;
    tw_shared *s = calloc(1, sizeof *s + (size_t)g->tw->data.ranks * sizeof s->away[0]);
    if (s && sequence)
        s->agree = tw_agree_open(sequence, g->tw->data.ranks);
    if (!s || (sequence && !s->agree)) {
        free(s);
        return false;
    }
    s->graph = g;
    atomic_store_explicit(&s->ended, true, memory_order_relaxed);
    tw_lock_take(&r->lock);
    s->next = r->graphs;
    r->graphs = s;
    g->shared = s;
    tw_unlock(&r->lock);
    return true;
}

void tw_shared_set_print(twill_graph *g, uint64_t print)
{
    g->shared->print = print;
}

/* Numbers are used up also by graphs that are not made: later ones have those of other ranks. */
void tw_shared_refuse(twill *tw, int64_t id, twill_status status)
{
    tw_remote *r = tw->remote;
    char text[TW_MESSAGE];
    memcpy(text, twill_message(), TW_MESSAGE);
    if (!id)
        id = tw_graph_skip(tw);
    tw_lock_take(&r->lock);
    tw_absence_refuse(tw, id, status);
    tw_unlock(&r->lock);
    (void)tw_fail(status, "%s", text);
}

void tw_shared_free(twill_graph *g)
{
    tw_remote *r = g->tw->remote;
    if (!g->shared)
        return;
    tw_lock_take(&r->lock);
    tw_absence_leave_graph(g->shared);
    tw_shared **link = &r->graphs;
    while (*link != g->shared)
        link = &(*link)->next;
    *link = g->shared->next;
    discard(g->shared);
    g->shared = NULL;
    tw_unlock(&r->lock);
}

static void begin(tw_shared *s, bool closing)
{
    s->run++;
    s->asked = s->asking = false;
    s->told = s->unread = 0;
    s->arriving = 0;
    s->ending = false;
    s->said = s->graph->tw->data.ranks; /* nothing to say */
    s->before[0] = s->moved = -1;
    s->pause = 0;
    if (s->agree)
        tw_agree_begin(s->agree, s->graph->tw->data.ranks);
    atomic_store_explicit(&s->sent, 0, memory_order_relaxed);
    atomic_store_explicit(&s->received, 0, memory_order_relaxed);
    atomic_store_explicit(&s->lent, 0, memory_order_relaxed);
    atomic_store_explicit(&s->closing, closing, memory_order_relaxed);
    atomic_store_explicit(&s->awaited, closing, memory_order_relaxed);
    atomic_store_explicit(&s->ended, false, memory_order_relaxed);
    atomic_store_explicit(&s->graph->held, true, memory_order_relaxed);
}

void tw_shared_begin(twill_graph *g)
{
    begin(g->shared, true);
    tw_remote_expect(g->tw, 1);
}

void tw_shared_insert(twill_graph *g)
{
    begin(g->shared, false);
    tw_shared_open(g);
}

void tw_shared_close(twill_graph *g)
{
    tw_shared *s = g->shared;
    if (tw_shared_is_over(g) || atomic_exchange_explicit(&s->awaited, true, memory_order_relaxed))
        return;
    tw_remote_expect(g->tw, 1); /* before the end can be found, which settles it */
    atomic_store_explicit(&s->closing, true, memory_order_release);
}

bool tw_shared_is_over(const twill_graph *g)
{
    return atomic_load_explicit(&g->shared->ended, memory_order_acquire);
}

void tw_remote_expect(twill *tw, int n)
{
    tw_service_expect(&tw->remote->service, n);
}

void tw_remote_settle(twill *tw, tw_worker *w, int n)
{
    tw_service_settle(&tw->remote->service, w, n);
}

void tw_shared_open(twill_graph *g)
{
    tw_remote *r = g->tw->remote;
    tw_lock_take(&r->lock);
    atomic_store_explicit(&g->shared->open, true, memory_order_release);
    if (tw_unlikely(r->distrusted))
        fail_distrusted(g->shared, r->distrusted - 1);
    tw_unlock(&r->lock);
}

void tw_shared_ended(tw_shared *s, tw_worker *w)
{
    twill_graph *g = s->graph;
    tw_service *service = &g->tw->remote->service;
    s->over = s->run;
    atomic_store_explicit(&s->open, false, memory_order_relaxed);
    atomic_store_explicit(&g->held, false, memory_order_relaxed);
    /* release pairs with the acquire in reaches; from now on the graph may be freed */
    atomic_store_explicit(&s->ended, true, memory_order_release);
    tw_service_settle(service, w, 1);
    tw_graph_look(g, w); /* its fence: let go of it, then look; its record stays */
    tw_wake_waiters(w->tw);
}
