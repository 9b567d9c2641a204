#!/bin/sh
# Three minutes of search over all programs, schedulers, numbers of workers and strategies.
EXPLORE_SECONDS=${EXPLORE_SECONDS:-180} exec "$TW_SOURCE_DIR/scripts/explore"
