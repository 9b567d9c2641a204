/* Gathering, as a talk between rank 0 and one other rank at a time:
 *
 *   here    the rank is in tw_gather_all, and has so many bytes
 *   ping    rank 0 looks at its clock, the rank answers with its own (pong), again and again; of
 * the quickest answer rank 0 knows best when the other clock was read ask     the rank sends its
 * bytes in pieces, a few at a time end     rank 0 tells all ranks how it went
 *
 * Threads that called tw_gather_all say all this but the pong; handlers only note what was said. */
#include "engine/remote/gather.h"

#include "engine/remote/messages.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PINGS = 32, PIECE = 1 << 20, UNDER_WAY = 4, TRIES = 1000 };

typedef enum what { HERE, PING, PONG, ASK, BYTES, END } what;

typedef struct head {
    int32_t what, status;
    uint64_t size;  /* of all bytes; of the bytes before a piece */
    double time[2]; /* here: the rank's; ping and pong: of rank 0 and of the other */
} head;

struct tw_gather {
    tw_comm *comm;
    tw_lock lock; /* of what follows, but `failure` */
    double ahead;
    /* of rank 0 */
    struct present {
        bool is_here;
        head said;
    } * here;          /* of each rank */
    char *bytes;       /* of the rank that sends them */
    size_t size, come; /* how many, and how many are here */
    int pongs;
    double quickest, offset; /* seconds: of the quickest answer, and the other clock is ahead */
    /* of other ranks */
    bool asked, ended;
    bool owes; /* a pong, for which there was no memory */
    head pong;
    int under_way; /* pieces */
    head outcome;
    char failure[TW_MESSAGE]; /* the sentence that came with a status */
};

/* The clock of this rank. */
static double now(const tw_gather *g)
{
    return tw_seconds() + g->ahead;
}

/* ---- what others say ----------------------------------------------------------------------- */

static void note_pong(tw_gather *g, const head *h)
{
    double back = now(g), took = back - h->time[0];
    if (took < g->quickest) {
        g->quickest = took;
        g->offset = h->time[1] - (h->time[0] + back) / 2;
    }
    g->pongs++;
}

/* A piece is where it belongs already if its place was asked for. */
static void note_bytes(tw_gather *g, const head *h, const void *data, size_t size)
{
    if (h->size > g->size || size > g->size - h->size)
        return;
    if (data != g->bytes + h->size)
        memcpy(g->bytes + h->size, data, size);
    g->come += size;
}

/* Rank 0 waits for it: what is refused is tried again. */
static void answer(tw_gather *g)
{
    const tw_comm_message m = {
        .handler = TW_GATHER_HANDLER, .head = &g->pong, .head_size = sizeof g->pong};
    g->owes = tw_comm_send(g->comm, 0, &m) != TWILL_OK;
}

static void note(tw_gather *g, int from, const head *h, const void *data, size_t size)
{
    bool sentence = size > 0 && (h->what == HERE || h->what == END);
    if (sentence && !*g->failure)
        snprintf(g->failure, sizeof g->failure, "%s", (const char *)data);
    switch ((what)h->what) {
    case HERE:
        g->here[from] = (struct present){true, *h};
        break;
    case PONG:
        note_pong(g, h);
        break;
    case ASK:
        g->asked = true;
        break;
    case BYTES:
        note_bytes(g, h, data, size);
        break;
    case END:
        g->outcome = *h;
        g->ended = true;
        break;
    case PING:
        g->pong = (head){.what = PONG, .time = {h->time[0], now(g)}};
        g->owes = true;
        answer(g);
        break;
    }
}

static void handle(void *arg, int from, const void *head_bytes, size_t head_size, const void *data,
                   size_t size, void *poller)
{
    twill *tw = arg;
    tw_gather *g = tw->gather;
    head h;
    (void)head_size, (void)poller;
    memcpy(&h, head_bytes, sizeof h);
    tw_lock_take(&g->lock);
    note(g, from, &h, data, size);
    tw_unlock(&g->lock);
    tw_wake_waiters(tw);
}

static void *place(void *arg, int from, const void *head_bytes, size_t head_size, size_t size,
                   void *poller)
{
    tw_gather *g = ((twill *)arg)->gather;
    head h;
    (void)from, (void)head_size, (void)poller;
    memcpy(&h, head_bytes, sizeof h);
    bool fits = h.what == BYTES && h.size <= g->size && size <= g->size - h.size;
    return fits ? g->bytes + h.size : NULL;
}

/* ---- saying and waiting -------------------------------------------------------------------- */

