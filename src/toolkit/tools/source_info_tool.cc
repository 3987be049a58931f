// endpoint_info: what a source is, whether graph or SQL database.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/guard/words.h"
#include "toolkit/tables/table_probe.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/explore.h"
#include "toolkit/tools/graph_access.h"
#include "toolkit/tools/registry.h"

namespace helve::toolkit {

namespace {

// "15.4" of "15.4 (Debian 15.4-1)"; empty where it is no version.
std::string version_in(std::string_view text) {
  constexpr std::size_t kCharsMax = 40;
  const std::string_view first = text.substr(0, std::min(text.find(' '), kCharsMax));
  const bool is_plain = first.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+~") ==
                        std::string_view::npos;
  const bool is_version = !first.empty() && is_digit(first.front());
  return is_plain && is_version ? std::string(first) : "";
}

// With its version, where it can be asked.
std::string engine_of(const TableSource& tables, const OpContext& op) {
  const std::string& engine = tables.info().engine;
  if (tables.dialect() == SqlDialect::Sqlite) return engine;
  TableProbe probe(tables, op, 1);
  TableQuery query;
  query.rows_max = 1;
  query.sql = tables.dialect() == SqlDialect::PostgreSql
                  ? "SELECT current_setting('server_version')"
                  : "SELECT version()";
  const auto rows = probe.ask(query);
  if (!rows || rows->empty() || rows->front().empty() || !rows->front().front()) return engine;
  const std::string version = version_in(rows->front().front()->value);
  if (version.empty()) return engine;
  if (tables.dialect() == SqlDialect::PostgreSql) return engine + " " + version;
  return (version.find("MariaDB") != std::string::npos ? "MariaDB " : "MySQL ") + version;
}

ReplyValue rights_of(const TableSource& tables, const OpContext& op) {
  const auto rights = tables.rights(op);
  if (!rights) return {};
  if (rights->beyond_reading.empty()) return "the connection can only read";
  return "the connection could do more than read, which is refused here";
}

double seconds_of(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Of the policy, and those that an endpoint has besides.
void add_limits(const Policy& policy, const std::optional<EndpointTraits>& traits, Reply& reply) {
  ReplyValue::Members limits{{"rows_shown", policy.max_rows},
                             {"rows_stored", policy.rows_stored_max},
                             {"chars", std::uint64_t{policy.max_chars}},
                             {"timeout_s", seconds_of(policy.timeout_max)}};
  if (traits && traits->query_time_max > Duration(0)) {
    limits.emplace_back("endpoint_timeout_s", seconds_of(traits->query_time_max));
  }
  if (traits && traits->rows_max > 0) limits.emplace_back("endpoint_rows", traits->rows_max);
  reply.set("limits", std::move(limits));
}

// "asked 2026-11-16 08:30 UTC, 3 hours ago"
ReplyValue profile_age(const std::optional<EndpointTraits>& traits, WallTime now) {
  if (!traits || !traits->known_since) return {};
  return fmt::format("asked {}, {}", minute_words(*traits->known_since),
                     age_words(now - *traits->known_since));
}

void add_traits(const EndpointTraits& traits, Reply& reply) {
  if (!traits.text_search.empty()) reply.set("text_search", traits.text_search);
  if (traits.notes.empty()) return;
  reply.list({"notes", {}, ReplyValue::List(traits.notes.begin(), traits.notes.end())});
}

Reply about(const SourceInfo& info, const std::string& engine) {
  Reply reply;
  reply.set("name", info.name);
  reply.set("url", info.uri);
  reply.set("authority", text_or_null(info.authority));
  reply.set("engine", engine);
  return reply;
}

ToolAnswer database_info(const ToolCall& call) {
  const TableSource& tables = *call.tables;
  const auto catalogue = tables.catalogue(call.op);
  if (!catalogue) return ToolError(catalogue.error());
  Reply reply = about(tables.info(), engine_of(tables, call.op));
  reply.set("tables", std::uint64_t{(*catalogue)->tables.size()});
  reply.set("rights", rights_of(tables, call.op));
  add_limits(call.policy, std::nullopt, reply);
  reply.next("schema_inspect");
  return reply;
}

ToolAnswer endpoint_info(ToolCall& call) {
  if (call.tables != nullptr) return database_info(call);
  const SourceInfo& info = call.graph->info();
  const auto schema = call.graph->schema(call.op);
  if (!schema) return ToolError(schema.error());
  const auto traits = call.graph->traits();  // after the schema, which may have asked for them
  const bool is_recognised = traits && !traits->engine.empty();
  Reply reply = about(info, is_recognised ? traits->engine : info.engine);
  reply.set("triples", (*schema)->triples);
  reply.set("features", ReplyValue::List(info.features.begin(), info.features.end()));
  add_limits(call.policy, traits, reply);
  reply.set("profile_age", info.is_remote ? profile_age(traits, call.env.clock().wall())
                                          : ReplyValue("exact: the data is local"));
  if (traits) add_traits(*traits, reply);
  reply.set_quietly("snapshot", call.graph->fingerprint());
  return reply;
}

}  // namespace

void add_source_info(Registry& registry) {
  Tool tool;
  tool.name = "endpoint_info";
  tool.title = "About the source";
  tool.category = ToolCategory::Endpoint;
  tool.needs_either = true;
  tool.purpose = "Name, address, engine, size and limits of the source.";
  tool.returns = {{"name", "string", ""},
                  {"url", "string", ""},
                  {"authority", "string", ""},
                  {"engine", "string", ""},
                  {"triples", "integer", "of a graph", true},
                  {"features", "array", "of a graph", true},
                  {"tables", "integer", "of a database", true},
                  {"rights", "string", "of its connection", true},
                  {"limits", "object", ""},
                  {"profile_age", "string", "of a graph", true},
                  {"text_search", "string", "of an endpoint: how its text index is asked", true},
                  {"notes", "array", "of an endpoint: what its queries should mind", true}};
  tool.examples = {{"of the source", arguments_of({})}};
  tool.handler = endpoint_info;
  registry.add(std::move(tool));
}

}  // namespace helve::toolkit
