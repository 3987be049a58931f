// Any JSON as the arguments of any tool, and any bytes in every part of a reply: binding must come
// back, and both forms of the reply must stay within their budget and be what they claim to be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"
#include "toolkit/tools/registry.h"
#include "toolkit/tools/reply.h"
#include "toolkit/tools/tool.h"

namespace {

using namespace helve;
using namespace helve::toolkit;

// Hands out the input piece by piece.
class Pieces {
 public:
  explicit Pieces(std::string_view rest) : rest_(rest) {}

  std::size_t number(std::size_t end) {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return byte % end;
  }
  // Some are long, which the input itself seldom is.
  std::string text() {
    const std::size_t bytes = std::min<std::size_t>(number(32), rest_.size());
    std::string piece(rest_.substr(0, bytes));
    rest_.remove_prefix(bytes);
    if (number(8) != 1 || piece.empty()) return piece;
    std::string out;
    while (out.size() < 3'000) out += piece;
    return out;
  }
  bool is_empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

rdf::Term term_of(Pieces& pieces) {
  const std::string value = pieces.text();
  switch (pieces.number(5)) {
    case 0:
      return rdf::Term(rdf::TermView::blank(value));
    case 1:
      return rdf::Term(rdf::TermView::lang_literal(value, pieces.text()));
    case 2:
      return rdf::Term(rdf::TermView::literal(value, pieces.text()));
    case 3:
      return rdf::Term(rdf::TermView::iri("http://example.org/" + value));
    default:
      return rdf::Term(rdf::TermView::iri(value));
  }
}

ReplyValue value_of(Pieces& pieces, int depth) {
  switch (pieces.number(depth > 5 ? 4 : 6)) {
    case 0:
      return pieces.text();
    case 1:
      return std::uint64_t{pieces.number(256)} << pieces.number(57);
    case 2:
      return {};
    case 3:
      return term_of(pieces);
    case 4: {
      ReplyValue::List list;
      for (std::size_t n = pieces.number(6); n > 0; --n)
        list.push_back(value_of(pieces, depth + 1));
      return list;
    }
    default: {
      ReplyValue::Members members;
      for (std::size_t n = pieces.number(4); n > 0; --n) {
        members.emplace_back(std::to_string(n) + pieces.text(), value_of(pieces, depth + 1));
      }
      return members;
    }
  }
}

ReplyList list_of(Pieces& pieces, std::string key) {
  ReplyList list;
  list.key = std::move(key);
  for (std::size_t n = pieces.number(4); n > 0; --n) list.columns.push_back(pieces.text());
  for (std::size_t n = pieces.number(12); n > 0; --n) list.items.push_back(value_of(pieces, 0));
  list.left_out = pieces.number(3);
  list.handle = pieces.number(2) == 0 ? "results_0" : pieces.text();
  list.is_page = pieces.number(3) == 0;
  list.total = pieces.number(200);
  return list;
}

Reply reply_of(Pieces& pieces) {
  Reply reply;
  reply.say(pieces.text());
  int keys = 0;
  const auto key = [&] { return std::to_string(++keys) + pieces.text(); };
  while (!pieces.is_empty() && keys < 200) {
    switch (pieces.number(6)) {
      case 0:
        reply.warn(pieces.text());
        break;
      case 1:
        reply.next(pieces.text());
        break;
      case 2:
        reply.list(list_of(pieces, key()));
        break;
      case 3:
        reply.text(key(), pieces.text(), pieces.text(), pieces.number(256));
        break;
      default:
        reply.set(key(), value_of(pieces, 0));
    }
    ++keys;
  }
  return reply;
}

void check_rendered(const RenderedReply& rendered, std::size_t max_chars) {
  const std::size_t budget = std::max(max_chars, kCharsMin);
  HELVE_CHECK(utf8_valid_prefix(rendered.text) == rendered.text.size());
  HELVE_CHECK(utf8_length(rendered.text) <= budget);
  HELVE_CHECK(utf8_length(rendered.json) <= budget);
  HELVE_CHECK(rendered.text.find('\x1B') == std::string::npos);
  HELVE_CHECK(!rendered.has_overflowed);
  const auto json = parse_json(rendered.json);
  HELVE_CHECK(json.has_value());
  for (const char* key : {"source", "execution_time_ms", "warnings"}) {
    HELVE_CHECK(json->find(key) != nullptr);
  }
}

void check_rendering(std::string_view bytes) {
  Pieces pieces(bytes);
  ReplyFrame frame;
  frame.max_chars = 200 + pieces.number(256) * (1 + pieces.number(64));
  frame.source = pieces.text();
  frame.prefixes = PrefixList{{"ex", "http://example.org/"}, {pieces.text(), pieces.text()}};
  const Reply reply = reply_of(pieces);
  check_rendered(render(reply, frame), frame.max_chars);
  ToolError failure(Error(ErrorCode::NotFound, reply.headline, frame.source));
  failure.error.suggestions = reply.warnings;
  if (!reply.lists.empty()) failure.schema_fragment = reply.lists.front();
  for (const Reply::Fact& fact : reply.facts) failure.details.emplace_back(fact.key, fact.value);
  check_rendered(render(failure, frame), frame.max_chars);
}

void check_binding(std::string_view text) {
  static const Registry registry = make_registry();
  Limits limits;
  limits.json_depth_max = 50;
  const auto given = parse_json(text, limits);
  if (!given) return;
  for (const Tool& tool : registry.tools()) {
    const auto call = bind_arguments(tool, *given);
    if (!call) {
      HELVE_CHECK(call.error().code == ErrorCode::InvalidInput && !call.error().message.empty());
      continue;
    }
    // Every parameter with a default or that is required is there.
    for (const Parameter& parameter : tool.parameters) {
      HELVE_CHECK(!(parameter.is_required || parameter.otherwise) ||
                  call->arguments.has(parameter.name));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 == 0) {
    check_binding(rest);
  } else {
    check_rendering(rest);
  }
  return 0;
}
