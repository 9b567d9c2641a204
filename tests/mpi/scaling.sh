#!/bin/sh
# twill bench scaling, with jobs of real ranks; and the program of ScaLAPACK, if it was built.
# tests/cli/scaling.py looks at what it makes of them.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TWILL_MPI="$module"
fail() {
    echo "$1"
    cat out err
    exit 1
}
# Others than Open MPI's are named.
case $mpi in
openmpi) mpirun= ;;
*) mpirun="--mpirun=$launcher" ;;
esac
scaling() {
    timeout 200 "$TW_BIN" bench scaling --workers 2 --pairs 1 --no-peers --json ${mpirun:+"$mpirun"} "$@" >out 2>err ||
        fail "it fails: $*"
    [ ! -s err ] || fail "it complains: $*"
}
has() { # COUNT PATTERN
    [ "$(grep -c "$2" out)" = "$1" ] || fail "not $1 of $2"
}

scaling --case tile,split,size,weak,strong --op potrf -n 120 --nb 40 --ranks 2,3
has 8 '"bench":"scaling"'
has 1 '"case":"tile","system":"twill".*"nb":40,"ranks":2,"workers":1,"grid":"1x2"'
has 2 '"case":"split"'
has 1 '"case":"weak".*"n":208,.*"ranks":3,"workers":1,"grid":"1x3".*"crowded":true'
has 1 '"case":"tile".*"messages":[1-9],"bytes":[1-9]'
for case in tile split size weak strong; do
    grep -q '</svg>' scaling-$case-potrf.svg || fail "there is no figure of $case"
done

scaling --case peers,ranks,single --op getrf -n 120
has 1 '"case":"peers","system":"twill"'
has 1 '"case":"ranks","system":"ratio:twill".*"grid":"2x1"'
has 1 '"case":"single","system":"twill".*"mpirun":false'
has 1 '"case":"single","system":"ratio:twill".*"mpirun":true'
scaling --case single --op tasks --tasks 200
has 6 '"unit":"ratio"'

run 2 "$TW_BIN" bench scaling --case peers >out 2>err && fail 'it runs under mpirun'
grep -q 'without mpirun' err || fail 'it does not say why not'

[ -x "$TW_BUILD_DIR/peers/scalapack_la" ] && [ "$mpi" = openmpi ] || exit 0
blas=$("$TW_BIN" info | sed -n 's/^  path  *\(.*\)\/[^/]*$/\1/p')
for op in gemm potrf getrf geqrf; do
    for grid in 1x2 2x1; do
        run 2 "$TW_BUILD_DIR/peers/scalapack_la" $op 150 32 $grid 2 "$blas" auto >out 2>err ||
            fail "ScaLAPACK fails: $op on $grid"
        [ "$(grep -c '^[0-9.]*$' out)" = 2 ] || fail "ScaLAPACK does not print two rates: $op"
    done
done
run 2 "$TW_BUILD_DIR/peers/scalapack_la" potrf 150 32 2x2 1 "$blas" auto >out 2>err &&
    fail 'ScaLAPACK has 4 ranks of 2'
exit 0
