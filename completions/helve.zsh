#compdef helve
# zsh completion for helve; installed as _helve. Neighbours: helve.bash, helve.fish.

_helve() {
  local -a commands formats
  commands=(
    'info:show what RDF files contain'
    'convert:convert an RDF file to another format'
    'demo:load the bundled sample and show it'
    'help:explain a command'
    'completions:print a completion script for a shell'
  )
  formats=(ntriples nquads turtle trig rdfxml)

  local line state
  _arguments -C \
    '(- *)--help[explain the program]' \
    '(- *)--version[show the version]' \
    '1:command:->command' \
    '*::argument:->argument'

  case $state in
    command) _describe 'command' commands ;;
    argument)
      case $line[1] in
        info)
          _arguments \
            '--json[print JSON]' \
            '--from[format of the input]:format:($formats)' \
            '--base[IRI that relative IRIs are resolved against]:iri:' \
            '--lenient[skip bad statements and report them]' \
            '--help[explain the command]' \
            '*:file:_files'
          ;;
        convert)
          _arguments \
            '(-o --output)'{-o,--output}'[file to write]:file:_files' \
            '--from[format of the input]:format:($formats)' \
            '--to[format of the output]:format:($formats)' \
            '--base[IRI that relative IRIs are resolved against]:iri:' \
            '--lenient[skip bad statements and report them]' \
            '--help[explain the command]' \
            '1:file:_files'
          ;;
        help) _describe 'command' commands ;;
        completions) _values 'shell' bash zsh fish ;;
        *) _arguments '--help[explain the command]' ;;
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
