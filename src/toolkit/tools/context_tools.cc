// ctx_peek, ctx_slice, ctx_stats, ctx_find: any stored text, by handle.
#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"
#include "base/text.h"
#include "base/utc.h"
#include "base/utf8.h"
#include "toolkit/tools/declare.h"
#include "toolkit/tools/handle_view.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/tool_call.h"

namespace helve::toolkit {

namespace {

constexpr std::size_t kTextBytesMax = std::size_t{64} << 20;
constexpr std::size_t kSnippet = 60;  // characters on each side of what was found

// Byte offset of a character; the end where there are fewer.
std::size_t context_offset(std::string_view text, std::uint64_t characters) {
  std::size_t at = 0;
  while (characters > 0 && at < text.size()) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) ++at;
    --characters;
  }
  return at;
}

std::string_view characters_of(std::string_view text, std::uint64_t begin, std::uint64_t count) {
  const std::size_t from = context_offset(text, begin);
  const std::string_view rest = text.substr(from);
  return rest.substr(0, context_offset(rest, count));
}

void describe_text(const HandleText& whole, std::uint64_t characters, Reply& reply) {
  reply.about(whole.origin.source, whole.origin.prefixes);
  reply.set_quietly("key", whole.ref.key);
  reply.set_quietly("dtype", name_of(whole.ref.dtype));
  reply.set_quietly("sz", characters);
  if (!whole.ref.complete) reply.warn("not complete: only a part of the result was stored");
  if (whole.is_cut) {
    reply.warn(
        fmt::format("only the first {} of the text are looked at", format_bytes(kTextBytesMax)));
  }
}

Result<HandleText> whole_text(ToolCall& call) {
  return text_of(call.arguments.text("key"), kTextBytesMax, call);
}

// How many of the characters from `text` on fit into a reply, in both of its forms: what is escaped
// takes more room.
std::uint64_t fitting_characters(std::string_view text, std::size_t max_chars) {
  constexpr std::size_t kFrame = 700;  // of the reply around the text
  const std::size_t room = max_chars > 2 * kFrame ? max_chars - kFrame : max_chars / 4;
  std::size_t used = 0;
  std::uint64_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;
    const bool is_doubled = c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r';
    const bool is_escaped = byte < 0x20U || byte == 0x7FU || byte == 0xE2U || byte == 0xF3U;
    used += is_doubled ? 2 : is_escaped ? 12 : 1;
    if (used > room) break;
    ++count;
  }
  return count;
}

// The part [start, end), as far as it fits; says where it goes on.
ToolAnswer part_of(const HandleText& whole, std::uint64_t start, std::uint64_t end,
                   ToolCall& call) {
  const std::uint64_t characters = utf8_length(whole.text);
  start = std::min(start, characters);
  end = std::clamp(end, start, characters);
  const std::string_view wanted = characters_of(whole.text, start, end - start);
  const std::uint64_t fits = fitting_characters(wanted, call.max_chars);
  const bool is_cut = fits < end - start;
  if (is_cut) end = start + fits;
  Reply reply;
  describe_text(whole, characters, reply);
  reply.set("start", start);
  reply.set("end", end);
  reply.set_quietly("has_more", end < characters);
  reply.set_quietly("truncated", end < characters);
  reply.text("text", std::string(characters_of(wanted, 0, end - start)), whole.ref.key, start);
  if (is_cut) {
    reply.warn(fmt::format("ended by characters at {} of {}", format_count(end),
                           format_count(characters)));
  }
  if (end < characters) {
    reply.next(fmt::format("ctx_slice key={} start={} end=-1", call.arguments.text("key"), end));
  }
  return reply;
}

ToolAnswer ctx_peek(ToolCall& call) {
  const auto whole = whole_text(call);
  if (!whole) return ToolError(whole.error());
  return part_of(*whole, 0, static_cast<std::uint64_t>(call.arguments.integer("n")), call);
}

ToolAnswer ctx_slice(ToolCall& call) {
  const auto whole = whole_text(call);
  if (!whole) return ToolError(whole.error());
  const std::int64_t end = call.arguments.integer("end");
  return part_of(*whole, static_cast<std::uint64_t>(call.arguments.integer("start")),
                 end < 0 ? UINT64_MAX : static_cast<std::uint64_t>(end), call);
}

ToolAnswer ctx_stats(ToolCall& call) {
  const auto whole = whole_text(call);
  if (!whole) return ToolError(whole.error());
  Reply reply;
  describe_text(*whole, utf8_length(whole->text), reply);
  reply.set("chars", std::uint64_t{utf8_length(whole->text)});
  reply.set("lines",
            static_cast<std::uint64_t>(std::count(whole->text.begin(), whole->text.end(), '\n')));
  reply.set("rows", whole->ref.rows);
  reply.set("created_at", to_utc(whole->ref.created_at));
  return reply;
}

// The text around a place, from the beginning of one character to the end of another.
std::string snippet(std::string_view text, std::size_t at, std::size_t size) {
  std::size_t begin = at > kSnippet ? at - kSnippet : 0;
  std::size_t end = std::min(text.size(), at + size + kSnippet);
  const auto is_inside = [&](std::size_t place) {
    return place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0U) == 0x80U;
  };
  while (is_inside(begin)) ++begin;
  while (is_inside(end)) ++end;
  return std::string(text.substr(begin, end - begin));
}

