#!/bin/sh
# A few random programs with random delays; scripts/ranks has more.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
exec "$TW_SOURCE_DIR/scripts/ranks" "${TW_RUNS:-12}" 1 "$TW_BUILD_DIR"
