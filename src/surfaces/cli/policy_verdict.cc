#include "surfaces/cli/policy_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sources/sparql/algebra/parser.h"
#include "surfaces/cli/policy_statement.h"
#include "toolkit/policy/gate.h"
#include "toolkit/policy/graph_access.h"
#include "toolkit/tables/sql_feeds.h"
#include "toolkit/tools/fetch_description.h"

namespace helve::cli {

namespace {

using toolkit::Policy;

constexpr Duration kUsualTimeout = std::chrono::seconds(30);

class CallJudge {
 public:
  CallJudge(const opening::Policies& policies, const TestedCall& call, const OpContext& context)
      : policies_(policies), call_(call), context_(context) {}

  Result<PolicyVerdict> judge() {
    HELVE_ASSIGN(own_, call_.is_caller_given ? policies_.of_named(call_.caller)
                                             : Result<Policy>(policies_.of(call_.caller)));
    met_ = own_;
    source_ = source_of(call_);
    if (const auto of_source = policies_.of_source(source_)) {
      met_ = toolkit::intersect(own_, *of_source);
    }
    const bool is_stranger = !policies_.callers.contains(call_.caller) &&
                             policies_.others == opening::Policies::Others::Denied;
    if (is_stranger) {
      deny("default", {ErrorCode::Denied,
                       fmt::format("the caller {} has no policy in the file", call_.caller), ""});
      return std::move(verdict_);
    }
    if (is_denied_as_tool() || is_denied_source()) return std::move(verdict_);
    HELVE_ASSIGN(bound_, toolkit::bind_arguments(*call_.tool, call_.arguments));
    if (is_denied_path(text_of("path")) || is_denied_address() || is_denied_query()) {
      return std::move(verdict_);
    }
    HELVE_ASSIGN(const bool is_denied, is_denied_statement());
    if (is_denied) return std::move(verdict_);
    find_limits();
    find_confirmation();
    find_record_needed();
    return std::move(verdict_);
  }

 private:
  void deny(std::string_view key, Error error) {
    verdict_.is_allowed = false;
    verdict_.open.clear();
    verdict_.reason = error.full_message();
    verdict_.hint = std::move(error.hint);
    if (!key.empty()) verdict_.rule = rule(key);
  }

  // The one that binds: the source's where it says something of the key, then the caller's.
  PolicyRule rule(std::string_view key) const {
    const std::string& root = policies_.pointer;
    const auto table = [&](const char* kind, const std::string& name) {
      return json_pointer(json_pointer(root, kind), name);
    };
    const std::pair<std::string, std::string> places[] = {
        {table("source", source_), fmt::format(", [source.{}]", source_)},
        {table("caller", call_.caller), fmt::format(", [caller.{}]", call_.caller)},
        {root, ""}};
    for (const auto& [pointer, shown] : places) {
      if (!is_written(pointer, key)) continue;
      const auto place = policies_.document.places.find(json_pointer(pointer, key));
      std::string where = policies_.document.name;
      if (place != policies_.document.places.end()) {
        where += fmt::format(":{}", place->second.line);
      }
      where += shown;
      return {std::string(key), std::move(where)};
    }
    return {std::string(key), "by default: the file does not say it"};
  }

  bool is_written(std::string_view pointer, std::string_view key) const {
    const JsonValue* value = &policies_.document.root;
    std::string_view rest = pointer;
    while (value != nullptr && !rest.empty()) {
      rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find('/'), rest.size());
      value = find_step(*value, rest.substr(0, end));
      rest.remove_prefix(end);
    }
    return value != nullptr && value->find(key) != nullptr;
  }

  // A step of a pointer has "~1" for "/" and "~0" for "~".
  static const JsonValue* find_step(const JsonValue& value, std::string_view step) {
    const auto* members = value.if_object();
    if (members == nullptr) return nullptr;
    for (const JsonMember& member : *members) {
      if (json_pointer("", member.key).substr(1) == step) return &member.value;
    }
    return nullptr;
  }

  bool is_denied_as_tool() {
    const auto nature = toolkit::nature_of(*call_.tool);
    const auto key = toolkit::rule_against(met_, nature);
    if (key.empty()) return false;
    deny(key, toolkit::check_call(met_, nature).error());
    return true;
  }

