#!/bin/sh
# A program of MPI's own, built from an installed copy: it splits its ranks, runs a Twill in each half,
# and goes on with MPI; and a program without MPI under mpirun.
set -eu
. "$TW_SOURCE_DIR/tests/mpi/_run.sh"
# of the MPI whose module and launcher run uses, where there are several
mpicc=$(command -v mpicc.openmpi || command -v mpicc || true)
if [ -z "$mpicc" ]; then
    echo 'there is no compiler for MPI here'
    exit 77
fi
outside=$TW_SOURCE_DIR/tests/install/outside
prefix=$PWD/prefix
rm -rf "$prefix"

# CMake keeps one list of installed files per build folder; one that was there is put back.
manifest=$TW_BUILD_DIR/install_manifest.txt
[ ! -e "$manifest" ] || cp "$manifest" manifest.before
"${CMAKE:-cmake}" --install "$TW_BUILD_DIR" --prefix "$prefix" >install.log
rm -f "$manifest"
[ ! -e manifest.before ] || mv manifest.before "$manifest"
libdir=$(dirname "$(find "$prefix" -name libtwill.a)")
[ -e "$libdir/libtwill-openmpi.so" ]

export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
# shellcheck disable=SC2046,SC2086
"$mpicc" ${TW_CFLAGS:-} -Wall -Werror "$outside/halves.c" $(pkg-config --cflags --libs twill) -o halves
# shellcheck disable=SC2046,SC2086
${CC:-cc} ${TW_CFLAGS:-} "$outside/outside.c" $(pkg-config --cflags --libs twill) -o alone

# all_ok RANKS COMMAND...: every rank says OK, and nothing is complained about.
all_ok() {
    n=$1
    run "$@" >output 2>errors || {
        cat output errors
        echo "failed: $*"
        exit 1
    }
    [ "$(grep -c '^OK$' output)" = "$n" ] && [ ! -s errors ] || {
        cat output errors
        echo "not OK on $n ranks: $*"
        exit 1
    }
}

module=auto # the one that is installed
limit=400 # a hundred contexts take long where many ranks share few cores
all_ok 4 ./halves
all_ok 3 ./halves
all_ok 2 ./halves funneled
all_ok 2 ./halves often
all_ok 2 ./halves ours
module=off
all_ok 2 ./alone
rm -rf "$prefix"
echo OK
