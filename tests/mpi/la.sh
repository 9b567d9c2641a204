#!/bin/sh
# Linear algebra in MPI programs of several ranks.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
status=0
for n in 1 2 3 4 6 9; do
    run $n "$TW_BUILD_DIR/tests/la.launched" || status=1
done
# by itself, as programs are
module=auto
LD_LIBRARY_PATH=$TW_BUILD_DIR run 2 "$TW_BUILD_DIR/tests/la.launched" || status=1
exit $status
