/* The transport over MPI: after an error of MPI.
 *
 * What MPI does then is anybody's guess, so it is not called any more; but first all other ranks
 * are told, as far as that still works. What was begun is given up. MPI may still read and write
 * all memory that it has: so what belongs to the endpoint stays as long as the process. */
#include "comm/mpi_endpoint.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Others get the sentence as data, and it need not be sent when this returns. */
static void tell_others(tw_mpi_endpoint *e)
{
    size_t size = strlen(e->failure) + 1;
    tw_mpi_arrival *a = e->farewell = aligned_alloc(TW_LINE, tw_whole_lines(sizeof *a));
    if (!a)
        return;
    memset(&a->head, 0, sizeof a->head);
    a->head.kind = TW_MPI_FAREWELL;
    a->head.size = size;
    memcpy(a->rest, e->failure, size);
    for (int r = 0; r < e->comm.ranks && e->slots < e->room; r++)
        if (r != e->comm.rank &&
            !e->calls->send(e->link, e->slots, TW_MPI_HEADS, a, (int)(sizeof a->head + size), r))
            e->packet[e->slots++] = NULL;
}

static void explain(tw_mpi_endpoint *e)
{
    char words[256] = "";
    e->calls->explain(e->code, words, sizeof words);
    snprintf(e->failure, sizeof e->failure, "rank %d: %s has failed: %s", e->comm.rank,
             e->calls->name, words);
}

void tw_mpi_give_up(tw_mpi_endpoint *e, void *poller)
{
    if (e->code != TW_MPI_TOLD && !*e->failure) {
        explain(e);
        tell_others(e);
    }
    /* release pairs with the acquire in tw_comm_failure */
    atomic_store_explicit(&e->comm.failure, e->failure, memory_order_release);
    for (tw_mpi_packet *p; (p = tw_mpi_take_begun(e));)
        tw_mpi_cancel(e, p, poller);
    tw_mpi_complete_sent(e, poller);
    for (tw_mpi_packet *p; (p = e->doubtful);) {
        e->doubtful = p->ready;
        p->requests++; /* perhaps */
        tw_mpi_cancel(e, p, poller);
    }
    for (int slot = 0; slot < e->slots; slot++)
        if (e->packet[slot] && !e->packet[slot]->incoming)
            tw_mpi_cancel(e, e->packet[slot], poller);
    while (e->asked)
        tw_mpi_cancel(e, e->asked, poller);
}

void tw_mpi_take_farewell(tw_mpi_endpoint *e, const tw_mpi_arrival *a)
{
    const char *text = (const char *)a->rest;
    size_t most = sizeof e->failure - 1, size = a->head.size < most ? a->head.size : most;
    memcpy(e->failure, text, size);
    e->failure[size] = '\0';
    e->code = TW_MPI_TOLD;
}

/* As MPI itself, of the process. */
static tw_mpi_endpoint *_Atomic abandoned;

void tw_mpi_abandon(tw_mpi_endpoint *e)
{
    tw_registry_close(&e->registry);
    e->abandoned = atomic_load_explicit(&abandoned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&abandoned, &e->abandoned, e,
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}
