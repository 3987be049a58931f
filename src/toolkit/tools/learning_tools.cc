// Lessons of what was executed: toolkit/learning/ makes them.
//
// The text of a lesson of a success is made of the query alone, so that a caller who claims that it
// was judged can claim no more than that. What a failure says are words of others: such lessons
// wait in quarantine for a person.
#include "toolkit/tools/learning_tools.h"

#include <fmt/format.h>

#include "toolkit/learning/store.h"
#include "toolkit/memory/bank.h"
#include "toolkit/tables/other_language.h"
#include "toolkit/tools/bank_hooks.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/query_feed.h"

namespace helve::toolkit {

namespace {

using learning::Executed;
using learning::Failure;
using learning::Judgment;
using learning::StoreState;

Error wrong_judgment(std::string message) {
  return {ErrorCode::InvalidInput, std::move(message),
          "judgment is correct, partial or incorrect, or {\"verdict\": \"correct\", \"verified\": "
          "true, \"by\": \"who\"}"};
}

Result<void> read_verdict(const JsonValue& json, Judgment& judgment) {
  const std::string* const text = json.if_string();
  const auto verdict = text != nullptr ? learning::verdict_of(*text) : std::nullopt;
  if (!verdict) return wrong_judgment("the verdict is not known");
  judgment.verdict = *verdict;
  return {};
}

Result<Judgment> read_judgment(const JsonValue& json) {
  Judgment judgment;
  if (json.is_null()) return judgment;
  if (json.if_string() != nullptr) {
    HELVE_TRY(read_verdict(json, judgment));
    return judgment;
  }
  const JsonValue* const verdict = json.find("verdict");
  if (verdict == nullptr) return wrong_judgment("the judgment has no verdict");
  HELVE_TRY(read_verdict(*verdict, judgment));
  if (const JsonValue* by = json.find("by"); by != nullptr && by->if_string() != nullptr) {
    judgment.by = *by->if_string();
  }
  const JsonValue* const verified = json.find("verified");
  if (verified != nullptr && verified->if_bool() != nullptr && *verified->if_bool()) {
    if (judgment.by.empty()) return wrong_judgment("a verified judgment says who verified it");
    judgment.is_verified = true;
  }
  return judgment;
}

std::string member_of(const JsonValue& json, std::string_view name) {
  const JsonValue* const value = json.find(name);
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : std::string();
}

// A text, or an error as tools give it.
Failure read_failure(const JsonValue& json) {
  Failure failure;
  if (const std::string* text = json.if_string()) {
    failure.message = *text;
    return failure;
  }
  const JsonValue* const inner = json.find("error");
  const JsonValue& error = inner != nullptr ? *inner : json;
  failure.kind =
      member_of(error, "cause").empty() ? member_of(error, "code") : member_of(error, "cause");
  failure.message = member_of(error, "message");
  if (const std::string detail = member_of(error, "detail"); !detail.empty()) {
    failure.message += ": " + detail;
  }
  failure.hint = member_of(error, "hint");
  if (const JsonValue* diagnosis = json.find("diagnosis"); diagnosis != nullptr) {
    if (failure.kind.empty()) failure.kind = member_of(*diagnosis, "cause");
    if (failure.hint.empty()) failure.hint = member_of(*diagnosis, "says");
  }
  return failure;
}

std::string_view words_of(const learning::StoredLesson& stored) {
  switch (stored.state) {
    case StoreState::Added:
      return stored.is_quarantined ? "is stored, quarantined until it is verified" : "is stored";
    case StoreState::Exists:
      return "was there already; nothing was changed";
    case StoreState::Released:
      return "was quarantined, and is verified now";
    case StoreState::Retracted:
      break;
  }
  return "was retracted";
}

ToolAnswer keep(memory::Item item, bool is_stored, ToolCall& call) {
  Reply reply;
  reply.about("memory:" + call.memory->name(), {});
  reply.set_word("id", item.id);
  if (!is_stored) {
    reply.say(fmt::format("{} would be stored{}", item.id,
                          item.quarantined ? ", quarantined until it is verified" : ""));
    reply.set_quietly("stored", false);
    reply.set_quietly("quarantined", item.quarantined);
  } else {
    item.provenance.added_by = adder_of(call);
    if (item.quarantined) {
      if (auto counted = count_lesson(call); !counted) return ToolError(counted.error());
    }
    const auto stored = learning::store_lesson(call.memory_writer->repository(), item,
                                               call.env.clock().wall(), call.op);
    if (item.quarantined && (!stored || stored->state != StoreState::Added)) take_back_lesson(call);
    if (!stored) return ToolError(stored.error());
    if (stored->state == StoreState::Retracted) {
      return ToolError(Error{ErrorCode::Denied,
                             fmt::format("item {} was there and was retracted", item.id),
                             "it does not come back by being learnt again"});
    }
    reply.say(fmt::format("{} {}", item.id, words_of(*stored)));
    reply.set_quietly("stored", stored->change.has_value());
    reply.set_quietly("quarantined", stored->is_quarantined);
  }
  reply.set("title", item.title);
  reply.set("desc", item.desc);
  if (!is_stored) reply.text("content", item.content);
  return reply;
}

ToolAnswer mem_extract(ToolCall& call) {
  const auto handle = call.handles.get(call.arguments.text("result"), call.op);
  if (!handle) return ToolError(handle.error());
  if (!handle->ref.complete) {
    return ToolError(Error{ErrorCode::InvalidInput, handle->ref.key + " is not complete",
                           "learn from whole results"});
  }
  const auto executed = executed_of(*handle, call);
  if (!executed) return ToolError(executed.error());
  Judgment judgment;
  if (call.arguments.has("judgment")) {
    const auto read = read_judgment(call.arguments.object("judgment"));
    if (!read) return ToolError(read.error());
    judgment = *read;
    judgment.is_verified = judgment.is_verified && call.trusts_judgments;
  }
  auto item = learning::lesson_of_success(*executed, call.arguments.text("task"), judgment);
  if (!item) return ToolError(item.error());
  return keep(*std::move(item), call.arguments.boolean("auto_store"), call);
}

// A query that left no handle behind, asked of the source of the call.
Executed executed_text(const std::string& query, const ToolCall& call) {
  Executed executed;
  const bool is_sql = call.graph == nullptr ? call.tables != nullptr : is_like_sql(query);
  executed.language = is_sql ? learning::QueryLanguage::Sql : learning::QueryLanguage::Sparql;
  executed.query = is_sql ? query : take_feeds(query).text;
  if (call.tables != nullptr) executed.dialect = call.tables->dialect();
  if (call.graph != nullptr) executed.domain = call.graph->info().name;
  if (call.graph == nullptr && call.tables != nullptr) executed.domain = call.tables->info().name;
  if (call.graph != nullptr) executed.prefixes = call.graph->prefixes();
  executed.schema_fingerprint = fingerprint_of(executed.domain, call);
  executed.run = call.caller.session;
  return executed;
}

std::string kind_of(const Executed& executed) {
  return !executed.handle.empty() && executed.rows == 0 ? "empty" : "failure";
}

ToolAnswer mem_learn_from_failure(ToolCall& call) {
  Executed executed;
  if (call.arguments.has("result")) {
    const auto handle = call.handles.get(call.arguments.text("result"), call.op);
    if (!handle) return ToolError(handle.error());
    auto read = executed_of(*handle, call);
    if (!read) return ToolError(read.error());
    executed = *std::move(read);
  } else if (call.arguments.has("query")) {
    executed = executed_text(call.arguments.text("query"), call);
  } else {
    return ToolError(Error{ErrorCode::InvalidInput, "there is no query to learn from",
                           "name its result, or give its query where it left none"});
  }
  Failure failure = read_failure(call.arguments.object("error"));
  if (failure.kind.empty()) failure.kind = kind_of(executed);
  auto item = learning::lesson_of_failure(executed, call.arguments.text("task"), failure);
  if (!item) return ToolError(item.error());
  return keep(*std::move(item), true, call);
}

std::vector<ReturnKey> lesson_keys() {
  return {{"id", "string", ""},
          {"stored", "boolean", "false: nothing was changed"},
          {"quarantined", "boolean", "shown on request only"},
          {"title", "string", ""},
          {"desc", "string", "when to use it"}};
}

Tool lesson_tool(const char* name, const char* title, const char* purpose, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Memory;
  tool.memory_writes = MemoryWrites::Always;
  tool.purpose = purpose;
  tool.handler = std::move(handler);
  tool.returns = lesson_keys();
  return tool;
}

Parameter json_parameter(const char* name, const char* doc, bool is_required) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = ParameterType::Json;
  parameter.doc = doc;
  parameter.is_required = is_required;
  return parameter;
}

Tool declare_extract() {
  Tool tool = lesson_tool(
      "mem_extract", "Learn from a result",
      "Keeps the pattern of the query of a result, without its constants. Without a verified "
      "judgment it is quarantined.",
      mem_extract);
  tool.parameters = {
      handle_parameter("result", "of sparql_query or query_execute"),
      text_parameter("task", "the question that it answers; nothing of it is kept", {"question"}),
      json_parameter("judgment",
                     "correct, partial or incorrect; or {verdict, verified, by} where somebody has "
                     "compared it with a known answer",
                     false),
      flag_parameter("auto_store", true, "false: show the lesson, keep nothing")};
  tool.returns.push_back({"content", "string", "with auto_store=false", true});
  tool.examples = {
      {"a result that was judged", arguments_of({{"result", JsonValue("results_0")},
                                                 {"task", JsonValue("Which planets are there?")},
                                                 {"judgment", JsonValue("correct")}})}};
  return tool;
}

Tool declare_failure() {
  Tool tool = lesson_tool("mem_learn_from_failure", "Learn from a failure",
                          "Keeps what to avoid: the pattern of a query that failed, and how. It is "
                          "quarantined until a person verifies it.",
                          mem_learn_from_failure);
  Parameter result = handle_parameter("result", "of the query, where it left one");
  result.is_required = false;
  tool.parameters = {
      std::move(result),
      text_parameter("task", "the question it was for; nothing of it is kept", {"question"}),
      json_parameter("error", "what went wrong: a text, or the error or diagnosis of the reply",
                     true),
      optional_text("query", "the query, where it left no result", {"sparql", "sql"})};
  tool.examples = {
      {"a query that was refused", arguments_of({{"task", JsonValue("Which planets are there?")},
                                                 {"error", JsonValue("the deadline passed")},
                                                 {"query", JsonValue("SELECT * { ?s ?p ?o }")}})}};
  return tool;
}

}  // namespace

void add_learning_tools(Registry& registry) {
  registry.add(declare_extract());
  registry.add(declare_failure());
}

}  // namespace helve::toolkit
