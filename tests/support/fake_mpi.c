/* Messages wait at their receiver until a receive is posted for them, and receives for messages.
 * One lock for all of it. */
#include "support/fake_mpi.h"

#include "support/test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 4096, ANY = -1, EXCHANGES = 4, BROKEN = 17 };

typedef struct request {
    bool over;
    int from; /* of a receive: ANY, and then whom it is from */
    void *bytes;
    int size;
    const int64_t *numbers; /* of an exchange: where those of others go */
    int exchange;
    struct request *next;           /* posted */
    struct request *newer, **place; /* among all: a rank that gives up leaves some */
} request;

typedef struct message {
    struct message *next;
    int from, size;
    const void *bytes;
    request *sender; /* whom to tell that they were received, or NULL */
} message;

struct tw_mpi_link {
    fake_world *world;
    int rank, exchanges, calls;
    request *ring[TW_MPI_RING];
    request **slot;
    int room;
    message *came[TW_MPI_CHANNELS];
    request *posted[TW_MPI_CHANNELS];
};

struct fake_world {
    pthread_mutex_t mutex;
    int ranks;
    fake_fault fault;
    int64_t *numbers[EXCHANGES];
    int arrived[EXCHANGES];
    request *all;
    tw_mpi_link links[];
};

typedef struct place {
    fake_world *world;
    int rank;
} place;

/* ---- faults ------------------------------------------------------------------------------ */

static bool fails(tw_mpi_link *l)
{
    const fake_fault *f = &l->world->fault;
    l->calls++;
    return f->calls && f->rank == l->rank && l->calls >= f->first && l->calls < f->first + f->calls;
}

static void enter(tw_mpi_link *l)
{
    pthread_mutex_lock(&l->world->mutex);
}

static int leave(tw_mpi_link *l, int code)
{
    pthread_mutex_unlock(&l->world->mutex);
    return code;
}

/* ---- matching ---------------------------------------------------------------------------- */

static request *new_request(fake_world *w, request is)
{
    request *r = malloc(sizeof *r);
    if (!r)
        abort();
    *r = is;
    r->newer = w->all;
    r->place = &w->all;
    if (r->newer)
        r->newer->place = &r->newer;
    return w->all = r;
}

static void free_request(request *r)
{
    *r->place = r->newer;
    if (r->newer)
        r->newer->place = r->place;
    free(r);
}

/* The bytes go over. */
static void match(request *r, message *m)
{
    if (m->size > r->size)
        abort();
    if (m->size)
        memcpy(r->bytes, m->bytes, (size_t)m->size);
    r->from = m->from;
    r->over = true;
    if (m->sender)
        m->sender->over = true;
    free((void *)(uintptr_t)m->bytes);
    free(m);
}

static void arrive(tw_mpi_link *to, int channel, message *m)
{
    request **link = &to->posted[channel];
    while (*link && (*link)->from != ANY && (*link)->from != m->from)
        link = &(*link)->next;
    if (*link) {
        request *r = *link;
        *link = r->next;
        match(r, m);
        return;
    }
    message **last = &to->came[channel];
    while (*last)
        last = &(*last)->next;
    *last = m;
}

static request *start_receive(tw_mpi_link *l, int channel, void *bytes, int size, int from)
{
    request *r = new_request(l->world, (request){.bytes = bytes, .size = size, .from = from});
    message **link = &l->came[channel];
    while (*link && from != ANY && (*link)->from != from)
        link = &(*link)->next;
    if (*link) {
        message *m = *link;
        *link = m->next;
        match(r, m);
        return r;
    }
    request **last = &l->posted[channel];
    while (*last)
        last = &(*last)->next;
    *last = r;
    return r;
}

/* ---- calls ------------------------------------------------------------------------------- */

static int open_link(const void *comm, tw_mpi_link **link, char *why, size_t size)
{
    const place *p = comm;
    (void)why, (void)size;
    *link = &p->world->links[p->rank];
    return 0;
}

static bool is_ours(void)
{
    return false;
}

static int get_rank(const tw_mpi_link *l)
{
    return l->rank;
}

static int get_ranks(const tw_mpi_link *l)
{
    return l->world->ranks;
}

static void close_link(tw_mpi_link *l)
{
    (void)l;
}

static bool reserve(tw_mpi_link *l, int slots)
{
    if (slots <= l->room)
        return true;
    request **slot = realloc(l->slot, (size_t)slots * sizeof(request *));
    if (!slot)
        return false;
    l->slot = slot;
    l->room = slots;
    return true;
}

static void move(tw_mpi_link *l, int from, int to)
{
    l->slot[to] = l->slot[from];
}

static int send_bytes(tw_mpi_link *l, int slot, int channel, const void *bytes, int size, int to)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    bool at_once = size <= AT_ONCE;
    request *r = new_request(l->world, (request){.over = at_once});
    message *m = calloc(1, sizeof *m);
    /* copies: of a rank that has given up the memory may be gone, in another process as here */
    void *copy = malloc((size_t)size + 1);
    if (!m || !copy)
        abort();
    memcpy(copy, bytes, (size_t)size);
    *m = (message){.from = l->rank, .size = size, .bytes = copy, .sender = at_once ? NULL : r};
    l->slot[slot] = r;
    arrive(&l->world->links[to], channel, m);
    return leave(l, 0);
}

