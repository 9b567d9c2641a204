/* The module between the library and one MPI. */
#include "comm/mpi_calls.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tw_mpi_link {
    MPI_Comm channel[TW_MPI_CHANNELS];
    int rank, ranks;
    MPI_Request ring[TW_MPI_RING];
    MPI_Request *requests;
    int room;
};

static void explain(int code, char *text, size_t size)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int length;
    MPI_Error_string(code, words, &length);
    snprintf(text, size, "%s", words);
}

/* ---- opening and closing ----------------------------------------------------------------- */

static bool ours; /* as MPI itself, of the process; as is the next */
static int links; /* that are open */

/* Whoever has initialised MPI finalises it. But a program that ends in the middle of something
 * would wait here for others, and they for it: so it ends them all. */
static void finalize(void)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized && links > 0)
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    else if (!finalized)
        MPI_Finalize();
}

static bool is_ours(void)
{
    return ours;
}

static int initialize(char *why, size_t size)
{
    int initialized, finalized, provided, code;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (finalized) {
        snprintf(why, size, "MPI has been finalised");
        return MPI_ERR_OTHER;
    }
    if (initialized) {
        code = MPI_Query_thread(&provided);
    } else {
        code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
        ours = code == MPI_SUCCESS;
        if (ours)
            atexit(finalize);
    }
    if (code == MPI_SUCCESS && provided < MPI_THREAD_SERIALIZED) {
        snprintf(why, size,
                 "MPI was initialised for one thread: call MPI_Init_thread with "
                 "MPI_THREAD_SERIALIZED or more");
        return MPI_ERR_OTHER;
    }
    if (code != MPI_SUCCESS)
        explain(code, why, size);
    return code;
}

static int duplicate(tw_mpi_link *l, MPI_Comm comm)
{
    int code = MPI_SUCCESS;
    for (int i = 0; i < TW_MPI_CHANNELS && code == MPI_SUCCESS; i++) {
        code = MPI_Comm_dup(comm, &l->channel[i]);
        if (code == MPI_SUCCESS)
            code = MPI_Comm_set_errhandler(l->channel[i], MPI_ERRORS_RETURN);
    }
    if (code == MPI_SUCCESS)
        code = MPI_Comm_rank(l->channel[0], &l->rank);
    return code == MPI_SUCCESS ? MPI_Comm_size(l->channel[0], &l->ranks) : code;
}

/* MPI would end the program because of another one. */
static int check(MPI_Comm comm, char *why, size_t size)
{
    int inter = 0;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_test_inter(comm, &inter);
    if (comm != MPI_COMM_NULL && !inter)
        return MPI_SUCCESS;
    snprintf(why, size, "mpi_comm is %s: it must be a communicator that this rank is in",
             inter ? "an intercommunicator" : "MPI_COMM_NULL");
    return MPI_ERR_COMM;
}

static int open_link(const void *comm, tw_mpi_link **link, char *why, size_t size)
{
    MPI_Comm given = comm ? *(const MPI_Comm *)comm : MPI_COMM_WORLD;
    int code = initialize(why, size);
    if (code == MPI_SUCCESS)
        code = check(given, why, size);
    if (code != MPI_SUCCESS)
        return code;
    tw_mpi_link *l = calloc(1, sizeof *l);
    if (!l) {
        snprintf(why, size, "there is no memory");
        return MPI_ERR_OTHER;
    }
    code = duplicate(l, given);
    if (code != MPI_SUCCESS) {
        explain(code, why, size);
        free(l);
        return code;
    }
    *link = l;
    links++;
    return MPI_SUCCESS;
}

/* Not after the program has finalised MPI. */
static void close_link(tw_mpi_link *l)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    for (int i = 0; i < TW_MPI_CHANNELS && !finalized; i++)
        MPI_Comm_free(&l->channel[i]);
    free(l->requests);
    free(l);
    links--;
}

static int get_rank(const tw_mpi_link *l)
{
    return l->rank;
}

static int get_ranks(const tw_mpi_link *l)
{
    return l->ranks;
}

/* ---- requests ---------------------------------------------------------------------------- */

static bool reserve(tw_mpi_link *l, int slots)
{
    if (slots <= l->room)
        return true;
    MPI_Request *requests = realloc(l->requests, (size_t)slots * sizeof *requests);
    if (!requests)
        return false;
    l->requests = requests;
    l->room = slots;
    return true;
}

static void move(tw_mpi_link *l, int from, int to)
{
    l->requests[to] = l->requests[from];
}

static int send_bytes(tw_mpi_link *l, int slot, int channel, const void *bytes, int size, int to)
{
    return MPI_Isend(bytes, size, MPI_BYTE, to, 0, l->channel[channel], &l->requests[slot]);
}

static int receive_bytes(tw_mpi_link *l, int slot, int channel, void *bytes, int size, int from)
{
    return MPI_Irecv(bytes, size, MPI_BYTE, from, 0, l->channel[channel], &l->requests[slot]);
}

static int is_over(tw_mpi_link *l, int slot, bool *over)
{
    int flag = 0;
    int code = MPI_Test(&l->requests[slot], &flag, MPI_STATUS_IGNORE);
    *over = flag;
    return code;
}

static int exchange(tw_mpi_link *l, int slot, const int64_t *out, int64_t *in)
{
    return MPI_Ialltoall(out, 1, MPI_INT64_T, in, 1, MPI_INT64_T, l->channel[TW_MPI_PAYLOADS],
                         &l->requests[slot]);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int test(tw_mpi_link *l, int n, int *done, int *count)
{
    int code = MPI_Testsome(n, l->requests, count, done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS)
        return code;
    if (*count == MPI_UNDEFINED)
        *count = 0;
    if (*count > 1)
        qsort(done, (size_t)*count, sizeof *done, compare);
    return code;
}

/* ---- heads ------------------------------------------------------------------------------- */

static int post(tw_mpi_link *l, int place, void *bytes, int size)
{
    return MPI_Irecv(bytes, size, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, l->channel[TW_MPI_HEADS],
                     &l->ring[place]);
}

static int arrived(tw_mpi_link *l, int place, bool *there, int *from)
{
    int flag = 0;
    MPI_Status status;
    int code = MPI_Test(&l->ring[place], &flag, &status);
    *there = code == MPI_SUCCESS && flag;
    if (*there)
        *from = status.MPI_SOURCE;
    return code;
}

static int withdraw(tw_mpi_link *l, int place)
{
    int code = MPI_Cancel(&l->ring[place]);
    return code == MPI_SUCCESS ? MPI_Wait(&l->ring[place], MPI_STATUS_IGNORE) : code;
}

/* The first line of what it says of its version, whose first comma ends what people want to know.
 */
static void describe(char *text, size_t size)
{
    static const char *const levels[] = {"SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"};
    static const int values[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                 MPI_THREAD_MULTIPLE};
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, provided, level = 0;
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n\r")] = '\0';
    MPI_Query_thread(&provided);
    for (int i = 0; i < 4; i++)
        if (values[i] == provided)
            level = i;
    for (char *c = version; *c; c++)
        *c = *c == '\t' ? ' ' : *c;
    snprintf(text, size, "%s, MPI_THREAD_%s", version, levels[level]);
}

extern const tw_mpi_calls tw_mpi_module;
__attribute__((visibility("default"))) const tw_mpi_calls tw_mpi_module = {
    .version = TW_MPI_CALLS,
    .name = TW_MPI_NAME,
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
