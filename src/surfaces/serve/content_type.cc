#include "surfaces/serve/content_type.h"

#include "base/ascii.h"
#include "surfaces/http/header_text.h"

namespace helve::serve {

namespace {

std::string unquoted(std::string_view text) {
  if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

}  // namespace

ContentType read_content_type(std::string_view text) {
  ContentType type;
  type.media_type = ascii_lower(http::take(text, ';'));
  while (!text.empty()) {
    std::string_view value = http::take(text, ';');
    const std::string name = ascii_lower(http::take(value, '='));
    if (name == "charset") type.charset = ascii_lower(unquoted(value));
    if (name == "boundary") type.boundary = unquoted(value);
  }
  return type;
}

}  // namespace helve::serve
