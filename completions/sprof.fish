# Fish completion for sprof, which itself says what may stand there: sprof --complete

function __sprof_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (sprof --complete $words[2..-1] 2>/dev/null)
        set -l name (string split -m1 \t -- $line)[1]
        switch $name
            case @file
                __fish_complete_path $words[-1]
            case @folder
                __fish_complete_directories $words[-1]
            case '@program *'
                set -l first (math (string split ' ' -- $name)[2] + 1)
                complete -C (string join ' ' -- (string escape -- $words[$first..-2]) $words[-1])
            case '*'
                echo $line
        end
    end
end

complete -c sprof -f -a '(__sprof_complete)'
