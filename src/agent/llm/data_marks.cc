#include "agent/llm/data_marks.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::llm {

namespace {

constexpr std::string_view kOpen = "<data ";

// The number of the first mark that begins a line, and where it stands; empty: there is none.
std::string_view mark_of(std::string_view reply, std::size_t& at) {
  at = reply.starts_with(kOpen) ? 0 : reply.find(fmt::format("\n{}", kOpen));
  if (at == std::string_view::npos) return {};
  at = reply.find(kOpen, at);
  const std::size_t begin = at + kOpen.size();
  const std::string_view mark =
      reply.substr(begin, std::min(reply.find('>', begin), reply.size()) - begin);
  const bool is_mark = mark.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return is_mark ? mark : std::string_view();
}

}  // namespace

std::string without_marks(std::string_view reply) {
  std::string out(reply);
  std::size_t at = 0;
  const std::string mark(mark_of(reply, at));
  if (mark.empty()) return out;
  const std::string close = fmt::format("</data {}>", mark);
  if (const std::size_t end = out.rfind(close); end != std::string::npos) {
    out.replace(end, close.size(), "</data>");
  }
  return out.replace(at + kOpen.size() - 1, mark.size() + 1, "");
}

std::string without_mark_lines(std::string_view reply) {
  std::string out(reply);
  std::size_t at = 0;
  const std::string mark(mark_of(reply, at));
  if (mark.empty()) return out;
  const auto erase_line = [&out](std::size_t begin) {
    const std::size_t end = out.find('\n', begin);
    out.erase(begin, end == std::string::npos ? end : end + 1 - begin);
  };
  const std::size_t close = out.rfind(fmt::format("\n</data {}>", mark));
  if (close != std::string::npos) erase_line(close + 1);
  erase_line(at);
  return out;
}

}  // namespace helve::llm
