#!/bin/sh
# Every header compiles alone, in C and C++.
exec "$TW_SOURCE_DIR/scripts/check_headers" "$TW_BUILD_DIR"
