#!/bin/sh
# Old programs and newer libraries: a program that is compiled with the kept headers runs with the
# library as it is, and the same binary with a library whose structs have all grown.
set -eu
cmake=${CMAKE:-cmake}
here=$TW_SOURCE_DIR/tests/install/abi
case ${TW_CFLAGS:-} in
*-fsanitize*)
    echo "skipped: the program would need the sanitizer of the library that it runs with"
    exit 77
    ;;
esac
# The folder of the build stays, so that a second run compiles what has changed.
rm -f program
mkdir -p grown

step() {
    echo "-- $*"
}

# runs NAME FOLDER: run the program with the library there; its last line must be OK.
runs() {
    LD_LIBRARY_PATH=$2 ./program >"output.$1" 2>&1 || {
        cat "output.$1"
        echo "the program fails with the $1 library"
        exit 1
    }
    [ "$(tail -n 1 "output.$1")" = OK ]
}

step "compile with the kept headers, link with the library as it is"
"${CC:-cc}" -std=c17 -O1 -Wall -Wextra -Werror -I"$here/include" "$here/program.c" \
    -L"$TW_BUILD_DIR" -ltwill -lpthread -o program
runs current "$TW_BUILD_DIR"

step "build a library whose structs have grown"
for part in CMakeLists.txt LICENSE bench cmake common compiler src viewer include; do
    # times are kept, and what has not changed is not compiled again
    cp -Rp "$TW_SOURCE_DIR/$part" grown/
done
rm -rf before && mkdir before && cp -p grown/include/twill/*.h before/
python3 "$here/_grow.py" grown/include/twill >grown.structs
sed -i 's/^\(#define TWILL_VERSION_MINOR\) .*/\1 99/' grown/include/twill/status.h
for header in before/*.h; do # older than what is compiled with them, unless they have changed
    touch -r "$header" "grown/include/twill/$(basename "$header")"
done
count=$(grep -c . grown.structs)
[ "$count" -ge 18 ] || {
    echo "only $count structs have grown:"
    cat grown.structs
    exit 1
}
"$cmake" -S grown -B grown/build -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1" -DTWILL_TESTS=OFF \
    -DTWILL_EXAMPLES=OFF >cmake.log 2>&1
"$cmake" --build grown/build --target twill -j 2 >>cmake.log 2>&1 || {
    tail -n 30 cmake.log
    exit 1
}

step "run the same binary with it"
runs grown "$PWD/grown/build"
cmp output.current output.grown
echo OK
