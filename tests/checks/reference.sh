#!/bin/sh
# Every function that the library exports has a man page, which leads to its declaration and to words
# about it; and the pages are pages.
set -u
status=0
say() {
    echo "$*"
    status=1
}
man3=$PWD/man3
"$TW_SOURCE_DIR/scripts/reference" "$man3" || exit 1

# The text that follows a declaration, up to the next one.
words_of() {
    awk -v name="$1" '
        index($0, name "(") && bold { found = 1 }
        /^\.ft B/ { bold = 1; if (said) exit }
        /^\.ft R/ { bold = 0 }
        found && !bold && !/^\./ { print; said = 1 }' "$2"
}

count=0
for name in $(nm -D --defined-only "$TW_BUILD_DIR/libtwill.so" | sed -n 's/.* T \(twill_[a-z0-9_]*\).*/\1/p'); do
    count=$((count + 1))
    page=$(sed -n 's|^\.so man3/||p' "$man3/$name.3" 2>/dev/null)
    if [ -z "$page" ] || [ ! -e "$man3/$page" ]; then
        say "$name has no page"
    elif [ "$(words_of "$name" "$man3/$page" | wc -w)" -lt 3 ]; then
        say "$name: $page says nothing about it"
    fi
done
[ "$count" -gt 150 ] || say "the library exports $count functions only"
for header in "$TW_SOURCE_DIR"/include/twill/*.h; do
    name=$(basename "$header")
    [ -e "$man3/twill_$name.3" ] || [ -e "$man3/$name.3" ] || say "$name has no page"
done
if command -v groff >/dev/null; then
    for page in "$man3"/*.h.3; do
        warnings=$(groff -man -ww -Tutf8 -z "$page" 2>&1 | grep -v "can't break line")
        [ -z "$warnings" ] || say "$warnings"
    done
fi
# A mistake would be noticed: without the words of one function there are none.
sed '/^Wait until all tasks of the graph so far/,/^\.RE/d' "$man3/twill_graph.h.3" >cut.3
[ "$(words_of twill_wait cut.3 | wc -w)" -lt "$(words_of twill_wait "$man3/twill_graph.h.3" | wc -w)" ] ||
    say "nobody would notice that twill_wait has no words"
echo "$count functions"
exit $status
