#include "surfaces/serve/multipart.h"

#include <fmt/format.h>

#include "base/ascii.h"
#include "surfaces/http/header_text.h"

namespace helve::serve {

namespace {

Error malformed(std::string_view what) {
  return {ErrorCode::InvalidInput, fmt::format("the body is no multipart/form-data: {}", what),
          "let the client make it: curl -F name=@file.ttl"};
}

// The value of a parameter of Content-Disposition; empty: it is not there.
std::string parameter_of(std::string_view disposition, std::string_view wanted) {
  while (!disposition.empty()) {
    std::string_view value = http::take(disposition, ';');
    if (ascii_lower(http::take(value, '=')) != wanted) continue;
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

void read_headers(std::string_view head, FormPart& part) {
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    std::string_view value = head.substr(0, end);
    head = end == std::string_view::npos ? std::string_view{} : head.substr(end + 2);
    const std::string name = ascii_lower(http::take(value, ':'));
    value = http::trim(value);
    if (name == "content-type") part.content_type = value;
    if (name != "content-disposition") continue;
    part.name = parameter_of(value, "filename");
    if (part.name.empty()) part.name = parameter_of(value, "name");
  }
}

}  // namespace

Result<std::vector<FormPart>> read_form_parts(std::string_view body, std::string_view boundary) {
  if (boundary.empty()) return malformed("its Content-Type names no boundary");
  const std::string first = fmt::format("--{}", boundary);
  const std::string next = fmt::format("\r\n{}", first);
  std::size_t at = body.starts_with(first) ? first.size() : body.find(next);
  if (at == std::string_view::npos) return malformed("the boundary does not come");
  if (!body.starts_with(first)) at += next.size();
  std::vector<FormPart> parts;
  while (!body.substr(at).starts_with("--")) {
    if (parts.size() == kFormPartsMax) {
      return Error{ErrorCode::LimitExceeded,
                   fmt::format("the body has more than {} parts", kFormPartsMax),
                   "send them in several requests"};
    }
    const std::size_t head = body.find("\r\n", at);
    const std::size_t head_end = body.find("\r\n\r\n", at);
    if (head == std::string_view::npos || head_end == std::string_view::npos) {
      return malformed("a part does not end");
    }
    const std::size_t end = body.find(next, head_end + 2);
    if (end == std::string_view::npos) return malformed("a part does not end");
    FormPart part;
    if (head_end > head) read_headers(body.substr(head + 2, head_end - head - 2), part);
    // A part without text ends where its head does.
    const std::size_t text = std::min(head_end + 4, end);
    part.text = body.substr(text, end - text);
    parts.push_back(std::move(part));
    at = end + next.size();
  }
  return parts;
}

}  // namespace helve::serve
