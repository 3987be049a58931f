#include "surfaces/serve/entity_tag.h"

#include <fmt/format.h>

#include "surfaces/http/header_text.h"

namespace helve::serve {

std::string entity_tag(std::string_view fingerprint, rdf::Format format, bool has_gzip) {
  return fmt::format("\"{}.{}{}\"", fingerprint, rdf::format_name(format), has_gzip ? ".gz" : "");
}

bool has_tag(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    std::string_view one = http::take(if_none_match, ',');
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag || one == "*") return true;
  }
  return false;
}

bool has_state(std::string_view if_match, std::string_view fingerprint) {
  while (!if_match.empty()) {
    std::string_view one = http::take(if_match, ',');
    if (one.size() < 2 || !one.starts_with('"') || !one.ends_with('"')) continue;
    one = one.substr(1, one.size() - 2);
    if (one.substr(0, one.find('.')) == fingerprint) return true;
  }
  return false;
}

}  // namespace helve::serve
