#!/bin/sh
# The explorer finds what it is there for, and nothing in programs that are right.
set -u
build=$TW_SOURCE_DIR/build-explore
"$TW_SOURCE_DIR/scripts/explore" -b || exit
"$build/selftest/detect" --replay 1 -- joined || exit
failed=0

# expect END PROGRAM TEST OPTIONS...: END is what some seed must show, or "nothing".
expect() {
    end=$1 program=$2 test=$3
    shift 3
    case $end in
    nothing) seeds=600 last=' 0 failed' ;;
    *) seeds=20000 last=": $end, " ;;
    esac
    output=$("$build/selftest/$program" --seeds $seeds "$@" -- "$test" 2>&1)
    case $output in
    *"$last"*) ;;
    *)
        echo "$program $test $*: expected $end, saw"
        echo "$output" | sed 's/^/    /'
        failed=1
        ;;
    esac
}

# Weak memory shows what the orders allow, and no more.
for test in sb sb_one_fence sb_light mp mp_release mp_acquire iriw ww; do
    expect WRONG litmus $test --weak
    expect nothing litmus $test # not without
done
for test in sb_fences sb_sc sb_membarrier mp_both mp_fences sequence iriw_sc iriw_fences corr told \
    count lock; do
    expect nothing litmus $test --weak
    expect nothing litmus $test
done
expect RACE litmus unlock_relaxed

# All schedules, so that "not found" is a proof (of what is sequentially consistent).
for test in sb_sc mp_both corr; do
    expect nothing litmus $test --bound 3 --seconds 5
done
expect RACE detect race --bound 1

for test in race relaxed_flag free_race; do
    expect RACE detect $test
done
for test in mutexes joined neighbours released_flag fenced_flag signals futexes futex_time semaphores; do
    expect nothing detect $test
    expect nothing detect $test --weak
    expect nothing detect $test --pct 3
done
for test in use_after_free free_twice overflow; do
    expect FREED detect $test
done
expect LEAK detect leak
expect nothing detect no_memory
expect CRASHED detect no_memory --oom
for test in two_orders lost_signal lost_futex; do
    expect DEADLOCK detect $test
    expect DEADLOCK detect $test --pct 3
done
expect DEADLOCK detect two_orders --bound 1
expect ENDLESS detect endless --budget 20000
expect WRONG detect weak_cas

# The same seed is the same run.
for seed in 1 2 3; do
    a=$("$build/selftest/detect" --replay $seed -- mutexes)
    b=$("$build/selftest/detect" --replay $seed -- mutexes)
    [ "$a" = "$b" ] || {
        echo "seed $seed: '$a' and then '$b'"
        failed=1
    }
done
exit $failed
