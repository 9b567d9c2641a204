#!/bin/sh
# The trace page of real runs: as many bars as tasks ran, and the totals are the statistics.
set -eu
. "$(dirname "$0")/_need.sh"
need browser
export OPENBLAS_NUM_THREADS=1

# run NAME OPTIONS...: factor a matrix; leaves NAME.html and NAME.json.
run() {
    name=$1
    shift
    "$TW_BIN" potrf --json --stats --trace "$name.html" "$@" >"$name.json"
}
run small -n 600 --nb 60 --check
run large -n 1500 --nb 50
run serial -n 400 --nb 100 --workers 1
run complex -n 400 --nb 50 --type z --uplo upper

"$TW_BIN" potrf -n 600 --nb 60 --quiet --trace small.twt
"$TW_BIN" potrf -n 900 --nb 60 --quiet --trace longer.twt
"$TW_BIN" trsm -m 1600 -n 100 --nb 100 --front dag --commute --workers 1 --quiet --trace solve.twt
"$TW_BIN" simulate solve.twt --workers 12 --sched prio --mode adaptive --trace adaptive.html >/dev/null
"$TW_BIN" simulate solve.twt --workers 12 --sched prio --mode fixed --reserved 3 --trace fixed.html >/dev/null

"$TW_BIN" trace longer.twt --compare small.twt --to pair.html --json >pair.json
"$TW_BIN" trace small.twt --to small.dot >/dev/null

# Several ranks, where there is an MPI.
if command -v mpirun >/dev/null 2>&1 && [ -e "$TW_BUILD_DIR/libtwill-openmpi.so" ]; then
    (. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
        run 3 "$TW_BIN" potrf --json --stats --trace ranks.html -n 600 --nb 60 --workers 1 >ranks.json 2>/dev/null)
fi

# Programs that use tasks in other ways: every example, recorded by the option.
for example in "$TW_BUILD_DIR"/examples/*; do
    name=${example##*/}
    case $name in
    *.* | 08_trace) continue ;; # that one records itself
    esac
    [ -f "$example" ] || continue
    TWILL_TRACE=example_$name.html "$example" >/dev/null 2>&1 || {
        echo "FAILED: $name with TWILL_TRACE"
        exit 1
    }
done
exec node "$here/_real.mjs"
