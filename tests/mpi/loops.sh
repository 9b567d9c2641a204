#!/bin/sh
# twillc --distribute: programs of tests/ptg/loops/ranks do on ranks what they do without them, and every
# rank has the results.
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
fail() {
    echo "FAILED: $1"
    cat err 2>/dev/null
    exit 1
}

# How a program says it in a comment.
said() {
    sed -n "s|^// $2: ||p" "$1"
}

# All ranks of $2 say what $1 says without Twill.
compare() {
    TWILL_WORKERS=2 run "$2" "./${1}_ranks" >out 2>err || fail "$1 on $2 ranks"
    [ "$(wc -l <out)" = "$2" ] && [ "$(sort -u out)" = "$(cat "$1.out")" ] ||
        fail "$1 on $2 ranks: $(cat out) instead of $(cat "$1.out")"
}

flags="$TW_CFLAGS -std=gnu17 -O1 -Wall -Wno-unknown-pragmas -I$TW_SOURCE_DIR/include"
for path in "$TW_SOURCE_DIR"/tests/ptg/loops/ranks/*.c; do
    name=$(basename "$path" .c)
    # shellcheck disable=SC2046
    "$TW_BUILD_DIR/twillc" --from-c "$path" --distribute --function "$(said "$path" function)" \
        $(said "$path" options) -o "${name}_ptg.c" 2>err || {
        grep -q -e 'built without them' -e 'this machine has none' err && cat err && exit 77
        fail "$name is refused"
    }
    # shellcheck disable=SC2086
    ${CC:-cc} $flags "$path" -o "$name" -lm 2>err || fail "$name is not compiled"
    # shellcheck disable=SC2086
    ${CC:-cc} $flags "${name}_ptg.c" -o "${name}_ranks" -L"$TW_BUILD_DIR" -ltwill \
        -Wl,-rpath,"$TW_BUILD_DIR" -lm 2>err || fail "${name}_ptg.c is not compiled"
    "./$name" >"$name.out" || fail "$name"
    for ranks in 1 2 4; do
        compare "$name" "$ranks"
    done
done
TWILL_STATS=on TWILL_WORKERS=1 run 2 ./cholesky_ranks >out 2>err || fail 'no statistics'
grep -q 'between 2 ranks' err || fail 'the ranks have done it each by itself'
exit 0
