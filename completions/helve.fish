# fish completion for helve. Neighbours: helve.bash, helve.zsh.

# `helve tools` has a line NAME(PARAMETER=DEFAULT, PARAMETER?) for each tool.
function __helve_tool_names
    helve tools 2>/dev/null | string replace -rf '^([a-z_]+)\\(.*' '$1'
end

function __helve_called_tool
    set -l names (__helve_tool_names)
    for word in (commandline -opc)
        contains -- $word $names; and echo $word; and return
    end
    return 1
end

function __helve_tool_parameters
    set -l tool (__helve_called_tool); or return
    helve tools 2>/dev/null | string replace -rf "^$tool\\((.*)\\)\$" '$1, max_chars, source' | string split ', ' |
        string replace -rf '^([a-z_]+).*' '$1='
end

set -l formats ntriples nquads turtle trig rdfxml

complete -c helve -f
complete -c helve -n __fish_use_subcommand -a info -d 'show what is in RDF files'
complete -c helve -n __fish_use_subcommand -a find -d 'find names by words'
complete -c helve -n __fish_use_subcommand -a convert -d 'write an RDF file in another format'
complete -c helve -n __fish_use_subcommand -a query -d 'ask RDF files a SPARQL query'
complete -c helve -n __fish_use_subcommand -a explain -d 'show how a SPARQL query is run'
complete -c helve -n __fish_use_subcommand -a shell -d 'ask RDF files queries at a prompt'
complete -c helve -n __fish_use_subcommand -a call -d 'call a tool, as an agent would'
complete -c helve -n __fish_use_subcommand -a tools -d 'list the tools that can be called'
complete -c helve -n __fish_use_subcommand -a explore -d 'look around in a graph at a prompt'
complete -c helve -n __fish_use_subcommand -a source -d 'check a SQL database, or print how to make it safe'
complete -c helve -n __fish_use_subcommand -a policy -d 'tell what a policy file lets callers do'
complete -c helve -n __fish_use_subcommand -a mcp -d 'serve graphs to agents'
complete -c helve -n __fish_use_subcommand -a serve -d 'serve graphs to SPARQL clients'
complete -c helve -n __fish_use_subcommand -a tasks -d 'questions with their queries, of SHACL examples'
complete -c helve -n __fish_use_subcommand -a memory -d 'keep lessons, and find them again'
complete -c helve -n __fish_use_subcommand -a skills -d 'how to go about work with the tools'
complete -c helve -n __fish_use_subcommand -a context -d 'what an agent should know of a source'
complete -c helve -n __fish_use_subcommand -a audit -d 'verify audit files, and look at what is in them'
complete -c helve -n __fish_use_subcommand -a load -d 'make an index folder of RDF files'
complete -c helve -n __fish_use_subcommand -a index -d 'look at an index folder, or check it'
complete -c helve -n __fish_use_subcommand -a cache -d 'show or clear the cache of files'
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

