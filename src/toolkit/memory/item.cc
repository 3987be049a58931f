#include "toolkit/memory/item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/text.h"
#include "base/utf8.h"

namespace helve::memory {

namespace {

constexpr std::size_t kIdChars = 12;
constexpr std::array<std::string_view, kItemSources> kSources = {"success",     "failure", "seed",
                                                                 "contrastive", "pattern", "human"};
constexpr std::array<std::string_view, 2> kScopes = {"general", "exception"};

Error wrong(std::string_view field, std::string_view what, std::string hint) {
  return {ErrorCode::InvalidInput, fmt::format("{} {}", field, what), std::move(hint)};
}

std::size_t words_of(std::string_view text) {
  std::size_t words = 0;
  bool is_inside = false;
  for (const char c : text) {
    if (!is_space(c) && !is_inside) ++words;
    is_inside = !is_space(c);
  }
  return words;
}

bool has_control(std::string_view text, bool may_have_lines) {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (may_have_lines && (c == '\n' || c == '\t' || c == '\r')) return false;
    return byte < 0x20U || byte == 0x7FU;
  });
}

enum class Shape : std::uint8_t { Line, Lines };

Result<void> check_text(std::string_view field, std::string_view text, std::size_t chars_max,
                        Shape shape) {
  if (utf8_valid_prefix(text) != text.size()) {
    return wrong(field, "is not valid UTF-8", "send text in UTF-8");
  }
  if (const std::size_t chars = utf8_length(text); chars > chars_max) {
    return wrong(field, fmt::format("has {} characters", format_count(chars)),
                 fmt::format("at most {}", format_count(chars_max)));
  }
  if (has_control(text, shape == Shape::Lines)) {
    return wrong(
        field, "has control characters",
        shape == Shape::Lines ? "only line ends and tabs may be in it" : "write it on one line");
  }
  return {};
}

Result<void> check_filled(std::string_view field, std::string_view text, std::string_view hint) {
  if (words_of(text) == 0) return wrong(field, "is empty", std::string(hint));
  return {};
}

Result<void> check_tags(const std::vector<std::string>& tags, const ItemLimits& limits) {
  if (tags.size() > limits.tags_max) {
    return wrong("tags", fmt::format("are {}", tags.size()),
                 fmt::format("at most {}", limits.tags_max));
  }
  for (const std::string& tag : tags) {
    HELVE_TRY(check_text("tags: one", tag, limits.tag_chars_max, Shape::Line));
    HELVE_TRY(check_filled("tags: one", tag, "leave it out"));
    if (tag.find(',') != std::string::npos) {
      return wrong("tags: one", "has a comma", "make it two tags");
    }
  }
  return {};
}

Result<void> check_words(const Item& item, const ItemLimits& limits) {
  HELVE_TRY(check_text("domain", item.domain, limits.domain_chars_max, Shape::Line));
  const std::size_t most = limits.word_chars_max;
  HELVE_TRY(check_text("schema_fingerprint", item.schema_fingerprint, most, Shape::Line));
  HELVE_TRY(check_text("provenance: added_by", item.provenance.added_by, most, Shape::Line));
  HELVE_TRY(check_text("provenance: run", item.provenance.run, most, Shape::Line));
  HELVE_TRY(check_text("provenance: verdict", item.provenance.verdict, most, Shape::Line));
  HELVE_TRY(check_text("provenance: evidence", item.provenance.evidence, most, Shape::Line));
  return check_text("provenance: query_hash", item.provenance.query_hash, most, Shape::Line);
}

}  // namespace

std::string_view name_of(ItemSource source) { return kSources[static_cast<std::size_t>(source)]; }

std::optional<ItemSource> source_of(std::string_view name) {
  const auto* found = std::find(kSources.begin(), kSources.end(), name);
  if (found == kSources.end()) return std::nullopt;
  return static_cast<ItemSource>(found - kSources.begin());
}

std::string source_names() { return fmt::format("{}", fmt::join(kSources, ", ")); }

std::string_view name_of(ItemScope scope) { return kScopes[static_cast<std::size_t>(scope)]; }

std::optional<ItemScope> scope_of(std::string_view name) {
  const auto* found = std::find(kScopes.begin(), kScopes.end(), name);
  if (found == kScopes.end()) return std::nullopt;
  return static_cast<ItemScope>(found - kScopes.begin());
}

std::string id_of(const Item& item) {
  return digest_hex(DigestKind::Sha256, item.title + "\n" + item.content).substr(0, kIdChars);
}

bool is_id(std::string_view text) {
  return text.size() == kIdChars && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'f');
         });
}

Result<void> check_id(std::string_view id) {
  if (is_id(id)) return {};
  return Error{
      ErrorCode::InvalidInput,
      fmt::format("'{}' is no id of an item", escape_for_terminal(id.substr(0, 4 * kIdChars))),
      fmt::format("ids are {} of the digits 0-9 and a-f", kIdChars)};
}

Result<void> check_item(const Item& item, const ItemLimits& limits) {
  HELVE_TRY(check_filled("title", item.title, "say in a few words what it is about"));
  HELVE_TRY(check_text("title", item.title, limits.title_chars_max, Shape::Line));
  if (const std::size_t words = words_of(item.title); words > limits.title_words_max) {
    return wrong(
        "title", fmt::format("has {} words", words),
        fmt::format("at most {}; the rest belongs into desc or content", limits.title_words_max));
  }
  HELVE_TRY(check_filled("desc", item.desc, "say in one sentence when to use it, and when not"));
  HELVE_TRY(check_text("desc", item.desc, limits.desc_chars_max, Shape::Line));
  HELVE_TRY(check_filled("content", item.content, "say what is to be remembered"));
  HELVE_TRY(check_text("content", item.content, limits.content_chars_max, Shape::Lines));
  HELVE_TRY(check_tags(item.tags, limits));
  HELVE_TRY(check_words(item, limits));
  if (!item.superseded_by.empty()) HELVE_TRY(check_id(item.superseded_by));
  return {};
}

}  // namespace helve::memory
