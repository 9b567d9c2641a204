/* Ping-pong by blocking calls, the least that MPI can do; and the table. */
#include "mpi/raw.h"
#include "mpi/steps.h"

#include <mpi.h>
#include <string.h>

static int send_first(void *bytes, int size)
{
    int code = MPI_Send(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    return code ? code : MPI_Recv(bytes, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static int receive_first(void *bytes, int size)
{
    int code = MPI_Recv(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return code ? code : MPI_Send(bytes, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

static int pingpong(void *bytes, int size, int rounds, double *seconds)
{
    int rank, code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int (*once)(void *, int) = rank == 0 ? send_first : receive_first;
    if (!code)
        code = once(bytes, size);
    double start = MPI_Wtime();
    for (int i = 0; i < rounds && !code; i++)
        code = once(bytes, size);
    *seconds = MPI_Wtime() - start;
    return code;
}

static int get_each(void *bytes, int size, int rounds, MPI_Win window)
{
    int code = 0;
    for (int i = 0; i < rounds && !code; i++) {
        code = MPI_Get(bytes, size, MPI_BYTE, 1, 0, size, MPI_BYTE, window);
        if (!code)
            code = MPI_Win_flush(1, window);
    }
    return code;
}

static int get(void *bytes, int size, int rounds, double *seconds)
{
    MPI_Win window;
    void *memory;
    int rank, code = MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!code)
        code = MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    if (code)
        return code;
    memset(memory, 1, (size_t)size);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    if (rank == 0)
        code = get_each(bytes, size, 1, window);
    double start = MPI_Wtime();
    if (rank == 0 && !code)
        code = get_each(bytes, size, rounds, window);
    *seconds = MPI_Wtime() - start;
    MPI_Win_unlock_all(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&window);
    return code;
}

extern const mpi_raw twill_mpi_raw;
__attribute__((visibility("default"))) const mpi_raw twill_mpi_raw = {
    .name = TW_MPI_NAME, .pingpong = pingpong, .get = get, .steps = mpi_steps};
