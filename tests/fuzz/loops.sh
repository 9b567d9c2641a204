#!/bin/sh
# A coverage-guided fuzzer on the reader of printed functions, seeded by the programs of loops: no crash,
# hang or leak. TW_FUZZ_SECONDS says for how long (20); TW_FUZZ_CORPUS keeps what it finds from run to run.
set -u
seconds=${TW_FUZZ_SECONDS:-20}
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

sources=$(find "$TW_SOURCE_DIR/common" -name '*.c')
for name in source arena loops/c/lex loops/c/parse loops/c/parse_expr loops/c/tree; do
    sources="$sources $TW_SOURCE_DIR/compiler/$name.c"
done
# shellcheck disable=SC2086
clang -std=c17 -D_GNU_SOURCE -O1 -g -fno-sanitize-recover=all -fsanitize=fuzzer,address,undefined \
    -I"$TW_SOURCE_DIR/compiler" -I"$TW_SOURCE_DIR" "$TW_SOURCE_DIR/tests/fuzz/loops.c" $sources \
    -o fuzzer || exit 1

cat >words.txt <<'WORDS'
"#pragma omp task depend(inout : "
"for (int i = 0; i < n; i++)"
"(tile *)"
"sizeof"
"else"
"return"
"continue"
"[0:n]"
"++"
"->"
" ? 1 : 0"
"\x0a"
WORDS
found=${TW_FUZZ_CORPUS:-found}
mkdir -p "$found"
./fuzzer -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1500 -max_len=4000 -dict=words.txt \
    -print_final_stats=1 "$found" "$TW_SOURCE_DIR/tests/ptg/loops/accept" \
    "$TW_SOURCE_DIR/tests/ptg/loops/reject" "$TW_SOURCE_DIR/tests/ptg/loops/openmp" >fuzz.log 2>&1
status=$?
tail -n 15 fuzz.log
[ $status -eq 0 ] || grep -nE 'ERROR|SUMMARY|runtime error' fuzz.log
exit $status