  bool is_denied_source() {
    if (source_.empty()) {
      if (needs_source()) {
        if (own_.allowed_sources && own_.allowed_sources->empty()) {
          deny("allowed_sources", {ErrorCode::Denied, "no source can be seen", ""});
          return true;
        }
        if (!policies_.sources.empty() || own_.allowed_sources) {
          leave("which source is asked: the file has rules for some (source=NAME says it)");
        }
      }
      return false;
    }
    if (toolkit::allows_source(own_, source_)) return false;
    deny("allowed_sources",
         {ErrorCode::Denied, fmt::format("the source {} is none that the caller may see", source_),
          ""});
    return true;
  }

  bool is_writing() const { return call_.tool->is_writing || call_.tool->is_defining; }
  bool needs_source() const { return call_.tool->needs_graph || call_.tool->needs_tables; }
  void leave(std::string what) { verdict_.open.push_back(std::move(what)); }

  const std::string* text_of(std::string_view name) const {
    for (const auto& one : bound_.arguments.bound) {
      if (one.name == name) return std::get_if<std::string>(&one.value);
    }
    return nullptr;
  }

  // A description is read from a file, or asked of an endpoint.
  bool is_denied_address() {
    const std::string* const url = text_of("url");
    if (url == nullptr) return false;
    const auto at = toolkit::place_of_description(*url);
    if (!at) {
      deny("", at.error());
      return true;
    }
    if (!at->is_endpoint) return is_denied_path(&at->place);
    auto allowed = toolkit::check_endpoint(met_, at->place);
    if (allowed) return false;
    const auto& denied = met_.denied_endpoints;
    const bool is_listed = std::find(denied.begin(), denied.end(), at->place) != denied.end();
    deny(is_listed ? "denied_endpoints" : "allowed_endpoints", std::move(allowed).error());
    return true;
  }

  bool is_denied_path(const std::string* path) {
    if (path == nullptr) return false;
    if (toolkit::hides_graphs(met_) && !met_.allowed_paths) {
      deny(met_.allowed_graphs ? "allowed_graphs" : "denied_graphs",
           {ErrorCode::Denied, "files cannot be loaded under a policy that hides graphs",
            "name the folders in allowed_paths"});
      return true;
    }
    const auto checked = toolkit::check_path(met_, *path);
    if (checked) return false;
    deny(checked.error().code == ErrorCode::Denied ? "allowed_paths" : "", checked.error());
    return true;
  }

  // A query of SPARQL: the endpoints and graphs that it names.
  bool is_denied_query() {
    const std::string* const query = text_of("query");
    const bool is_sparql = call_.tool->needs_graph || call_.tool->takes_graph;
    if (!is_sparql) return false;
    if (toolkit::hides_graphs(met_)) {
      leave("whether the source has graphs that may be read, and what is in them");
    }
    if (query == nullptr) return false;
    const auto parsed = sparql::parse_query(*query);
    if (!parsed) {
      leave("what the query reaches for: it cannot be read here (" + parsed.error().message + ")");
      return false;
    }
    const toolkit::Reaches reaches = toolkit::reaches_of(parsed->query);
    if (auto allowed = toolkit::check_endpoints(met_, reaches); !allowed) {
      deny(is_endpoint_denied(reaches) ? "denied_endpoints" : "allowed_endpoints",
           std::move(allowed).error());
      return true;
    }
    for (const std::string& iri : graphs_named(parsed->query, reaches)) {
      const auto key = toolkit::rule_against_graph(met_, iri);
      if (key.empty()) continue;
      deny(key, {ErrorCode::Denied, fmt::format("the graph <{}> may not be read", iri), ""});
      return true;
    }
    return false;
  }

  bool is_endpoint_denied(const toolkit::Reaches& reaches) const {
    return std::any_of(
        reaches.services.begin(), reaches.services.end(), [this](const sparql::Service* one) {
          const auto* name = std::get_if<sparql::Constant>(&one->endpoint);
          const auto& denied = met_.denied_endpoints;
          return name != nullptr &&
                 std::find(denied.begin(), denied.end(), name->term.value) != denied.end();
        });
  }

  static std::vector<std::string> graphs_named(const sparql::Query& query,
                                               const toolkit::Reaches& reaches) {
    std::vector<std::string> names;
    for (const sparql::DatasetGraph& graph : query.dataset) names.push_back(graph.iri);
    for (const sparql::Graph* graph : reaches.graphs) {
      if (const auto* name = std::get_if<sparql::Constant>(&graph->name)) {
        names.push_back(name->term.value);
      }
    }
    return names;
  }

