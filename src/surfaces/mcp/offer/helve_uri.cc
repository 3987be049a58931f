#include "surfaces/mcp/offer/helve_uri.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/percent.h"
#include "base/utf8.h"

namespace helve::mcp {

namespace {

constexpr std::string_view kStart = "helve://";
constexpr std::size_t kBytesMax = 1'000;

struct Section {
  ResourceKind kind;
  std::string_view word;
  bool has_name;
};
constexpr std::array<Section, 7> kSections = {{{ResourceKind::Sources, "sources", false},
                                               {ResourceKind::Tools, "tools", false},
                                               {ResourceKind::Schema, "schema", true},
                                               {ResourceKind::Results, "results", true},
                                               {ResourceKind::Skills, "skills", true},
                                               {ResourceKind::Fragments, "fragments", true},
                                               {ResourceKind::Context, "context", true}}};

std::optional<std::uint64_t> read_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (text.empty() || read.ptr != end || read.ec != std::errc()) return std::nullopt;
  return number;
}

// offset=100&limit=50, in any order, each once.
bool read_range(std::string_view query, ResourceAddress& address) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = pair.substr(0, equals);
    auto* place = name == "offset" ? &address.offset : name == "limit" ? &address.limit : nullptr;
    if (place == nullptr || *place) return false;
    *place = read_number(pair.substr(equals + 1));
    if (!*place) return false;
  }
  return true;
}

}  // namespace

std::optional<ResourceAddress> read_address(std::string_view uri) {
  if (uri.size() > kBytesMax || !uri.starts_with(kStart)) return std::nullopt;
  uri.remove_prefix(kStart.size());
  const std::size_t mark = uri.find('?');
  const std::string_view path = uri.substr(0, mark);
  const std::size_t slash = path.find('/');
  const auto section = std::find_if(kSections.begin(), kSections.end(), [&](const Section& one) {
    return one.word == path.substr(0, slash);
  });
  if (section == kSections.end() || section->has_name != (slash != std::string_view::npos)) {
    return std::nullopt;
  }
  ResourceAddress address;
  address.kind = section->kind;
  if (section->has_name) {
    auto name = percent_decoded(path.substr(slash + 1));
    if (!name || name->empty() || utf8_valid_prefix(*name) != name->size()) return std::nullopt;
    address.name = *std::move(name);
  }
  if (mark != std::string_view::npos) {
    if (address.kind != ResourceKind::Results || !read_range(uri.substr(mark + 1), address)) {
      return std::nullopt;
    }
  }
  return address;
}

std::string write_address(ResourceKind kind, std::string_view name) {
  const Section& section = kSections.at(static_cast<std::size_t>(kind));
  std::string uri(kStart);
  uri += section.word;
  if (!section.has_name) return uri;
  uri += '/';
  uri += percent_encoded(name);
  return uri;
}

}  // namespace helve::mcp
