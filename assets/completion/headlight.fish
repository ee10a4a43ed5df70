# fish completion for headlight. The program knows its options and their values; this only asks it.

function __headlight_complete
    set -l words (commandline -opc)
    set -l current (string replace -r '^["\']' '' -- (commandline -ct))
    for line in (command $words[1] complete $words[2..] "$current" 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end

complete -c headlight -f -a '(__headlight_complete)'
