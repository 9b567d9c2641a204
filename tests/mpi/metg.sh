#!/bin/sh
# twill bench metg --ranks: patterns of each kind, on two and on three ranks.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "$1"
    cat out err
    exit 1
}

# whoever reads another result than that of the step before fails: in steps that grow and shrink, with
# wrap-around, and with many readers
for pattern in stencil_1d dom spread; do
    run 2 "$TW_BIN" bench metg --ranks --steps 20 --repeat 1 --case $pattern --json >out 2>err ||
        fail "$pattern fails on 2 ranks"
    for system in twill-ptg mpi; do
        grep -q "\"bench\":\"metg\",\"case\":\"$pattern\",\"system\":\"$system\".*\"unit\":\"us\".*\"ranks\":2}" out ||
            fail "$pattern: no $system"
    done
done
# points do not go evenly into ranks, and some ranks have none
run 3 "$TW_BIN" bench metg --ranks --steps 10 --repeat 1 --width 7 --case nearest >out 2>err || fail 'it fails on 3 ranks'
[ "$(wc -l <out)" = 3 ] || fail 'no table'
run 3 "$TW_BIN" bench metg --ranks --steps 10 --repeat 1 --width 2 --case fft --no-peers --json >out 2>err ||
    fail 'it fails with more ranks than points'
[ "$(wc -l <out)" = 1 ] || fail 'MPI is there although it was not asked for'

run 2 "$TW_BIN" bench metg --ranks --case all_to_all >out 2>err && fail 'all_to_all runs over ranks'
[ "$(grep -c 'this is for one rank' err)" = 1 ] || fail 'that is not told once'
"$TW_BIN" bench metg --ranks >out 2>err && fail 'it runs on one rank'
grep -q 'mpirun -np 2' err || fail 'it does not say how it is started'
exit 0
