#include "surfaces/mcp/server/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/json_writer.h"

namespace helve::mcp {

namespace {

constexpr std::size_t kPageItems = 100;
constexpr std::size_t kCompletionsMax = 100;  // the protocol's own
constexpr std::size_t kUriBytesMax = 2'000;   // that an error repeats
constexpr std::int64_t kListTtlMs = 60'000;

RpcError invalid_params(std::string message) {
  return {code::kInvalidParams, std::move(message), {}};
}

struct ListMethod {
  std::string_view method;
  ListKind kind;
  std::string_view key;
};

constexpr std::array<ListMethod, 4> kLists = {{
    {"tools/list", ListKind::Tools, "tools"},
    {"resources/list", ListKind::Resources, "resources"},
    {"resources/templates/list", ListKind::ResourceTemplates, "resourceTemplates"},
    {"prompts/list", ListKind::Prompts, "prompts"},
}};

const ListMethod* find_list(std::string_view method) {
  const auto found = std::find_if(kLists.begin(), kLists.end(),
                                  [&](const ListMethod& list) { return list.method == method; });
  return found == kLists.end() ? nullptr : &*found;
}

// Cursors are ours alone to read: "p" and the number of the first item.
std::optional<std::size_t> first_of(const JsonValue& params) {
  const JsonValue* cursor = params.find("cursor");
  if (cursor == nullptr || cursor->is_null()) return 0;
  const std::string* text = cursor->if_string();
  if (text == nullptr || text->size() < 2 || text->front() != 'p') return std::nullopt;
  std::size_t first = 0;
  const char* end = text->data() + text->size();
  if (std::from_chars(text->data() + 1, end, first).ptr != end) return std::nullopt;
  return first == 0 ? std::nullopt : std::optional(first);
}

void append_cache(std::string& members, Revision revision) {
  if (!is_modern(revision)) return;
  members += fmt::format(R"(,"ttlMs":{},"cacheScope":"private")", kListTtlMs);
}

Outcome run_list(const ListMethod& list, const JsonValue& params, CallTurn& turn,
                 const SharedState& shared) {
  const auto first = first_of(params);
  std::vector<std::string> items;
  for (const auto& offer : shared.offers) {
    auto more = offer->list(list.kind, turn);
    std::move(more.begin(), more.end(), std::back_inserter(items));
  }
  if (!first || (*first > 0 && *first >= items.size())) {
    return invalid_params("the cursor is not one of ours: leave it out to begin anew");
  }
  const std::size_t end = std::min(items.size(), *first + kPageItems);
  std::string members = fmt::format(R"({{"{}":[)", list.key);
  for (std::size_t i = *first; i < end; ++i) {
    if (i > *first) members += ',';
    members += items[i];
  }
  members += ']';
  if (end < items.size()) members += fmt::format(R"(,"nextCursor":"p{}")", end);
  append_cache(members, turn.revision());
  members += '}';
  return members;
}

// nullopt where the member is neither absent nor an object.
std::optional<JsonValue> arguments_of(const JsonValue& params) {
  const JsonValue* arguments = params.find("arguments");
  if (arguments == nullptr || arguments->is_null()) return JsonValue(JsonValue::Object{});
  if (arguments->if_object() == nullptr) return std::nullopt;
  return *arguments;
}

Outcome run_named(std::string_view method, const JsonValue& params, CallTurn& turn,
                  SharedState& shared) {
  auto name = text_param(params, "name");
  if (auto* error = std::get_if<RpcError>(&name)) return std::move(*error);
  const auto arguments = arguments_of(params);
  if (!arguments) return invalid_params("\"arguments\" must be an object");
  const auto& text = std::get<std::string>(name);
  const bool is_tool = method == "tools/call";
  for (const auto& offer : shared.offers) {
    auto outcome = is_tool ? offer->call_tool(text, *arguments, turn)
                           : offer->get_prompt(text, *arguments, turn);
    if (outcome) return *std::move(outcome);
  }
  return invalid_params(
      fmt::format("there is no {} named {}", is_tool ? "tool" : "prompt", shown(text)));
}

// What the offer says of caching is for modern clients, which always want to know.
std::string with_cache(std::string members, Revision revision) {
  auto parsed = parse_json(members);
  if (!parsed || parsed->if_object() == nullptr) return members;
  JsonValue::Object& object = *parsed->if_object();
  const auto take = [&object](std::string_view key) -> std::optional<JsonValue> {
    const auto found = std::find_if(object.begin(), object.end(),
                                    [&](const JsonMember& member) { return member.key == key; });
    if (found == object.end()) return std::nullopt;
    JsonValue value = std::move(found->value);
    object.erase(found);
    return value;
  };
  auto ttl = take("ttlMs");
  auto scope = take("cacheScope");
  if (is_modern(revision)) {
    object.push_back({"ttlMs", std::move(ttl).value_or(JsonValue(0))});
    object.push_back({"cacheScope", std::move(scope).value_or(JsonValue("private"))});
  }
  return to_json(*parsed);
}

Outcome run_read(const JsonValue& params, CallTurn& turn, SharedState& shared) {
  auto uri = text_param(params, "uri");
  if (auto* error = std::get_if<RpcError>(&uri)) return std::move(*error);
  const auto& text = std::get<std::string>(uri);
  for (const auto& offer : shared.offers) {
    auto outcome = offer->read_resource(text, turn);
    if (!outcome) continue;
    if (auto* members = std::get_if<std::string>(&*outcome)) {
      return turn.interruption ? std::move(*members)
                               : with_cache(std::move(*members), turn.revision());
    }
    return *std::move(outcome);
  }
  JsonValue::Object data;
  data.push_back({"uri", JsonValue(text.size() <= kUriBytesMax ? text : shown(text))});
  return RpcError{
      is_modern(turn.revision()) ? code::kInvalidParams : code::kResourceNotFound,
      "there is no such resource: resources/list and resources/templates/list show what there is",
      JsonValue(std::move(data))};
}

std::variant<CompletionRequest, RpcError> completion_of(const JsonValue& params) {
  CompletionRequest request;
  const JsonValue* ref = params.find("ref");
  const JsonValue* argument = params.find("argument");
  if (ref == nullptr || ref->if_object() == nullptr || argument == nullptr ||
      argument->if_object() == nullptr) {
    return invalid_params("\"ref\" and \"argument\" must be objects");
  }
  const JsonValue* type = ref->find("type");
  const std::string kind =
      type != nullptr && type->if_string() != nullptr ? *type->if_string() : "";
  request.is_prompt = kind == "ref/prompt";
  if (!request.is_prompt && kind != "ref/resource") {
    return invalid_params("the type of \"ref\" must be \"ref/prompt\" or \"ref/resource\"");
  }
  struct Wanted {
    const JsonValue& in;
    std::string_view name;
    std::string& out;
  };
  for (const Wanted& wanted :
       {Wanted{*ref, request.is_prompt ? "name" : "uri", request.name},
        Wanted{*argument, "name", request.argument}, Wanted{*argument, "value", request.value}}) {
    auto text = text_param(wanted.in, wanted.name);
    if (auto* error = std::get_if<RpcError>(&text)) return std::move(*error);
    wanted.out = std::get<std::string>(std::move(text));
  }
  const JsonValue* context = params.find("context");
  const JsonValue* others = context == nullptr ? nullptr : context->find("arguments");
  if (others != nullptr && others->if_object() != nullptr) request.other = *others;
  return request;
}

// "a, b, c": what there is to be named.
std::string names_of(ListKind kind, std::string_view key, CallTurn& turn,
                     const SharedState& shared) {
  constexpr std::size_t kNamesMax = 20;
  std::vector<std::string> names;
  for (const auto& offer : shared.offers) {
    for (const std::string& item : offer->list(kind, turn)) {
      const auto parsed = parse_json(item);
      const JsonValue* const name = parsed ? parsed->find(key) : nullptr;
      if (name == nullptr || name->if_string() == nullptr) continue;
      if (names.size() < kNamesMax) names.push_back(*name->if_string());
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

RpcError unknown_reference(const CompletionRequest& wanted, CallTurn& turn,
                           const SharedState& shared) {
  if (wanted.is_prompt) {
    return invalid_params(fmt::format("there is no prompt named {}; there are: {}",
                                      shown(wanted.name),
                                      names_of(ListKind::Prompts, "name", turn, shared)));
  }
  return invalid_params(
      fmt::format("there is no template {}; there are: {}", shown(wanted.name),
                  names_of(ListKind::ResourceTemplates, "uriTemplate", turn, shared)));
}

Outcome run_complete(const JsonValue& params, CallTurn& turn, SharedState& shared) {
  auto request = completion_of(params);
  if (auto* error = std::get_if<RpcError>(&request)) return std::move(*error);
  const auto& wanted = std::get<CompletionRequest>(request);
  for (const auto& offer : shared.offers) {
    const auto found = offer->complete(wanted, turn);
    if (!found) continue;
    std::string members;
    JsonWriter writer(members);
    writer.begin_object();
    writer.key("completion");
    writer.begin_object();
    writer.key("values");
    writer.begin_array();
    const std::size_t shown = std::min(found->values.size(), kCompletionsMax);
    for (std::size_t i = 0; i < shown; ++i) writer.value(found->values[i]);
    writer.end_array();
    writer.member("total", found->values.size());
    writer.member("hasMore", shown < found->values.size());
    writer.end_object();
    writer.end_object();
    return members;
  }
  return unknown_reference(wanted, turn, shared);
}

}  // namespace

bool is_offer_method(std::string_view method) {
  return find_list(method) != nullptr || is_asking_method(method) ||
         method == "completion/complete";
}

bool is_asking_method(std::string_view method) {
  return method == "tools/call" || method == "resources/read" || method == "prompts/get";
}

bool is_long_method(std::string_view method) {
  return is_asking_method(method) || method == "completion/complete" || method == "resources/list";
}

std::variant<std::string, RpcError> text_param(const JsonValue& params, std::string_view name) {
  const JsonValue* value = params.find(name);
  if (value == nullptr) return invalid_params(fmt::format("\"{}\" is missing", name));
  if (value->if_string() == nullptr) {
    return invalid_params(fmt::format("\"{}\" must be a text", name));
  }
  return *value->if_string();
}

Outcome run_method(std::string_view method, const JsonValue& params, CallTurn& turn,
                   SharedState& shared) {
  Outcome outcome;
  if (const ListMethod* list = find_list(method)) {
    outcome = run_list(*list, params, turn, shared);
  } else if (method == "resources/read") {
    outcome = run_read(params, turn, shared);
  } else if (method == "completion/complete") {
    outcome = run_complete(params, turn, shared);
  } else {
    outcome = run_named(method, params, turn, shared);
  }
  if (turn.interruption) {
    if (auto* error = std::get_if<RpcError>(&*turn.interruption)) return std::move(*error);
    return complete_result(std::get<std::string>(*turn.interruption), shared.options,
                           turn.revision(), "input_required");
  }
  if (auto* members = std::get_if<std::string>(&outcome)) {
    return complete_result(*members, shared.options, turn.revision());
  }
  return outcome;
}

std::string capabilities_json() {
  return R"({"tools":{},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}})";
}

std::string server_info_json(const ServerOptions& options, Revision revision) {
  std::string out = R"({"name":"helve",)";
  if (revision >= Revision::R20250618) out += R"("title":"Helve",)";
  out += R"("version":)";
  append_json_string(out, options.version);
  out += '}';
  return out;
}

std::string complete_result(std::string_view members, const ServerOptions& options,
                            Revision revision, std::string_view type) {
  if (!is_modern(revision)) return std::string(members);
  std::string out;
  out.reserve(members.size() + 160);
  out += R"({"resultType":")";
  out += type;
  out += R"(","_meta":{")";
  out += kMetaServerInfo;
  out += "\":";
  out += server_info_json(options, revision);
  out += '}';
  if (members.size() > 2) out += ',';
  out += members.substr(1);
  return out;
}

}  // namespace helve::mcp
