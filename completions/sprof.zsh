#compdef sprof
# Zsh completion for sprof, which itself says what may stand there: sprof --complete

_sprof() {
    local line name
    local -i skipped
    local -a offered

    for line in ${(f)"$(sprof --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
        name=${line%%$'\t'*}
        case $name in
        @file) _files ;;
        @folder) _files -/ ;;
        @program*)
            skipped=${name#* }
            shift $skipped words
            ((CURRENT -= skipped))
            _normal -p sprof
            ;;
        *) offered+=("${name//:/\\:}:${line#*$'\t'}") ;;
        esac
    done
    ((! $#offered)) || _describe sprof offered
}

_sprof "$@"
