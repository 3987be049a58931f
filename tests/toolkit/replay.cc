#include "tests/toolkit/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "sources/sparql/algebra/parser.h"
#include "sources/sparql/algebra/printer.h"
#include "toolkit/guard/guard.h"

namespace helve::proofs {

namespace {

// The contract's default, and what a call may take beyond it.
constexpr double kDeadlineMs = 30'000;
constexpr double kLateMs = 500;

std::string first_text(const JsonValue* list) {
  if (list == nullptr || list->if_array() == nullptr || list->if_array()->empty()) return {};
  const std::string* text = list->if_array()->front().if_string();
  return text != nullptr ? *text : std::string();
}

bool is_partial(const Answer& answer, Workbench& bench) {
  const std::string key = answer.text("key");
  if (key.empty()) return false;
  const auto handle = bench.handles().get(key, {});
  return handle && !handle->ref.complete;
}

// The call that an error suggests, as a caller who reads it would make it.
struct Repair {
  std::string tool;
  JsonValue arguments;
  std::string says;
};

// A name in the arguments that begins with `name` becomes it: "results_0.rows", "results_0".
bool replace_name(JsonValue& arguments, const std::string& name) {
  if (arguments.if_object() == nullptr) return false;
  for (JsonMember& member : *arguments.if_object()) {
    const std::string* text = member.value.if_string();
    if (text == nullptr || *text == name || !text->starts_with(name)) continue;
    member.value = JsonValue(name);
    return true;
  }
  return false;
}

JsonValue with_resource(JsonValue arguments, const std::string& name) {
  for (JsonMember& member : *arguments.if_object()) {
    if (member.key == "resource") member.value = JsonValue(name);
  }
  return arguments;
}

std::optional<Repair> repair_of(const ReplayCase& call, const Answer& answer, Workbench& bench) {
  if (const std::string query = answer.text("suggested_query"); !query.empty()) {
    return Repair{"sparql_query", object_of({{"query", JsonValue(query)}}), query};
  }
  const std::string near = first_text(answer.find("did_you_mean"));
  if (!near.empty() && call.arguments.find("resource") != nullptr) {
    const std::string name = near.substr(0, near.find(' '));
    return Repair{call.tool, with_resource(call.arguments, name), name};
  }
  const std::string hint = answer.text("hint") + " " + near;
  for (const toolkit::Tool& tool : bench.registry().tools()) {
    const bool is_named = hint.find(tool.name) != std::string::npos;
    if (!bench.registry().find(call.tool) && is_named) {
      return Repair{tool.name, call.arguments, tool.name + " instead"};
    }
  }
  for (const toolkit::Ref& ref : bench.handles().list()) {
    JsonValue arguments = call.arguments;
    if (hint.find(ref.key) != std::string::npos && replace_name(arguments, ref.key)) {
      return Repair{call.tool, std::move(arguments), ref.key};
    }
  }
  // Columns are named in the hint: "columns: 'x', 'name'".
  if (const std::size_t at = hint.find("columns: '"); at != std::string::npos) {
    const std::string column = hint.substr(at + 10, hint.find('\'', at + 10) - at - 10);
    JsonValue arguments = call.arguments;
    for (JsonMember& member : *arguments.if_object()) {
      if (member.key == "columns") member.value = JsonValue(column);
    }
    return Repair{call.tool, std::move(arguments), "columns=" + column};
  }
  return std::nullopt;
}

std::string message_of(const Answer& answer) {
  return fmt::format("{}: {} ({})", answer.text("code"), answer.text("message"),
                     answer.text("hint"));
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

std::string with_names(std::string text, const ReplayNames& names) {
  for (const auto& [old, now] : names) {
    for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at)) {
      const std::size_t end = at + old.size();
      const bool goes_on = end < text.size() && is_name_character(text[end]);
      const bool is_whole = !is_name_character(old.back()) || !goes_on;
      if (is_whole) text.replace(at, old.size(), now);
      at += is_whole ? now.size() : old.size();
    }
  }
  return text;
}

struct Times {
  std::vector<double> ms;

  double at(double share) {
    if (ms.empty()) return 0;
    std::sort(ms.begin(), ms.end());
    return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
  }
};

std::string line_of(std::string_view name, const std::vector<const ReplayResult*>& results) {
  std::array<int, 4> counts{};
  Times times;
  for (const ReplayResult* one : results) {
    ++counts.at(static_cast<std::size_t>(one->outcome));
    times.ms.push_back(one->ms);
  }
  return fmt::format("| {} | {} | {} | {} | {} | {} | {:.1f} | {:.1f} |\n", name, results.size(),
                     counts[0], counts[1], counts[2], counts[3], times.at(0.5), times.at(1));
}

}  // namespace

bool ReplayCase::was_time_out() const {
  return kind == "contains" || kind == "schema" || kind == "match" || kind == "discovery";
}

