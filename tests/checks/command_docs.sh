#!/bin/sh
# The man page says what the command's own help says: every subcommand, benchmark, option and
# variable, and none that does not exist.
set -u
page=$TW_SOURCE_DIR/docs/twill.1
[ -x "$TW_BIN" ] || {
    echo "skipped: there is no command"
    exit 77
}
status=0

# The page without its markup.
sed 's/\\-/-/g; s/\\f[A-Z]//g; s/^\.[A-Z]* *//; s/"//g' "$page" >text

names() {
    "$TW_BIN" help "$@" | sed -n 's/^  \([a-z][a-z0-9_-]*\)  *[^ ].*/\1/p'
}
options() {
    "$TW_BIN" help "$@" | sed -n 's/^  \(-[^ ]*\) .*/\1/p'
}

# in_page WORDS: they open a line of the page.
in_page() {
    grep -qE -- "^$1( |$)" text || {
        echo "docs/twill.1 lacks $1"
        status=1
    }
}

: >known
for name in $(names); do
    in_page "$name"
    [ "$name" = help ] || options "$name" >>known
done
for name in $(names bench); do
    in_page "bench $name"
    options bench "$name" >>known
done
sort -u known >sorted
while read -r option; do
    in_page "$option"
done <sorted
"$TW_BIN" info | grep -oE 'TWILL_[A-Z_]+' | sort -u >variables
[ -s variables ] || {
    echo "twill info names no variable"
    status=1
}
while read -r variable; do
    in_page "$variable"
done <variables

# And back: what the page has, the command has.
printf '%s\n' --help --version >>known
grep -oE -- '(^| )--?[a-z][a-z-]*' text | tr -d ' ' | sort -u | while read -r option; do
    grep -qx -e "$option" known || echo "docs/twill.1 has $option, the command has not"
done >extra
grep -oE 'TWILL_[A-Z_]+[A-Z]' text | sort -u | while read -r variable; do
    grep -qx "$variable" variables || echo "docs/twill.1 has $variable, the library has not"
done >>extra
if [ -s extra ]; then
    cat extra
    status=1
fi

# The compiler's page has its options, and no others.
compiler=$TW_SOURCE_DIR/docs/twillc.1
sed 's/\\-/-/g; s/\\f[A-Z]//g; s/^\.[A-Z]* *//; s/"//g' "$compiler" >compiler_text
"$TW_BUILD_DIR/twillc" --help | grep -oE -- '^  --?[a-z][a-z-]*' | tr -d ' ' | sort -u >compiler_known
while read -r option; do
    grep -qE -- "^$option( |$)" compiler_text || {
        echo "docs/twillc.1 lacks $option"
        status=1
    }
done <compiler_known
grep -oE -- '(^| )--?[a-z][a-z-]*' compiler_text | tr -d ' ' | sort -u | while read -r option; do
    grep -qx -e "$option" compiler_known || echo "docs/twillc.1 has $option, the compiler has not"
done >extra
if [ -s extra ]; then
    cat extra
    status=1
fi

# Markup errors, where there is a formatter to find them.
if command -v groff >/dev/null; then
    warnings=$(groff -man -ww -Tutf8 "$page" "$compiler" 2>&1 >/dev/null)
    [ -z "$warnings" ] || {
        echo "$warnings"
        status=1
    }
fi
exit $status
