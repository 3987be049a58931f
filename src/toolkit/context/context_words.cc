// How layers and budgets are written: the words of context_builder.h.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/text.h"
#include "toolkit/context/context_builder.h"

namespace helve::context {

namespace {

Error bad(std::string_view what, std::string_view word, std::string hint) {
  return {ErrorCode::InvalidInput,
          fmt::format("'{}' is no {}", elide_end(escape_for_terminal(word), 60), what),
          std::move(hint)};
}

std::vector<std::string_view> parts_of(std::string_view words) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = std::min(words.find(','), words.size());
    std::string_view part = words.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    part = part.substr(0, part.find_last_not_of(' ') + 1);
    parts.push_back(part);
    if (end == words.size()) return parts;
    words.remove_prefix(end + 1);
  }
}

std::optional<std::size_t> layer_index(std::string_view word) {
  const bool is_layer = word.size() == 2 && ascii_lower(word[0]) == 'l' && word[1] >= '0' &&
                        word[1] < static_cast<char>('0' + kLayers);
  return is_layer ? std::optional(static_cast<std::size_t>(word[1] - '0')) : std::nullopt;
}

std::optional<std::size_t> read_chars(std::string_view text) {
  std::size_t chars = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, chars);
  const bool is_number = !text.empty() && read.ptr == end && read.ec == std::errc();
  return is_number && chars <= kLayerCharsMax ? std::optional(chars) : std::nullopt;
}

// The same proportions in another size; what division leaves goes to the first.
LayerBudgets scaled(std::size_t total) {
  std::size_t full = 0;
  for (const std::size_t one : kFullBudgets) full += one;
  LayerBudgets budgets{};
  std::size_t left = total;
  for (std::size_t i = 1; i < kLayers; ++i) {
    budgets[i] = kFullBudgets[i] * total / full;
    left -= budgets[i];
  }
  budgets[0] = left;
  return budgets;
}

}  // namespace

Result<void> set_budget(ContextRequest& request, std::string_view words) {
  const std::string hint = fmt::format(
      "full, compact, the characters of all layers together, or some of l0=600,l1=1000,l2=2000,"
      "l3=1000; {} for a layer at most",
      format_count(kLayerCharsMax));
  if (is_same_in_any_case(words, "full")) {
    request.budgets = kFullBudgets;
    request.item_chars_max = 0;
    return {};
  }
  if (is_same_in_any_case(words, "compact")) {
    request.budgets = kCompactBudgets;
    request.item_chars_max = kCompactItemChars;
    return {};
  }
  if (const auto total = read_chars(words)) {
    request.budgets = scaled(*total);
    return {};
  }
  for (const std::string_view part : parts_of(words)) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const auto layer = layer_index(part.substr(0, equals));
    const auto chars = read_chars(part.substr(std::min(equals + 1, part.size())));
    if (!layer || !chars) return bad("budget", part, hint);
    request.budgets[*layer] = *chars;
  }
  return {};
}

Result<LayerSet> read_layers(std::string_view words) {
  if (is_same_in_any_case(words, "all")) return LayerSet().set();
  LayerSet layers;
  for (const std::string_view part : parts_of(words)) {
    const auto layer = layer_index(part);
    if (!layer) return bad("layer", part, "L0, L1, L2 and L3, with commas between them; or all");
    layers.set(*layer);
  }
  return layers;
}

}  // namespace helve::context
