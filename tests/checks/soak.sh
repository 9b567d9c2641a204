#!/bin/sh
# The stage runner goes on where it stopped, repeats what failed, and starts over on demand.
set -u
export SOAK_STAGES="$PWD/stages" SOAK_DIR="$PWD/soak"
rm -rf soak count switch
cat >stages <<STAGES
# a comment
one   10 echo ran >>$PWD/count

two   10 test -e $PWD/switch
three 1  sleep 20
STAGES

# expect STATUS LAST TIMES ARGUMENTS...: run; compare status, last line and runs of stage one.
expect() {
    status=$1 last=$2 times=$3
    shift 3
    "$TW_SOURCE_DIR/scripts/soak" "$@" >output 2>&1
    got=$?
    if [ $got -ne "$status" ] || [ "$(tail -n 1 output)" != "$last" ] ||
        [ "$(wc -l <count)" -ne "$times" ]; then
        cat output
        echo "expected status $status and '$last', stage one $times times; got status $got"
        exit 1
    fi
}
expect 1 '1 passed, 2 failed' 1
touch switch
expect 1 '2 passed, 1 failed' 1
expect 0 '2 passed, 0 failed' 1 one two
expect 0 '1 passed, 0 failed' 2 -f one
sed -i 's/^three.*/three 10 true/' stages
expect 0 '3 passed, 0 failed' 2
"$TW_SOURCE_DIR/scripts/soak" no-such-stage 2>/dev/null && exit 1
exit 0