// Where the text occurs, without overlaps. Looks at the clock between pieces.
Result<std::vector<std::size_t>> places_of(std::string_view wanted, std::string_view text,
                                           const OpContext& context) {
  constexpr std::size_t kPiece = 256 * kKiB;
  constexpr std::size_t kPlacesMax = 1'000'000;
  const std::string needle = ascii_lower(wanted);
  std::vector<std::size_t> places;
  std::size_t at = 0;
  while (at < text.size() && places.size() < kPlacesMax) {
    HELVE_TRY(context.check());
    const std::string piece = ascii_lower(text.substr(at, kPiece + needle.size()));
    std::size_t next = kPiece;  // where the next piece begins
    for (std::size_t found = piece.find(needle); found < kPiece;
         found = piece.find(needle, found + needle.size())) {
      places.push_back(at + found);
      next = std::max(kPiece, found + needle.size());
    }
    at += next;
  }
  return places;
}

ToolAnswer ctx_find(ToolCall& call) {
  constexpr std::size_t kWantedMax = 200;
  const auto whole = whole_text(call);
  if (!whole) return ToolError(whole.error());
  const std::string& wanted = call.arguments.text("text");
  if (wanted.empty() || wanted.size() > kWantedMax) {
    return ToolError(Error{ErrorCode::InvalidInput,
                           fmt::format("the text to look for has {} bytes", wanted.size()),
                           fmt::format("give 1 to {}", kWantedMax)});
  }
  const auto limit = static_cast<std::uint64_t>(call.arguments.integer("limit"));
  const std::string_view text = whole->text;
  const auto places = places_of(wanted, text, call.op);
  if (!places) return ToolError(places.error());
  ReplyList list{"matches", {}, {}};
  std::size_t counted = 0;       // bytes whose characters are counted
  std::uint64_t characters = 0;  // before them
  for (std::size_t i = 0; i < std::min<std::size_t>(places->size(), limit); ++i) {
    const std::size_t place = (*places)[i];
    characters += utf8_length(text.substr(counted, place - counted));
    counted = place;
    list.items.emplace_back(
        ReplyValue::Members{{"at", characters}, {"snippet", snippet(text, place, wanted.size())}});
  }
  Reply reply;
  describe_text(*whole, utf8_length(text), reply);
  reply.say(fmt::format("{} places", format_count(places->size())));
  reply.set_quietly("total_available", std::uint64_t{places->size()});
  reply.set_quietly("total_is", whole->is_cut ? "at_least" : "exact");
  reply.set_quietly("truncated", places->size() > limit);
  reply.set_quietly("limit_applied", limit);
  list.left_out = places->size() - list.items.size();
  reply.list(std::move(list));
  return reply;
}

Tool context_tool(const char* name, const char* title, const char* purpose,
                  std::vector<Parameter> more, ToolHandler handler) {
  Tool tool;
  tool.name = name;
  tool.title = title;
  tool.category = ToolCategory::Analyze;
  tool.purpose = purpose;
  tool.parameters = {handle_parameter("key", "a handle, or a cell of one: results_0[3].abstract")};
  for (Parameter& parameter : more) tool.parameters.push_back(std::move(parameter));
  tool.returns = {{"key", "string", "the handle"},
                  {"sz", "integer", "characters of the whole text"},
                  {"text", "string", "the part that was asked for", true},
                  {"matches", "array", "at (in characters) and snippet", true}};
  tool.examples = {{"of a handle", arguments_of({{"key", JsonValue("text_0")}})}};
  tool.handler = std::move(handler);
  return tool;
}

Parameter position(const char* name, std::int64_t otherwise, std::int64_t min, const char* doc) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = ParameterType::Integer;
  parameter.doc = doc;
  parameter.otherwise = JsonValue(otherwise);
  parameter.min = min;
  return parameter;
}

// Not a number of rows: no policy of rows lowers it.
Parameter characters_parameter() {
  Parameter parameter = limit_parameter(200, 6'000, "characters to show");
  parameter.name = "n";
  parameter.aliases = {"limit", "k", "top", "chars"};
  return parameter;
}

}  // namespace

void add_context_tools(Registry& registry) {
  registry.add(context_tool("ctx_peek", "Beginning of a stored text",
                            "The beginning of a stored text.", {characters_parameter()}, ctx_peek));
  Tool slice =
      context_tool("ctx_slice", "Part of a stored text", "A part of a stored text, by characters.",
                   {position("start", 0, 0, "the first character, counted from 0"),
                    position("end", 100, -1, "behind the last one; -1: to the end")},
                   ctx_slice);
  slice.phase = ReplyPhase::Get;
  slice.parameters[1].aliases = {"offset"};
  slice.examples = {{"the first thousand characters",
                     arguments_of({{"key", JsonValue("text_0")}, {"end", JsonValue(1'000)}})}};
  registry.add(std::move(slice));
  registry.add(context_tool("ctx_stats", "Size of a stored text", "The size of a stored text.", {},
                            ctx_stats));
  Tool find = context_tool("ctx_find", "Search a stored text",
                           "Where a text occurs in a stored text, in any case of letters.",
                           {text_parameter("text", "what to look for", {"q", "query", "pattern"}),
                            limit_parameter(20, 100, "places to show")},
                           ctx_find);
  find.examples = {
      {"a word", arguments_of({{"key", JsonValue("text_0")}, {"text", JsonValue("planet")}})}};
  registry.add(std::move(find));
}

}  // namespace helve::toolkit
