# bash completion for helve. Neighbours: helve.zsh, helve.fish.
_helve() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local formats='ntriples nquads turtle trig rdfxml'
  local command='' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != -* ]]; then
      command=$word
      break
    fi
  done
  COMPREPLY=()

  case "$previous" in
    --from | --to)
      mapfile -t COMPREPLY < <(compgen -W "$formats" -- "$current")
      return
      ;;
    --base) return ;;
    -o | --output)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
  esac

  local options='--help'
  case "$command" in
    '') options='info convert demo help completions --help --version' ;;
    info) options='--json --from --base --lenient --help' ;;
    convert) options='-o --output --from --to --base --lenient --help' ;;
    help) options='info convert demo completions' ;;
    completions) options='bash zsh fish' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  if [[ $current != -* && ($command == info || $command == convert) ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _helve helve
