#!/bin/sh
# The documentation is complete.
exec "$TW_SOURCE_DIR/scripts/check_docs" "$TW_BUILD_DIR"
