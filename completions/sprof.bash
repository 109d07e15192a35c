# Bash completion for sprof, which itself says what may stand there: sprof --complete
# shellcheck shell=bash

# The words of the line, the last one empty behind a blank. Bash itself takes "group:name" for three.
_sprof_words() {
    local line=${COMP_LINE:0:${COMP_POINT:-0}} split

    if [[ -z $line ]]; then
        printf '%s\n' "${COMP_WORDS[@]}"
    else
        read -ra split <<<"$line"
        [[ $line != *' ' ]] || split+=("")
        printf '%s\n' "${split[@]}"
    fi
}

# The command line of another program, whose name is word $1 and which ends with $2.
_sprof_program() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif [[ $COMP_CWORD -eq $1 ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$2")
    fi
}

_sprof() {
    local words word offered

    mapfile -t words < <(_sprof_words)
    word=${words[-1]}
    COMPREPLY=()
    while IFS=$'\t' read -r offered _; do
        case $offered in
        @file) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        @folder) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
        "@program "*) _sprof_program "${offered#* }" "$word" ;;
        *) COMPREPLY+=("$offered") ;;
        esac
    done < <(sprof --complete "${words[@]:1}" 2>/dev/null)
    [[ -z $COMP_LINE || $word != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${word%:*}:"}")
}

complete -o filenames -F _sprof sprof