/* For the time of a moment the memory may be short. */
static twill_status say(const tw_gather *g, int to, const tw_comm_message *m)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    twill_status status = tw_comm_send(g->comm, to, m);
    for (int i = 0; i < TRIES && status == TWILL_ERR_MEMORY; i++) {
        nanosleep(&moment, NULL);
        status = tw_comm_send(g->comm, to, m);
    }
    return status;
}

static twill_status say_head(const tw_gather *g, int to, const head *h)
{
    const char *text = h->status == TWILL_OK ? "" : twill_message();
    return say(g, to,
               &(tw_comm_message){.handler = TW_GATHER_HANDLER,
                                  .head = h,
                                  .head_size = sizeof *h,
                                  .data = text,
                                  .size = *text ? strlen(text) + 1 : 0});
}

/* Wait until a question about the talk, which is asked under the lock, is answered with yes; or
 * until the other rank has stopped, which it does not before it has said all that it has to say. */
typedef struct question {
    twill *tw;
    int other;
    bool (*is_so)(const tw_gather *g, int number);
    int number;
    bool gone;
} question;

static bool reached(void *arg)
{
    question *q = arg;
    tw_gather *g = q->tw->gather;
    bool gone = tw_remote_has_left(q->tw, q->other);
    tw_lock_take(&g->lock);
    bool yes = q->is_so(g, q->number);
    q->gone = gone && !yes;
    if (g->owes)
        answer(g);
    tw_unlock(&g->lock);
    return yes || gone || tw_comm_failure(g->comm);
}

static twill_status await(twill *tw, int other, bool (*is_so)(const tw_gather *g, int number),
                          int number)
{
    question q = {tw, other, is_so, number, false};
    twill_status status = tw_wait(tw, &(tw_goal){reached, &q});
    const char *why = tw_remote_failure(tw);
    if (status != TWILL_OK)
        return status;
    if (why)
        return tw_fail(TWILL_ERR_SYSTEM, "%s", why);
    return q.gone ? tw_fail(TWILL_ERR_STATE,
                            "rank %d has stopped: all ranks gather their traces together", other)
                  : TWILL_OK;
}

/* ---- rank 0 -------------------------------------------------------------------------------- */

static bool is_here(const tw_gather *g, int rank)
{
    return g->here[rank].is_here;
}

static bool has_answered(const tw_gather *g, int pings)
{
    return g->pongs >= pings;
}

static bool is_complete(const tw_gather *g, int number)
{
    (void)number;
    return g->come == g->size;
}

static twill_status compare_clocks(twill *tw, int rank)
{
    tw_gather *g = tw->gather;
    twill_status status = TWILL_OK;
    g->quickest = DBL_MAX;
    g->pongs = 0;
    for (int i = 0; i < PINGS && status == TWILL_OK; i++) {
        head h = {.what = PING, .time = {now(g), 0}};
        status = say_head(g, rank, &h);
        if (status == TWILL_OK)
            status = await(tw, rank, has_answered, i + 1);
    }
    return status;
}

static twill_status take_from(twill *tw, int rank, const head *said, tw_gather_take *take,
                              void *arg)
{
    tw_gather *g = tw->gather;
    if (said->status != TWILL_OK)
        return tw_fail((twill_status)said->status, "rank %d: %s", rank, g->failure);
    if (said->size == 0)
        return TWILL_OK;
    twill_status status = compare_clocks(tw, rank);
    if (status != TWILL_OK)
        return status;
    char *bytes = malloc(said->size);
    if (!bytes)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for %llu bytes of rank %d",
                       (unsigned long long)said->size, rank);
    tw_lock_take(&g->lock);
    g->bytes = bytes;
    g->size = said->size;
    g->come = 0;
    tw_unlock(&g->lock);
    status = say_head(g, rank, &(head){.what = ASK});
    if (status == TWILL_OK)
        status = await(tw, rank, is_complete, 0);
    if (status == TWILL_OK)
        status = take(arg, rank, bytes, said->size, said->time[0] - g->offset);
    tw_lock_take(&g->lock);
    g->bytes = NULL;
    g->size = 0;
    tw_unlock(&g->lock);
    if (!tw_comm_failure(g->comm)) /* else it may still be written to */
        free(bytes);
    return status;
}

