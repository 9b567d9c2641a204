/* What the transport over MPI calls: a table that a module of its own fills, one for each MPI that
 * the build has found. So neither the library nor programs that run on one node need an MPI, and
 * programs that have one get the module for theirs.
 *
 * MPI is called by one thread at a time (MPI_THREAD_SERIALIZED). Functions return 0, or MPI's error
 * code. */
#ifndef TW_COMM_MPI_CALLS_H
#define TW_COMM_MPI_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TW_MPI_MODULE "tw_mpi_module" /* the name of the table in a module */
enum {
    TW_MPI_CALLS = 3, /* version of the table */
    TW_MPI_RING = 32  /* receives for heads that are posted ahead */
};

/* Two channels: messages in one are in order between two ranks. */
enum { TW_MPI_HEADS, TW_MPI_PAYLOADS, TW_MPI_CHANNELS };

typedef struct tw_mpi_link tw_mpi_link;

typedef struct tw_mpi_calls {
    int version;
    const char *name; /* of the MPI: "Open MPI" */

    /* Initialise MPI, unless somebody has, and duplicate the communicator that `comm` points to, an
     * MPI_Comm; NULL: the world. Collective. On failure a sentence in `why`. */
    int (*open)(const void *comm, tw_mpi_link **link, char *why, size_t size);
    /* Has `open` initialised MPI, and not the program? */
    bool (*is_ours)(void);
    int (*rank)(const tw_mpi_link *link);
    int (*ranks)(const tw_mpi_link *link);
    /* Collective; nothing is under way. */
    void (*close)(tw_mpi_link *link);

    /* Requests are in slots, from 0 on; room for so many. False: no memory. */
    bool (*reserve)(tw_mpi_link *link, int slots);
    void (*move)(tw_mpi_link *link, int from, int to);

    int (*send)(tw_mpi_link *link, int slot, int channel, const void *bytes, int size, int to);
    int (*receive)(tw_mpi_link *link, int slot, int channel, void *bytes, int size, int from);
    /* Is the request in this slot complete already? Then the slot is free. */
    int (*is_over)(tw_mpi_link *link, int slot, bool *over);
    /* Every rank gives every other one a number. */
    int (*exchange)(tw_mpi_link *link, int slot, const int64_t *out, int64_t *in);
    /* Which of the requests in slots below n are complete: `done` has their slots, in order. */
    int (*test)(tw_mpi_link *link, int n, int *done, int *count);

    /* Receive a head of any rank, of at most so many bytes, at a place of the ring. They come to
     * the places in the order in which these were posted: only the first one need be looked at. */
    int (*post)(tw_mpi_link *link, int place, void *bytes, int size);
    int (*arrived)(tw_mpi_link *link, int place, bool *there, int *from);
    /* None comes any more. */
    int (*withdraw)(tw_mpi_link *link, int place);

    /* Its name, version and thread level, for people. */
    void (*describe)(char *text, size_t size);
    /* What an error code means. */
    void (*explain)(int code, char *text, size_t size);
} tw_mpi_calls;

#endif
