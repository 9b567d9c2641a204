#!/bin/sh
# The faults that scripts/mutants plants fit the sources.
exec "$TW_SOURCE_DIR/scripts/mutants" -c