std::string_view name_of(ReplayOutcome outcome) {
  constexpr std::array<std::string_view, 4> kNames = {"answered", "partial", "repaired", "FAILED"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

Result<ReplayNames> read_replay_names(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return Error{ErrorCode::NotFound, "there is no " + file.string()};
  ReplayNames names;
  std::string line;
  constexpr std::string_view kBetween = " = ";
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t between = line.find(kBetween);
    if (between == std::string::npos || between == 0) {
      return Error(ErrorCode::InvalidInput, "expected OLD = NEW").at(file.string(), {number, 1});
    }
    names.emplace_back(line.substr(0, between), line.substr(between + kBetween.size()));
  }
  return names;
}

Result<std::vector<ReplayCase>> read_replay_cases(const std::filesystem::path& file,
                                                  const ReplayNames& names) {
  std::ifstream in(file);
  if (!in) return Error{ErrorCode::NotFound, "there is no " + file.string()};
  std::vector<ReplayCase> cases;
  std::string line;
  for (std::uint64_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    line = with_names(std::move(line), names);
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      return Error(ErrorCode::InvalidInput, "expected KIND TOOL ARGUMENTS")
          .at(file.string(), {number, 1});
    }
    auto arguments = parse_json(std::string_view(line).substr(second + 1));
    if (!arguments) return std::move(arguments).error().at(file.string(), {number, second + 2});
    cases.push_back(
        {line.substr(0, first), line.substr(first + 1, second - first - 1), *std::move(arguments)});
  }
  return cases;
}

Result<void> prepare_replay(Workbench& bench, const ReplayNames& names) {
  const Answer rows = bench.call(
      "sparql_query",
      with_names(
          R"({"query":"SELECT ?x ?name WHERE { ?x <http://bench.helve.example/vocab#name> ?name } LIMIT 50"})",
          names));
  const Answer graph = bench.call(
      "sparql_query",
      with_names(
          R"({"query":"DESCRIBE <http://bench.helve.example/publication/1> <http://bench.helve.example/university/0>"})",
          names));
  if (rows.text("key") != "results_0" || graph.text("key") != "graph_0") {
    return Error{ErrorCode::InvalidInput,
                 "the cases cannot be prepared: " + rows.reply.text + "\n" + graph.reply.text,
                 "the graph must be one of bench/gen.py"};
  }
  return {};
}

ReplayResult replay(const ReplayCase& call, Workbench& bench) {
  const Answer answer = bench.call(call.tool, call.arguments);
  ReplayResult result{&call, ReplayOutcome::Answered, answer.ms,
                      answer.reply.text.substr(0, answer.reply.text.find('\n'))};
  if (answer.ms > kDeadlineMs + kLateMs) {
    result.outcome = ReplayOutcome::Failed;
    result.says = "later than its deadline";
  } else if (answer.is_error()) {
    result.outcome = ReplayOutcome::Failed;
    result.says = message_of(answer);
    if (const auto repair = repair_of(call, answer, bench)) {
      const Answer second = bench.call(repair->tool, repair->arguments);
      if (!second.is_error() && second.ms <= kDeadlineMs + kLateMs) {
        result.outcome = ReplayOutcome::Repaired;
        result.says = repair->says;
      } else {
        result.says += "; and then " + message_of(second);
      }
    }
  } else if (is_partial(answer, bench)) {
    result.outcome = ReplayOutcome::Partial;
  }
  return result;
}

ReplayResult replay_as_endpoint(const ReplayCase& call, std::uint64_t triples, Workbench& bench) {
  const std::string text = text_at(call.arguments, "query");
  if (text.empty()) return replay(call, bench);  // the tools ask nothing that could be refused
  ReplayResult result{&call, ReplayOutcome::Failed, 0, {}};
  const auto parsed = sparql::parse_query(text, {});
  if (!parsed) {
    result.says = parsed.error().message;
    return result;
  }
  const toolkit::GraphProfile profile = toolkit::profile_of_size("endpoint", triples);
  const toolkit::GuardVerdict verdict = toolkit::judge(parsed->query, profile, {});
  if (!verdict.is_refused()) {
    result.outcome = ReplayOutcome::Answered;
    return result;
  }
  const toolkit::Finding& finding = verdict.findings.front();
  result.says = finding.reason;
  if (!finding.rewritten) {
    result.says += "; and no query instead";
    return result;
  }
  const std::string instead = sparql::to_sparql(*finding.rewritten);
  const bool is_still_refused = toolkit::judge(*finding.rewritten, profile, {}).is_refused();
  const Answer answer = bench.call("sparql_query", object_of({{"query", JsonValue(instead)}}));
  result.ms = answer.ms;
  if (!is_still_refused && !answer.is_error()) {
    result.outcome = ReplayOutcome::Repaired;
    result.says = instead;
  } else {
    result.says += is_still_refused ? "; and what is suggested is refused too: " + instead
                                    : "; and what is suggested fails: " + message_of(answer);
  }
  return result;
}

std::string replay_table(const std::vector<ReplayResult>& results, std::string_view answered) {
  std::string table = fmt::format(
      "| kind | calls | {} | partial handle | refused, suggestion answered | failed | p50 ms | max "
      "ms |\n|---|---:|---:|---:|---:|---:|---:|---:|\n",
      answered);
  std::vector<std::string> kinds;
  std::vector<const ReplayResult*> all;
  for (const ReplayResult& one : results) {
    if (std::find(kinds.begin(), kinds.end(), one.call->kind) == kinds.end()) {
      kinds.push_back(one.call->kind);
    }
    all.push_back(&one);
  }
  for (const std::string& kind : kinds) {
    std::vector<const ReplayResult*> some;
    std::copy_if(all.begin(), all.end(), std::back_inserter(some),
                 [&](const ReplayResult* one) { return one->call->kind == kind; });
    table += line_of(kind, some);
  }
  return table + line_of("all", all);
}

}  // namespace helve::proofs
