// mem_search, mem_get, mem_quote, mem_add: what was learnt before. The bank is toolkit/memory/.
//
// Items are data, as everything that somebody else may have written: they stand between the marks.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "toolkit/memory/bank.h"
#include "toolkit/memory/item_json.h"
#include "toolkit/tools/bank_hooks.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

using memory::Item;

constexpr std::int64_t kItemsMax = 3;  // that are given whole at once

std::string source_name(const ToolCall& call) { return "memory:" + call.memory->name(); }

Reply reply_about(ToolCall& call) {
  Reply reply;
  reply.about(source_name(call), {});
  for (std::string& warning : call.memory->take_warnings()) {
    reply.warn(std::move(warning));
  }
  return reply;
}

// What a reader must know of an item that is not simply true.
void warn_of_state(const Item& item, const ToolCall& call, Reply& reply) {
  if (is_stale(item, call)) {
    reply.warn(fmt::format("{} was learnt with another schema than its source has now", item.id));
  }
  if (item.quarantined) {
    reply.warn(fmt::format("{} is quarantined: nobody has verified it", item.id));
  }
  if (!item.superseded_by.empty()) {
    reply.warn(fmt::format("{} is superseded by {}", item.id, item.superseded_by));
  }
}

// What was taken back does not come back by its id either.
Result<std::vector<Item>> read_items(const std::vector<std::string>& ids, ToolCall& call) {
  for (const std::string& id : ids) HELVE_TRY(memory::check_id(id));
  HELVE_ASSIGN(std::vector<Item> items, call.memory->get(ids, call.op));
  for (const Item& item : items) {
    if (!item.retracted_at) continue;
    return Error{ErrorCode::NotFound, fmt::format("item {} was retracted", item.id),
                 "search for others: mem_search"};
  }
  return items;
}

ToolAnswer mem_search(ToolCall& call) {
  memory::SearchOptions options;
  options.count = static_cast<std::size_t>(call.arguments.integer("k"));
  const std::string& polarity = call.arguments.text("polarity");
  if (polarity != "any") options.filter.polarity = memory::source_of(polarity);
  if (call.arguments.has("domain")) options.filter.domain = call.arguments.text("domain");
  if (call.arguments.has("tags")) options.filter.tags = call.arguments.texts("tags");
  options.filter.with_quarantined = call.arguments.boolean("quarantined");
  const auto found = call.memory->search(call.arguments.text("q"), options, call.op);
  if (!found) return ToolError(found.error());
  Reply reply = reply_about(call);
  const std::uint64_t total = std::max<std::uint64_t>(found->candidates, found->hits.size());
  reply.say(fmt::format("{} of {}{} items", found->hits.size(),
                        found->is_complete ? "" : "at least ", format_count(total)));
  reply.set_quietly("total_available", total);
  reply.set_quietly("total_is", found->is_complete ? "exact" : "at_least");
  reply.set_quietly("truncated", total > found->hits.size());
  reply.set_quietly("limit_applied", std::uint64_t{options.count});
  ReplyList list{"items", {"id", "title", "desc", "src", "score"}, {}};
  for (const memory::Hit& hit : found->hits) {
    if (hit.item.quarantined) warn_of_state(hit.item, call, reply);
    list.items.emplace_back(ReplyValue::List{hit.item.id, hit.item.title, hit.item.desc,
                                             name_of(hit.item.src),
                                             fmt::format("{:.3f}", hit.score)});
  }
  list.left_out = total - found->hits.size();
  reply.list(std::move(list));
  if (!found->hits.empty()) reply.next(fmt::format("mem_get ids={}", found->hits[0].item.id));
  return reply;
}

ReplyValue::Members members_of(const Item& item) {
  ReplyValue::List tags(item.tags.begin(), item.tags.end());
  ReplyValue::Members members{{"id", item.id},
                              {"title", item.title},
                              {"desc", item.desc},
                              {"src", name_of(item.src)},
                              {"tags", std::move(tags)}};
  if (!item.domain.empty()) members.emplace_back("domain", item.domain);
  members.emplace_back("created_at", to_utc(item.created_at));
  if (!item.provenance.added_by.empty()) {
    members.emplace_back("added_by", item.provenance.added_by);
  }
  if (item.verified_at) members.emplace_back("verified_at", to_utc(*item.verified_at));
  members.emplace_back("content", item.content);
  return members;
}

