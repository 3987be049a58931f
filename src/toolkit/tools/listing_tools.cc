// list_tools and call_tool: for surfaces that offer few tools by name.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/utf8.h"
#include "toolkit/policy/gate.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"
#include "toolkit/tools/tool_words.h"

namespace helve::toolkit {

namespace {

// Of Few only the tools that are usually listed have all parameters.
enum class ListingDetail : std::uint8_t { Verbose, Typed, Brief, Names, Few };

std::string returns_of(const Tool& tool) {
  std::string out;
  for (const ReturnKey& key : tool.returns) {
    out += (out.empty() ? "" : ", ") + key.name + (key.is_optional ? "?" : "");
  }
  return out;
}

std::vector<std::string> listing_columns(ListingDetail detail) {
  if (detail == ListingDetail::Verbose) return {"tool", "purpose", "returns", "example"};
  if (detail == ListingDetail::Names || detail == ListingDetail::Few) return {};
  return {"tool", "purpose"};
}

std::vector<std::string> cells_of(const Tool& tool, ListingDetail detail) {
  switch (detail) {
    case ListingDetail::Verbose:
      return {long_signature_of(tool), tool.purpose, returns_of(tool),
              tool.examples.empty() ? "" : to_json(tool.examples.front().arguments)};
    case ListingDetail::Typed:
      return {long_signature_of(tool), tool.purpose};
    case ListingDetail::Brief:
      return {signature_of(tool), first_sentence(tool.purpose)};
    case ListingDetail::Names:
    case ListingDetail::Few:
      break;
  }
  return {};
}

ReplyList table_of(const std::vector<const Tool*>& tools, ListingDetail detail) {
  ReplyList list;
  list.key = "tools";
  list.columns = listing_columns(detail);
  for (const Tool* tool : tools) {
    if (detail == ListingDetail::Names || detail == ListingDetail::Few) {
      const bool is_short = detail == ListingDetail::Few && tool->listing == Listing::OnRequest;
      list.items.emplace_back(is_short ? short_signature_of(*tool) : signature_of(*tool));
      continue;
    }
    ReplyValue::List row;
    for (std::string& cell : cells_of(*tool, detail)) row.emplace_back(std::move(cell));
    list.items.emplace_back(std::move(row));
  }
  return list;
}

// Characters of the table in the longer form, about.
std::size_t chars_of(const ReplyList& list) {
  constexpr std::size_t kAroundCell = 4;
  constexpr std::size_t kAroundReply = 400;
  std::size_t total = kAroundReply;
  for (const ReplyValue& item : list.items) {
    const auto* const cells = item.if_is<ReplyValue::List>();
    if (cells == nullptr) {
      total += utf8_length(*item.if_is<std::string>()) + kAroundCell;
      continue;
    }
    for (const ReplyValue& cell : *cells) {
      total += utf8_length(*cell.if_is<std::string>()) + kAroundCell;
    }
  }
  return total;
}

// As much about each as lets all of them stand in the reply.
ReplyList fitting_table(const std::vector<const Tool*>& tools, bool is_verbose,
                        std::size_t max_chars) {
  if (is_verbose) return table_of(tools, ListingDetail::Verbose);
  for (const ListingDetail detail :
       {ListingDetail::Typed, ListingDetail::Brief, ListingDetail::Names}) {
    ReplyList list = table_of(tools, detail);
    if (chars_of(list) <= max_chars) return list;
  }
  return table_of(tools, ListingDetail::Few);
}

ToolAnswer list_tools(ToolCall& call) {
  const std::string& category = call.arguments.text("category");
  const bool is_verbose = call.arguments.boolean("verbose");
  std::vector<const Tool*> tools;
  for (const Tool& tool : call.registry.tools()) {
    if (category != "all" && name_of(tool.category) != category) continue;
    if (check_call(call.policy, nature_of(tool))) tools.push_back(&tool);
  }
  Reply reply;
  reply.is_own = true;
  reply.say(fmt::format("{} tools{}; each also takes max_chars, output_format, source",
                        tools.size(), category == "all" ? "" : " of category " + category));
  reply.set_quietly("count", tools.size());
  reply.list(fitting_table(tools, is_verbose, call.max_chars));
  if (category == "all")
    reply.next("list_tools category=query (or explore, analyze, sql, endpoint)");
  if (!is_verbose) reply.next("list_tools category=query verbose=true");
  return reply;
}

ToolAnswer call_tool(ToolCall& call) {
  const JsonValue none{JsonValue::Object{}};
  return call.call_other(
      call.arguments.has("name") ? call.arguments.text("name") : "list_tools",
      call.arguments.has("arguments") ? call.arguments.object("arguments") : none);
}

Tool declare_list_tools() {
  Tool tool;
  tool.name = "list_tools";
  tool.title = "List all tools";
  tool.category = ToolCategory::Explore;
  tool.purpose =
      "The tools there are, with their parameters and defaults. Use verbose=true for what "
      "they return and an example.";
  Parameter category = choice_parameter(
      "category", {"all", "query", "explore", "analyze", "memory", "sql", "endpoint", "tasks"},
      "only tools of this category");
  tool.parameters = {std::move(category),
                     flag_parameter("verbose", false, "with return keys and an example each")};
  tool.returns = {{"count", "integer", "tools there are", false},
                  {"tools", "array", "signature of each, or rows of `columns`", false},
                  {"columns", "array", "what the cells of a row are", true},
                  {"usage", "array", "what to call next", true}};
  tool.examples = {{"what can be queried", arguments_of({{"category", JsonValue("query")}})},
                   {"everything", JsonValue(JsonValue::Object{})}};
  tool.handler = list_tools;
  return tool;
}

Tool declare_call_tool() {
  Tool tool;
  tool.name = "call_tool";
  tool.title = "Call or list other tools";
  tool.listing = Listing::Minimal;
  tool.category = ToolCategory::Query;
  tool.purpose =
      "Calls any tool by its name, also those that are not listed. Without a name it lists all of "
      "them with their parameters.";
  Parameter arguments;
  arguments.name = "arguments";
  arguments.type = ParameterType::Json;
  arguments.doc = "the arguments of that tool, by name or in order";
  arguments.aliases = {"args", "params", "parameters", "kwargs", "input"};
  tool.parameters = {optional_text("name", "the tool; none: list_tools", {"tool", "tool_name"}),
                     std::move(arguments)};
  tool.examples = {{"a tool that is not offered by name",
                    arguments_of({{"name", JsonValue("list_tools")},
                                  {"arguments", arguments_of({{"category", JsonValue("all")}})}})}};
  tool.handler = call_tool;
  return tool;
}

}  // namespace

void add_listing_tools(Registry& registry) {
  registry.add(declare_list_tools());
  registry.add(declare_call_tool());
}

}  // namespace helve::toolkit
