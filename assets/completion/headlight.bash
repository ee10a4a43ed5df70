# bash completion for headlight. The program knows its options and their values; this only asks it.

_headlight() {
  local line=${COMP_LINE:0:COMP_POINT} words=() word current bare head i

  # bash splits words at = and :, which are part of ours. What follows without a space belongs to the word before.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((i > 0)) && [[ $line != [[:space:]]* ]]; then
      words[-1]+=${COMP_WORDS[i]}
    else
      line=${line#"${line%%[![:space:]]*}"}
      words+=("${COMP_WORDS[i]}")
    fi
    line=${line#"${COMP_WORDS[i]}"}
  done
  current=${words[-1]}

  # `bare` is without quotes. bash replaces what follows `head`.
  case $current in
    \'*) bare=${current:1} head= ;;
    \"*) bare=${current:1} bare=${bare//\\/} head= ;;
    *) bare=${current//\\/} head=${current%"${current##*[=:]}"} ;;
  esac

  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    if [[ $word == :files ]]; then
      compopt -o filenames
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <(compgen -f -- "${bare#"$head"}")
      continue
    fi
    [[ $word == *[=[] ]] && compopt -o nospace
    if [[ $current == [\'\"]* ]]; then
      COMPREPLY+=("$word")
    else
      word=${word#"$head"}
      COMPREPLY+=("${word//[\[\]\"]/\\&}")
    fi
  done < <("${words[0]/#\~/$HOME}" complete "${words[@]:1:${#words[@]}-2}" "$bare" 2>/dev/null)
}

complete -o nosort -F _headlight headlight
