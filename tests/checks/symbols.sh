#!/bin/sh
# The library exports the public API and nothing else.
exec "$TW_SOURCE_DIR/scripts/check_symbols" "$TW_BUILD_DIR"
