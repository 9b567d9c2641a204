# Completion of the twill command for fish. The command itself says what there is to complete, so
# this file knows no subcommand, benchmark or option by name.

# The words that name a help page: `help`, a subcommand, and with `bench` the benchmark.
function __twill_page
    set -l words (commandline -opc)
    set -e words[1]
    test "$words[1]" = help; and set -e words[1]
    test (count $words) -gt 0; or return
    echo $words[1]
    test "$words[1]" = bench; and test (count $words) -gt 1; and echo $words[2]
end

# True where the next word must still be a name.
function __twill_needs_name
    set -l page (__twill_page)
    test (count $page) -eq 0; or test "$page" = bench
end

# Names and what they are, separated by a tab.
function __twill_names
    twill help (__twill_page) 2>/dev/null |
        string replace -rf '^  ([a-z][a-z0-9_-]*)  *([^ ].*)$' '$1\t$2'
end

# Options and what they are; after an option with choices (a|b|c), those.
function __twill_options
    set -l help (twill help (__twill_page) 2>/dev/null)
    set -l previous (commandline -opc)[-1]
    set -l choices (string replace -rf -- "^  $previous ([^ ]*\|[^ ]*) .*" '$1' $help)
    if test -n "$choices"
        string split '|' $choices
    else
        string replace -rf '^  (-[^ ]+) (?:[^ ]+ )? *(.*)$' '$1\t$2' $help
        printf '%s\t%s\n' --help 'print the help page'
    end
end

function __twill_schedulers
    twill info 2>/dev/null | sed -n '/^schedulers$/,/^$/s/^  \([^ ]*\) .*/\1/p'
end

complete -c twill -f
complete -c twill -n __twill_needs_name -a '(__twill_names)'
complete -c twill -n 'not __twill_needs_name' -a '(__twill_options)'
complete -c twill -n 'not __twill_needs_name' -l save -x -a '(__fish_complete_directories)'
for option in trace to compare load draw b
    complete -c twill -n 'not __twill_needs_name' -l $option -r -F
end
complete -c twill -n '__fish_seen_subcommand_from trace' -F
complete -c twill -n 'not __twill_needs_name' -l sched -x -a '(__twill_schedulers)'
