#!/bin/sh
# A coverage-guided fuzzer on the compiler, seeded by the corpus: no crash, hang or leak.
# TW_FUZZ_SECONDS says for how long (60); TW_FUZZ_CORPUS keeps what it finds from run to run.
set -u
seconds=${TW_FUZZ_SECONDS:-60}
clang=$(command -v clang || true)
[ -n "$clang" ] || {
    echo "skipped: there is no clang"
    exit 77
}
printf '#include <stddef.h>\nint LLVMFuzzerTestOneInput(const char *d, size_t n);\n' >probe.c
printf 'int LLVMFuzzerTestOneInput(const char *d, size_t n) { (void)d; (void)n; return 0; }\n' >>probe.c
clang -fsanitize=fuzzer,address,undefined probe.c -o probe 2>/dev/null || {
    echo "skipped: this clang has no libFuzzer"
    exit 77
}

sources=$(find "$TW_SOURCE_DIR/compiler" "$TW_SOURCE_DIR/common" -name '*.c' ! -name main.c ! -path '*/verify/*' ! -path '*/loops/*')
# shellcheck disable=SC2086
clang -std=c17 -D_GNU_SOURCE -DTWILLC_VERSION='"fuzz"' -O1 -g -fno-sanitize-recover=all \
    -fsanitize=fuzzer,address,undefined -I"$TW_SOURCE_DIR/compiler" -I"$TW_SOURCE_DIR" \
    "$TW_SOURCE_DIR/tests/fuzz/twillc.c" $sources -o fuzzer || exit 1

cat >words.txt <<'WORDS'
"BODY\x0aEND\x0a"
"%{ return 1; %}"
"inline_c"
"%option"
"extern \"C\""
" .. "
"<-"
"->"
"CTL"
"READ"
"WRITE"
"RW"
"NEW"
"NULL"
"rowRANK"
"(high_priority)"
"[type="
"SIMCOST"
WORDS
found=${TW_FUZZ_CORPUS:-found}
mkdir -p "$found"
./fuzzer -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -max_len=6000 -dict=words.txt \
    -print_final_stats=1 "$found" "$TW_SOURCE_DIR/tests/ptg/accept" \
    "$TW_SOURCE_DIR/tests/ptg/reject" >fuzz.log 2>&1
status=$?
tail -n 15 fuzz.log
[ $status -eq 0 ] || grep -nE 'ERROR|SUMMARY|runtime error' fuzz.log
exit $status