  // A statement of SQL.
  Result<bool> is_denied_statement() {
    const std::string* const sql = text_of("sql");
    if (!call_.tool->needs_tables || sql == nullptr) return is_denied_transaction();
    JudgedStatement statement{*sql, {}};
    if (bound_.arguments.has("params")) {
      HELVE_ASSIGN(statement.parameters,
                   toolkit::read_parameters(bound_.arguments.object("params")));
    }
    StatementJudgement judged =
        judge_statement(statement, *call_.tool, met_, call_.tables, context_);
    for (std::string& open : judged.open) leave(std::move(open));
    if (!judged.refusal) return false;
    deny(judged.rule, *std::move(judged.refusal));
    return true;
  }

  // A change whose statements come later.
  bool is_denied_transaction() {
    if (!is_writing() || met_.max_affected_rows > 0) return false;
    deny("max_affected_rows",
         {ErrorCode::Denied, "the policy lets no row be changed (max_affected_rows is 0)",
          "a policy with a larger max_affected_rows would allow changes"});
    return true;
  }

  void lower(std::string_view what, std::string asked, std::string granted, std::string_view key) {
    if (asked == granted) return;
    const PolicyRule by = rule(key);
    verdict_.limits.push_back(
        fmt::format("{} {} is lowered to {} ({}: {})", what, asked, granted, by.key, by.place));
  }

  void find_limits() {
    const auto shown = [](Duration one) {
      return fmt::format("{:g}", std::chrono::duration<double>(one).count());
    };
    for (const auto& one : bound_.arguments.bound) {
      const auto* number = std::get_if<std::int64_t>(&one.value);
      if (one.name == "limit" && number != nullptr) {
        const auto asked = static_cast<std::uint64_t>(*number);
        lower("limit", fmt::format("{}", asked),
              fmt::format("{}", toolkit::clamp_rows(met_, asked)), "max_rows");
      }
      const auto* duration = std::get_if<Duration>(&one.value);
      if (one.name == "timeout" && duration != nullptr) {
        lower("timeout", shown(*duration), shown(toolkit::clamp_timeout(met_, *duration)),
              "timeout");
      }
    }
    if (!bound_.arguments.has("timeout")) {
      lower("timeout", shown(kUsualTimeout), shown(toolkit::clamp_timeout(met_, kUsualTimeout)),
            "timeout");
    }
    if (bound_.max_chars) {
      lower("max_chars", fmt::format("{}", *bound_.max_chars),
            fmt::format("{}", toolkit::clamp_chars(met_, *bound_.max_chars)), "max_chars");
    }
  }

  // What must be recorded is refused where it cannot be.
  void find_record_needed() {
    const bool is_asked = met_.audit && *met_.audit != toolkit::AuditMode::Off;
    if (!is_asked && (!is_writing() || met_.audit)) return;
    const PolicyRule audit = rule("audit");
    verdict_.limits.push_back(
        fmt::format("only where there is an audit file ({}: {})", audit.key, audit.place));
  }

  void find_confirmation() {
    if (!is_writing()) return;
    const PolicyRule confirmation = rule("require_confirmation");
    switch (met_.require_confirmation) {
      case toolkit::Confirmation::None:
        break;
      case toolkit::Confirmation::TwoStep:
        verdict_.limits.push_back(
            fmt::format("must be confirmed, by a person or by a second call with a token ({}: {})",
                        confirmation.key, confirmation.place));
        break;
      case toolkit::Confirmation::Person:
        verdict_.limits.push_back(fmt::format("must be confirmed by a person ({}: {})",
                                              confirmation.key, confirmation.place));
        break;
    }
    const PolicyRule rows = rule("max_affected_rows");
    leave(fmt::format("how many rows it changes: at most {} may be ({}: {})",
                      met_.max_affected_rows, rows.key, rows.place));
  }

  const opening::Policies& policies_;
  const TestedCall& call_;
  const OpContext& context_;
  std::string source_;
  Policy own_;
  Policy met_;
  toolkit::BoundCall bound_;
  PolicyVerdict verdict_;
};

}  // namespace

std::string source_of(const TestedCall& call) {
  const auto bound = toolkit::bind_arguments(*call.tool, call.arguments);
  if (bound && bound->source) return *bound->source;
  const bool is_asked = call.tool->needs_graph || call.tool->needs_tables || call.tool->takes_graph;
  return is_asked && call.sources.size() == 1 ? call.sources.front() : std::string();
}

Result<PolicyVerdict> judge_call(const opening::Policies& policies, const TestedCall& call,
                                 const OpContext& context) {
  return CallJudge(policies, call, context).judge();
}

}  // namespace helve::cli
