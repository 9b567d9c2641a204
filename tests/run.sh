#!/bin/sh
# Run one test: COMMAND... without the caller's TWILL_* variables, which would be options of every
# context that the test starts.
for name in $(env | sed -n 's/^\(TWILL_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
# Some run with tasks on a second memory; random: the test chooses what that is like.
case ${TW_SHADOW:-random} in
random) ;;
*) export TWILL_SHADOW="$TW_SHADOW" ;;
esac
# Nor may what was measured on this machine change what they see.
export XDG_CACHE_HOME="$PWD/cache"
# Kernels for devices are compiled once for all tests, and modules are beside the library.
export POCL_CACHE_DIR="${TW_BUILD_DIR:-$PWD}/tests/pocl"
case $1 in
*/tests/*.*) export LD_LIBRARY_PATH="${TW_BUILD_DIR:-$PWD}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ;;
esac
# Open MPI keeps what a job needs in a folder that all jobs of a user share, and the last one takes it away.
export OMPI_MCA_orte_tmpdir_base="$PWD"

export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}"
# What drivers of devices leave behind is theirs.
export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=${TW_SOURCE_DIR:-.}/tests/leaks.txt:print_suppressions=0}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}"
export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:second_deadlock_stack=1:atexit_sleep_ms=10}"

# Sanitizer builds are linked with a BLAS that would start threads of its own.
case ${TW_BUILD_DIR:-} in
*-asan | *-tsan) export OPENBLAS_NUM_THREADS=1 ;;
esac

# The thread sanitizer cannot place its shadow where the kernel randomises addresses too widely.
case ${TW_BUILD_DIR:-} in
*-tsan)
    if setarch "$(uname -m)" -R true 2>/dev/null; then
        exec setarch "$(uname -m)" -R "$@"
    fi
    ;;
esac
exec "$@"
