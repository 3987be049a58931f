# bash completion for helve. Neighbours: helve.zsh, helve.fish.

# The tool that `helve call` names before the cursor, if it does.
_helve_tool() {
  local is_after_call='' is_value='' word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word == '=' ]]; then  # bash takes NAME=URI apart
      is_value=1
    elif [[ -n $is_value ]]; then
      is_value=''
    elif [[ $word =~ ^--(source|session|policy|skills|caller|audit|audit-key|config|http|token|allow-host|cors|max-rows|max-queries|toolset|color|threads|memory|timeout|log-level)$ ]]; then
      is_value=1
    elif [[ -n $is_after_call && $word != -* ]]; then
      echo "$word"
      return
    elif [[ $word == call ]]; then
      is_after_call=1
    fi
  done
}

# `helve tools` has a line NAME(PARAMETER=DEFAULT, PARAMETER?) for each tool.
_helve_tool_names() {
  helve tools 2>/dev/null | sed -n 's/^\([a-z_]*\)(.*/\1/p'
}

_helve_tool_parameters() {
  helve tools 2>/dev/null | sed -n "s/^$1(\(.*\))\$/\1, max_chars, source/p" | tr ',' '\n' |
    sed -n 's/^ *\([a-z_][a-z_]*\).*/\1=/p'
}

