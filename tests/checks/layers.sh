#!/bin/sh
# The sources keep to the layers, and the check that says so sees an include that does not.
set -u
check=$TW_SOURCE_DIR/scripts/check_layers
"$check" "$TW_SOURCE_DIR" || exit 1

# plant FILE LINE: with this line at its end, the copy of the tree must be refused.
plant() {
    rm -rf tree
    mkdir tree
    for folder in src common tools examples bench compiler; do
        [ ! -d "$TW_SOURCE_DIR/$folder" ] || cp -R "$TW_SOURCE_DIR/$folder" tree/
    done
    mkdir -p "tree/$(dirname "$1")"
    echo "$2" >>"tree/$1"
    if "$check" tree >output; then
        echo "not seen: $2 in $1"
        exit 1
    fi
    grep -q "^$1:" output || {
        echo "seen, but not named: $2 in $1"
        cat output
        exit 1
    }
}

# allow FILE LINE: this is within the rules.
allow() {
    rm -rf tree
    mkdir -p "tree/$(dirname "$1")"
    echo "$2" >"tree/$1"
    "$check" tree || {
        echo "refused: $2 in $1"
        exit 1
    }
}

plant src/base/planted.c '#include "data/tile.h"'
plant src/base/planted.h '  #  include "engine/context.h"'
plant src/sched/planted.c '#include "data/tile.h"'
plant src/data/planted.c '#include <comm/bytes.h>'
plant src/engine/planted.c '#include "front/stf/stf.h"'
plant src/front/stf/planted.c '#include "front/dag/dag.h"'
plant src/front/dag/planted.c '#include "front/stf/stf.h"'
plant src/front/planted.c '#include "front/stf/stf.h"'
plant src/array/planted.c '#include "la/kernels.h"'
plant src/la/planted.c '#include "compat/pcp.h"'
plant src/la/planted.c '#include "../base/status.h"'
plant src/la/planted.c '#include "kernels.h"'
plant src/elsewhere/planted.c '#include "base/status.h"'
plant tools/planted.c '#include "base/status.h"'
plant tools/planted.c '#include "../src/base/status.h"'
plant examples/planted.c '#include "la/kernels.h"'
plant bench/planted.c '#include "engine/context.h"'
plant examples/planted.c '#include "common/nearest.h"'
plant compiler/planted.c '#include "base/status.h"'
plant common/planted.c '#include "base/status.h"'
plant common/planted.c '#include <twill/status.h>'

allow src/base/planted.c '#include "base/status.h"'
allow src/la/planted.c '#include "front/stf/stf.h"'
allow src/front/stf/planted.c '#include "engine/context.h"'
allow src/front/stf/planted.c '#include "front/front.h"'
allow src/la/planted.c '#include <twill/la.h>'
allow tools/planted.c '#include "options.h"'
allow tools/planted.c '#include "common/nearest.h"'
allow compiler/planted.c '#include "common/nearest.h"'
allow src/base/planted.c '#include "common/nearest.h"'
allow common/planted.c '#include "common/nearest.h"'
allow common/planted.c '#include <string.h>'
