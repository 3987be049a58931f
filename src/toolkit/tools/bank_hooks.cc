#include "toolkit/tools/bank_hooks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "toolkit/learning/fingerprint.h"
#include "toolkit/learning/store.h"
#include "toolkit/learning/variable_names.h"
#include "toolkit/memory/bank.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/query_feed.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kRelatedLessonsShown = 3;
constexpr std::size_t kRelatedLookedAt = 20;

bool is_tables(const std::string& source, const ToolCall& call) {
  return call.tables != nullptr && call.tables->info().name == source;
}
bool is_graph(const std::string& source, const ToolCall& call) {
  return call.graph != nullptr && call.graph->info().name == source;
}

constexpr std::uint64_t kLessonsPerHour = 200;

Result<learning::StoredLesson> stored_pattern(const Handle& handle, ToolCall& call) {
  HELVE_ASSIGN(const learning::Executed executed, executed_of(handle, call));
  HELVE_ASSIGN(memory::Item item, learning::pattern_lesson(executed));
  item.provenance.added_by = adder_of(call);
  // These are kept unasked, and must not use up what mem_add may store.
  const bool is_new = !call.memory->get({item.id}, call.op).has_value();
  if (is_new && !call.writes.lessons.add(call.caller.identity + "\npatterns", 1, kLessonsPerHour)) {
    return Error{ErrorCode::LimitExceeded, "enough patterns were kept within this hour"};
  }
  return learning::store_lesson(call.memory_writer->repository(), std::move(item),
                                call.env.clock().wall(), call.op);
}

const Reply::Fact* find_fact(const Reply& reply, std::string_view key) {
  const auto found = std::find_if(reply.facts.begin(), reply.facts.end(),
                                  [&](const Reply::Fact& fact) { return fact.key == key; });
  return found == reply.facts.end() ? nullptr : &*found;
}

// Whether the name itself is in it, and not just a word that is also a part of the name.
bool mentions(const memory::Item& item, const std::string& name) {
  std::string text = item.title + "\n" + item.desc + "\n" + item.content;
  for (const std::string& tag : item.tags) text += "\n" + tag;
  const auto terms = memory::terms_of(text);
  return std::find(terms.begin(), terms.end(), name) != terms.end();
}

}  // namespace

Result<learning::Executed> executed_of(const Handle& handle, const ToolCall& call) {
  const HandleOrigin& origin = handle.origin;
  learning::Executed executed;
  const bool is_sql = origin.tool == "query_execute";
  if (!is_sql && origin.tool != "sparql_query" && origin.tool != "g_query") {
    return Error{ErrorCode::InvalidInput,
                 fmt::format("{} does not come from a query of a source", handle.ref.key),
                 "name a result of sparql_query or query_execute"};
  }
  executed.language = is_sql ? learning::QueryLanguage::Sql : learning::QueryLanguage::Sparql;
  if (is_sql) {
    if (!is_tables(origin.source, call)) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("{} comes from another database", handle.ref.key),
                   fmt::format("name it: source={}", origin.source)};
    }
    executed.dialect = call.tables->dialect();
  }
  executed.query = is_sql ? origin.query : take_feeds(origin.query).text;
  executed.domain = origin.source;
  executed.prefixes = origin.prefixes.list();
  executed.rows = handle.ref.rows;
  executed.columns = handle.ref.columns.size();
  executed.ms = origin.execution_time_ms;
  executed.handle = handle.ref.key;
  executed.query_hash = handle.ref.query_hash;
  executed.run = call.caller.session;
  executed.schema_fingerprint = fingerprint_of(origin.source, call);
  return executed;
}

std::string adder_of(const ToolCall& call) {
  constexpr std::size_t kIdentityChars = 100;
  return fmt::format("{}, caller {}", call.tool.name,
                     elide_end(escape_for_terminal(call.caller.identity), kIdentityChars));
}

Result<void> count_lesson(ToolCall& call) {
  if (call.writes.lessons.add(call.caller.identity, 1, kLessonsPerHour)) return {};
  return Error{
      ErrorCode::LimitExceeded,
      fmt::format("the caller has added {} unverified lessons within an hour", kLessonsPerHour),
      "call again in a while"};
}

void take_back_lesson(ToolCall& call) { call.writes.lessons.take_back(call.caller.identity, 1); }

std::string fingerprint_of(const std::string& source, const ToolCall& call) {
  if (is_tables(source, call)) {
    return learning::schema_fingerprint(*call.tables, call.op).value_or("");
  }
  // An endpoint is not asked about itself for this.
  if (!is_graph(source, call) || call.graph->info().is_remote) return {};
  return learning::schema_fingerprint(*call.graph, call.op).value_or("");
}

bool is_stale(const memory::Item& item, const ToolCall& call) {
  if (item.schema_fingerprint.empty()) return false;
  const std::string now = fingerprint_of(item.domain, call);
  return !now.empty() && now != item.schema_fingerprint;
}

void remember_pattern(ToolCall& call, Reply& reply) {
  if (call.memory_writer == nullptr || !call.arguments.boolean("store_pattern")) return;
  if (!may_call(call.policy, {"mem_extract"})) return;
  if (!reply.handle || reply.handle->rows == 0 || !reply.handle->complete) return;
  const auto handle = call.handles.get(reply.handle->key, call.op);
  if (!handle) return;
  const auto stored = stored_pattern(*handle, call);
  if (!stored) {
    if (call.arguments.was_given("store_pattern")) {
      reply.warn("the pattern was not kept: " + stored.error().message);
    }
    return;
  }
  if (stored->state == learning::StoreState::Retracted) return;
  reply.set_quietly("pattern", stored->id);
}

void show_related(ToolCall& call, Reply& reply) {
  if (call.memory == nullptr || !call.arguments.boolean("related_memories")) return;
  if (!may_call(call.policy, {"mem_search"})) return;
  const Reply::Fact* const fact = find_fact(reply, "resource");
  const auto* const term = fact != nullptr ? fact->value.if_is<rdf::Term>() : nullptr;
  if (term == nullptr || term->kind != rdf::TermKind::Iri) return;
  const std::string name(learning::local_name(term->value));
  const std::vector<std::string> terms = memory::query_terms(name);
  if (terms.empty()) return;
  memory::SearchOptions options;
  options.count = kRelatedLookedAt;
  const auto found = call.memory->search(name, options, call.op);
  if (!found) return;
  ReplyList list{"related_procedures", {"id", "title", "desc"}, {}};
  for (const memory::Hit& hit : found->hits) {
    const memory::Item& item = hit.item;
    const bool is_of_source = item.domain.empty() || item.domain == call.graph->info().name;
    if (!is_of_source || !mentions(item, terms.front())) continue;
    if (!item.domain.empty() && is_stale(item, call)) continue;
    if (list.items.size() == kRelatedLessonsShown) {
      ++list.left_out;
      continue;
    }
    list.items.emplace_back(ReplyValue::List{item.id, item.title, item.desc});
  }
  if (list.items.empty()) return;
  std::erase_if(reply.facts,
                [](const Reply::Fact& one) { return one.key == "related_procedures"; });
  const std::string first =
      *list.items.front().if_is<ReplyValue::List>()->front().if_is<std::string>();
  reply.list(std::move(list));
  reply.next(fmt::format("mem_get ids={}", first));
}

}  // namespace helve::toolkit
