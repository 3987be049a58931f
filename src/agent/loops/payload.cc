#include "agent/loops/payload.h"

#include <fmt/format.h>

#include <optional>

#include "agent/loops/prompt_words.h"
#include "base/redaction.h"
#include "toolkit/tools/reply_redaction.h"

namespace helve::agent {

namespace {

void add_rows(std::string& text, const toolkit::RowTable& rows, const PrefixList& prefixes) {
  text += fmt::format("{}\n", fmt::join(rows.columns(), "\t"));
  for (std::uint64_t row = 0; row < rows.rows() && text.size() <= kPayloadChars; ++row) {
    for (std::size_t column = 0; column < rows.columns().size(); ++column) {
      if (column > 0) text += '\t';
      if (const auto term = rows.cell(row, column)) text += toolkit::show_term(*term, prefixes);
    }
    text += '\n';
  }
}

std::optional<std::string> content_of(const toolkit::Handle& handle) {
  std::string text;
  if (handle.rows) {
    add_rows(text, *handle.rows, handle.origin.prefixes);
    return text;
  }
  if (handle.text) return *handle.text;
  return std::nullopt;  // a graph has no size that anybody would return
}

std::string rendered_text(const toolkit::Reply& reply, const toolkit::ReplyFrame& frame) {
  toolkit::RenderedReply rendered = toolkit::render(reply, frame);
  toolkit::redact_reply(rendered);
  return std::move(rendered.text);
}

}  // namespace

std::string payload_text(const toolkit::CallOutcome& outcome, toolkit::Toolkit& toolkit,
                         const toolkit::Caller& caller, const OpContext& op) {
  const auto* const reply = std::get_if<toolkit::Reply>(&outcome.answer);
  if (reply == nullptr) return outcome.reply.text;
  if (reply->handle) {
    const auto store = toolkit.handles(caller, op);
    const auto handle = store ? (*store)->get(reply->handle->key, op) : store.error();
    if (handle) {
      if (auto content = content_of(*handle)) {
        redact_known(*content);
        return fmt::format("{}\n{}", to_string(*reply->handle),
                           marked_data(both_ends(*content, kPayloadChars)));
      }
    }
  }
  toolkit::ReplyFrame frame;
  frame.source = outcome.source;
  frame.max_chars = kPayloadChars;
  frame.prefixes = reply->prefixes;
  frame.boundary = data_mark(rendered_text(*reply, frame));
  return rendered_text(*reply, frame);
}

}  // namespace helve::agent
