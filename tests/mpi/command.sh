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
compare 4 2x2 getrf -n 250 -m 300
compare 3 3x1 getrf -n 300 -m 200 --type c
compare 2 1x2 gesv -n 250 --nrhs 30
compare 2 2x1 trsm -n 200 --side r --layout wrapped
compare 4 1x4 potri -n 150
compare 9 3x3 her2k -n 200 -k 100 --type z
compare 4 2x2 geqrf -n 200 -m 300 --branches 2 --type c
compare 3 1x3 gelqf -n 200 --branches 3
compare 2 2x1 gels -m 250 -n 100 --nrhs 60 --branches 2 --tree greedy
compare 6 3x2 gels -m 100 -n 250 --branches 2 --type s
compare 2 2x1 getrf -m 250 -n 170 --type c
compare 4 2x2 gesv -n 200 --nrhs 10 --pivoting tournament
compare 3 1x3 getri -n 150 --type z
compare 2 1x2 gesv -n 150 --nrhs 3 --precision gmres
compare 4 2x2 posv -n 250 --nrhs 3 --precision mixed --type z
compare 6 3x2 trmm -n 150 -m 100 --type z

run 4 "$TW_BIN" geqrf -n 200 --nb 48 --grid 4x1 --check --json >out 2>err || fail 'geqrf fails'
what='the tree of a grid'
expect branches 4
expect passed true

run 4 "$TW_BIN" potrf -n 100 --nb 16 --json >out 2>err || fail 'it fails without a grid'
what='the usual grid'
expect grid 2x2
expect tasks 84
[ "$(value messages)" -gt 0 ] && [ "$(value bytes)" -gt 0 ] || fail 'it sends nothing'

run 2 "$TW_BIN" potrf -n 300 --nb 48 --matrix notspd:200 >out 2>err && fail 'info is lost'
grep -q '^info 201:' out || fail 'info is not told'
run 2 "$TW_BIN" potrf -n 300 --grid 2x2 >out 2>err && fail 'it has 4 ranks of 2'
[ "$(grep -c 'twill potrf: --grid 2x2: must be PxQ' err)" = 1 ] || fail 'that is not told once'
run 2 "$TW_BIN" potrf -n -3 >out 2>err && fail 'it has a negative size'
[ "$(grep -c 'twill potrf: -n -3' err)" = 1 ] || fail 'a mistake is not told once'
# Ranks that were started with different options say so, and wait for nobody.
differ() { # OPTIONS OF RANK 0 / OPTIONS OF THE OTHERS
    # shellcheck disable=SC2086
    limit=60 run 1 "$TW_BIN" $1 : -np 2 "$TW_BIN" $2 >out 2>err && fail "they get along: $1, $2"
    [ "$(grep -c "twill ${1%% *}: the ranks were started with different options" err)" = 1 ] ||
        fail "that they differ is not told once: $1, $2"
}
differ 'potrf -n 100 --nb 16' 'potrf -n 100 --nb 32'
differ 'potrf -n 100 --nb 16 --front ptg' 'potrf -n 100 --nb 16 --front stf'
differ 'getrf -n 100' 'geqrf -n 100'
differ 'potrf -n 100 --trace differ.twt' 'potrf -n 100 --check'
differ 'potrf -n 100' 'potrf -n 100 --seed 3'
run 1 "$TW_BIN" potrf -n 100 --workers 1 --json : -np 1 "$TW_BIN" potrf -n 100 --workers 2 --quiet >out 2>err ||
    fail 'ranks may not have their own workers'
# One trace of all ranks, in every form; what is said of it knows the ranks.
what='a trace'
run 3 "$TW_BIN" potrf -n 300 --nb 48 --workers 1 --stats --json --trace run.twt >out 2>err || fail 'no trace'
grep -q '"ranks":\[{"rank":0,.*{"rank":1,.*{"rank":2,' out || fail 'the statistics know no ranks'
for form in html json tex dot; do
    "$TW_BIN" trace run.twt --to run.$form >out 2>err && [ -s run.$form ] || fail "no .$form of it"
