# fish completion for helve. Neighbours: helve.bash, helve.zsh.
set -l commands info convert demo help completions
set -l formats ntriples nquads turtle trig rdfxml

complete -c helve -f
complete -c helve -n "not __fish_seen_subcommand_from $commands" -a info -d 'show what RDF files contain'
complete -c helve -n "not __fish_seen_subcommand_from $commands" -a convert -d 'convert an RDF file to another format'
complete -c helve -n "not __fish_seen_subcommand_from $commands" -a demo -d 'load the bundled sample and show it'
complete -c helve -n "not __fish_seen_subcommand_from $commands" -a help -d 'explain a command'
complete -c helve -n "not __fish_seen_subcommand_from $commands" -a completions -d 'print a completion script for a shell'
complete -c helve -n "not __fish_seen_subcommand_from $commands" -l version -d 'show the version'
complete -c helve -l help -d 'explain the program or a command'

complete -c helve -n '__fish_seen_subcommand_from info convert' -F
complete -c helve -n '__fish_seen_subcommand_from info convert' -l from -x -a "$formats" -d 'format of the input'
complete -c helve -n '__fish_seen_subcommand_from info convert' -l base -x -d 'IRI that relative IRIs are resolved against'
complete -c helve -n '__fish_seen_subcommand_from info convert' -l lenient -d 'skip bad statements and report them'
complete -c helve -n '__fish_seen_subcommand_from info' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from convert' -s o -l output -r -F -d 'file to write'
complete -c helve -n '__fish_seen_subcommand_from convert' -l to -x -a "$formats" -d 'format of the output'
complete -c helve -n '__fish_seen_subcommand_from help' -a 'info convert demo completions'
complete -c helve -n '__fish_seen_subcommand_from completions' -a 'bash zsh fish'
