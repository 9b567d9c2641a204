#!/bin/sh
# Fuzz the reader of .twt files under the address and undefined behaviour sanitizers, for
# TW_FUZZ_SECONDS (60), beginning with real traces and with parts of them.
set -u
seconds=${TW_FUZZ_SECONDS:-60}
source=$TW_SOURCE_DIR
if ! printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d == 0 && n; }\n' |
    clang -x c -fsanitize=fuzzer,address -o /dev/null - 2>/dev/null; then
    echo "skipped: clang with libFuzzer is not here"
    exit 77
fi
# shellcheck disable=SC2086
clang -std=c17 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined -I"$source/include" -I"$source/src" -I"$source" -o fuzz \
    "$source/tests/fuzz/trace.c" "$source"/src/trace/*.c "$source"/src/trace/*/*.c "$source/src/base/status.c" \
    "$source/src/base/abi.c" "$source/common/colours.c" "$source/src/base/fence.c" "$source/src/base/lock.c" "$TW_BUILD_DIR/viewer_page.c" -lm || exit 1

rm -rf corpus
mkdir corpus
for n in 20 60 130; do
    "$TW_BIN" potrf -n $n --nb 20 --workers 2 --trace corpus/$n.twt >/dev/null || exit 1
done
head -c 2000 corpus/130.twt >corpus/cut.twt
# with messages between ranks, where there is an MPI
if command -v mpirun >/dev/null 2>&1 && [ -e "$TW_BUILD_DIR/libtwill-openmpi.so" ]; then
    (. "$source/tests/mpi/_run.sh" &&
        run 2 "$TW_BIN" potrf -n 60 --nb 20 --workers 1 --trace corpus/ranks.twt >/dev/null 2>&1)
fi
ASAN_OPTIONS=allocator_may_return_null=1 ./fuzz -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=2048 -max_len=20000 -print_final_stats=1 corpus >fuzz.log 2>&1
status=$?
tail -n 12 fuzz.log
[ $status -eq 0 ] || sed -n '1,200p' fuzz.log
exit $status
