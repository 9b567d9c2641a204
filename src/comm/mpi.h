/* The transport over MPI. */
#ifndef TW_COMM_MPI_H
#define TW_COMM_MPI_H

#include "comm/comm.h"
#include "comm/mpi_calls.h"

/* Under a launcher of MPI programs: how many ranks it says there are; 1 without. */
int tw_mpi_launched(void);

/* The calls of the module for the MPI that this program has, or was launched by: "on", or the path
 * of a module. TWILL_ERR_UNSUPPORTED when there is none. It stays loaded. */
twill_status tw_mpi_load(const char *wanted, const tw_mpi_calls **calls);

/* An endpoint on a duplicate of the communicator that `comm` points to; NULL: the world.
 * Collective. TWILL_ERR_SYSTEM, TWILL_ERR_MEMORY. */
twill_status tw_mpi_join(const tw_mpi_calls *calls, const void *comm, tw_comm **out);

#endif
