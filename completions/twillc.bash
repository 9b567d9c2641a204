# Completion of twillc for bash. The compiler itself says which options there are.

_twillc() {
    local twillc=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local help
    help=$("$twillc" --help 2>/dev/null)
    case $previous in
    --print)
        local choices
        choices=$(sed -n 's/^  --print \([^ ]*\).*/\1/p' <<<"$help")
        mapfile -t COMPREPLY < <(compgen -W "${choices//|/ }" -- "$current")
        return
        ;;
    -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    -n) return ;;
    esac
    if [[ $current == -* ]]; then
        local options
        options=$(grep -oE -- '^  --?[a-z][a-z-]*' <<<"$help")
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        mapfile -t COMPREPLY < <(compgen -f -X '!*.jdf' -- "$current"; compgen -d -- "$current")
    fi
}

complete -o filenames -F _twillc twillc