ToolAnswer mem_get(ToolCall& call) {
  const std::vector<std::string>& ids = call.arguments.texts("ids");
  const auto most = static_cast<std::size_t>(call.arguments.integer("max_n"));
  if (ids.empty() || ids.size() > most) {
    return ToolError(Error{ErrorCode::InvalidInput,
                           fmt::format("{} items were asked for", ids.size()),
                           fmt::format("ask for 1 to {}; mem_search says which", most)});
  }
  const auto items = read_items(ids, call);
  if (!items) return ToolError(items.error());
  Reply reply = reply_about(call);
  reply.say(items->size() == 1 ? std::string("1 item") : fmt::format("{} items", items->size()));
  ReplyList list{"items", {}, {}};
  for (const Item& item : *items) {
    warn_of_state(item, call, reply);
    list.items.emplace_back(members_of(item));
    if (call.memory_writer != nullptr) {
      call.memory_writer->note_use(item.id, memory::Usage::Retrieved);
    }
  }
  reply.list(std::move(list));
  for (const Item& item : *items) {
    constexpr std::size_t kShort = 1'000;
    if (item.content.size() > kShort) reply.next(fmt::format("mem_quote id={} start=0", item.id));
  }
  return reply;
}

// Byte offset of a character; the end where there are fewer. REQUIRES: valid UTF-8.
std::size_t memory_offset(std::string_view text, std::uint64_t characters) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (; characters > 0 && at != end; --characters) decode_utf8(at, end);
  return static_cast<std::size_t>(at - text.data());
}

ToolAnswer mem_quote(ToolCall& call) {
  const auto items = read_items({call.arguments.text("id")}, call);
  if (!items) return ToolError(items.error());
  const Item& item = items->front();
  const std::uint64_t characters = utf8_length(item.content);
  const auto start =
      std::min(characters, static_cast<std::uint64_t>(call.arguments.integer("start")));
  const auto count = static_cast<std::uint64_t>(call.arguments.integer("chars"));
  const std::uint64_t end = std::min(characters, start + count);
  Reply reply = reply_about(call);
  warn_of_state(item, call, reply);
  reply.say(fmt::format("characters {} to {} of {}", start, end, format_count(characters)));
  reply.set_quietly("id", item.id);
  reply.set("title", item.title);
  reply.set_quietly("start", start);
  reply.set_quietly("end", end);
  reply.set_quietly("sz", characters);
  reply.set_quietly("has_more", end < characters);
  const std::size_t from = memory_offset(item.content, start);
  const std::string_view rest = std::string_view(item.content).substr(from);
  reply.text("text", std::string(rest.substr(0, memory_offset(rest, end - start))), "", start);
  if (end < characters) reply.next(fmt::format("mem_quote id={} start={}", item.id, end));
  return reply;
}

// What a caller may say of an item; the rest is ours to say.
Result<memory::ReadItem> read_given(const JsonValue& json) {
  HELVE_ASSIGN(memory::ReadItem read, memory::read_item(json));
  const JsonValue* src = json.find("src");
  const Item& given = read.item;
  const bool is_of_person =
      given.src == memory::ItemSource::Human || given.src == memory::ItemSource::Seed;
  if (src == nullptr || src->is_null() || is_of_person) {
    return Error{ErrorCode::InvalidInput, "src does not say what it was learnt from",
                 "success, failure, contrastive or pattern"};
  }
  Item item;
  item.id = given.id;
  item.title = given.title;
  item.desc = given.desc;
  item.content = given.content;
  item.src = given.src;
  item.tags = given.tags;
  item.scope = given.scope;
  item.domain = given.domain;
  item.schema_fingerprint = given.schema_fingerprint;
  item.provenance = given.provenance;  // for a warning
  item.quarantined = true;
  read.item = std::move(item);
  return read;
}

ToolAnswer mem_add(ToolCall& call) {
  auto read = read_given(call.arguments.object("item"));
  if (!read) return ToolError(read.error());
  if (read->item.provenance != memory::Provenance()) {
    read->warnings.emplace_back("provenance is set by the server");
  }
  read->item.provenance = {};
  read->item.provenance.added_by = adder_of(call);
  if (auto counted = count_lesson(call); !counted) return ToolError(counted.error());
  const auto added = call.memory_writer->repository().add({std::move(read->item)}, call.op);
  if (!added || added->items.front().state != memory::AddState::Added) take_back_lesson(call);
  if (!added) return ToolError(added.error());
  const memory::AddOutcome& outcome = added->items.front();
  if (outcome.state == memory::AddState::Retracted) {
    return ToolError(Error{ErrorCode::Denied,
                           fmt::format("item {} was there and was retracted", outcome.id),
                           "it does not come back by being added again"});
  }
  const bool is_new = outcome.state == memory::AddState::Added;
  Reply reply = reply_about(call);
  reply.say(is_new ? fmt::format("{} is stored, quarantined until a person verifies it", outcome.id)
                   : fmt::format("{} was there already; nothing was changed", outcome.id));
  reply.set_word("id", outcome.id);
  reply.set_quietly("stored", is_new);
  if (is_new) reply.set_quietly("quarantined", true);
  for (std::string& warning : read->warnings) {
    reply.warn_from_data({warning, "a part of the item was left out", "left_out", warning});
  }
  return reply;
}

