#!/bin/sh
# scripts/compare runs two commands in turn, computes ratios of speeds and their intervals, and says
# when one is slower. The commands here only pretend to measure.
set -u
export COMPARE_DIR="$PWD/compare"
rm -rf compare
mkdir compare

# pretend NAME A B C: a command whose times are A and B ns and whose rate is C.
pretend() {
    cat >"compare/$1" <<SCRIPT
#!/bin/sh
case " \$* " in
*--help*) echo "  --case one|two only this one"; echo "  --repeat R runs"; exit ;;
esac
echo "$1 \$*" >>"$COMPARE_DIR/order"
echo '{"bench":"tasks","case":"a","system":"twill","value":$2,"unit":"ns/task"}'
echo '{"bench":"tasks","case":"b","system":"twill-dag","value":$3,"unit":"us"}'
echo '{"bench":"tasks","case":"c","system":"twill","value":$4,"unit":"GFLOP/s"}'
echo '{"bench":"tasks","case":"d","system":"twill","value":5,"unit":"pending"}'
echo '{"bench":"tasks","case":"e","system":"openmp","value":5,"unit":"us"}'
SCRIPT
    chmod +x "compare/$1"
}

# expect STATUS LINE ARGUMENTS...: the exit status, and a line of the output without its blanks.
expect() {
    status=$1 line=$2
    shift 2
    python3 "$TW_SOURCE_DIR/scripts/compare" "$@" >output 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! tr -s ' ' <output | grep -qxF -- "$line"; then
        cat output
        echo "expected status $status and the line '$line'; got status $got"
        exit 1
    fi
}

pretend old 100 10 50
pretend new 100 10 50
expect 0 '3 rows, 0 below 0.98' --commands compare/old compare/new --pairs 6 tasks
# both cases in all pairs, and each side first as often as the other
cat >wanted <<ORDER
old one
new one
new two
old two
new one
old one
old two
new two
ORDER
sed 's/^\([a-z]*\) .*--case \([a-z]*\).*/\1 \2/' compare/order | head -n 8 | cmp - wanted || exit 1
[ "$(wc -l <compare/order)" -eq 24 ] || exit 1

pretend new 125 8 40
expect 1 'tasks a twill 6 0.800 0.800 to 0.800 SLOWER' --commands compare/old compare/new --pairs 6 tasks
expect 1 'tasks b twill-dag 6 1.250 1.250 to 1.250' --read compare/runs.jsonl
expect 1 'tasks c twill 6 0.800 0.800 to 0.800 SLOWER' --read compare/runs.jsonl
expect 0 '3 rows, 0 below 0.75' --read compare/runs.jsonl --floor 0.75
pretend new 125 null 50
expect 1 'tasks b twill-dag 0 - the tree has no value' --commands compare/old compare/new --pairs 6 tasks

# 15 pairs with the ratios 0.81, 0.82, ...: three on each side are left out
for i in $(seq 1 15); do
    echo "{\"pair\": $i, \"side\": 0, \"row\": \"r\", \"speed\": 100}"
    echo "{\"pair\": $i, \"side\": 1, \"row\": \"r\", \"speed\": $((80 + i))}"
done >series
expect 1 'r 15 0.880 0.840 to 0.920 SLOWER' --read series
expect 2 'scripts/compare: error: --pairs: 6 are the fewest that have an interval of 95%' HEAD --pairs 5
expect 2 "compare: 'no-such-revision' is not a revision" no-such-revision
exit 0
