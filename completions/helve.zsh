#compdef helve
# zsh completion for helve; installed as _helve. Neighbours: helve.bash, helve.fish.

_helve() {
  local -a commands common input
  local formats='(ntriples nquads turtle trig rdfxml)'
  commands=(
    'info:show what is in RDF files'
    'convert:write an RDF file in another format'
    'demo:a short tour on a bundled sample'
  )
  common=(
    '--color[colours]:when:(auto always never)'
    '(-q --quiet)'{-q,--quiet}'[no notes and no progress]'
    '--threads[threads to work on]:number:'
    '--memory[most memory to use]:size, e.g. 512M:'
    '--timeout[give up after so long]:seconds:'
    '--log-level[what to log]:level:(error warn info debug)'
    '--log-json[log as JSON lines]'
    '(- *)--help[explain]'
  )
  input=(
    "--from[format of the input]:format:$formats"
    '--base[IRI that relative IRIs are resolved against]:iri:'
    '--lenient[skip bad statements and report them]'
  )

  local line state
  _arguments -C $common '(- *)--version[show the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe 'command' commands ;;
    argument)
      case $line[1] in
        info) _arguments $common $input '--json[print JSON]' '--top[rows of each list]:number:' '*:file:_files' ;;
        convert)
          _arguments $common $input '(-o --output)'{-o,--output}'[file to write]:file:_files' \
            "--to[format of the output]:format:$formats" \
            '--stream[write statements as they come]' '1:file:_files'
          ;;
        *) _arguments $common ;;
      esac
      ;;
  esac
}

# Autoloaded from fpath, this file is the body of _helve; sourced, it only registers it.
if [[ $funcstack[1] == _helve ]]; then
  _helve "$@"
else
  compdef _helve helve
fi
