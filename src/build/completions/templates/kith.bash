# Completion of kith in bash, from 3.2 on: eval "$(kith completion bash)"
# Generated from the command tree: npm run generate

# Completes the word at the cursor.
_kith() {
  local IFS=$' \t\n'
  local typed=() quote='' kept=''       # set by _kith_read
  local words='' places='' flags=''     # set by _kith_syntax
  local context=() candidates=() are_paths=''
  local path='' place=0 awaiting='' offer='' ended='' word='' at=0
  COMPREPLY=()
  _kith_read
  _kith_syntax ''
  for ((at = 1; at < ${#typed[@]} - 1; at++)); do
    word=${typed[at]}
    if [[ $awaiting ]]; then
      _kith_note "$awaiting=$word"
      awaiting=''
    elif [[ $ended || $word != -?* ]]; then
      _kith_follow "$word"
    elif [[ $word == -- ]]; then
      ended=yes
    elif [[ $word == --*=* ]]; then
      _kith_note "$word"
    elif _kith_find_flag "$word"; then
      awaiting=$word
    fi
  done
  word=${typed[at]}
  if [[ $awaiting ]]; then
    _kith_offer '' "$offer"
  elif [[ ! $ended && $word == --*=* ]]; then
    _kith_find_flag "${word%%=*}" && _kith_offer "${word%%=*}=" "$offer"
  elif [[ ! $ended && $word == -* ]]; then
    _kith_offer_words "$flags"
  elif [[ $words ]]; then
    _kith_offer_words "$words"
    [[ $path ]] || _kith_offer_names '' aliases
  elif _kith_find_place; then
    _kith_offer '' "$offer"
  fi
  _kith_reply
}

# Reads the line up to the cursor as the shell does, without expansion. Sets `typed` to its words; the last one
# is at the cursor. Sets `quote` to the quote that is open there. Readline only replaces the part after the last
# character of COMP_WORDBREAKS in that word, so `kept` is set to the part before it.
_kith_read() {
  local rest=${COMP_LINE:0:COMP_POINT} char='' word='' begun='' escaped=''
  while [[ $rest ]]; do
    char=${rest:0:1}
    rest=${rest:1}
    if [[ $escaped ]]; then
      [[ $quote && $char != ['\"$`'] ]] && word+=\\
      word+=$char
      escaped=''
    elif [[ $char == \\ && $quote != "'" ]]; then
      escaped=yes
    elif [[ $quote && $char != "$quote" ]]; then
      word+=$char
    elif [[ $char == [\"\'] ]]; then
      if [[ $quote ]]; then quote=''; else quote=$char; fi
      kept=$word
    elif [[ $char == [[:space:]] ]]; then
      [[ $begun ]] && typed+=("$word")
      word='' kept='' begun=''
      continue
    else
      # An @ separates words too, but readline replaces it together with the text after it.
      [[ $COMP_WORDBREAKS == *"$char"* ]] && kept=$word${char#@}
      word+=$char
    fi
    begun=yes
  done
  typed+=("$word")
}

# Adds a flag to `context` if it selects the workspace or a list.
_kith_note() {
  case $1 in
    --profile=?* | --base-url=?* | --list=?*) context+=("$1") ;;
  esac
}

# Handles a word that is not a flag.
_kith_follow() {
  if [[ $words ]]; then
    path=${path:+$path }$1
    _kith_syntax "$path"
  else
    # The first argument may be a list. A flag would follow it in `context`.
    [[ $place -gt 0 ]] || context=("--list=$1" ${context[@]+"${context[@]}"})
    place=$((place + 1))
  fi
}

# Sets `offer` to the candidates for the value of a flag. Fails if it takes no value.
_kith_find_flag() {
  local flag=''
  for flag in $flags; do
    offer=${flag#*=}
    [[ $flag == "$1="* ]] && return
  done
  return 1
}

# Sets `offer` to the candidates for the next argument. Fails if there is none.
_kith_find_place() {
  local known='' count=0
  for known in $places; do
    offer=${known%+}
    [[ $count -eq $place || $known == *+ ]] && return
    count=$((count + 1))
  done
  return 1
}

# Offers words, or flags without their values.
_kith_offer_words() {
  local known=''
  for known in $1; do _kith_try "${known%%=*}"; done
}

# Offers the values described by $2, each with the prefix $1.
_kith_offer() {
  local value='' values=''
  case $2 in
    -) ;;
    @files)
      are_paths=yes
      values=$(compgen -f -- "${word#"$1"}")
      ;;
    @folders)
      are_paths=yes
      values=$(compgen -d -- "${word#"$1"}")
      ;;
    @*)
      _kith_offer_names "$1" "${2#@}"
      return
      ;;
    *) values=${2//,/$'\n'} ;;
  esac
  while IFS= read -r value; do
    [[ $value ]] && _kith_try "$1$value"
  done <<<"$values"
}

# Offers the names that the program has for source $2, each with the prefix $1. They begin with the typed text, but
# upper and lower case may differ. Readline replaces the typed text by what all candidates have in common.
_kith_offer_names() {
  local name='' same=() others=() size=${#word}
  while IFS= read -r name; do
    name=$1${name%%$'\t'*}
    [[ $name != "$1" ]] || continue
    if [[ $name == "$word"* ]]; then same+=("$name"); else others+=("$name"); fi
    [[ $name != *= ]] || compopt -o nospace 2>/dev/null
  done <<<"$(_kith_ask "$2" --word="${word#"$1"}" --command="$path" ${context[@]+"${context[@]}"})"
  compopt -o nosort 2>/dev/null # names come before ids
  if [[ ${#same[@]} -eq 0 && ${#others[@]} -gt 1 ]]; then
    for name in "${others[@]}"; do candidates+=("$word${name:size}"); done
  else
    [[ ${#same[@]} -gt 0 ]] || same=(${others[@]+"${others[@]}"})
    candidates+=(${same[@]+"${same[@]}"})
  fi
}

# Offers a word if it begins with the typed text.
_kith_try() {
  [[ $1 == "$word"* ]] && candidates+=("$1")
}

# Prints names, one per line, with a tab before a description. The program reads them from files on this machine.
_kith_ask() {
  local program=${typed[0]/#\~\//$HOME/}
  if [[ $(type -t -- "$program") == alias ]]; then
    eval "$program complete \"\$@\""
  else
    "$program" complete "$@"
  fi </dev/null 2>/dev/null
}

# Passes the candidates to readline, which can quote paths itself from bash 4.0 on.
_kith_reply() {
  local candidate='' rest='' is_done=''
  [[ $are_paths ]] && compopt -o filenames 2>/dev/null && is_done=yes
  for candidate in ${candidates[@]+"${candidates[@]}"}; do
    rest=${candidate:${#kept}}
    [[ $is_done || ! $rest ]] || _kith_quote
    COMPREPLY+=("$rest")
  done
}

# Quotes `rest` for its place after the typed text. `printf %q` would turn letters beyond ASCII into octal numbers.
_kith_quote() {
  local special='\"$`' char='' tick="'" bang='"\!"'
  [[ $quote ]] || special+=" $tick&|;()<>*?[]{}!#^"
  [[ $quote || $are_paths ]] || special+='~'
  if [[ $quote == "$tick" ]]; then
    rest=${rest//$tick/$tick\\$tick$tick}
    special=''
  fi
  while [[ $special && $rest == *[![:alnum:]_-]* ]]; do
    char=${special:0:1}
    special=${special:1}
    rest=${rest//"$char"/"\\$char"}
  done
  # In double quotes, the history would replace a !, and a backslash would stay.
  [[ $quote != '"' ]] || rest=${rest//!/"$bang"}
  # Readline closes the quote, unless the text ends with the same character.
  [[ ! $quote || $rest != *"$quote" ]] || rest+=$quote
}

# Sets what may follow the words in $1: nouns or verbs in `words`, or the arguments of a command in `places`; and
# `flags`. A place, and the text after the = of a flag, has its candidates: words, an @ and the name of a source, or
# - for none. A + at the end marks an argument that can be repeated.
_kith_syntax() {
@syntax@
}

complete -F _kith kith
