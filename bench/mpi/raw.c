/* Ping-pong by blocking calls, the least that MPI can do; and the table. */
#include "mpi/raw.h"
#include "mpi/steps.h"

#include <mpi.h>

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

extern const mpi_raw twill_mpi_raw;
__attribute__((visibility("default")))
const mpi_raw twill_mpi_raw = {.name = TW_MPI_NAME, .pingpong = pingpong, .steps = mpi_steps};
