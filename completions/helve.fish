# fish completion for helve. Neighbours: helve.bash, helve.zsh.
set -l formats ntriples nquads turtle trig rdfxml

complete -c helve -f
complete -c helve -n __fish_use_subcommand -a info -d 'show what is in RDF files'
complete -c helve -n __fish_use_subcommand -a convert -d 'write an RDF file in another format'
complete -c helve -n __fish_use_subcommand -a query -d 'ask RDF files a SPARQL query'
complete -c helve -n __fish_use_subcommand -a demo -d 'a short tour on a bundled sample'
complete -c helve -n __fish_use_subcommand -l version -d 'show the version'

complete -c helve -l help -d 'explain the program or a command'
complete -c helve -l color -x -a 'auto always never' -d 'colours'
complete -c helve -s q -l quiet -d 'no notes and no progress'
complete -c helve -l threads -x -d 'threads to work on'
complete -c helve -l memory -x -d 'most memory to use, e.g. 512M'
complete -c helve -l timeout -x -d 'give up after this time, e.g. 30s'
complete -c helve -l log-level -x -a 'error warn info debug' -d 'what to log'
complete -c helve -l log-json -d 'log as JSON lines'

complete -c helve -n '__fish_seen_subcommand_from info convert query' -F
complete -c helve -n '__fish_seen_subcommand_from info convert query' -l from -x -a "$formats" -d 'format of the input'
complete -c helve -n '__fish_seen_subcommand_from info convert query' -l base -x -d 'IRI that relative IRIs are resolved against'
complete -c helve -n '__fish_seen_subcommand_from info convert query' -l lenient -d 'skip bad statements and report them'
complete -c helve -n '__fish_seen_subcommand_from info' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from info' -l top -x -d 'rows of each list'
complete -c helve -n '__fish_seen_subcommand_from convert' -s o -l output -r -F -d 'file to write'
complete -c helve -n '__fish_seen_subcommand_from convert' -l to -x -a "$formats" -d 'format of the output'
complete -c helve -n '__fish_seen_subcommand_from convert' -l stream -d 'write statements as they come'
complete -c helve -n '__fish_seen_subcommand_from query' -s f -l file -r -F -d 'file with the query'
complete -c helve -n '__fish_seen_subcommand_from query' -l format -x -a 'table json xml csv tsv turtle ntriples nquads trig rdfxml' -d 'format of the answer'
complete -c helve -n '__fish_seen_subcommand_from query' -l limit -x -d 'rows to write at most'
complete -c helve -n '__fish_seen_subcommand_from query' -l union -d 'the default graph is all graphs as one'
complete -c helve -n '__fish_seen_subcommand_from query' -l default-graph -r -F -d 'one more file'
complete -c helve -n '__fish_seen_subcommand_from query' -l named-graph -x -d 'IRI=FILE'
complete -c helve -n '__fish_seen_subcommand_from query' -l strict -d 'every prefix must be declared'
complete -c helve -n '__fish_seen_subcommand_from query' -l sparql -x -a '1.1 1.2' -d 'version of the language'
complete -c helve -n '__fish_seen_subcommand_from query' -l parse-only -d 'check the query and print it'
complete -c helve -n '__fish_seen_subcommand_from query' -l algebra -d 'check the query and print its algebra'
