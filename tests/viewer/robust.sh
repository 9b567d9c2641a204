#!/bin/sh
# The trace page with odd runs: hostile names, cut off, empty, many rows, wrong statistics; printed.
set -eu
. "$(dirname "$0")/_need.sh"
need browser
make_page
exec node "$here/_robust.mjs"
