#!/bin/sh
# The suites for transports, over MPI: 1, 2, 3 and 5 ranks.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
status=0
for suite in comm comm_memory; do
    for n in 1 2 3 5; do
        run $n "$TW_BUILD_DIR/tests/conform.$suite" || status=1
    done
done
exit $status
