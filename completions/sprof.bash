# Bash completion for sprof. The commands and options are those that --help lists.
# shellcheck shell=bash

_sprof_commands() {
    sprof --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'
}

_sprof_options() {
    sprof "$1" --help 2>/dev/null | sed -n 's/^  \(-., \)* \{0,4\}\(--[a-z-]*\).*/\2/p'
}

# Those that want a value, with their short names.
_sprof_valued() {
    sprof "$1" --help 2>/dev/null | sed -nE 's/^ {2,6}((-., )*--[a-z-]+) [A-Z].*/\1/p' | tr -d ,
}

# Kernel threads have no memory, and nothing that could be profiled.
_sprof_pids() {
    local maps

    for maps in /proc/[0-9]*/statm; do
        [[ $(cat "$maps" 2>/dev/null) == 0\ * ]] || basename "${maps%/statm}"
    done
}

# Names of events, of which "sys_enter_*" stands for one with each call.
_sprof_event_names() {
    sprof events 2>/dev/null | sed -n 's/^\([a-z_]*:[a-z_]*\|profile\)\**  .*/\1/p'
}

# The last of a list with commas: _sprof_list WORDS LIST
_sprof_list() {
    compgen -P "${2%"${2##*,}"}" -W "$1" -- "${2##*,}"
}

# The words of the line. Bash itself takes "group:name" for three.
_sprof_words() {
    local line=${COMP_LINE:0:${COMP_POINT:-0}}

    if [[ -z $line ]]; then
        printf '%s\n' "${COMP_WORDS[@]}"
    else
        tr -s ' ' '\n' <<<"$line"
    fi
}

_sprof_value_of() {
    case $1 in
    trace\ -e | trace\ --event | multi-trace\ -e | multi-trace\ --event) _sprof_list "$(_sprof_event_names)" "$2" ;;
    syscalls\ -e | syscalls\ --event)
        _sprof_list "%file %desc %network %process %signal %ipc %memory %wait" "$2"
        ;;
    calls\ --sort) compgen -W "function calls total self min avg p50 p95 p99 max rec" -- "$2" ;;
    mem\ --at) compgen -W "start peak end" -- "$2" ;;
    rundelay\ --source) compgen -W "auto perf proc" -- "$2" ;;
    run\ --source | attach\ --source) compgen -W "stop kernel auto" -- "$2" ;;
    *\ --source) compgen -W "auto perf ptrace" -- "$2" ;;
    *\ --impl) compgen -W "delay pair syscalls call call-delay kmemprof" -- "$2" ;;
    *) _sprof_value "${1#* }" "$2" ;;
    esac
}

_sprof_value() {
    case $1 in
    -p | --pid) compgen -W "$(_sprof_pids)" -- "$2" ;;
    -o | --output | --stats | --timeline) compgen -f -- "$2" ;;
    -f | --format) compgen -W "$(sprof --version | sed -n 's/^formats: //p' | tr -d ,)" -- "$2" ;;
    --report-mode) compgen -W "merged per-thread both" -- "$2" ;;
    --mode) compgen -W "wall cpu wait" -- "$2" ;;
    --kernel) compgen -W "none syscall stack" -- "$2" ;;
    --state) compgen -W "user sys sleep disk stopped wait" -- "$2" ;;
    --sort | --columns) compgen -W "self% self total% total user% sys% runq% wait% stolen% self-user self-sys self-runq self-wait samples threads verdict dso function" -- "$2" ;;
    --percentage) compgen -W "relative absolute" -- "$2" ;;
    --names) compgen -W "full short" -- "$2" ;;
    --debug-dir) compgen -d -- "$2" ;;
    --addresses) compgen -W "process file" -- "$2" ;;
    --sysmap | --core | --exe) compgen -f -- "$2" ;;
    --by) compgen -W "dso file srcline comm rank host pid tid process thread state syscall wait_kind wait_object lock_holder" -- "$2" ;;
    --weight) compgen -W "wall samples user sys runq wait sleep disk stopped stolen" -- "$2" ;;
    *) return 1 ;;
    esac
}

# The place of the program's name in a line of `sprof run` or `sprof top`, or nothing: _sprof_program_at COMMAND
_sprof_program_at() {
    local i valued

    valued=" $(_sprof_valued "$1" | tr '\n' ' ')"
    for ((i = 2; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --) echo $((i + 1)) && return ;;
        -*) [[ $valued == *" ${COMP_WORDS[i]} "* ]] && i=$((i + 1)) ;;
        *) echo "$i" && return ;;
        esac
    done
}

_sprof() {
    local words word command=${COMP_WORDS[1]} before program

    mapfile -t words < <(_sprof_words)
    word=${words[-1]} before=${words[-2]}

    if [[ $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sprof_commands) help --help --version --list-formats" -- "$word")
        return
    fi
    if [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sprof_commands)" -- "$word")
        return
    fi
    program=$([[ $command == run || $command == top ]] && _sprof_program_at "$command")
    if [[ -n $program ]]; then
        ! declare -F _command_offset >/dev/null || _command_offset "$program"
    elif [[ $before == -* ]] && _sprof_value_of "$command $before" "$word" >/dev/null; then
        mapfile -t COMPREPLY < <(_sprof_value_of "$command $before" "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_sprof_options "$command")" -- "$word")
    elif [[ $command == run || $command == top ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
    fi
    [[ -z $COMP_LINE || $word != *:* ]] || COMPREPLY=("${COMPREPLY[@]#"${word%:*}:"}")
}

# Files, where there is nothing better.
complete -o default -F _sprof sprof
