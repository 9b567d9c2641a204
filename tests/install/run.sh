#!/bin/sh
# Install into an empty prefix, build programs outside against it in every way we promise, run
# them, and uninstall: nothing stays.
set -eu
cmake=${CMAKE:-cmake}
outside=$TW_SOURCE_DIR/tests/install/outside
rm -rf prefix copy build-outside pkg manifest.before
prefix=$PWD/prefix

step() {
    echo "-- $*"
}

# says_ok COMMAND...: run it; its last line must be OK.
says_ok() {
    "$@" >output || {
        cat output
        echo "failed: $*"
        exit 1
    }
    [ "$(tail -n 1 output)" = OK ]
}

step install
# CMake keeps one list of installed files per build folder; one that was there is put back.
manifest=$TW_BUILD_DIR/install_manifest.txt
[ ! -e "$manifest" ] || cp "$manifest" manifest.before
"$cmake" --install "$TW_BUILD_DIR" --prefix "$prefix" >install.log
cp "$manifest" manifest
rm "$manifest"
[ ! -e manifest.before ] || mv manifest.before "$manifest"
libdir=$(dirname "$(find "$prefix" -name libtwill.a)")

step "files are where tools look for them"
for file in bin/twill bin/twillc share/man/man1/twillc.1 share/man/man3/twill_start.3 share/man/man3/twill_array.h.3 include/twill/twill.h share/man/man1/twill.1 \
    share/bash-completion/completions/twill share/bash-completion/completions/twillc share/zsh/site-functions/_twill \
    share/fish/vendor_completions.d/twill.fish; do
    [ -s "$prefix/$file" ] || {
        echo "missing: $file"
        exit 1
    }
done
abi=$(sed -n 's/^#define TWILL_ABI //p' "$TW_SOURCE_DIR/include/twill/status.h")
[ -L "$libdir/libtwill.so" ] && [ -L "$libdir/libtwill.so.$abi" ]
for header in "$TW_SOURCE_DIR"/include/twill/*.h; do
    cmp "$header" "$prefix/include/twill/$(basename "$header")"
done
if grep -rIl -e "$TW_SOURCE_DIR" -e "$TW_BUILD_DIR" "$prefix"; then
    echo "installed text files name the source or build folder"
    exit 1
fi

step "the command"
"$prefix/bin/twill" --version
"$prefix/bin/twill" potrf -n 200 --check --quiet

# The same flags as the library, so that a sanitizer's run-time is there.
sanitizer=
if nm -D "$libdir/libtwill.so" | grep -q __asan_; then
    sanitizer='-fsanitize=address,undefined'
elif nm -D "$libdir/libtwill.so" | grep -q __tsan_; then
    sanitizer='-fsanitize=thread'
fi

step "find_package, shared, static and C++"
"$cmake" -S "$outside" -B build-outside -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_FLAGS="$sanitizer" -DCMAKE_CXX_FLAGS="$sanitizer" >cmake.log
"$cmake" --build build-outside >>cmake.log
for kind in shared static cxx graph; do
    says_ok build-outside/outside_$kind
done
ldd build-outside/outside_shared | grep -q libtwill
if ldd build-outside/outside_static | grep -q libtwill; then
    echo "outside_static uses the shared library"
    exit 1
fi

step "pkg-config, shared"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
pkg-config --exists --print-errors twill
mkdir pkg
# shellcheck disable=SC2046,SC2086
${CC:-cc} $sanitizer -Wall -Werror "$outside/outside.c" $(pkg-config --cflags --libs twill) -o pkg/shared
LD_LIBRARY_PATH=$libdir says_ok pkg/shared

step "pkg-config, static, from a prefix that was moved"
cp -R "$prefix" copy
copy_libdir=$PWD/copy/${libdir#"$prefix"/}
# shellcheck disable=SC2046,SC2086
${CC:-cc} $sanitizer -Wall -Werror "$outside/outside.c" \
    $(PKG_CONFIG_PATH=$copy_libdir/pkgconfig pkg-config --cflags --libs twill-static) -o pkg/static
says_ok pkg/static
if ldd pkg/static | grep -q libtwill; then
    echo "the static program uses the shared library"
    exit 1
fi

step "a program for the PCP interface"
for header in pcp.h spin-barrier.h; do
    cmp "$TW_SOURCE_DIR/include/pcp/$header" "$prefix/include/$header"
    printf '#include <%s>\nstruct nothing;\n' "$header" | ${CC:-cc} -Wall -Wextra -Wpedantic -Werror -Wno-unused \
        -std=c11 -I"$prefix/include" -x c -fsyntax-only -
done
# shellcheck disable=SC2086
${CC:-cc} $sanitizer -Wall -Wextra -Werror "$outside/pcp.c" -I"$prefix/include" -L"$libdir" -lpcp -lm -o pkg/pcp
# threads, reserved ones, mode: regular, fixed, with more threads than cores, one, too many; adaptive
for how in '2 1 0' '2 1 1' '4 2 1' '1 1 1' '3 9 1' '3 1 2'; do
    # shellcheck disable=SC2086
    (cd pkg && LD_LIBRARY_PATH=$libdir says_ok ./pcp $how)
done
(cd pkg && yes 2 | LD_LIBRARY_PATH=$libdir says_ok ./pcp 3 1 3 && grep -q 'prescribed     actual difference' output)
grep -q '^Longest path length *= [0-9.]* (' pkg/output
grep -q 'begin{tikzpicture}' pkg/trace.tex

step uninstall
"$cmake" -DMANIFEST="$PWD/manifest" -P "$TW_SOURCE_DIR/cmake/uninstall.cmake" >uninstall.log 2>&1
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || {
    echo "left behind:"
    echo "$left"
    exit 1
}
left=$(find "$prefix" -iname '*twill*')
[ -z "$left" ] || {
    echo "folders left behind: $left"
    exit 1
}
rm -rf prefix copy build-outside pkg
echo OK
