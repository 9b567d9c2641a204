#!/bin/sh
# The example with ranks, and the command on several: the results of one, printed once.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "$1"
    cat out err
    exit 1
}

run 4 "$TW_BUILD_DIR/examples/16_ranks" >out 2>err || fail 'the example fails on 4 ranks'
grep -q '^4 ranks as 2 by 2: info 0$' out || fail 'the example does not have 4 ranks'
factor=$(grep '^R: ' out)
run 1 "$TW_BUILD_DIR/examples/16_ranks" >out 2>err || fail 'the example fails on one rank'
[ "$(grep '^R: ' out)" = "$factor" ] || fail "the example has another R on 4 ranks, $factor"

value() { # of a name in the JSON that was printed
    sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" out
}

expect() { # NAME VALUE
    [ "$(value "$1")" = "$2" ] || fail "$what: $1 is '$(value "$1")', not '$2'"
}

# Each operation on a grid, as on one rank: the line has the digest of one, and a residual.
compare() {
    ranks=$1
    grid=$2
    shift 2
    what="$* on $grid"
    "$TW_BIN" "$@" --nb 48 --json >out 2>err || fail "$*: fails on one rank"
    digest=$(value digest)
    run "$ranks" "$TW_BIN" "$@" --nb 48 --json --check --workers 1 --grid "$grid" >out 2>err ||
        fail "$what: fails"
    [ "$(wc -l <out)" = 1 ] || fail "$what: does not print one line"
    expect digest "$digest"
    expect passed true
    expect ranks "$ranks"
    expect grid "$grid"
}
compare 2 1x2 potrf -n 300
compare 4 2x2 potrf -n 300 --type z --front stf --uplo upper
compare 3 3x1 gemm -n 200 -m 100 -k 150 --type s
compare 6 2x3 posv -n 250 --nrhs 30 --type c
compare 2 2x1 trsm -n 200 --side r --layout wrapped
compare 4 1x4 potri -n 150
compare 9 3x3 her2k -n 200 -k 100 --type z
compare 4 2x2 geqrf -n 200 -m 300 --branches 2 --type c
compare 3 1x3 gelqf -n 200 --branches 3
compare 2 2x1 gels -m 250 -n 100 --nrhs 60 --branches 2 --tree greedy
compare 6 3x2 gels -m 100 -n 250 --branches 2 --type s

run 4 "$TW_BIN" geqrf -n 200 --nb 48 --grid 4x1 --check --json >out 2>err || fail 'geqrf fails'
what='the tree of a grid'
expect branches 4
expect passed true

run 4 "$TW_BIN" potrf -n 100 --nb 16 --json >out 2>err || fail 'it fails without a grid'
what='the usual grid'
expect grid 2x2
[ "$(value messages)" -gt 0 ] && [ "$(value bytes)" -gt 0 ] || fail 'it sends nothing'

run 2 "$TW_BIN" potrf -n 300 --nb 48 --matrix notspd:200 >out 2>err && fail 'info is lost'
grep -q '^info 201:' out || fail 'info is not told'
run 2 "$TW_BIN" potrf -n 300 --grid 2x2 >out 2>err && fail 'it has 4 ranks of 2'
[ "$(grep -c 'twill potrf: --grid 2x2: must be PxQ' err)" = 1 ] || fail 'that is not told once'
run 2 "$TW_BIN" potrf -n -3 >out 2>err && fail 'it has a negative size'
[ "$(grep -c 'twill potrf: -n -3' err)" = 1 ] || fail 'a mistake is not told once'
run 2 "$TW_BIN" sysv -n 100 >out 2>err && fail 'sysv runs on 2 ranks'
grep -q 'for one rank so far' err || fail 'it does not say why'
run 2 "$TW_BIN" bench ep >out 2>err && fail 'a benchmark of one rank runs on two'
grep -q 'there are 2 ranks, and this is for one' err || fail 'that does not say why'

module=off # two programs that do not know each other
run 2 "$TW_BIN" potrf -n 100 >out 2>err || fail 'they fail'
[ "$(grep -c GFLOP out)" = 2 ] || fail 'they are not two'
exit 0
