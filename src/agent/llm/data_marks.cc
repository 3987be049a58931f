#include "agent/llm/data_marks.h"

#include <fmt/format.h>

#include <algorithm>

namespace helve::llm {

std::string without_marks(std::string_view reply) {
  constexpr std::string_view kOpen = "<data ";
  std::string out(reply);
  std::size_t at = out.starts_with(kOpen) ? 0 : out.find(fmt::format("\n{}", kOpen));
  if (at == std::string::npos) return out;
  at = out.find(kOpen, at) + kOpen.size();
  const std::string mark = out.substr(at, std::min(out.find('>', at), out.size()) - at);
  const bool is_mark =
      !mark.empty() && mark.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_mark) return out;
  const std::string close = fmt::format("</data {}>", mark);
  if (const std::size_t end = out.rfind(close); end != std::string::npos) {
    out.replace(end, close.size(), "</data>");
  }
  return out.replace(at - 1, mark.size() + 1, "");
}

}  // namespace helve::llm
