/* Hosts and cores of ranks. */
#include "engine/remote/places.h"

#include "base/abi.h"
#include "engine/remote/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twill/device.h>
#include <unistd.h>

enum { HOST = 64, LIST = 256 };

/* What a rank tells. */
typedef struct card {
    char host[HOST];
    char cpus[LIST]; /* PUs of the cores that it may use, as hwloc writes lists: "0-3,8" */
    char pus[LIST];  /* those that its workers are bound to */
    int32_t workers, devices;
    int32_t numa;    /* the domain of these cores; -1: they belong to several */
    int32_t records; /* from start to stop, because of an option */
} card;

struct tw_places {
    tw_comm *comm; /* NULL: one rank */
    int ranks;
    atomic_int come; /* cards of others */
    int *sharing;    /* of each rank: how many ranks may use its cores, itself included */
    card card[];
};

/* ---- this rank ----------------------------------------------------------------------------- */

static void write_list(hwloc_const_bitmap_t set, char text[LIST])
{
    hwloc_bitmap_list_snprintf(text, LIST, set);
}

/* The first node of the domain that all cores of the rank belong to, as the system numbers it. */
static int numa_of(const tw_topo *topo)
{
    hwloc_const_nodeset_t first = topo->cores[0].object->nodeset;
    bool same = first && hwloc_bitmap_weight(first) >= 1;
    for (int i = 1; i < topo->ncores && same; i++)
        same = hwloc_bitmap_isequal(first, topo->cores[i].object->nodeset);
    return same ? hwloc_bitmap_first(first) : -1;
}

static void fill_card(const twill *tw, card *c)
{
    hwloc_bitmap_t cores = hwloc_bitmap_alloc(), bound = hwloc_bitmap_alloc();
    memset(c, 0, sizeof *c);
    gethostname(c->host, HOST - 1);
    c->workers = tw->workers;
    c->devices = twill_devices(tw);
    c->numa = numa_of(&tw->topo);
    c->records = *tw->options.text[TW_OPT_TRACE] || !strcmp(tw->options.text[TW_OPT_STATS], "on");
    if (cores && bound) {
        for (int i = 0; i < tw->topo.ncores; i++)
            hwloc_bitmap_or(cores, cores, tw->topo.cores[i].object->cpuset);
        for (int w = 0; w < tw->workers && tw_is_bound(tw); w++)
            hwloc_bitmap_set(bound, (unsigned)tw->topo.cores[w % tw->topo.ncores].pu);
        write_list(cores, c->cpus);
        write_list(bound, c->pus);
    }
    hwloc_bitmap_free(cores);
    hwloc_bitmap_free(bound);
}

/* ---- others -------------------------------------------------------------------------------- */

static void handle(void *arg, int from, const void *head, size_t head_size, const void *data,
                   size_t size, void *poller)
{
    twill *tw = arg;
    tw_places *p = tw->places;
    (void)head, (void)head_size, (void)poller;
    if (size != sizeof(card))
        return;
    memcpy(&p->card[from], data, size);
    /* release pairs with the acquire in have_come */
    atomic_fetch_add_explicit(&p->come, 1, memory_order_release);
    tw_wake_waiters(tw);
}

static bool have_come(void *arg)
{
    const tw_places *p = arg;
    return atomic_load_explicit(&p->come, memory_order_acquire) >= p->ranks - 1;
}

/* Or nothing comes any more. */
static bool are_known(void *arg)
{
    return have_come(arg) || tw_comm_failure(((const tw_places *)arg)->comm);
}

static twill_status tell(const tw_places *p, int to)
{
    static const char nothing = 0;
    const tw_comm_message m = {.handler = TW_PLACES_HANDLER,
                               .head = &nothing,
                               .head_size = sizeof nothing,
                               .data = &p->card[p->comm->rank],
                               .size = sizeof(card)};
    return tw_comm_send(p->comm, to, &m);
}

/* ---- who shares cores ---------------------------------------------------------------------- */

static bool overlap(const card *a, const card *b, hwloc_bitmap_t x, hwloc_bitmap_t y)
{
    return !strcmp(a->host, b->host) && hwloc_bitmap_list_sscanf(x, a->cpus) == 0 &&
           hwloc_bitmap_list_sscanf(y, b->cpus) == 0 && hwloc_bitmap_intersects(x, y);
}

static void count_sharing(tw_places *p)
{
    hwloc_bitmap_t x = hwloc_bitmap_alloc(), y = hwloc_bitmap_alloc();
    for (int i = 0; x && y && i < p->ranks; i++)
        for (int k = 0; k < p->ranks; k++)
            p->sharing[i] += i == k || overlap(&p->card[i], &p->card[k], x, y);
    hwloc_bitmap_free(x);
    hwloc_bitmap_free(y);
}