Parameter number(const char* name, std::int64_t otherwise, std::int64_t min, std::int64_t max,
                 const char* doc) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = ParameterType::Integer;
  parameter.doc = doc;
  parameter.otherwise = JsonValue(otherwise);
  parameter.min = min;
  parameter.max = max;
  return parameter;
}

Tool memory_tool(const char* name, const char* title, const char* purpose, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Memory;
  tool.purpose = purpose;
  tool.handler = std::move(handler);
  return tool;
}

Tool declare_search() {
  Tool tool = memory_tool("mem_search", "Search the memory",
                          "Lessons of earlier work for a question, the best first, without their "
                          "content: mem_get has it.",
                          mem_search);
  Parameter k = number("k", 6, 1, 20, "items to show");
  k.aliases = {"limit", "n", "top", "max_rows"};
  Parameter polarity = choice_parameter(
      "polarity", {"any", "success", "failure", "seed", "contrastive", "pattern", "human"},
      "what they were learnt from");
  Parameter tags;
  tags.name = "tags";
  tags.type = ParameterType::Texts;
  tags.doc = "only items with all of these";
  tool.parameters = {
      text_parameter("q", "what it is about, in words", {"query", "question", "text", "task"}),
      std::move(k),
      std::move(polarity),
      optional_text("domain", "only items of this source or ontology"),
      std::move(tags),
      flag_parameter("quarantined", false, "also what nobody has verified yet")};
  tool.returns = {{"items", "array", "id, title, desc, src, score"},
                  {"total_available", "integer", "items with words of the question"},
                  {"total_is", "string", "exact or at_least"},
                  {"truncated", "boolean", "there are more"},
                  {"limit_applied", "integer", ""},
                  {"usage", "array", "what to call next", true}};
  tool.examples = {{"what is known", arguments_of({{"q", JsonValue("count planets")}})}};
  return tool;
}

Tool declare_get() {
  Tool tool =
      memory_tool("mem_get", "Read items of the memory", "Items of the memory, whole.", mem_get);
  tool.phase = ReplyPhase::Get;
  tool.memory_writes = MemoryWrites::IfAllowed;  // counts the use
  Parameter ids;
  ids.name = "ids";
  ids.type = ParameterType::Texts;
  ids.doc = "at most three";
  ids.is_required = true;
  ids.aliases = {"id"};
  tool.parameters = {std::move(ids),
                     number("max_n", kItemsMax, 1, kItemsMax, "more ids than this are an error")};
  tool.returns = {
      {"items", "array", "id, title, desc, src, tags, domain, created_at, added_by, content"},
      {"usage", "array", "what to call next", true}};
  tool.examples = {
      {"one", arguments_of({{"ids", JsonValue(JsonValue::Array{JsonValue("0123456789ab")})}})}};
  return tool;
}

Tool declare_quote() {
  Tool tool = memory_tool("mem_quote", "Quote an item of the memory",
                          "A part of the content of one item, by characters.", mem_quote);
  Parameter chars = number("chars", 500, 1, 2'000, "characters of it");
  tool.parameters = {text_parameter("id", "of the item"), std::move(chars),
                     number("start", 0, 0, INT64_MAX / 2, "the first, counted from 0")};
  tool.returns = {{"id", "string", ""},
                  {"title", "string", ""},
                  {"text", "string", "the part"},
                  {"start", "integer", ""},
                  {"end", "integer", "behind the last character"},
                  {"sz", "integer", "characters of the whole content"},
                  {"has_more", "boolean", ""},
                  {"usage", "array", "what to call next", true}};
  tool.examples = {{"the beginning", arguments_of({{"id", JsonValue("0123456789ab")}})}};
  return tool;
}

Tool declare_add() {
  Tool tool = memory_tool("mem_add", "Remember a lesson",
                          "Stores a lesson. It is quarantined until a person verifies it: search "
                          "shows it on request only.",
                          mem_add);
  tool.memory_writes = MemoryWrites::Always;
  Parameter item;
  item.name = "item";
  item.type = ParameterType::Object;
  item.doc =
      "title (ten words), desc (when to use it), content, src (success, failure, contrastive, "
      "pattern), tags?, domain?";
  item.is_required = true;
  tool.parameters = {std::move(item)};
  tool.returns = {{"id", "string", ""},
                  {"stored", "boolean", "false: it was there already"},
                  {"quarantined", "boolean", "", true}};
  tool.examples = {
      {"a lesson",
       arguments_of({{"item", arguments_of({{"title", JsonValue("Count before exporting")},
                                            {"desc", JsonValue("Use before any large export.")},
                                            {"content", JsonValue("Ask for COUNT(*) first.")},
                                            {"src", JsonValue("success")}})}})}};
  return tool;
}

}  // namespace

void add_memory_tools(Registry& registry) {
  registry.add(declare_search());
  registry.add(declare_get());
  registry.add(declare_quote());
  registry.add(declare_add());
}

}  // namespace helve::toolkit
