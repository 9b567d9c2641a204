#!/bin/sh
# Nothing unfinished is left.
exec "$TW_SOURCE_DIR/scripts/check_leftovers" "$TW_BUILD_DIR"