/* The program is told, if it wants to hear: nothing is printed. */
static void report(twill *tw)
{
    const tw_places *p = tw->places;
    int rank = 0;
    while (rank < p->ranks && p->sharing[rank] <= 1)
        rank++;
    if (rank == p->ranks || !tw->report)
        return;
    char text[512];
    snprintf(
        text, sizeof text,
        "twill: %d ranks of host %s may use the same cores (rank %d: %s), and share them: bind "
        "each to its own\n",
        p->sharing[rank], p->card[rank].host, rank, p->card[rank].cpus);
    tw->report(tw->report_arg, text);
}

twill_status tw_places_exchange(twill *tw)
{
    tw_places *p = tw->places;
    twill_status status = TWILL_OK;
    fill_card(tw, &p->card[tw->data.rank]);
    tw_remote_expect(tw, 1);
    for (int i = 1; i < p->ranks && status == TWILL_OK; i++)
        status = tell(p, (tw->data.rank + i) % p->ranks);
    if (status == TWILL_OK)
        status = tw_wait(tw, &(tw_goal){are_known, p});
    if (status == TWILL_OK && tw_remote_failure(tw))
        status = tw_fail(TWILL_ERR_SYSTEM, "%s", tw_remote_failure(tw));
    tw_worker *w = tw_enter(tw);
    tw_remote_settle(tw, w, 1);
    tw_exit(w);
    if (status != TWILL_OK)
        return status;
    count_sharing(p);
    if (p->sharing[tw->data.rank] > 1)
        tw_share_cores(tw);
    if (tw->data.rank == 0)
        report(tw);
    return TWILL_OK;
}

bool tw_places_all_record(const twill *tw)
{
    const tw_places *p = tw->places;
    if (!p || !have_come((void *)(uintptr_t)p))
        return true;
    for (int i = 0; i < p->ranks; i++)
        if (!p->card[i].records)
            return false;
    return true;
}

/* ---- questions ----------------------------------------------------------------------------- */

bool tw_places_open(twill *tw, tw_comm *comm)
{
    int ranks = comm ? comm->ranks : 1;
    tw_places *p = calloc(1, sizeof *p + (size_t)ranks * sizeof(card));
    int *sharing = calloc((size_t)ranks, sizeof *sharing);
    if (!p || !sharing) {
        free(p);
        free(sharing);
        return false;
    }
    p->comm = comm;
    p->ranks = ranks;
    p->sharing = sharing;
    tw->places = p;
    if (comm)
        tw_comm_set_handler(comm, TW_PLACES_HANDLER, handle, tw);
    return true;
}

void tw_places_close(twill *tw)
{
    if (tw->places)
        free(tw->places->sharing);
    free(tw->places);
    tw->places = NULL;
}

/* Of a context of its own, made when somebody asks. */
static bool open_own(twill *tw)
{
    pthread_mutex_lock(&tw->wait_mutex);
    bool open = tw->places || tw_places_open(tw, NULL);
    if (open && tw->places->ranks == 1) {
        fill_card(tw, &tw->places->card[0]);
        tw->places->sharing[0] = 1;
    }
    pthread_mutex_unlock(&tw->wait_mutex);
    return open;
}

static twill_status find_card(twill *tw, int rank, const card **c)
{
    if (!open_own(tw))
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the place of a rank");
    const tw_places *p = tw->places;
    if (rank < 0 || rank >= p->ranks)
        return tw_fail(TWILL_ERR_ARGUMENT, "there is no rank %d; there are %d", rank, p->ranks);
    if (!have_come(tw->places))
        return tw_fail(TWILL_ERR_STATE, "the ranks have not told where they are");
    *c = &p->card[rank];
    return TWILL_OK;
}

twill_status tw_places_get(twill *tw, int rank, tw_place *place)
{
    const card *c = NULL;
    twill_status status = find_card(tw, rank, &c);
    if (status == TWILL_OK)
        *place = (tw_place){c->host, c->numa, c->workers, c->devices};
    return status;
}

twill_status twill_rank_place(twill *tw, int rank, twill_rank_info *place)
{
    const card *c = NULL;
    if (!tw || !place)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_rank_place: an argument is NULL");
    twill_status status = find_card(tw, rank, &c);
    if (status != TWILL_OK)
        return status;
    int sharing = tw->places->sharing[rank];
    twill_rank_info all = {.size = sizeof all,
                           .host = c->host,
                           .cpus = c->cpus,
                           .pus = sharing > 1 ? "" : c->pus,
                           .workers = c->workers,
                           .sharing = sharing};
    return TW_ABI_OUT(twill_rank_info, sharing, place, &all);
}

const char *twill_transport(const twill *tw)
{
    return tw->places && tw->places->comm ? tw->places->comm->about : "";
}