static int receive_bytes(tw_mpi_link *l, int slot, int channel, void *bytes, int size, int from)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    l->slot[slot] = start_receive(l, channel, bytes, size, from);
    return leave(l, 0);
}

static bool has_ended(tw_mpi_link *l, request *r)
{
    fake_world *w = l->world;
    if (r->numbers && w->arrived[r->exchange % EXCHANGES] == w->ranks) {
        for (int i = 0; i < w->ranks; i++)
            ((int64_t *)r->bytes)[i] = w->numbers[r->exchange % EXCHANGES][i * w->ranks + l->rank];
        r->over = true;
    }
    return r->over;
}

static int is_over(tw_mpi_link *l, int slot, bool *over)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    *over = has_ended(l, l->slot[slot]);
    if (*over)
        free_request(l->slot[slot]);
    return leave(l, 0);
}

static int exchange(tw_mpi_link *l, int slot, const int64_t *out, int64_t *in)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    fake_world *w = l->world;
    int number = l->exchanges++ % EXCHANGES;
    memcpy(w->numbers[number] + l->rank * w->ranks, out, (size_t)w->ranks * sizeof *out);
    w->arrived[number]++;
    l->slot[slot] =
        new_request(w, (request){.bytes = in, .numbers = w->numbers[number], .exchange = number});
    return leave(l, 0);
}

static int test(tw_mpi_link *l, int n, int *done, int *count)
{
    enter(l);
    if (fails(l)) { /* of a request, as MPI_ERR_IN_STATUS says */
        *count = 1;
        done[0] = n - 1;
        return leave(l, BROKEN);
    }
    for (int i = 0; i < n; i++)
        if (has_ended(l, l->slot[i])) {
            free_request(l->slot[i]);
            done[(*count)++] = i;
        }
    return leave(l, 0);
}

static int post(tw_mpi_link *l, int at, void *bytes, int size)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    l->ring[at] = start_receive(l, TW_MPI_HEADS, bytes, size, ANY);
    return leave(l, 0);
}

static int arrived(tw_mpi_link *l, int at, bool *there, int *from)
{
    enter(l);
    if (fails(l))
        return leave(l, BROKEN);
    *there = l->ring[at]->over;
    if (*there) {
        *from = l->ring[at]->from;
        free_request(l->ring[at]);
        l->ring[at] = NULL;
    }
    return leave(l, 0);
}

static int withdraw(tw_mpi_link *l, int at)
{
    enter(l);
    request **link = &l->posted[TW_MPI_HEADS];
    while (*link && *link != l->ring[at])
        link = &(*link)->next;
    if (*link)
        *link = l->ring[at]->next;
    free_request(l->ring[at]);
    l->ring[at] = NULL;
    return leave(l, 0);
}

static void describe(char *text, size_t size)
{
    snprintf(text, size, "no MPI");
}

static void explain(int code, char *text, size_t size)
{
    snprintf(text, size, "planted error %d", code);
}

static const tw_mpi_calls calls = {
    .version = TW_MPI_CALLS,
    .name = "Fake MPI",
    .open = open_link,
    .is_ours = is_ours,
    .rank = get_rank,
    .ranks = get_ranks,
    .close = close_link,
    .reserve = reserve,
    .move = move,
    .send = send_bytes,
    .receive = receive_bytes,
    .is_over = is_over,
    .exchange = exchange,
    .test = test,
    .post = post,
    .arrived = arrived,
    .withdraw = withdraw,
    .describe = describe,
    .explain = explain,
};

/* ---- worlds ------------------------------------------------------------------------------ */

fake_world *fake_open(int ranks, const fake_fault *fault)
{
    fake_world *w = calloc(1, sizeof *w + (size_t)ranks * sizeof w->links[0]);
    if (!w)
        abort();
    pthread_mutex_init(&w->mutex, NULL);
    w->ranks = ranks;
    if (fault)
        w->fault = *fault;
    for (int i = 0; i < EXCHANGES; i++)
        w->numbers[i] = calloc((size_t)(ranks * ranks), sizeof(int64_t));
    for (int i = 0; i < ranks; i++)
        w->links[i] = (tw_mpi_link){.world = w, .rank = i};
    return w;
}

tw_comm *fake_join(fake_world *world, int rank)
{
    tw_comm *comm;
    OK(tw_mpi_join(&calls, &(place){world, rank}, &comm));
    return comm;
}

void fake_close(fake_world *world)
{
    for (int i = 0; i < world->ranks; i++) {
        tw_mpi_link *l = &world->links[i];
        for (int c = 0; c < TW_MPI_CHANNELS; c++) {
            for (message *m; (m = l->came[c]); free(m)) {
                l->came[c] = m->next;
                free((void *)(uintptr_t)m->bytes);
            }
        }
        free(l->slot);
    }
    while (world->all)
        free_request(world->all);
    for (int i = 0; i < EXCHANGES; i++)
        free(world->numbers[i]);
    pthread_mutex_destroy(&world->mutex);
    free(world);
}
