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
  local writing='-n --dry-run'
  local deletions='-y --yes'
  local limit='--limit='
  local paging='--all --after='
  local pages='--page-size='
  local output='--json --json-envelope --jq= -o=@files --output=@files -q --quiet --no-color --no-input'
  local records='--fields=@columns --ids-only --wide --no-header --bom'
  local everywhere='--profile=@profiles -v --debug'
  local guards='--readonly --allow=@permissions --max-writes= --max-requests='
  local http='--base-url= --timeout= --retries= --max-wait= --offline'
  words='' places='' flags=''
  case $1 in
    '')
      words='contacts organizations notes custom-fields lists deals report entries meetings recordings actions today brief followup search undo redo batch api auth serve migrate keys workspace schedule index config alias doctor version mcp agents commands schema completion people companies find help'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help -V --version $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'contacts' | 'people' | 'person' | 'contact')
      words='list get show find create upsert update edit remove-emails delete import duplicates merge view ls rm new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'contacts list' | 'contacts ls' | 'people list' | 'people ls' | 'person list' | 'person ls' | 'contact list' | 'contact ls')
      flags="--organization=@organizations --list=@lists --created-after= --updated-after= --where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'contacts get' | 'people get' | 'person get' | 'contact get')
      places='@contacts'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'contacts show' | 'contacts view' | 'people show' | 'people view' | 'person show' | 'person view' | 'contact show' | 'contact view')
      places='@contacts'
      flags="--since= --tz= --format=text,json -h --help $limit $pages $output $everywhere $guards $http"
      ;;
    'contacts find' | 'people find' | 'person find' | 'contact find')
      flags="--email= --phone= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $pages $output $records $everywhere $guards $http"
      ;;
    'contacts create' | 'contacts new' | 'contacts add' | 'people create' | 'people new' | 'people add' | 'person create' | 'person new' | 'person add' | 'contact create' | 'contact new' | 'contact add')
      places='-'
      flags="--name= --first-name= --last-name= --email= --phone= --organization=@organizations --create-organization --if-absent=email,phone,name -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts upsert' | 'people upsert' | 'person upsert' | 'contact upsert')
      flags="--name= --first-name= --last-name= --email= --phone= --organization=@organizations --create-organization --by=email,phone,name -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts update' | 'people update' | 'person update' | 'contact update')
      places='@contacts'
      flags="--name= --first-name= --last-name= --email= --phone= --organization=@organizations -f=@fields --field=@fields --add-field=@fields --remove-field=@fields --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts edit' | 'people edit' | 'person edit' | 'contact edit')
      places='@contacts'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts remove-emails' | 'people remove-emails' | 'person remove-emails' | 'contact remove-emails')
      places='@contacts -+'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts delete' | 'contacts rm' | 'people delete' | 'people rm' | 'person delete' | 'person rm' | 'contact delete' | 'contact rm')
      places='@contacts+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'contacts import' | 'people import' | 'person import' | 'contact import')
      places='@files'
      flags="--map= --ignore= --header-row= --sheet= --encoding= --tz= --strict --strict-columns --report=@files --undo --concurrency= --organization= --allow-unmatched --create-fields --list=@lists --status=@statuses --list-field=@list-fields --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'contacts duplicates' | 'people duplicates' | 'person duplicates' | 'contact duplicates')
      flags="--min-score= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'contacts merge' | 'people merge' | 'person merge' | 'contact merge')
      places='@contacts @contacts'
      flags="--take= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations' | 'orgs' | 'companies' | 'company' | 'organization' | 'org')
      words='list get show find create upsert update edit remove-domains delete import duplicates merge view ls rm new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'organizations list' | 'organizations ls' | 'orgs list' | 'orgs ls' | 'companies list' | 'companies ls' | 'company list' | 'company ls' | 'organization list' | 'organization ls' | 'org list' | 'org ls')
      flags="--list=@lists --created-after= --updated-after= --where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'organizations get' | 'orgs get' | 'companies get' | 'company get' | 'organization get' | 'org get')
      places='@organizations'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'organizations show' | 'organizations view' | 'orgs show' | 'orgs view' | 'companies show' | 'companies view' | 'company show' | 'company view' | 'organization show' | 'organization view' | 'org show' | 'org view')
      places='@organizations'
      flags="--since= --tz= --format=text,json -h --help $limit $pages $output $everywhere $guards $http"
      ;;
    'organizations find' | 'orgs find' | 'companies find' | 'company find' | 'organization find' | 'org find')
      flags="--domain= --name= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $pages $output $records $everywhere $guards $http"
      ;;
    'organizations create' | 'organizations new' | 'organizations add' | 'orgs create' | 'orgs new' | 'orgs add' | 'companies create' | 'companies new' | 'companies add' | 'company create' | 'company new' | 'company add' | 'organization create' | 'organization new' | 'organization add' | 'org create' | 'org new' | 'org add')
      places='-'
      flags="--name= --domain= --if-absent=domain,name -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations upsert' | 'orgs upsert' | 'companies upsert' | 'company upsert' | 'organization upsert' | 'org upsert')
      flags="--name= --domain= --by=domain,name -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations update' | 'orgs update' | 'companies update' | 'company update' | 'organization update' | 'org update')
      places='@organizations'
      flags="--name= --domain= -f=@fields --field=@fields --add-field=@fields --remove-field=@fields --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations edit' | 'orgs edit' | 'companies edit' | 'company edit' | 'organization edit' | 'org edit')
      places='@organizations'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations remove-domains' | 'orgs remove-domains' | 'companies remove-domains' | 'company remove-domains' | 'organization remove-domains' | 'org remove-domains')
      places='@organizations -+'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations delete' | 'organizations rm' | 'orgs delete' | 'orgs rm' | 'companies delete' | 'companies rm' | 'company delete' | 'company rm' | 'organization delete' | 'organization rm' | 'org delete' | 'org rm')
      places='@organizations+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'organizations import' | 'orgs import' | 'companies import' | 'company import' | 'organization import' | 'org import')
      places='@files'
      flags="--map= --ignore= --header-row= --sheet= --encoding= --tz= --strict --strict-columns --report=@files --undo --concurrency= --create-fields --list=@lists --status=@statuses --list-field=@list-fields --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'organizations duplicates' | 'orgs duplicates' | 'companies duplicates' | 'company duplicates' | 'organization duplicates' | 'org duplicates')
      flags="--min-score= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'organizations merge' | 'orgs merge' | 'companies merge' | 'company merge' | 'organization merge' | 'org merge')
      places='@organizations @organizations'
      flags="--take= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'notes' | 'note')
      words='list get create update edit import delete view ls rm new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'notes list' | 'notes ls' | 'note list' | 'note ls')
      flags="--organization=@organizations --contact=@contacts --deal=@keys --created-after= --updated-after= --today --where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'notes get' | 'notes view' | 'note get' | 'note view')
      places='@notes'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'notes create' | 'notes new' | 'notes add' | 'note create' | 'note new' | 'note add')
      places='@organizations -'
      flags="--organization=@organizations --body= -F=@files --body-file=@files --deal=@keys --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'notes update' | 'note update')
      places='@notes'
      flags="--body= -F=@files --body-file=@files --deal=@keys --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'notes edit' | 'note edit')
      places='@notes'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'notes import' | 'note import')
      places='@files'
      flags="--map= --ignore= --header-row= --sheet= --encoding= --tz= --strict --strict-columns --report=@files --undo --concurrency= --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'notes delete' | 'notes rm' | 'note delete' | 'note rm')
      places='@notes+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'custom-fields' | 'fields' | 'custom-field' | 'field')
      words='list get create update edit delete view ls rm new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'custom-fields list' | 'custom-fields ls' | 'fields list' | 'fields ls' | 'custom-field list' | 'custom-field ls' | 'field list' | 'field ls')
      flags="--where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'custom-fields get' | 'custom-fields view' | 'fields get' | 'fields view' | 'custom-field get' | 'custom-field view' | 'field get' | 'field view')
      places='-'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'custom-fields create' | 'custom-fields new' | 'custom-fields add' | 'fields create' | 'fields new' | 'fields add' | 'custom-field create' | 'custom-field new' | 'custom-field add' | 'field create' | 'field new' | 'field add')
      places='-'
      flags="--model=organization,contact,deal --type=text,textarea,url,number,date,datetime,select,user,contact --option= --multiple --if-absent=name --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'custom-fields update' | 'fields update' | 'custom-field update' | 'field update')
      places='-'
      flags="--name= --option= --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'custom-fields edit' | 'fields edit' | 'custom-field edit' | 'field edit')
      places='-'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'custom-fields delete' | 'custom-fields rm' | 'fields delete' | 'fields rm' | 'custom-field delete' | 'custom-field rm' | 'field delete' | 'field rm')
      places='-+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'lists' | 'list')
      words='list get report create update edit delete view ls rm new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'lists list' | 'lists ls' | 'list list' | 'list ls')
      flags="--where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'lists get' | 'lists view' | 'list get' | 'list view')
      places='@lists'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'lists report' | 'list report')
      places='@lists'
      flags="--by=@sort --organization=@organizations --contact=@contacts --status=@status-list --open --closed --won --lost --closed-after= --closed-before= --overdue --due-before= --assignee= --mine --stale= --created-after= --updated-after= --where=@sort --tz= --compare=@files --html=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'lists create' | 'lists new' | 'lists add' | 'list create' | 'list new' | 'list add')
      places='-'
      flags="--entry-type=Contact,Organization --process --field= --identifier= --duplicates-allowed --no-duplicates --status= --entry-label= --status-label= --if-absent=name --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'lists update' | 'list update')
      places='@lists'
      flags="--name= --field= --identifier= --duplicates-allowed --no-duplicates --status= --entry-label= --status-label= --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'lists edit' | 'list edit')
      places='@lists'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'lists delete' | 'lists rm' | 'list delete' | 'list rm')
      places='@lists+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals' | 'deal')
      words='list get show add update edit delete import move report view ls rm new create'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'deals list' | 'deals ls' | 'deal list' | 'deal ls')
      flags="--process=@lists --organization=@organizations --contact=@contacts --status=@status-list --open --closed --won --lost --closed-after= --closed-before= --overdue --due-before= --assignee= --mine --stale= --created-after= --updated-after= --where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'deals get' | 'deal get')
      places='@keys'
      flags="--process=@lists --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'deals show' | 'deals view' | 'deal show' | 'deal view')
      places='@keys'
      flags="--process=@lists --since= --tz= --format=text,json -h --help $limit $pages $output $everywhere $guards $http"
      ;;
    'deals add' | 'deals new' | 'deals create' | 'deal add' | 'deal new' | 'deal create')
      flags="--process=@lists --contact=@contacts --organization=@organizations --status=@statuses --assignee= --contact-id=@contacts --one-time-value= --recurring-value= --recurring-period=monthly,annual,one_time -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals update' | 'deal update')
      places='@keys'
      flags="--process=@lists --status=@statuses --assignee= --contact-id=@contacts --one-time-value= --recurring-value= --recurring-period=monthly,annual,one_time -f=@fields --field=@fields --add-field=@fields --remove-field=@fields --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals edit' | 'deal edit')
      places='@keys'
      flags="--process=@lists --file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals delete' | 'deals rm' | 'deal delete' | 'deal rm')
      places='@keys+'
      flags="--process=@lists --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals import' | 'deal import')
      places='@files'
      flags="--process=@lists --map= --ignore= --header-row= --sheet= --encoding= --tz= --strict --strict-columns --report=@files --undo --concurrency= --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'deals move' | 'deal move')
      places='@keys @statuses'
      flags="--process=@lists --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'deals report' | 'deal report')
      places='@lists'
      flags="--by=@sort --organization=@organizations --contact=@contacts --status=@status-list --open --closed --won --lost --closed-after= --closed-before= --overdue --due-before= --assignee= --mine --stale= --created-after= --updated-after= --where=@sort --tz= --compare=@files --html=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'report')
      places='@lists'
      flags="--by=@sort --organization=@organizations --contact=@contacts --status=@status-list --open --closed --won --lost --closed-after= --closed-before= --overdue --due-before= --assignee= --mine --stale= --created-after= --updated-after= --where=@sort --tz= --compare=@files --html=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'entries' | 'entry')
      words='list get show add update edit delete import view ls rm new create'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'entries list' | 'entries ls' | 'entry list' | 'entry ls')
      places='@lists'
      flags="--organization=@organizations --contact=@contacts --status=@status-list --open --closed --won --lost --closed-after= --closed-before= --overdue --due-before= --assignee= --mine --stale= --created-after= --updated-after= --where=@sort --sort=@sort --tz= --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'entries get' | 'entry get')
      places='@lists-and-keys @keys'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'entries show' | 'entries view' | 'entry show' | 'entry view')
      places='@lists-and-keys @keys'
      flags="--since= --tz= --format=text,json -h --help $limit $pages $output $everywhere $guards $http"
      ;;
    'entries add' | 'entries new' | 'entries create' | 'entry add' | 'entry new' | 'entry create')
      places='@lists'
      flags="--contact=@contacts --organization=@organizations --status=@statuses --assignee= --contact-id=@contacts --one-time-value= --recurring-value= --recurring-period=monthly,annual,one_time -f=@fields --field=@fields --data= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'entries update' | 'entry update')
      places='@lists-and-keys @keys'
      flags="--status=@statuses --assignee= --contact-id=@contacts --one-time-value= --recurring-value= --recurring-period=monthly,annual,one_time -f=@fields --field=@fields --add-field=@fields --remove-field=@fields --data= --where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'entries edit' | 'entry edit')
      places='@lists-and-keys @keys'
      flags="--file=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'entries delete' | 'entries rm' | 'entry delete' | 'entry rm')
      places='@lists-and-keys @keys+'
      flags="--where=@sort --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'entries import' | 'entry import')
      places='@lists @files'
      flags="--map= --ignore= --header-row= --sheet= --encoding= --tz= --strict --strict-columns --report=@files --undo --concurrency= --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'meetings' | 'events' | 'meeting' | 'event')
      words='list get show summary transcript grep export view ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'meetings list' | 'meetings ls' | 'events list' | 'events ls' | 'meeting list' | 'meeting ls' | 'event list' | 'event ls')
      flags="--updated-after= --today --last-week --this-month --starts-after= --starts-before= --contact=@contacts --organization=@organizations --tz= --where=@sort --sort=@sort --count --sum=@sort --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'meetings get' | 'events get' | 'meeting get' | 'event get')
      places='@events'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'meetings show' | 'meetings view' | 'events show' | 'events view' | 'meeting show' | 'meeting view' | 'event show' | 'event view')
      places='@events'
      flags="--tz= --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'meetings summary' | 'events summary' | 'meeting summary' | 'event summary')
      places='@events'
      flags="--format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'meetings transcript' | 'events transcript' | 'meeting transcript' | 'event transcript')
      places='@events'
      flags="--from= --to= --at= --speaker= --timestamps --format=text,vtt,srt,json -h --help $output $everywhere $guards $http"
      ;;
    'meetings grep' | 'events grep' | 'meeting grep' | 'event grep')
      places='-'
      flags="--regex -i --ignore-case --context= --max= --speaker= --out=@folders --starts-after= --starts-before= --contact=@contacts --organization=@organizations --tz= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'meetings export' | 'events export' | 'meeting export' | 'event export')
      words='status verify'
      flags="--out=@folders --transcript --with=json,vtt,srt,txt --layout=flat,by-month,by-organization --contact=@contacts --organization=@organizations --since= --tz= --full --ledger=@files --prune --adopt --settle= --mode= --concurrency= --format=text,json -h --help $deletions $output $everywhere $guards $http"
      ;;
    'meetings export status' | 'events export status' | 'meeting export status' | 'event export status')
      places='@folders'
      flags="--settle= --format=text,json -h --help $output $everywhere $guards"
      ;;
    'meetings export verify' | 'events export verify' | 'meeting export verify' | 'event export verify')
      places='@folders'
      flags="--settle= --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'recordings' | 'recording')
      words='get summary transcript view'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'recordings get' | 'recordings view' | 'recording get' | 'recording view')
      places='@events'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'recordings summary' | 'recording summary')
      places='@events'
      flags="--format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'recordings transcript' | 'recording transcript')
      places='@events'
      flags="--from= --to= --at= --speaker= --timestamps --format=text,vtt,srt,json -h --help $output $everywhere $guards $http"
      ;;
    'actions' | 'action')
      words='list done reopen ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'actions list' | 'actions ls' | 'action list' | 'action ls')
      flags="--open --done --mine --since= --organization=@organizations --where=@sort --sort=@sort --tz= --count --max-age= --ledger=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'actions done' | 'action done')
      places='-+'
      flags="--ledger=@files --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'actions reopen' | 'action reopen')
      places='-+'
      flags="--ledger=@files --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'today')
      flags="--date= --user= --field= --stale= --tz= --max-age= --ledger=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $pages $output $records $everywhere $guards $http"
      ;;
    'brief')
      places='@subjects'
      flags="--html=@files --tz= --max-age= --ledger=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $pages $output $records $everywhere $guards $http"
      ;;
    'followup')
      flags="--organization=@organizations --contact=@contacts --explain --mine --user= --snooze= --tz= --max-age= --ledger=@files --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'search' | 'find')
      places='-+'
      flags="--in= --since= --tz= --max-age= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'undo')
      places='-'
      flags="--list --format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'redo')
      places='-'
      flags="--format=text,json -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'batch')
      places='@files'
      flags="--line= --parallel= --stop-on-error --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'api')
      places='-'
      flags="-X=GET,POST,PATCH,DELETE --method=GET,POST,PATCH,DELETE -f= --raw-field= -F= --field= --input=@files --paginate --format=json,ndjson -h --help $writing $deletions $output $everywhere $guards $http"
      ;;
    'auth')
      words='login status list switch logout ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'auth login')
      flags="--key-stdin --keychain --local --database=@files --demo --region= --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'auth status')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'auth list' | 'auth ls')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'auth switch')
      places='@profiles'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'auth logout')
      flags="--format=text,json -h --help $deletions $output $everywhere $guards"
      ;;
    'serve')
      flags="--database=@files --demo --host= --port= --metrics-port= --tls-cert=@files --tls-key=@files --drain= --behind-proxy --rate-limit= --pool-size= --statement-timeout= --lenient --fault= --seed= --region= --log-format=text,json --format=text,json -h --help $output $everywhere $guards"
      ;;
    'migrate')
      flags="--database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards"
      ;;
    'keys')
      words='create list revoke ls new add'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'keys create' | 'keys new' | 'keys add')
      places='-'
      flags="--read-only --database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'keys list' | 'keys ls')
      flags="--database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'keys revoke')
      places='-'
      flags="--database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $deletions $output $records $everywhere $guards"
      ;;
    'workspace')
      words='info backup verify copy diff pull checkout status push import-events import-recording remove-recording'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'workspace info')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'workspace backup')
      places='@folders'
      flags="--archive=@files --keep= --force --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'workspace verify')
      places='@files'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'workspace copy')
      places='@files @files'
      flags="--verbose --concurrency= --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'workspace diff')
      places='@files @files'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'workspace pull')
      flags="--remove --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'workspace checkout')
      places='@folders'
      flags="--only=contacts,organizations,lists,custom-fields,meetings --overwrite --force --format=text,json -h --help $deletions $output $everywhere $guards $http"
      ;;
    'workspace status')
      places='@folders'
      flags="--local --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'workspace push')
      places='@folders'
      flags="--delete= --overwrite --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards $http"
      ;;
    'workspace import-events')
      places='@files'
      flags="--encoding= --database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'workspace import-recording')
      places='- @files'
      flags="--summary=@files --language= --recording= --add --encoding= --database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'workspace remove-recording')
      places='-+'
      flags="--database=@files --demo --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $output $records $everywhere $guards"
      ;;
    'schedule')
      words='install list run remove ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'schedule install')
      places='- -+'
      flags="--every= --hourly= --daily= --weekly= --monthly= --for=cron,systemd,launchd --on-failure= --after-failures= --format=text,json -h --help $writing $deletions $output $everywhere $guards"
      ;;
    'schedule list' | 'schedule ls')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'schedule run')
      places='@schedules'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'schedule remove')
      places='@schedules'
      flags="--format=text,json -h --help $writing $deletions $output $everywhere $guards"
      ;;
    'index')
      words='update status clear'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'index update')
      flags="--full --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'index status')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'index clear')
      flags="--format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'config')
      words='list get set unset path view ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'config list' | 'config ls')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'config get' | 'config view')
      places='limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'config set')
      places='limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests -'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'config unset')
      places='limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'config path')
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'alias')
      words='set list delete ls rm'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'alias set')
      places='- -'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'alias list' | 'alias ls')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'alias delete' | 'alias rm')
      places='@aliases'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'doctor')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards $http"
      ;;
    'version')
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'mcp')
      flags="--allow-write --tools=@toolsets --max-chars= --max-tokens= --results=both,text,structured --http --host= --port= --allow-origin= --format=text,json -h --help $output $everywhere $guards $http"
      ;;
    'agents')
      words='install list remove show view ls'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $writing $deletions $limit $paging $pages $output $records $everywhere $guards $http"
      ;;
    'agents install')
      places='-+'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $deletions $output $records $everywhere $guards"
      ;;
    'agents list' | 'agents ls')
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'agents remove')
      places='-+'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $deletions $output $records $everywhere $guards"
      ;;
    'agents show' | 'agents view')
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'commands')
      places='- -'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'schema')
      places='contacts,organizations,notes,custom-fields,lists,entries,events,recordings,actions,commands,error,envelope,compact,request,deletion,write-result,batch-line,figures,contact-overview,organization-overview,entry-overview,event-overview,summary,recording-summary,utterance,recording-transcript,transcript-match,search-result,day,brief,changed-action,follow-up,snoozed,duplicate-pair,report-status,report-group,report-change,export-result,export-status,verified-export,import-result,import-row,import-revert,revert,recorded-command,api-response,login,auth-status,profile,chosen-profile,stopped-server,migration,key,workspace,backup-result,archive-check,planned-copy,copied-table,incomplete-copy,merged-copy,difference,pull-result,removal,checkout-result,file-status,pushed-file,imported-event,imported-recording,removable-recording,installed-schedule,schedule,scheduled-run,removed-schedule,index-update,index-status,setting,changed-setting,path,alias,finding,version,agent,skill,schema-title,schema,completion'
      flags="--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -h --help $output $records $everywhere $guards"
      ;;
    'completion')
      places='bash,zsh,fish,powershell'
      flags="--format=text,json -h --help $output $everywhere $guards"
      ;;
    'help')
      words='contacts organizations notes custom-fields lists deals report entries meetings recordings actions today brief followup search undo redo batch api auth serve migrate keys workspace schedule index config alias doctor version mcp agents commands schema completion people companies find all records export import backup files scripting configuration service reliability stability flags environment exit-codes'
      ;;
    'help contacts' | 'help people' | 'help person' | 'help contact')
      words='list get show find create upsert update edit remove-emails delete import duplicates merge view ls rm new add'
      ;;
    'help organizations' | 'help orgs' | 'help companies' | 'help company' | 'help organization' | 'help org')
      words='list get show find create upsert update edit remove-domains delete import duplicates merge view ls rm new add'
      ;;
    'help notes' | 'help note')
      words='list get create update edit import delete view ls rm new add'
      ;;
    'help custom-fields' | 'help fields' | 'help custom-field' | 'help field')
      words='list get create update edit delete view ls rm new add'
      ;;
    'help lists' | 'help list')
      words='list get report create update edit delete view ls rm new add'
      ;;
    'help deals' | 'help deal')
      words='list get show add update edit delete import move report view ls rm new create'
      ;;
    'help entries' | 'help entry')
      words='list get show add update edit delete import view ls rm new create'
      ;;
    'help meetings' | 'help events' | 'help meeting' | 'help event')
      words='list get show summary transcript grep export view ls'
      ;;
    'help meetings export' | 'help events export' | 'help meeting export' | 'help event export')
      words='status verify'
      ;;
    'help recordings' | 'help recording')
      words='get summary transcript view'
      ;;
    'help actions' | 'help action')
      words='list done reopen ls'
      ;;
    'help auth')
      words='login status list switch logout ls'
      ;;
    'help keys')
      words='create list revoke ls new add'
      ;;
    'help workspace')
      words='info backup verify copy diff pull checkout status push import-events import-recording remove-recording'
      ;;
    'help schedule')
      words='install list run remove ls'
      ;;
    'help index')
      words='update status clear'
      ;;
    'help config')
      words='list get set unset path view ls'
      ;;
    'help alias')
      words='set list delete ls rm'
      ;;
    'help agents')
      words='install list remove show view ls'
      ;;
  esac
}

complete -F _kith kith
