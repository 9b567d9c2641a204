#!/bin/sh
# A rank that dies or ends in the middle of a run ends the job, soon and with an error.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "$1"
    cat out err
    exit 1
}

# end_one HOW: one of three ranks, in the middle of a long run, is killed or just ends.
end_one() {
    cat >one.sh <<END
[ "\${OMPI_COMM_WORLD_RANK:-\$PMI_RANK}" = 1 ] || exec "$TW_BIN" potrf -n 20000 --nb 64 --workers 1
"$TW_BIN" potrf -n 20000 --nb 64 --workers 1 &
sleep 2
kill -$1 \$!
wait \$!
END
    start=$(date +%s)
    TW_SECONDS=60 run 3 sh one.sh >out 2>err
    status=$?
    took=$(($(date +%s) - start))
    [ $status -ne 0 ] || fail "a rank got SIG$1, and the job succeeds"
    [ $took -le 32 ] || fail "a rank got SIG$1, and the job took $took s to end"
}
end_one KILL
end_one TERM

# A rank that could not start what others did leaves the program without stopping its context.
start=$(date +%s)
TW_SECONDS=60 run 3 "$TW_BUILD_DIR/tests/unit.front.ptg.leaves" >out 2>err &&
    fail 'a rank has ended in the middle of a run, and the job succeeds'
[ $(($(date +%s) - start)) -le 30 ] || fail 'a rank has ended in the middle of a run, others have not'
exit 0