_helve() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command='' word words=''
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in
      info | find | convert | query | explain | shell | call | tools | explore | source | policy | mcp | serve | memory | tasks | skills | context | audit | ask | chat | learn | trajectory | experiment | judge | reflect | sandbox | load | update | index | cache | demo)
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
    --budget) words='full compact' ;;
    --toolset) words='minimal standard all' ;;
    --source | --tools | --modules | --python | --session | --policy | --skills | --audit | --config | --bank | --guide | --constraints | --schema-summary)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return
      ;;
    --kind)
      words='any class property instance'
      [[ $command == audit ]] && words='call intent header recovered cut failure'
      ;;
    --complexity) words='simple moderate complex' ;;
    --verdict) words='ok invalid_input not_found denied limit_exceeded unavailable cancelled internal' ;;
    --audit-key | --key | --head | --caller | --tool | --since | --until | --text | -n | --lines) return ;;
    --sample | --seed) return ;;
    --base | --task | --layers | --top | --limit | --http | --threads | --memory | --max-temp | --timeout) return ;;
    --token | --allow-host | --cors | --max-rows | --max-queries) return ;;
    --var | --var-file | --time | --memory-max | --calls) return ;;
  esac
  if [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi

  case "$command" in
    index) [[ $previous == index ]] && words='info verify compact export' ;;
    cache) [[ $previous == cache ]] && words='info clear' ;;
    source) [[ $previous == source ]] && words='check setup' ;;
    policy) [[ $previous == policy ]] && words='check test' ;;
    audit) [[ $previous == audit ]] && words='verify head tail search' ;;
    sandbox) [[ $previous == sandbox ]] && words='check run' ;;
    trajectory) [[ $previous == trajectory ]] && words='list show diff stats export replay' ;;
    experiment) [[ $previous == experiment ]] && words='all E1 E2 E3 E4 E5 E6 E7 E8 E9 E10 E11 E12' ;;
    tasks) [[ $previous == tasks ]] && words="list show check $(compgen -f -- "$current")" ;;
    skills) words=$(helve skills 2>/dev/null | sed -n 's/^\([a-z][a-z0-9-]*\).*/\1/p') ;;
    tools) words='all query explore analyze memory sql endpoint tasks' ;;
    call)
      word=$(_helve_tool)
      if [[ -z $word ]]; then
        words=$(_helve_tool_names)
      elif [[ $previous != '=' && $current != '=' ]]; then
        words=$(_helve_tool_parameters "$word")
        compopt -o nospace 2>/dev/null
      fi
      ;;
  esac
  if [[ -n $words && $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [[ $current != -* && $command =~ ^(info|find|convert|query|explain|shell|call|explore|policy|mcp|serve|tasks|context|audit|trajectory|reflect|sandbox|load|update|index)$ ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  words='--color --quiet --threads --memory --temp --max-temp --timeout --log-level --log-json --help'
  case "$command" in
    '') words="info find convert query explain shell call tools explore source policy mcp serve memory tasks skills context audit ask chat learn trajectory experiment judge reflect sandbox load update index cache demo --version $words" ;;
    info) words="--json --top --from --base --lenient --no-cache $words" ;;
    find) words="--kind --limit --exact --json --from --base --lenient --no-cache $words" ;;
    tasks) words="--complexity --sample --seed --limit --source --json $words" ;;
    skills) words="--skills --json $words" ;;
    memory)
      words="add search get edit history undo merge consolidate forget verify seed embed export import stats backup
        --bank --json --all --src --domain --tag --limit --ranker --dry-run $words"
      ;;
    context) words="--task --layers --budget --bank --guide --constraints --schema-summary --breakdown --json --no-cache $words" ;;
    load) words="-o --output --force --named-graph --json --from --base --lenient $words" ;;
    update) words="-f --file --create --allow-load --base --union --strict --json $words" ;;
    call) words="--source --session --policy --caller --skills --bank --audit --audit-key --audit-fingerprints --json --no-cache $words" ;;
    explore) words="--session --policy --caller --skills --bank --audit --audit-key --audit-fingerprints --json --no-cache $words" ;;
    mcp) words="--source --http --toolset --policy --caller --skills --bank --read-only --config --audit --audit-key --audit-fingerprints --no-cache --provider --model --url --key --prices --model-config --conformance $words" ;;
    serve)
      words="--http --token --writable --write-token --max-body --allow-host --cors --max-rows --max-queries --union --default-graph --named-graph --strict
        --from --lenient --no-cache $words"
      ;;
    tools) words="--verbose --json $words" ;;
    audit)
      words="--key --head --no-head --lines --follow --caller --session --tool --source --verdict --kind
        --since --until --text --json $words"
      ;;
    ask | chat)
      words="--source --no-source --loop --signature --sub-model --sub-provider --sub-url --sub-key --provider --model --url --key --prices --model-config --script --record --layers --budget --hints --max-steps
        --max-calls --max-tokens --max-output --max-cost --time --trajectory --no-times --stream --session --policy --caller --skills --bank
        --audit --audit-key --audit-fingerprints --no-cache $words"
      [[ $command == ask ]] && words="--json --dry-run $words" || words="--json --history $words"
      ;;
    learn)
      words="--source --bank --out --only --max-tasks --rollouts --parallel --seed --consolidate --bank-max --judge-model --judge-key --extract-key --judge-principles --judge-episodes
        --extract-model --dry-run --max-total-tokens --max-total-cost --max-total-time --provider --model --url --key --prices
        --script --record --loop --layers --budget --hints --max-steps --max-calls --max-tokens --max-cost --time --no-times
        --policy --caller --skills --audit --audit-key --audit-fingerprints --no-cache --json $words"
      ;;
    experiment)
      words="--tasks --only --max-tasks --source --provider --model --url --key --prices --repeats --seed --rollouts --bank-max
        --guide --seed-bank --extract --loop --budget --max-steps --max-calls --max-tokens --max-cost --time --total-tokens
        --total-cost --total-time --parallel --out --replay --json --policy --caller --skills --no-cache $words"
      ;;
    judge)
      words="--source --ordered --bag --json --session --policy --caller --skills --bank --audit --audit-key
        --audit-fingerprints --no-cache $words"
      ;;
    reflect)
      words="--run --full --hint --compare --refine --verdict --title --desc --content --domain --tag --edit --by-hand --yes --json
        --rerun --reference --source --loop --provider --model --url --key --prices --script --record --layers --budget --hints
        --max-steps --max-calls --max-tokens --max-cost --time --trajectory --no-times --stream --session --policy --caller
        --skills --bank --audit --audit-key --audit-fingerprints --no-cache $words"
      ;;
    trajectory) words="--run --step --full --json --output --source --trajectory --session --policy --caller --bank $words" ;;
    sandbox)
      words="--tools --var --var-file --time --memory-max --calls --modules --python --unsafe-sandbox --session --policy
        --caller --skills --bank --audit --audit-key --audit-fingerprints --json --no-cache $words"
      ;;
    index | cache) words="--json $words" ;;
    source) words="--config --policy --caller --json $words" ;;
    policy) words="--caller --source --json $words" ;;
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
