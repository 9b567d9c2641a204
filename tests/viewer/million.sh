#!/bin/sh
# A million tasks: the page is there in less than three seconds and stays quick.
set -eu
. "$(dirname "$0")/_need.sh"
need browser
make_page
node "$TW_SOURCE_DIR/viewer/sample.mjs" --template viewer_page.html --out million.html \
    --tasks 1000000 --workers 8
status=0
node "$here/_million.mjs" million.html || status=$?
rm -f million.html
exit $status
