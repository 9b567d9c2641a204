#!/bin/sh
# twill bench pingpong: on two ranks, and what it says without them.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "$1"
    cat out err
    exit 1
}

run 2 "$TW_BIN" bench pingpong --to 1048576 --rounds 5 --repeat 1 --json >out 2>err || fail 'it fails on 2 ranks'
for what in '"case":"latency","system":"twill"' '"case":"latency","system":"mpi"' \
    '"case":"bandwidth","system":"twill"' '"case":"bandwidth","system":"mpi"'; do
    [ "$(grep -c "$what" out)" = 18 ] || fail "not one object $what for each size"
done
grep -q '"bytes":1048576' out || fail 'no message of 1 MiB'

run 3 "$TW_BIN" bench pingpong >out 2>err && fail 'it runs on 3 ranks'
grep -q 'there are 3' err || fail 'it does not say that these are too many'
"$TW_BIN" bench pingpong >out 2>err && fail 'it runs on one rank'
grep -q 'mpirun -np 2' err || fail 'it does not say how it is started'
exit 0
