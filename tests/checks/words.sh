#!/bin/sh
# Words that the tree has given up are refused, and there are none.
set -u
"$TW_SOURCE_DIR/scripts/check_words" || exit 1

# It notices one: in a tree of its own, with a file that has it.
rm -rf planted && mkdir -p planted/scripts planted/src && cd planted || exit 1
cp "$TW_SOURCE_DIR/scripts/check_words" scripts/
echo 'static int take_seat;' >src/planted.c
git init -q . && git add -A || exit 1
if ./scripts/check_words; then
    echo "a word that was given up is not noticed"
    exit 1
fi
echo 'static int slot;' >src/planted.c
./scripts/check_words
