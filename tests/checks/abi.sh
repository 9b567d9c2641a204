#!/bin/sh
# The public headers keep what programs that were compiled before rely on, and a change that breaks
# them is noticed.
set -u
check=$TW_SOURCE_DIR/scripts/check_abi
"$check" || exit 1

# changed EXPRESSION: a copy of the headers with one line edited, in ./changed.
changed() {
    rm -rf changed && mkdir changed && cp -R "$TW_SOURCE_DIR/include/twill" changed/ || exit 1
    sed -i -E "$1" changed/twill/*.h
    if diff -rq "$TW_SOURCE_DIR/include/twill" changed/twill >/dev/null; then
        echo "this edit fits nothing any more: $1"
        exit 1
    fi
}

# breaks EXPRESSION WORDS: it is noticed, in a sentence with these words.
breaks() {
    changed "$1"
    if "$check" --compare "$TW_SOURCE_DIR/include" changed >output 2>&1 || ! grep -q "$2" output; then
        cat output
        echo "not noticed, or not so: $1"
        exit 1
    fi
}

# harmless EXPRESSION: it is allowed.
harmless() {
    changed "$1"
    "$check" --compare "$TW_SOURCE_DIR/include" changed || {
        echo "refused: $1"
        exit 1
    }
}

breaks 's/^    int64_t stolen; .*$/    int stolen;/' 'twill_counters.stolen is of another type'
breaks '/^    int64_t skipped; /d' 'twill_counters.skipped is gone'
breaks 's/^    int64_t skipped; .*$/    int64_t early, skipped;/' 'twill_counters.skipped has another offset'
breaks 's/^    int cores_allowed; .*$/    int cores_allowed, early;/' 'members between'
breaks 's/^    int reserved;  .*0.*$//' 'twill_blas.reserved is gone'
breaks 's/^(    int64_t copy_wait_ns; .*)$/\1\n    int later;/' 'twill_counters ends with padding'
breaks 's/^(    int64_t extent\[TWILL_DIMS\];)$/\1 int64_t more;/' 'twill_view'
breaks 's/TWILL_DIMS = 6/TWILL_DIMS = 7/' 'TWILL_DIMS'
breaks 's/^    TWILL_ERR_STUCK, .*$//' 'TWILL_ERR_STUCK'
breaks 's/^    TWILL_CHORE_CPU,/    TWILL_CHORE_EARLY,\n    TWILL_CHORE_CPU,/' 'TWILL_CHORE_CPU'
breaks 's/twill_workers\(const twill \*tw\)/twill_workers(twill *tw)/' 'twill_workers'
breaks '/twill_workers/d' 'twill_workers is gone'
breaks 's/int w, int victim, int n\);/int w, int victim, int64_t n);/' 'twill_sched_env.stolen'
breaks 's/^#define TWILL_ABI .*/#define TWILL_ABI 99/' 'TWILL_ABI'
harmless 's/^(    int64_t copy_wait_ns; .*)$/\1\n    int64_t later;/'
harmless 's/^(    TWILL_CHORE_HOST)\b/\1, TWILL_CHORE_LATER/'
harmless 's/twill_workers\(const twill \*tw\)/twill_workers(const twill *context)/'
harmless 's/^(TWILL_API int twill_workers.*)$/\1\nTWILL_API int twill_later(void);/'
harmless 's/^(        twill_outcome \(\*cpu\)\(twill_task \*task\);)$/\1 void (*later)(int);/'
breaks 's/^(    int64_t) reserved\[2\];.*$/\1 later, reserved[2];/' 'twill_view.reserved'
breaks 's/^    int64_t reserved\[2\];.*$/    int64_t reserved[1];/' 'twill_view.reserved is gone'
harmless 's/^(    int64_t) reserved\[2\];.*$/\1 later; int64_t reserved[1];/'
rm -rf changed output
