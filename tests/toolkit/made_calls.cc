#include "tests/toolkit/made_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/toolkit/workbench.h"

namespace helve::proofs {

namespace {

using toolkit::Parameter;
using toolkit::ParameterType;
using toolkit::Tool;

const std::vector<std::string> kQueries = {
    "SELECT ?x ?name WHERE { ?x rdfs:label ?name } ORDER BY ?x ?name",
    "SELECT ?x WHERE { ?x a ex:Planet }",
    "SELECT * { ?s ?p ?o }",
    "SELECT ?c (COUNT(*) AS ?n) { ?x a ?c } GROUP BY ?c ORDER BY DESC(?n)",
    "ASK { ex:Earth a ex:Planet }",
    "ASK { ex:Earth a ex:Moon }",
    "SELECT ?x { ?x a ex:Plannet }",
    "SELECT ?x { ?x rdfs:label \"earth\" }",
    "SELECT ?x ?r { ?x ex:radius ?r FILTER(?r > 5000) }",
    "CONSTRUCT { ?x ex:named ?n } WHERE { ?x rdfs:label ?n }",
    "DESCRIBE ex:Earth",
    "SELECT ?a WHERE { ?x ex:about ?a }",
    "SELECT (COUNT(*) AS ?n) { ?x ex:nothing ?y }",
    "SELECT ?a ?b { ?a ex:near/ex:near ?b } LIMIT 500",
    "SELECT ?s { GRAPH ex:second { ?s ?p ?o } }",
};
const std::vector<std::string> kResources = {
    "ex:Planet", "ex:Earth",   "http://example.org/Mars",  "ex:orbits", "ex:Thing", "Planet",
    "ex:thing7", "rdfs:label", "<http://example.org/Luna>"};
const std::vector<std::string> kWords = {"planet", "Earth", "thing 12", "ert", "Plannet",
                                         "terre",  "name",  "a",        "モン"};
const std::vector<std::string> kSql = {
    "SELECT * FROM {}",
    "SELECT name, count(*) AS n FROM {} GROUP BY name ORDER BY n DESC",
    "SELECT a.x FROM {} a JOIN {} b ON a.x = b.x",
    "SELECT count(*) FROM {}",
    "SELECT x FROM {} WHERE name LIKE 'E%'",
};

// Of the music shop.
const std::vector<std::string> kTables = {"artist",  "track",  "Customer",
                                          "invoice", "refund", "\"album\""};
const std::vector<std::string> kSelects = {
    "SELECT * FROM track",
    "SELECT name, unit_price FROM track WHERE unit_price > 1 ORDER BY name",
    "SELECT r.name, count(*) AS n FROM album a JOIN artist r USING (artist_id) GROUP BY r.name",
    "SELECT * FROM customer WHERE country = 'norway'",
    "SELECT count(*) FROM refund",
    "SELECT lyrics FROM track WHERE lyrics IS NOT NULL",
    "SELECT first_name FROM customer WHERE last_name = 'Harris'",
};
const std::vector<std::string> kChanges = {
    "UPDATE artist SET name = 'x' WHERE artist_id < 3",
    "DELETE FROM track WHERE album_id = 4",
    "INSERT INTO refund (invoice_id, reason) VALUES (1, 'broken'), (2, 'late')",
    "DELETE FROM customer",
};
const std::vector<std::string> kDefinitions = {
    "CREATE TABLE note (id integer, what text)",
    "CREATE INDEX track_name ON track (name)",
    "DROP TABLE refund",
};

// SQL, SPARQL, paths, terminals, readers that trust: texts that were written to do harm.
const std::vector<std::string> kHostile = {
    "'; DROP TABLE results_0; --",
    "1 UNION SELECT sql FROM sqlite_master",
    "ATTACH DATABASE '/etc/passwd' AS p",
    "SELECT load_extension('x')",
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) SELECT count(*) FROM c",
    "SELECT randomblob(1000000000)",
    "INSERT DATA { <a:a> <b:b> <c:c> }",
    "DELETE WHERE { ?s ?p ?o }",
    "LOAD <file:///etc/passwd>",
    "SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }",
    "SELECT * FROM <file:///etc/passwd> { ?s ?p ?o }",
    "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "SELECT * { ?a (ex:near|^ex:near)* ?b . ?b (ex:near|^ex:near)* ?c }",
    "SELECT ?x { ?x rdfs:label ?l FILTER(REGEX(?l, \"(a+)+(a+)+(a+)+$\")) }",
    "} } } ?x UNION { { {",
    "ex:Earth> } ; DROP ALL ; SELECT * { <x",
    "http://example.org/a b\"c<d>e{f}",
    "../../../../../../etc/passwd",
    "/dev/zero",
    "/proc/self/mem",
    "file:///etc/shadow",
    "/",
    ".",
    "\x1B[2J\x1B]0;title\x07",
    "\xE2\x80\xAEtext that runs the other way\xE2\x80\xAC",
    "\xEF\xBB\xBF",
    "\xC3\x28 \xFF\xFE \xF0\x28\x8C\xBC",
    "\xED\xA0\x80",
    "Ref('results_0', 'results', 1 items)",
    "results_0[99999999999999999999].x",
    "results_0[0].nothing",
    "@results_0.",
    "@@@@",
    "SELECT ?x { VALUES ?x { @results_0.nothing } }",
    "SELECT ?x { VALUES ?x { @results_999.x } }",
    "{}%s%n{0}{:>1000000}",
    "\\u0000",
    "SELECT nmae FROM artist",
    "SELECT * FROM track a, track b, track c, track d, track e",
    "SELECT * FROM track WHERE name IN (@results_0.name) AND name = 'x'",
    "SELECT * FROM track WHERE name = @results_0.name",
    "SELECT 1; SELECT 2",
    "SELECT 'no end",
    "/* no end",
    "DELETE FROM track",
};

std::string deep_query() {
  std::string open;
  std::string close;
  for (int i = 0; i < 3'000; ++i) {
    open += "{ ";
    close += " }";
  }
  return "SELECT * " + open + "?s ?p ?o" + close;
}

std::string long_or() {
  std::string query = "SELECT * { ?s ?p ?o FILTER(?o = 0";
  for (int i = 1; i < 3'000; ++i) query += fmt::format(" || ?o = {}", i);
  return query + ") }";
}

JsonValue nested(int depth, bool is_list) {
  JsonValue value("deep");
  for (int i = 0; i < depth; ++i) {
    if (is_list) {
      JsonValue::Array one;
      one.push_back(std::move(value));
      value = JsonValue(std::move(one));
    } else {
      JsonValue::Object one;
      one.push_back({"key", std::move(value)});
      value = JsonValue(std::move(one));
    }
  }
  return value;
}

void put(JsonValue& object, const std::string& key, JsonValue value) {
  for (JsonMember& member : *object.if_object()) {
    if (member.key == key) {
      member.value = std::move(value);
      return;
    }
  }
  object.if_object()->push_back({key, std::move(value)});
}

void erase(JsonValue& object, const std::string& key) {
  std::erase_if(*object.if_object(), [&](const JsonMember& member) { return member.key == key; });
}

std::string replaced(std::string text, const std::string& key) {
  for (std::size_t at = 0; (at = text.find("{}", at)) != std::string::npos; at += key.size()) {
    text.replace(at, 2, key);
  }
  return text;
}

}  // namespace

std::string_view name_of(CallKind kind) {
  switch (kind) {
    case CallKind::Right:
      return "right";
    case CallKind::Borderline:
      return "borderline";
    case CallKind::Wrong:
      return "wrong";
    case CallKind::Hostile:
      return "hostile";
  }
  return "";
}

std::string brief(const MadeCall& call) {
  constexpr std::size_t kShown = 400;
  std::string arguments = to_json(call.arguments);
  if (arguments.size() > kShown) {
    arguments = arguments.substr(0, kShown) + fmt::format("... ({} bytes)", arguments.size());
  }
  return fmt::format("{} ({}) {}", call.tool, name_of(call.kind), arguments);
}

const std::string& CallMaker::handle_for(const Tool& tool) const {
  if (tool.name.starts_with("g_")) return known_.graph;
  if (tool.name.starts_with("ont_")) return known_.ontology;
  if (tool.name.starts_with("ctx_")) return known_.text;
  if (tool.name.starts_with("service_desc")) return known_.description;
  if (tool.category == toolkit::ToolCategory::Endpoint) return known_.registry;
  if (tool.category == toolkit::ToolCategory::Tasks) return known_.tasks;
  return known_.results;
}

const std::string& CallMaker::path_for(const Tool& tool) const {
  const bool reads_examples = tool.category == toolkit::ToolCategory::Endpoint ||
                              tool.category == toolkit::ToolCategory::Tasks;
  return reads_examples ? known_.examples : known_.file;
}

JsonValue CallMaker::right_text(const Tool& tool, const Parameter& parameter) {
  const std::string& name = parameter.name;
  if (name == "query") {
    return JsonValue(tool.name == "sparql_count" && is_chosen(3) ? "ex:Planet" : any_of(kQueries));
  }
  if (name == "sql" && tool.is_writing) {
    return JsonValue(any_of(tool.is_defining ? kDefinitions : kChanges));
  }
  if (name == "sql" && tool.needs_tables) return JsonValue(any_of(kSelects));
  if (name == "sql") return JsonValue(replaced(any_of(kSql), known_.results));
  if (name == "table") return JsonValue(any_of(kTables));
  if (name == "resource" && tool.name == "sparql_sample") {
    return JsonValue(is_chosen(2) ? "ex:Planet" : "Planet");
  }
  if (name == "resource") {
    return JsonValue(tool.name == "sparql_peek" && is_chosen(4) ? known_.results
                                                                : any_of(kResources));
  }
  if (name == "pattern" || name == "text") return JsonValue(any_of(kWords));
  if (name == "path") return JsonValue(path_for(tool));
  if (name == "url") return JsonValue(known_.description_file);
  if (name == "name" && tool.name == "endpoint_detail") return JsonValue(known_.endpoint);
  if (name == "name" && tool.name == "read_skill") {
    return JsonValue(is_chosen(2) ? "write-sparql" : "Explore_A_Graph");
  }
  if (name == "id" && tool.name == "mem_quote") return JsonValue(any_of(known_.items));
  if (name == "task") return JsonValue("Which planets are there?");
  if (name == "filter_prefix") return JsonValue(is_chosen(2) ? "ex" : "label");
  if (name == "name") {
    const Tool& other = registry_.tools()[below(registry_.tools().size())];
    return JsonValue(other.name == "call_tool" ? "list_tools" : other.name);
  }
  return JsonValue(any_of(kWords));
}

JsonValue CallMaker::right_value(const Tool& tool, const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Text:
      return right_text(tool, parameter);
    case ParameterType::Handle:
      return JsonValue(tool.name.starts_with("ctx_") && is_chosen(2) ? known_.results
                                                                     : handle_for(tool));
    case ParameterType::Integer:
      return JsonValue(std::clamp<std::int64_t>(static_cast<std::int64_t>(below(40)), parameter.min,
                                                parameter.max));
    case ParameterType::Seconds:
      return JsonValue(static_cast<int>(1 + below(5)));
    case ParameterType::Boolean:
      return JsonValue(parameter.name == "dry_run" || is_chosen(2));
    case ParameterType::Choice:
      // Of what changes, the action that changes nothing.
      return JsonValue(tool.is_writing ? parameter.choices.front() : any_of(parameter.choices));
    case ParameterType::Texts:
      return JsonValue(
          JsonValue::Array{JsonValue(tool.name == "mem_get" ? any_of(known_.items) : "x")});
    case ParameterType::Values:
      return JsonValue(JsonValue::Array{});
    case ParameterType::Object:
    case ParameterType::Json:
      if (parameter.name == "judgment") return JsonValue("correct");
      if (parameter.name == "error") return JsonValue("the deadline passed");
      if (parameter.name != "item") return JsonValue(JsonValue::Object{});
      return object_of({{"title", JsonValue(fmt::format("lesson {}", below(1'000)))},
                        {"desc", JsonValue("Use for planets.")},
                        {"content", JsonValue("Ask for their class.")},
                        {"src", JsonValue("success")}});
  }
  return {};
}

JsonValue CallMaker::with_living_handles(const Tool& tool, const JsonValue& arguments) const {
  JsonValue changed = arguments;
  for (const Parameter& parameter : tool.parameters) {
    for (JsonMember& member : *changed.if_object()) {
      if (member.key != parameter.name) continue;
      if (parameter.type == ParameterType::Handle) member.value = JsonValue(handle_for(tool));
      if (parameter.name == "path") member.value = JsonValue(path_for(tool));
      if (parameter.name == "url") member.value = JsonValue(known_.description_file);
      if (tool.name == "mem_quote" && parameter.name == "id") {
        member.value = JsonValue(known_.items.front());
      }
      if (tool.name == "mem_get" && parameter.name == "ids") {
        member.value = JsonValue(JsonValue::Array{JsonValue(known_.items.front())});
      }
      if (tool.name == "endpoint_detail" && parameter.name == "name") {
        member.value = JsonValue(known_.endpoint);
      }
    }
  }
  return changed;
}

MadeCall CallMaker::right(const Tool& tool) {
  MadeCall call{tool.name, CallKind::Right, JsonValue(JsonValue::Object{})};
  for (const Parameter& parameter : tool.parameters) {
    // A word is asked for with a token that is another each time.
    if (parameter.is_required || parameter.name == "dry_run" || is_chosen(3)) {
      put(call.arguments, parameter.name, right_value(tool, parameter));
    }
  }
  if (tool.name != "call_tool") return call;
  const std::string name = text_at(call.arguments, "name");
  const auto inner = registry_.find(name.empty() ? "list_tools" : name);
  put(call.arguments, "arguments", right(**inner).arguments);
  return call;
}

JsonValue CallMaker::budget() {
  static const std::vector<JsonValue> budgets = {
      JsonValue(200),   JsonValue(201),          JsonValue(0),      JsonValue(-1),
      JsonValue(1'000), JsonValue(2'000),        JsonValue(20'000), JsonValue("500"),
      JsonValue(300),   JsonValue(1'000'000'000)};
  return any_of(budgets);
}

JsonValue CallMaker::edge_value(const Parameter& parameter) {
  switch (parameter.type) {
    case ParameterType::Integer:
    case ParameterType::Seconds: {
      const std::int64_t over = parameter.max == INT64_MAX ? INT64_MAX : parameter.max + 1;
      const std::vector<JsonValue> numbers = {JsonValue(0),          JsonValue(1),
                                              JsonValue(-1),         JsonValue(parameter.max),
                                              JsonValue(over),       JsonValue(parameter.min),
                                              JsonValue(INT64_MAX),  JsonValue(INT64_MIN),
                                              JsonValue(UINT64_MAX), JsonValue(0.5),
                                              JsonValue(-1e300),     JsonValue("1e400"),
                                              JsonValue("007"),      JsonValue("")};
      return any_of(numbers);
    }
    case ParameterType::Boolean:
      return any_of(std::vector<JsonValue>{JsonValue("TRUE"), JsonValue(0), JsonValue("off")});
    case ParameterType::Choice:
      return any_of(std::vector<JsonValue>{JsonValue(""), JsonValue(parameter.choices.back())});
    default:
      break;
  }
  constexpr std::size_t kHuge = 1'000'000;
  const std::vector<std::string> texts = {"", " ", "a", "?", "*", "é", "\n", ":", "<>"};
  return is_chosen(12) ? JsonValue(std::string(kHuge, 'x')) : JsonValue(any_of(texts));
}

MadeCall CallMaker::borderline(const Tool& tool) {
  MadeCall call = right(tool);
  call.kind = CallKind::Borderline;
  if (!tool.parameters.empty()) {
    const Parameter& parameter = tool.parameters[below(tool.parameters.size())];
    put(call.arguments, parameter.name, edge_value(parameter));
  }
  if (is_chosen(2)) put(call.arguments, "max_chars", budget());
  return call;
}

JsonValue CallMaker::wrong_value(const Parameter& parameter) {
  const std::vector<JsonValue> values = {
      JsonValue(),
      JsonValue(true),
      JsonValue(17),
      JsonValue(3.25),
      JsonValue("no such thing"),
      JsonValue("results_999"),
      JsonValue("http://example.org/Unknown"),
      JsonValue("nope:Earth"),
      JsonValue(JsonValue::Array{}),
      JsonValue(JsonValue::Array{JsonValue(1), JsonValue("two"), JsonValue()}),
      object_of({{"a", JsonValue(1)}}),
      object_of({{"key", JsonValue("graph_999")}}),
      JsonValue(parameter.type == ParameterType::Integer ? "many" : "SELECT ?x WHERE { ?x a "),
  };
  return any_of(values);
}

MadeCall CallMaker::wrong(const Tool& tool) {
  MadeCall call = right(tool);
  call.kind = CallKind::Wrong;
  switch (below(6)) {
    case 0:
      for (const Parameter& parameter : tool.parameters) {
        if (parameter.is_required) erase(call.arguments, parameter.name);
      }
      break;
    case 1:
      put(call.arguments, "source", JsonValue("planet"));
      break;
    case 2:
      put(call.arguments, "limitt", JsonValue(3));
      put(call.arguments, "no_such_parameter", JsonValue("x"));
      break;
    case 3:
      call.arguments = wrong_value({});
      break;
    default:
      if (tool.parameters.empty()) break;
      const Parameter& parameter = tool.parameters[below(tool.parameters.size())];
      put(call.arguments, parameter.name, wrong_value(parameter));
  }
  return call;
}

std::string CallMaker::hostile_text() {
  static const std::vector<std::string> large = {deep_query(), long_or(), std::string(100'000, '{'),
                                                 std::string(50'000, '\x01')};
  if (is_chosen(12)) return any_of(large);
  std::string text = any_of(kHostile);
  if (is_chosen(6)) text += '\0' + any_of(kHostile);
  return text;
}

MadeCall CallMaker::hostile(const Tool& tool) {
  MadeCall call = right(tool);
  call.kind = CallKind::Hostile;
  for (const Parameter& parameter : tool.parameters) {
    if (parameter.is_required || is_chosen(3)) {
      put(call.arguments, parameter.name, JsonValue(hostile_text()));
    }
  }
  switch (below(6)) {
    case 0:
      put(call.arguments, hostile_text(), JsonValue(hostile_text()));
      break;
    case 1:
      put(call.arguments, "source", JsonValue(hostile_text()));
      break;
    case 2:
      call.arguments = nested(400, is_chosen(2));
      break;
    case 3:
      for (int i = 0; i < 2'000; ++i) {
        call.arguments.if_object()->push_back({fmt::format("p{}", i), JsonValue(i)});
      }
      break;
    default:
      break;
  }
  // In front: of thousands of arguments only the first are read.
  if (JsonValue::Object* members = call.arguments.if_object(); members && is_chosen(2)) {
    members->insert(members->begin(), {"max_chars", budget()});
  }
  return call;
}

std::vector<MadeCall> CallMaker::calls_of(const Tool& tool, int each) {
  std::vector<MadeCall> calls;
  for (const toolkit::ToolExample& example : tool.examples) {
    calls.push_back({tool.name, CallKind::Right, with_living_handles(tool, example.arguments)});
  }
  for (int i = 0; i < each; ++i) {
    calls.push_back(right(tool));
    calls.push_back(borderline(tool));
    calls.push_back(wrong(tool));
    calls.push_back(hostile(tool));
  }
  return calls;
}

}  // namespace helve::proofs
