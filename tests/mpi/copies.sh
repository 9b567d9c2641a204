#!/bin/sh
# Copies of elements of other ranks over MPI, and twill bench copy.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "$1"
    cat out err
    exit 1
}

for n in 2 4; do
    run $n "$TW_BUILD_DIR/tests/unit.array.reach" >out 2>err || fail "copies of random views on $n ranks"
done

run 2 "$TW_BIN" bench copy --to 2097152 --rounds 3 --repeat 1 --json >out 2>err || fail 'bench copy fails on 2 ranks'
for what in memcpy own other mpi; do
    [ "$(grep -c "\"case\":\"latency\",\"system\":\"$what\"" out)" = 10 ] || fail "not one object of $what for each size"
done
for plot in latency bandwidth; do
    [ "$(grep -o '<circle' copy-$plot.svg | wc -l)" = 40 ] || fail "not a mark for each size and system: $plot"
done
"$TW_BIN" bench copy --to 512 --rounds 3 --repeat 1 >out 2>err || fail 'bench copy fails on one rank'
grep -q 'of memcpy' out || fail 'it does not compare with memcpy'
run 3 "$TW_BIN" bench copy >out 2>err && fail 'it runs on 3 ranks'
grep -q 'there are 3' err || fail 'it does not say that these are too many'
exit 0
