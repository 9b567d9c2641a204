# Completion of the twill command for bash. The command itself says what there is to complete, so
# this file knows no subcommand, benchmark or option by name.

# Names in a list such as `twill help` prints: two blanks, the name, blanks, what it is.
_twill_names() {
    "$@" 2>/dev/null | sed -n 's/^  \([a-z][a-z0-9_-]*\)  *[^ ].*/\1/p'
}

# Options in a help page, and the choices (a|b|c) of one of them.
_twill_options() {
    "$@" 2>/dev/null | sed -n 's/^  \(-[^ ]*\) .*/\1/p'
}
_twill_choices() {
    local option=$1
    shift
    "$@" 2>/dev/null | sed -n "s/^  $option \([^ ]*|[^ ]*\) .*/\1/p" | tr '|' ' '
}

_twill() {
    local twill=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]}
    local previous=${COMP_WORDS[COMP_CWORD-1]}
    local -a page=("$twill" help)
    local depth=1
    COMPREPLY=()

    # How many words name the page: nothing, a subcommand, or `bench` and its benchmark.
    [[ ${COMP_WORDS[1]} == help ]] && depth=2
    if ((COMP_CWORD > depth)); then
        page+=("${COMP_WORDS[depth]}")
        if [[ ${COMP_WORDS[depth]} == bench ]]; then
            depth=$((depth + 1))
            ((COMP_CWORD > depth)) && page+=("${COMP_WORDS[depth]}")
        fi
    fi

    if ((COMP_CWORD == depth)); then
        local names
        names=$(_twill_names "${page[@]}")
        ((depth == 1)) && names+=" --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
        return
    fi
    [[ ${COMP_WORDS[1]} == help ]] && return

    # --option=value arrives as three words, --option value as two.
    if [[ $current == = ]]; then
        current=
    elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    case $previous in
    --trace | --to | --compare | --load | --draw | -b | --b)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    --save)
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        return
        ;;
    --sched)
        local schedulers
        schedulers=$("$twill" info 2>/dev/null |
            sed -n '/^schedulers$/,/^$/s/^  \([^ ]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$schedulers" -- "$current")
        return
        ;;
    -*)
        local choices
        choices=$(_twill_choices "$previous" "${page[@]}")
        if [[ -n $choices ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$current")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$(_twill_options "${page[@]}") --help" -- "$current")
}

complete -F _twill twill
