#!/bin/sh
# The parts of the trace page that need no browser.
set -eu
. "$(dirname "$0")/_need.sh"
need node
exec node --test "$here/_units.mjs"
