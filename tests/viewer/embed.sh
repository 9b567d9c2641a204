#!/bin/sh
# The page and the C array hold the same bytes; what cannot be joined is refused.
set -eu
. "$(dirname "$0")/_need.sh"

fail() {
    echo "FAILED: $*"
    exit 1
}

make_page -D SOURCE=viewer_page.c
cat >print.c <<'END'
#include "trace/output/viewer_page.h"
#include <stdio.h>

int main(void)
{
    return fwrite(tw_viewer_page, 1, tw_viewer_page_length, stdout) != tw_viewer_page_length ||
           tw_viewer_page[tw_viewer_page_length] != '\0';
}
END
"${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Werror -I "$TW_SOURCE_DIR/src" print.c viewer_page.c \
    -o print_page
./print_page >printed.html || fail "the array does not end with a zero byte"
cmp printed.html viewer_page.html || fail "the array is not the page"
for marker in META DATA; do
    [ "$(grep -c "<!--TWILL_$marker-->" viewer_page.html)" -eq 1 ] || fail "no marker $marker, or two"
done
if grep -nE "(src|href)=[\"'](https?:)?//" viewer_page.html; then
    fail "the page refers to something outside of it"
fi

# refuses WHAT LINE: a module with that line must not become part of a page.
refuses() {
    rm -rf broken
    cp -R "$TW_SOURCE_DIR/viewer" broken
    echo "$2" >>broken/main.js
    if "${CMAKE:-cmake}" -D VIEWER=broken -D PAGE=broken.html \
        -P "$TW_SOURCE_DIR/cmake/EmbedViewer.cmake" 2>/dev/null; then
        fail "$1 was taken"
    fi
}
refuses "an import of everything" 'import * as all from "./view.js";'
refuses "an export of a list" 'export { all };'
refuses "the end of a script" 'const end = "</script>";'
echo "passed"
