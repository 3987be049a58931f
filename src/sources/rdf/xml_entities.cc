#include "sources/rdf/xml_entities.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sources/rdf/xml_names.h"

namespace helve::rdf {

namespace {

// Takes the next "&name;" from `rest` and moves behind it; character references are passed over.
std::optional<std::string_view> next_reference(std::string_view& rest) {
  while (true) {
    const std::size_t start = rest.find('&');
    if (start == std::string_view::npos) return std::nullopt;
    const std::size_t end = rest.find(';', start);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = rest.substr(start + 1, end - start - 1);
    rest.remove_prefix(end + 1);
    if (!name.starts_with('#')) return name;
  }
}

bool is_predefined(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kPredefined = {"amp", "lt", "gt", "quot",
                                                                  "apos"};
  return std::find(kPredefined.begin(), kPredefined.end(), name) != kPredefined.end();
}

}  // namespace

const XmlEntities::Cost* XmlEntities::find(std::string_view name) const {
  const auto found = costs_.find(std::string(name));
  return found == costs_.end() ? nullptr : &found->second;
}

Result<void> XmlEntities::declare(std::string_view name, std::string_view value) {
  Cost cost{value.size(), 1};
  std::string_view rest = value;
  while (const auto reference = next_reference(rest)) {
    if (is_predefined(*reference)) continue;
    const Cost* inner = find(*reference);
    if (inner == nullptr) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("the entity &{}; refers to &{};, which is not declared before it",
                               excerpt(name), excerpt(*reference)),
                   "declare entities before the entities that use them"};
    }
    cost.bytes += inner->bytes;
    cost.depth = std::max(cost.depth, inner->depth + 1);
    if (cost.bytes > kEntityBytesMax || cost.depth > kEntityDepthMax) break;
  }
  if (cost.bytes > kEntityBytesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the entity &{}; stands for more than {} bytes of text", excerpt(name),
                             kEntityBytesMax),
                 "such entities serve attacks; write the text out"};
  }
  if (cost.depth > kEntityDepthMax || costs_.size() >= kEntitiesMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the entity &{}; is one of more than {}, or nested more than {} deep",
                             excerpt(name), kEntitiesMax, kEntityDepthMax),
                 "such entities serve attacks; write the text out"};
  }
  costs_.emplace(name, cost);
  return {};
}

Result<void> XmlEntities::declare_external(std::string_view name) { return declare(name, ""); }

std::string_view XmlEntities::find_undeclared(std::string_view markup) const {
  while (const auto reference = next_reference(markup)) {
    if (!is_predefined(*reference) && find(*reference) == nullptr) return *reference;
  }
  return {};
}

}  // namespace helve::rdf