complete -c helve -n '__fish_seen_subcommand_from info find convert query explain shell load' -F
complete -c helve -n '__fish_seen_subcommand_from info find convert query explain shell load serve' -l from -x -a "$formats" -d 'format of the input'
complete -c helve -n '__fish_seen_subcommand_from info find convert query explain shell load' -l base -x -d 'IRI that relative IRIs are resolved against'
complete -c helve -n '__fish_seen_subcommand_from info find convert query explain shell load serve' -l lenient -d 'skip bad statements and report them'
complete -c helve -n '__fish_seen_subcommand_from info find' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from info' -l top -x -d 'rows of each list'
complete -c helve -n '__fish_seen_subcommand_from find' -l kind -x -a 'any class property instance' -d 'kind of name'
complete -c helve -n '__fish_seen_subcommand_from find' -l exact -d 'no misspelt words'
complete -c helve -n '__fish_seen_subcommand_from convert' -s o -l output -r -F -d 'file to write'
complete -c helve -n '__fish_seen_subcommand_from convert' -l to -x -a "$formats" -d 'format of the output'
complete -c helve -n '__fish_seen_subcommand_from convert' -l stream -d 'write statements as they come'
complete -c helve -n '__fish_seen_subcommand_from query explain' -s f -l file -r -F -d 'file with the query'
complete -c helve -n '__fish_seen_subcommand_from query' -l format -x -a 'table json xml csv tsv turtle ntriples nquads trig rdfxml' -d 'format of the answer'
complete -c helve -n '__fish_seen_subcommand_from query shell find' -l limit -x -d 'rows at most'
complete -c helve -n '__fish_seen_subcommand_from query explain shell serve' -l union -d 'the default graph is all graphs as one'
complete -c helve -n '__fish_seen_subcommand_from query explain shell serve' -l default-graph -r -F -d 'one more file'
complete -c helve -n '__fish_seen_subcommand_from query explain shell serve' -l named-graph -x -d 'IRI=FILE'
complete -c helve -n '__fish_seen_subcommand_from query explain shell serve' -l strict -d 'every prefix must be declared'
complete -c helve -n '__fish_seen_subcommand_from query explain shell' -l sparql -x -a '1.1 1.2' -d 'version of the language'
complete -c helve -n '__fish_seen_subcommand_from query' -l parse-only -d 'check the query and print it'
complete -c helve -n '__fish_seen_subcommand_from query' -l algebra -d 'check the query and print its algebra'
complete -c helve -n '__fish_seen_subcommand_from info find query explain shell serve' -l no-cache -d 'read the files themselves'
complete -c helve -n '__fish_seen_subcommand_from load' -s o -l output -r -F -d 'folder to make'
complete -c helve -n '__fish_seen_subcommand_from load' -l force -d 'replace an index that is there'
complete -c helve -n '__fish_seen_subcommand_from load' -l named-graph -x -d 'IRI=FILE'
complete -c helve -n '__fish_seen_subcommand_from load index cache' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from index; and not __fish_seen_subcommand_from info verify' -a 'info verify'
complete -c helve -n '__fish_seen_subcommand_from index; and __fish_seen_subcommand_from info verify' -F
complete -c helve -n '__fish_seen_subcommand_from cache; and not __fish_seen_subcommand_from info clear' -a 'info clear'
complete -c helve -n '__fish_seen_subcommand_from query explain shell' -l without-pass -x -a "(helve explain --passes 2>/dev/null | string split -f 1 ' ')" -d 'switch a pass of the optimizer off'
complete -c helve -n '__fish_seen_subcommand_from explain' -l format -x -a 'text json' -d 'format of the plan'
complete -c helve -n '__fish_seen_subcommand_from explain' -l analyze -d 'run the query and show what came'
complete -c helve -n '__fish_seen_subcommand_from explain' -l passes -d 'list the passes of the optimizer'
complete -c helve -n '__fish_seen_subcommand_from call; and not __helve_called_tool >/dev/null' -a '(__helve_tool_names)'
complete -c helve -n '__fish_seen_subcommand_from call' -a '(__helve_tool_parameters)'
complete -c helve -n '__fish_seen_subcommand_from call mcp' -l source -r -F -d 'NAME=URI or URI'
complete -c helve -n '__fish_seen_subcommand_from call explore' -l session -r -F -d 'folder that keeps handles'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp' -l policy -r -F -d 'JSON or TOML file with the limits of the calls'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp policy' -l caller -x -d 'who calls: a name of the policy file'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp' -l audit -r -F -d 'file that gets a line for each call'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp' -l audit-key -x -d 'key of the audit file: env:NAME or file:PATH'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp' -l audit-fingerprints -d 'hashes of queries in the audit file'
complete -c helve -n '__fish_seen_subcommand_from audit; and not __fish_seen_subcommand_from verify head tail search' -a 'verify head tail search'
complete -c helve -n '__fish_seen_subcommand_from audit; and __fish_seen_subcommand_from verify head tail search' -F
complete -c helve -n '__fish_seen_subcommand_from audit' -l key -x -d 'key of the files: env:NAME or file:PATH'
complete -c helve -n '__fish_seen_subcommand_from audit' -l head -x -d 'SEQ:HASH of a record that must be there'
complete -c helve -n '__fish_seen_subcommand_from audit' -l no-head -d 'do without a head file'
complete -c helve -n '__fish_seen_subcommand_from audit' -s n -l lines -x -d 'only the last records'
complete -c helve -n '__fish_seen_subcommand_from audit' -s f -l follow -d 'go on with those that come'
complete -c helve -n '__fish_seen_subcommand_from audit' -l caller -x -d 'of this caller'
complete -c helve -n '__fish_seen_subcommand_from audit' -l tool -x -d 'of this tool'
complete -c helve -n '__fish_seen_subcommand_from audit' -l verdict -x -a 'ok denied not_found invalid_input' -d 'with this verdict'
complete -c helve -n '__fish_seen_subcommand_from audit' -l kind -x -a 'call intent header recovered cut failure' -d 'of this kind'
complete -c helve -n '__fish_seen_subcommand_from audit' -l since -x -d 'not before this time'
complete -c helve -n '__fish_seen_subcommand_from audit' -l until -x -d 'not after this time'
complete -c helve -n '__fish_seen_subcommand_from audit' -l text -x -d 'with this text'
complete -c helve -n '__fish_seen_subcommand_from audit' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from call explore' -l json -d 'print the structured form of replies'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp' -l no-cache -d 'read the files themselves'
complete -c helve -n '__fish_seen_subcommand_from explore mcp serve' -F
complete -c helve -n '__fish_seen_subcommand_from serve' -l token -x -d 'bearer token that clients need: env:NAME or file:PATH'
complete -c helve -n '__fish_seen_subcommand_from serve' -l allow-host -x -d 'name under which it may be asked'
complete -c helve -n '__fish_seen_subcommand_from serve' -l cors -x -d 'origin whose pages may read answers'
complete -c helve -n '__fish_seen_subcommand_from serve' -l max-rows -x -d 'rows of an answer'
complete -c helve -n '__fish_seen_subcommand_from serve' -l max-queries -x -d 'queries at once'
complete -c helve -n '__fish_seen_subcommand_from mcp serve' -l http -x -d 'HOST:PORT: serve over HTTP'
complete -c helve -n '__fish_seen_subcommand_from mcp' -l toolset -x -a 'minimal standard all' -d 'tools that are listed'
complete -c helve -n '__fish_seen_subcommand_from mcp' -l read-only -d 'no tool changes data'
complete -c helve -n '__fish_seen_subcommand_from mcp' -l config -r -F -d 'TOML file with sources, callers and more'
complete -c helve -n '__fish_seen_subcommand_from mcp' -l conformance -d 'offer what the conformance suite calls'
complete -c helve -n '__fish_seen_subcommand_from source' -a 'check setup'
complete -c helve -n '__fish_seen_subcommand_from source' -l config -r -F -d 'TOML file'
complete -c helve -n '__fish_seen_subcommand_from source' -l policy -r -F -d 'JSON or TOML file'
complete -c helve -n '__fish_seen_subcommand_from source' -l caller -x -d 'whose policy it is for'
complete -c helve -n '__fish_seen_subcommand_from source' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from policy' -a 'check test'
complete -c helve -n '__fish_seen_subcommand_from policy' -l source -r -F -d 'NAME=URI or URI'
complete -c helve -n '__fish_seen_subcommand_from policy' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from tasks' -F
complete -c helve -n '__fish_seen_subcommand_from tasks' -l complexity -x -a 'simple moderate complex' -d 'only tasks of this complexity'
complete -c helve -n '__fish_seen_subcommand_from tasks' -l sample -x -d 'show so many tasks by chance'
complete -c helve -n '__fish_seen_subcommand_from tasks' -l seed -x -d 'of the sample'
complete -c helve -n '__fish_seen_subcommand_from tasks skills context' -l json -d 'print JSON'
complete -c helve -n '__fish_seen_subcommand_from skills' -a "(helve skills 2>/dev/null | string match -r '^[a-z][a-z0-9-]*')"
complete -c helve -n '__fish_seen_subcommand_from memory' -a 'add search get edit history undo merge consolidate forget verify seed embed export import stats backup'
complete -c helve -n '__fish_seen_subcommand_from memory call explore mcp' -l bank -r -F -d 'memory bank'
complete -c helve -n '__fish_seen_subcommand_from call explore mcp skills' -l skills -r -F -d 'folder of skills'
complete -c helve -n '__fish_seen_subcommand_from context' -F
complete -c helve -n '__fish_seen_subcommand_from context' -l task -x -d 'what is to be done'
complete -c helve -n '__fish_seen_subcommand_from context' -l layers -x -d 'which layers, e.g. L0,L1'
complete -c helve -n '__fish_seen_subcommand_from context' -l budget -x -a 'full compact' -d 'characters'
complete -c helve -n '__fish_seen_subcommand_from context' -l bank -r -F -d 'lessons'
complete -c helve -n '__fish_seen_subcommand_from context' -l guide -r -F -d 'a guide in Markdown'
complete -c helve -n '__fish_seen_subcommand_from context' -l constraints -r -F -d 'constraints in TOML'
complete -c helve -n '__fish_seen_subcommand_from context' -l schema-summary -r -F -d 'a text instead of L0 and L1'
complete -c helve -n '__fish_seen_subcommand_from context' -l breakdown -d 'tell what took how many characters'
complete -c helve -n '__fish_seen_subcommand_from context' -l no-cache -d 'read everything anew'
complete -c helve -n '__fish_seen_subcommand_from tools' -a 'all query explore analyze memory sql endpoint tasks'
complete -c helve -n '__fish_seen_subcommand_from tools' -l verbose -d 'examples and return keys too'
complete -c helve -n '__fish_seen_subcommand_from tools' -l json -d 'print JSON with the schemas'
