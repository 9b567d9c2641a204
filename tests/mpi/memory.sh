#!/bin/sh
# A rank needs its share of the matrices and a number of tiles that does not depend on n, as long as
# it has as many tiles: 36 of each matrix on each of 4 ranks here. docs/manual/linear-algebra.md
# states the numbers.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"

peak() { # N NB OPERATION...: the largest of all ranks, in MiB
    n=$1
    nb=$2
    shift 2
    run 4 "$TW_BIN" "$@" -n "$n" --nb "$nb" --workers 1 --grid 2x2 --json >out 2>err || {
        echo "$*: fails" >&2
        cat out err >&2
        exit 1
    }
    sed -n 's/.*"rss_mib":\([0-9.]*\).*/\1/p' out
}

# MATRICES TILES OPERATION...: tiles of 80 KB and of 320 KB
check() {
    matrices=$1
    most=$2
    shift 2
    none=$(peak 100 100 "$@") || exit 1
    for nb in 100 200; do
        some=$(peak $((12 * nb)) $nb "$@") || exit 1
        more=$(awk "BEGIN { print int(($some - $none) * 1048576 / (8 * $nb * $nb)) - 36 * $matrices }")
        echo "$*, tiles of $nb: $some MiB, $none without a matrix: $more tiles more than its own"
        [ "$more" -le "$most" ] || exit 1
    done
}
check 1 64 potrf
check 1 192 getrf
check 3 256 gemm
