#!/bin/sh
# Completion in bash offers subcommands, options and choices; the other shells' files parse.
set -u
[ -x "$TW_BIN" ] || {
    echo "skipped: there is no command"
    exit 77
}
files=$TW_SOURCE_DIR/completions
status=0
for shell in zsh:_twill zsh:_twillc fish:twill.fish fish:twillc.fish; do
    if command -v "${shell%%:*}" >/dev/null; then
        "${shell%%:*}" -n "$files/${shell##*:}" || status=1
    fi
done

# offers EXPECTED WORDS...: completing the last of the words offers the expected ones, perhaps
# among others; an expectation of "only X" allows X alone.
cat >ask.bash <<'BASH'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_twill
printf '%s\n' "${COMPREPLY[@]}"
BASH
offers() {
    expected=$1
    shift
    got=$(bash ask.bash "$files/twill.bash" "$TW_BIN" "$@" | sort | tr '\n' ' ')
    case $expected in
    "only "*) [ "$got" = "${expected#only } " ] && return ;;
    *)
        missing=
        for word in $expected; do
            case " $got" in
            *" $word "*) ;;
            *) missing="$missing $word" ;;
            esac
        done
        [ -z "$missing" ] && return
        ;;
    esac
    echo "twill $*: expected '$expected', got '$got'"
    status=1
}
offers "info potrf bench help --version" ""
offers "only potrf potri potrs" potr
offers "posv_mixed gesv_mixed unmqr" ""
offers "info potrf bench" help ""
offers "tasks chol" bench ""
offers "trace" ""
offers "--stats --why-idle --to --compare --json" trace run.twt ""
offers "--tasks --no-peers" bench tasks ""
offers "only --tasks" bench tasks --ta
offers "-n --nb --type --check --help" potrf ""
offers "only --uplo" potrf --up
offers "only c d s z" potrf --type ""
offers "only c d s z" potrf --type = ""
offers "only off on" potrf -n 100 --priority o
offers "lws rand" potrf --sched ""
offers "only lws" potrf --sched lw

# twillc: options, choices of --print, files.
touch graph.jdf other.txt
got=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _twillc
    printf "%s " "${COMPREPLY[@]}"' - "$files/twillc.bash" "$TW_BUILD_DIR/twillc" --print t)
[ "$got" = "tasks " ] || { echo "twillc --print t: got '$got'"; status=1; }
got=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _twillc
    printf "%s " "${COMPREPLY[@]}"' - "$files/twillc.bash" "$TW_BUILD_DIR/twillc" --no)
[ "$got" = "--no-line " ] || { echo "twillc --no: got '$got'"; status=1; }
got=$(bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _twillc
    printf "%s " "${COMPREPLY[@]}"' - "$files/twillc.bash" "$TW_BUILD_DIR/twillc" --check g)
[ "$got" = "graph.jdf " ] || { echo "twillc --check g: got '$got'"; status=1; }
exit $status
