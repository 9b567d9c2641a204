#!/bin/sh
# The trace page in a browser, with a run that is made up: chart, hover, filter, zoom, search, keys.
set -eu
. "$(dirname "$0")/_need.sh"
need browser
make_page
exec node "$here/_page.mjs"