done
grep -q '"ph":"s","cat":"message"' run.json || fail 'no arrows for messages'
"$TW_BIN" trace run.twt >out 2>err || fail 'it is not read'
grep -q '^messages .* between 3 ranks' out && grep -q '^rank 2, worker 0 ' out || fail 'no ranks in it'
TWILL_TRACE=option.twt TWILL_WORKERS=1 run 2 "$TW_BUILD_DIR/examples/16_ranks" >out 2>err || fail 'no option trace'
"$TW_BIN" trace option.twt >out 2>err && grep -q 'between 2 ranks' out || fail 'the option makes no trace of both'

run 2 sh -c "[ \"\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}\" = 1 ] && export TWILL_TRACE=some.twt; exec '$TW_BIN' potrf -n 100 --nb 16" \
    >out 2>err || fail 'an option of one rank spoils the run'
grep -q 'not set on all ranks' err || fail 'that the others do not record is not told'

# Files: what one rank saves others load, and what they save is the same.
rm -rf one many
"$TW_BIN" posv -n 130 --nb 32 --nrhs 3 --save one >out 2>err || fail 'one rank saves nothing'
run 4 "$TW_BIN" posv -n 130 --nb 32 --nrhs 3 --workers 1 --save many >out 2>err || fail '4 ranks save nothing'
for file in one/*; do
    cmp "$file" "many/${file#one/}" >out 2>err || fail "$file differs"
done
run 3 "$TW_BIN" posv --load one --nb 20 --workers 1 --check --repeat 2 --progress on >out 2>err || fail '3 ranks load nothing'
[ "$(grep -c PASSED out)" = 2 ] || fail 'what was loaded is not right'
run 2 "$TW_BIN" potrf -n 100 --nb 32 --save /proc/no >out 2>err && fail 'it is saved nowhere'
[ "$(grep -c 'twill potrf: --save /proc/no' err)" = 1 ] || fail 'that is not told once'

# Where the ranks are: nobody binds them here, so they share cores.
run 2 "$TW_BIN" info >out 2>err || fail 'no info'
grep -q 'MPI  .*, MPI_THREAD_.*, 2 ranks$' out || fail 'the MPI is not shown'
grep -q '^  1  *host .* shared by 2 ranks: not bound$' out || fail 'the second rank is not shown'
grep -q '^  mpi  .* environment ' out || fail 'the option has no origin'
[ "$(grep -c 'warning: 2 ranks on .* share cores' err)" = 1 ] || fail 'there is no warning, or more than one'
run 2 "$TW_BIN" info --json >out 2>err && grep -q '"places":\[{"rank":0,.*"sharing":2}' out || fail 'no places'

run 2 "$TW_BIN" sysv -n 100 >out 2>err && fail 'sysv runs on 2 ranks'
grep -q 'for one rank, and there are' err || fail 'it does not say why'
run 2 "$TW_BIN" bench ep >out 2>err && fail 'a benchmark of one rank runs on two'
grep -q 'there are 2 ranks, and this is for one' err || fail 'that does not say why'

# One rank alone has too little memory: it says so, and the others do not wait for ever.
if [ -z "${TW_SLOW:-}" ]; then # sanitizers need all addresses
    run 1 "$TW_BIN" potrf -n 2000 --nb 500 : -np 1 sh -c "ulimit -v 500000; exec '$TW_BIN' potrf -n 2000 --nb 500" >out 2>err &&
        fail 'it runs without memory'
    grep -q '^twill potrf: rank 1: ' err || fail 'the rank without memory does not say so'
fi

module=off # two programs that do not know each other
run 2 "$TW_BIN" potrf -n 100 >out 2>err || fail 'they fail'
[ "$(grep -c GFLOP out)" = 2 ] || fail 'they are not two'
exit 0
