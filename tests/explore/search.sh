#!/bin/sh
# Three minutes of search over all programs, schedulers, numbers of workers and strategies.
case $(uname -m) in
x86_64) ;;
*)
    echo "the explorer runs on x86-64 only"
    exit 77
    ;;
esac
EXPLORE_SECONDS=${EXPLORE_SECONDS:-180} exec "$TW_SOURCE_DIR/scripts/explore"
