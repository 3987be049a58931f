# bash completion for helve. Neighbours: helve.zsh, helve.fish.
_helve() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' word words=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      info | find | convert | query | explain | shell | load | index | cache | demo)
        command=$word
        break
        ;;
    esac
  done
  COMPREPLY=()

  case "$previous" in
    --without-pass) words=$(helve explain --passes 2>/dev/null | cut -d ' ' -f 1) ;;
    --format)
      words='table json xml csv tsv turtle ntriples nquads trig rdfxml'
      [[ $command == explain ]] && words='text json'
      ;;
    --sparql) words='1.1 1.2' ;;
    --from | --to) words='ntriples nquads turtle trig rdfxml' ;;
    --color) words='auto always never' ;;
    --log-level) words='error warn info debug' ;;
    --kind) words='any class property instance' ;;
    --base | --top | --limit | --threads | --memory | --timeout) return ;;
  esac
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi

  case "$command" in
    index) [[ $previous == index ]] && words='info verify' ;;
    cache) [[ $previous == cache ]] && words='info clear' ;;
  esac
  if [[ -n $words && $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [[ $current != -* && $command =~ ^(info|find|convert|query|explain|shell|load|index)$ ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  words='--color --quiet --threads --memory --timeout --log-level --log-json --help'
  case "$command" in
    '') words="info find convert query explain shell load index cache demo --version $words" ;;
    info) words="--json --top --from --base --lenient --no-cache $words" ;;
    find) words="--kind --limit --exact --json --from --base --lenient --no-cache $words" ;;
    load) words="-o --output --force --named-graph --json --from --base --lenient $words" ;;
    index | cache) words="--json $words" ;;
    convert) words="-o --output --to --stream --from --base --lenient $words" ;;
    query)
      words="-f --file --format --limit --union --default-graph --named-graph --base --strict --sparql
        --parse-only --algebra --without-pass --from --lenient --no-cache $words"
      ;;
    shell)
      words="--limit --union --default-graph --named-graph --base --strict --sparql --without-pass --from
        --lenient --no-cache $words"
      ;;
    explain)
      words="-f --file --format --analyze --passes --without-pass --union --default-graph --named-graph --base
        --strict --sparql --from --lenient --no-cache $words"
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _helve helve
