#!/bin/sh
# Files and functions stay small.
exec "$TW_SOURCE_DIR/scripts/check_sizes" "$TW_BUILD_DIR"
