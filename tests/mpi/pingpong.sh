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
for plot in latency bandwidth; do
    [ "$(grep -o '<circle' pingpong-$plot.svg | wc -l)" = 36 ] || fail "not a mark for each size and system: $plot"
    grep -q '>256 KiB</text>' pingpong-$plot.svg || fail "no sizes on the axis: $plot"
done

run 2 "$TW_BIN" bench pingpong --to 8 --rounds 5 --repeat 1 --plot none >out 2>err || fail 'it fails for one size'
[ ! -e none-latency.svg ] || fail 'one size is drawn'
run 2 "$TW_BIN" bench pingpong --plot no/such >out 2>err && fail 'it draws where there is no folder'
[ "$(grep -c -e '--plot: no/such-latency.svg' err)" = 1 ] || fail 'that is not told once'
OMPI_MCA_btl=tcp,self run 2 "$TW_BIN" bench pingpong --to 64 --rounds 5 --repeat 1 --json >out 2>err ||
    fail 'it fails over TCP'

run 3 "$TW_BIN" bench pingpong >out 2>err && fail 'it runs on 3 ranks'
grep -q 'there are 3' err || fail 'it does not say that these are too many'
"$TW_BIN" bench pingpong >out 2>err && fail 'it runs on one rank'
grep -q 'mpirun -np 2' err || fail 'it does not say how it is started'
exit 0
