#compdef helve
# zsh completion for helve; installed as _helve. Neighbours: helve.bash, helve.fish.

# `helve tools` has a line NAME(PARAMETER=DEFAULT, PARAMETER?) for each tool, and below it what it does.
_helve_tools() {
  local -a tools
  tools=(${(f)"$(helve tools 2>/dev/null | sed -n '/^[a-z]/{s/(.*//;h;n;s/^ */:/;H;x;s/\n//p;}')"})
  _describe 'tool' tools
}

_helve_tool_parameters() {
  local -a names
  names=(${(f)"$(helve tools 2>/dev/null | sed -n "s/^$1(\(.*\))\$/\1, max_chars, source/p" | tr ',' '\n' |
    sed -n 's/^ *\([a-z_][a-z_]*\).*/\1=/p')"})
  compadd -S '' -a names
}

_helve() {
  local -a commands common input question file session
  local formats='(ntriples nquads turtle trig rdfxml)'
  commands=(
    'info:show what is in RDF files'
    'find:find names by words'
    'convert:write an RDF file in another format'
    'query:ask RDF files a SPARQL query'
    'explain:show how a SPARQL query is run'
    'shell:ask RDF files queries at a prompt'
    'call:call a tool, as an agent would'
    'tools:list the tools that can be called'
    'explore:look around in a graph at a prompt'
    'source:check a SQL database, or print how to make it safe'
    'policy:tell what a policy file lets callers do'
    'mcp:serve graphs to agents'
    'serve:serve graphs to SPARQL clients'
    'tasks:questions with their queries, of SHACL examples'
    'memory:keep lessons, and find them again'
    'skills:how to go about work with the tools'
    'context:what an agent should know of a source'
    'audit:verify audit files, and look at what is in them'
    'ask:ask a model that works with the tools'
    'chat:a conversation with a model that works with the tools'
    'experiment:run tasks under several conditions and compare'
    'learn:run tasks, judge the answers, and store what is learnt'
    'trajectory:show, compare, count, export and replay recorded runs'
    'judge:whether a query brings what another one does'
    'reflect:look back at a recorded run, and keep a lesson of it'
    'sandbox:run model-written Python where it can do no harm'
    'load:make an index folder of RDF files'
    'update:change an index folder with SPARQL Update'
    'index:look at an index folder, check it, or merge its changes'
    'cache:show or clear the cache of files'
    'demo:a short tour on a bundled sample'
  )
  common=(
    '--color[colours]:when:(auto always never)'
    '(-q --quiet)'{-q,--quiet}'[no notes and no progress]'
    '--threads[threads to work on]:number:'
    '--memory[most memory to use]:size, e.g. 512M:'
    '--temp[folder for what exceeds the memory]:folder:_files -/'
    '--max-temp[most room for that on disk]:size, e.g. 100G:'
    '--timeout[give up after so long]:time, e.g. 30s:'
    '--log-level[what to log]:level:(error warn info debug)'
    '--log-json[log as JSON lines]'
    '(- *)--help[explain]'
  )
  input=(
    "--from[format of the input]:format:$formats"
    '--base[IRI that relative IRIs are resolved against]:iri:'
    '--lenient[skip bad statements and report them]'
  )
  session=(
    '--skills[folder of skills]:folder:_files -/'
    '--bank[memory bank]:file:_files'
    '--session[folder that keeps handles]:folder:_files -/'
    '--policy[JSON or TOML file with the limits of the calls]:file:_files'
    '--caller[who calls\: a name of the policy file]:caller:'
    '--audit[file that gets a line for each call]:file:_files'
    '--audit-key[key of the audit file]:env\:NAME or file\:PATH:'
    '--audit-fingerprints[hashes of queries in the audit file, not their texts]'
    '--json[print the structured form of replies]'
    '--no-cache[read the files themselves]'
  )
  file=('(-f --file)'{-f,--file}'[file with the query]:file:_files')
  question=(
    $input
    '--no-cache[read the files themselves]'
    '--union[the default graph is all graphs as one]'
    '*--default-graph[one more file]:file:_files'
    '*--named-graph[IRI=FILE]:graph:'
    '--strict[every prefix must be declared]'
    '--sparql[version of the language]:version:(1.1 1.2)'
    '*--without-pass[switch a pass of the optimizer off]:pass:'
  )

  local line state
  _arguments -C $common '(- *)--version[show the version]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe 'command' commands ;;
    argument)
      case $line[1] in
        info)
          _arguments $common $input '--json[print JSON]' '--top[rows of each list]:number:' \
            '--no-cache[read the files themselves]' '*:file:_files'
          ;;
        find)
          _arguments $common $input '--kind[kind of name]:kind:(any class property instance)' \
            '--limit[names to show at most]:number:' '--exact[no misspelt words]' \
            '--json[print JSON]' '--no-cache[read the files themselves]' '*:file or words:_files'
          ;;
        load)
          _arguments $common $input '(-o --output)'{-o,--output}'[folder to make]:folder:_files -/' \
            '--force[replace an index that is there]' '*--named-graph[IRI=FILE]:graph:' \
            '--json[print the report as JSON]' '*:file:_files'
          ;;
        update)
          _arguments $common '-f[file with the update]:file:_files' '--create[make an empty index where there is none]' \
            '*--allow-load[folder that LOAD may read]:folder:_files' '--base[base IRI]:IRI:' '--union[WHERE sees all graphs as one]' \
            '--strict[every prefix must be declared]' '--json[print JSON]' '1:folder:_files -/' '2:update:'
          ;;
        index) _arguments $common '--json[print JSON]' '1:what:(info verify compact export)' '2:folder:_files -/' ;;
        cache) _arguments $common '--json[print JSON]' '1:what:(info clear)' ;;
        convert)
          _arguments $common $input '(-o --output)'{-o,--output}'[file to write]:file:_files' \
            "--to[format of the output]:format:$formats" \
            '--stream[write statements as they come]' '1:file:_files'
          ;;
        query)
          _arguments $common $question $file \
            '--format[format of the answer]:format:(table json xml csv tsv turtle ntriples nquads trig rdfxml)' \
            '--limit[rows to write at most]:number:' \
            '--parse-only[check the query and print it]' \
            '--algebra[check the query and print its algebra]' '*:file or query:_files'
          ;;
        shell) _arguments $common $question '--limit[rows to show at most]:number:' '*:file:_files' ;;
        call)
          state=''
          _arguments -C $common $session '*--source[NAME=URI or URI]:source:_files' '1:tool:_helve_tools' \
            '*:argument:->parameter'
          [[ $state == parameter ]] && _helve_tool_parameters $line[1]
          ;;
        tools)
          _arguments $common '--verbose[examples and return keys too]' '--json[print JSON with the schemas]' \
            '1:category:(all query explore analyze memory sql endpoint tasks)'
          ;;
        explore) _arguments $common $session '*:source:_files' ;;
        source)
          _arguments $common '--config[TOML file]:file:_files' '--policy[JSON or TOML file]:file:_files' \
            '--caller[whose policy it is for]:caller:' '--json[print JSON]' '1:what:(check setup)' ;;
        policy)
          _arguments $common '--caller[who calls]:caller:' '*--source[NAME=URI or URI]:source:_files' \
            '--json[print JSON]' '1:what:(check test)' '2:file:_files' '3:tool:_helve_tools' '*:argument:'
          ;;
        tasks)
          _arguments $common '--complexity[only of this complexity]:complexity:(simple moderate complex)' \
            '--sample[show so many by chance]:number:' '--seed[of the sample]:number:' '--json[print JSON]' \
            '--limit[show so many at most]:number:' '--source[run the references on this source]:source:_files' \
            '1:action, file or folder: _alternative "actions:action:(list show check)" "files:file:_files"' \
            '2:set:_files' '*:task:'
          ;;
        memory)
          _arguments $common '--bank[memory bank]:file:_files' '--json[print JSON]' \
            '1:action:(add search get edit history undo merge consolidate forget verify seed embed export import stats backup)' '*:word:'
          ;;
        skills)
          _arguments $common '--skills[folder of skills]:folder:_files -/' '--json[print JSON]' '1:name:'
          ;;
        context)
          _arguments $common '--task[what is to be done]:task:' '--layers[which layers]:layers, e.g. L0,L1:' \
            '--budget[characters]:budget:(full compact)' '--bank[lessons]:file:_files' '--guide[Markdown]:file:_files' \
            '--constraints[TOML]:file:_files' '--schema-summary[instead of L0 and L1]:file:_files' \
            '--breakdown[tell what took how many characters]' '--json[print JSON]' '--no-cache[read everything anew]' \
            '1:source:_files'
          ;;
        audit)
          _arguments $common '--key[key of the files]:env\:NAME or file\:PATH:' \
            '--head[number and hash of a record that must be there]:head:' \
            '--no-head[do without a head file]' '(-n --lines)'{-n,--lines}'[only the last records]:number:' \
            '(-f --follow)'{-f,--follow}'[go on with those that come]' '--caller[of this caller]:caller:' \
            '--session[of this session]:session:' '--tool[of this tool]:tool:_helve_tools' \
            '--source[of this source]:source:' '--verdict[with this verdict]:verdict:(ok denied not_found invalid_input)' \
            '--kind[of this kind]:kind:(call intent header recovered cut failure)' \
            '--since[not before this time]:time:' '--until[not after this time]:time:' \
            '--text[with this text]:text:' '--json[print JSON]' '1:what:(verify head tail search)' '*:file:_files'
          ;;
        judge)
          _arguments $common $session '*--source[NAME=URI or URI]:source:_files' '--ordered[the order of the rows counts]' \
            '--bag[how often a row comes counts]' '--json[print JSON]' '1:query:' '2:reference:'
          ;;
        ask | chat | reflect)
          _arguments $common $session '*--source[NAME=URI or URI]:source:_files' '--loop[how the model works]:loop:(react rlm)' \
            '--provider[of the model]:provider:(chat responses anthropic scripted builtin\:rules)' '--model[name of the model]:model:' \
            '--url[base address of its server]:address:' '--key[env\:NAME or file\:PATH]:key:' '--prices[TOML file]:file:_files' \
            '--model-config[TOML file with a section \[model\]]:file:_files' \
            '--script[answers of a file]:file:_files' '--record[file for exchanges]:file:_files' '--layers[of the context]:layers:' \
            '--budget[of the context]:budget:(full compact)' '--hints[JSON or TOML file]:file:_files' \
            '--max-steps[steps]:number:' '--max-calls[tool calls]:number:' '--max-tokens[tokens]:number:' '--max-cost[cost]:number:' \
            '--time[of a question]:time, e.g. 2min:' '--trajectory[file for events]:file:_files' '--no-times[no times]' \
            '--stream[show steps as they come]' '--json[print JSON]' '--history[characters of earlier turns]:number:' \
            '--no-source[ask without any data]' '--dry-run[show what would be sent]' '--signature[what code hands in]:signature:' \
            '--sub-model[the model that code asks]:model:' '--sub-provider[of that model]:provider:(chat responses anthropic scripted)' \
            '--sub-url[base address of its server]:address:' '--sub-key[env\:NAME or file\:PATH]:key:' \
            '--run[which run of the file]:number:' '--full[texts whole]' '--hint[what you see]:hint:' \
            '--compare[another trajectory]:file:_files' '--refine[item that is replaced]:id:' \
            '--verdict[yours on the run]:verdict:(correct partial incorrect)' '--title[of the item]:title:' '--desc[of the item]:desc:' \
            '--content[of the item]:content:' '--domain[of the item]:domain:' '*--tag[of the item]:tag:' '--edit[open the editor]' \
            '--by-hand[ask no model]' '--yes[store it without asking]' '--rerun[without and with the item]' \
            '--reference[query that answers the task]:query:' '*:file:_files'
          ;;
        experiment)
          _arguments $common '*--tasks[bundled\:solar, a file or a folder]:tasks:_files' '*--only[ids, level\:2, keywords]:words:' \
            '--max-tasks[of each set]:number:' '*--source[NAME=URI or URI]:source:_files' \
            '--provider[of the model]:provider:(chat responses anthropic builtin)' '--model[name of the model]:model:(builtin\:rules)' \
            '--url[base address of its server]:address:' '--key[env\:NAME or file\:PATH]:key:' '--prices[TOML file]:file:_files' \
            '--repeats[of every cell]:number:' '--seed[of the first repeat]:number:' '--rollouts[E12]:number:' '--bank-max[E11]:number:' \
            '--guide[Markdown file]:file:_files' '--seed-bank[a bank]:file:_files' '--extract[lessons]:how:(auto model patterns)' \
            '--total-tokens[of the whole]:number:' '--total-cost[of the whole]:number:' '--total-time[of the whole]:time, e.g. 2h:' \
            '--parallel[cells at once]:number:' '--out[folder of the results]:folder:_files -/' \
            '--replay[folder of an experiment]:folder:_files -/' '--json[print JSON]' '*:cell:(all E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12)'
          ;;
        learn)
          _arguments $common $session '*--source[NAME=URI or URI]:source:_files' '--out[folder of journal and trajectories]:folder:_files -/' \
            '*--only[ids, levels, keywords]:word:' '--max-tasks[at most so many]:number:' '--rollouts[runs of each task]:number:' \
            '--parallel[rollouts at once]:number:' '--seed[of models that take one]:number:' '--consolidate[lessons that say the same become one]' \
            '--bank-max[items that the bank may have]:number:' '--judge-model[for tasks without a reference]:provider:' '--judge-key[key of its server]:reference:' '--extract-key[key of the server that writes lessons]:reference:' \
            '--judge-principles[principles of that model]:file:_files' '--judge-episodes[judgments of before]:file:_files' \
            '--extract-model[that writes lessons]:provider:(same)' '--dry-run[run and judge alone]' \
            '--max-total-tokens[of the whole]:number:' '--max-total-cost[of the whole]:number:' '--max-total-time[of the whole]:time, e.g. 2h:' \
            '--provider[of the model]:provider:(chat responses anthropic scripted builtin\:rules)' '--model[name of the model]:model:' \
            '--url[base address of its server]:address:' '--key[env\:NAME or file\:PATH]:key:' '--prices[TOML file]:file:_files' \
            '--loop[how the model works]:loop:(react rlm)' '--layers[of the context]:layers:' '--no-times[no times]' '--json[print JSON]' \
            '1:tasks:_files'
          ;;
        trajectory)
          _arguments $common $session '--run[which run of the file]:number:' '--step[this step alone]:number:' '--full[texts whole]' \
            '--json[print JSON]' '*--source[NAME=URI or URI]:source:_files' '--trajectory[file for the new run]:file:_files' \
            '-o[file to write]:file:_files' '1:what:(list show diff stats export replay)' '*:file:_files'
          ;;
        sandbox)
          _arguments $common $session '*--tools[NAME=URI or URI]:source:_files' '*--var[NAME=JSON]:variable:' \
            '*--var-file[NAME=PATH]:variable:' '--time[time of the code]:time, e.g. 90s:' \
            '--memory-max[memory of the code]:size, e.g. 256M:' '--calls[tool calls at most]:number:' \
            '*--modules[folder to import from]:folder:_files -/' '--python[the interpreter]:file:_files' \
            '--unsafe-sandbox[run although a layer is missing]' '1:what:(check run)' '2:file:_files'
          ;;
        mcp)
          _arguments $common '*--source[NAME=URI or URI]:source:_files' '--http[serve over HTTP]:host and port:' \
            '--skills[folder of skills]:folder:_files -/' \
            '--toolset[tools that are listed]:toolset:(minimal standard all)' \
            '--policy[JSON or TOML file with the limits of the calls]:file:_files' \
            '--caller[who calls without a token\: a name of the policy file]:caller:' \
            '--read-only[no tool changes data]' '--config[TOML file with sources, callers and more]:file:_files' \
            '--audit[file that gets a line for each call]:file:_files' '--no-cache[read the files themselves]' \
            '--audit-key[key of the audit file]:env\:NAME or file\:PATH:' \
            '--audit-fingerprints[hashes of queries in the audit file, not their texts]' \
            '--conformance[offer what the conformance suite calls]' '*:source:_files'
          ;;
        serve)
          _arguments $common '--http[where to listen]:host and port:' \
            '--token[bearer token that clients need]:env\:NAME or file\:PATH:' \
            '--writable[take updates into an index folder]' '--max-body[size of a body of a writer]:size:' \
            '--write-token[bearer token of those who may write]:env\:NAME or file\:PATH:' \
            '*--allow-host[name under which it may be asked]:name:' \
            '*--cors[origin whose pages may read answers]:origin:' \
            '--max-rows[rows of an answer]:number:' '--max-queries[queries at once]:number:' \
            '--union[the default graph is all graphs as one]' '*--default-graph[one more file]:file:_files' \
            '*--named-graph[IRI=FILE]:graph:' '--strict[every prefix must be declared]' \
            "--from[format of the input]:format:$formats" '--lenient[skip bad statements and report them]' \
            '--no-cache[read the files themselves]' '*:source:_files'
          ;;
        explain)
          _arguments $common $question $file '--format[format of the plan]:format:(text json)' \
            '--analyze[run the query and show what came]' \
            '--passes[list the passes of the optimizer]' '*:file or query:_files'
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