static twill_status collect(twill *tw, const tw_gather_mine *mine, tw_gather_take *take, void *arg)
{
    tw_gather *g = tw->gather;
    twill_status status = mine->status;
    for (int rank = 1; rank < g->comm->ranks; rank++) {
        twill_status waited = await(tw, rank, is_here, rank);
        if (tw_remote_failure(tw))
            return waited;
        if (waited != TWILL_OK) {
            status = waited; /* the others learn of it */
            continue;
        }
        tw_lock_take(&g->lock);
        head said = g->here[rank].said;
        g->here[rank].is_here = false;
        tw_unlock(&g->lock);
        if (status == TWILL_OK) /* else they only learn that it has failed */
            status = take_from(tw, rank, &said, take, arg);
    }
    if (status == TWILL_OK)
        status = take(arg, -1, NULL, 0, 0);
    head h = {.what = END, .status = status};
    for (int rank = 1; rank < g->comm->ranks; rank++)
        say_head(g, rank, &h);
    return status;
}

/* ---- other ranks --------------------------------------------------------------------------- */

static bool is_asked(const tw_gather *g, int number)
{
    (void)number;
    return g->asked || g->ended;
}

static bool is_over(const tw_gather *g, int number)
{
    (void)number;
    return g->ended && g->under_way == 0;
}

static bool has_room(const tw_gather *g, int most)
{
    return g->under_way < most;
}

static void piece_sent(void *arg, twill_status status, void *poller)
{
    twill *tw = arg;
    (void)status, (void)poller;
    tw_lock_take(&tw->gather->lock);
    tw->gather->under_way--;
    tw_unlock(&tw->gather->lock);
    tw_wake_waiters(tw);
}

static twill_status send_pieces(twill *tw, const tw_gather_mine *mine)
{
    tw_gather *g = tw->gather;
    twill_status status = TWILL_OK;
    for (size_t at = 0; at < mine->size && status == TWILL_OK; at += PIECE) {
        status = await(tw, 0, has_room, UNDER_WAY);
        if (status != TWILL_OK)
            return status;
        tw_lock_take(&g->lock);
        g->under_way++;
        tw_unlock(&g->lock);
        head h = {.what = BYTES, .size = at};
        status = say(g, 0,
                     &(tw_comm_message){.handler = TW_GATHER_HANDLER,
                                        .head = &h,
                                        .head_size = sizeof h,
                                        .data = (const char *)mine->bytes + at,
                                        .size = mine->size - at < PIECE ? mine->size - at : PIECE,
                                        .sent = piece_sent,
                                        .arg = tw});
        if (status != TWILL_OK)
            piece_sent(tw, status, NULL);
    }
    return status;
}

static twill_status contribute(twill *tw, const tw_gather_mine *mine)
{
    tw_gather *g = tw->gather;
    head h = {.what = HERE,
              .status = mine->status,
              .size = mine->size,
              .time = {mine->time + g->ahead, 0}};
    twill_status status = say_head(g, 0, &h);
    if (status == TWILL_OK)
        status = await(tw, 0, is_asked, 0);
    if (status == TWILL_OK && g->asked)
        status = send_pieces(tw, mine);
    if (status == TWILL_OK)
        status = await(tw, 0, is_over, 0);
    if (status != TWILL_OK)
        return status;
    g->asked = g->ended = false; /* nothing comes before this rank is here again */
    if (g->outcome.status != TWILL_OK)
        return tw_fail((twill_status)g->outcome.status, "%s", g->failure);
    return TWILL_OK;
}

/* ---- both ---------------------------------------------------------------------------------- */

twill_status tw_gather_all(twill *tw, const tw_gather_mine *mine, tw_gather_take *take, void *arg)
{
    tw_gather *g = tw->gather;
    tw_remote_expect(tw, 1);
    twill_status status = tw->data.rank == 0 ? collect(tw, mine, take, arg) : contribute(tw, mine);
    tw_worker *w = tw_enter(tw);
    tw_remote_settle(tw, w, 1);
    tw_exit(w);
    tw_lock_take(&g->lock);
    g->failure[0] = '\0';
    tw_unlock(&g->lock);
    return status;
}

bool tw_gather_open(twill *tw, tw_comm *comm)
{
    tw_gather *g = calloc(1, sizeof *g);
    struct present *here = calloc((size_t)comm->ranks, sizeof *here);
    if (!g || !here) {
        free(g);
        free(here);
        return false;
    }
    g->comm = comm;
    g->here = here;
    tw->gather = g;
    tw_comm_set_handler(comm, TW_GATHER_HANDLER, handle, tw);
    tw_comm_set_place(comm, TW_GATHER_HANDLER, place);
    return true;
}

void tw_gather_close(twill *tw)
{
    if (tw->gather)
        free(tw->gather->here);
    free(tw->gather);
    tw->gather = NULL;
}

void tw_gather_set_ahead(twill *tw, double seconds)
{
    tw->gather->ahead = seconds;
}
