#include "agent/llm/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/near_names.h"

namespace helve::llm {

namespace {

constexpr double kPerTokens = 1e6;
constexpr std::array<std::string_view, 4> kNames = {"input", "cached", "cache_write", "output"};

std::string did_you_mean(std::string_view name) {
  const auto near = near_names(name, {kNames.begin(), kNames.end()}, 1);
  if (near.empty()) return "input, cached, cache_write and output are known";
  return fmt::format("did you mean '{}'?", near.front());
}

}  // namespace

Result<Prices> read_price_table(const TomlDocument& document, const std::string& pointer,
                                const JsonValue& table) {
  const auto wrong = [&](std::string_view key, std::string message, std::string hint) {
    return document.at(key.empty() ? pointer : json_pointer(pointer, key),
                       Error{ErrorCode::InvalidInput, std::move(message), std::move(hint)});
  };
  const JsonValue::Object* members = table.if_object();
  if (members == nullptr) {
    return wrong({}, "prices are a table for each model",
                 "write [\"name of the model\"] above them");
  }
  std::array<std::optional<double>, kNames.size()> found;
  for (const auto& [key, value] : *members) {
    const auto name =
        static_cast<std::size_t>(std::find(kNames.begin(), kNames.end(), key) - kNames.begin());
    if (name == kNames.size()) {
      return wrong(key, fmt::format("'{}' is no price", key), did_you_mean(key));
    }
    const auto price = value.to_double();
    if (!price || !std::isfinite(*price) || *price < 0) {
      return wrong(key, fmt::format("'{}' is no number from 0 on", key), "per million tokens");
    }
    found[name] = price;
  }
  if (!found[0] || !found[3]) {
    return wrong({}, "input and output are needed", "per million tokens");
  }
  return Prices{*found[0], found[1].value_or(*found[0]), found[2].value_or(*found[0]), *found[3]};
}

Result<PriceList> read_prices(std::string_view text, std::string name) {
  HELVE_ASSIGN(const TomlDocument document, parse_toml(text, std::move(name)));
  PriceList list;
  for (const auto& [model, table] : *document.root.if_object()) {
    HELVE_ASSIGN(const Prices prices, read_price_table(document, json_pointer("", model), table));
    list.emplace_back(model, prices);
  }
  return list;
}

std::optional<Prices> find_prices(const PriceList& list, std::string_view model) {
  std::optional<Prices> best;
  std::size_t length = 0;
  for (const auto& [name, prices] : list) {
    if (name == model) return prices;
    if (!name.ends_with('*')) continue;
    const std::string_view beginning = std::string_view(name).substr(0, name.size() - 1);
    if (!model.starts_with(beginning) || (best && beginning.size() < length)) continue;
    best = prices;
    length = beginning.size();
  }
  return best;
}

double cost_of(const Usage& usage, const Prices& prices) {
  const auto count = [](std::uint64_t tokens) { return static_cast<double>(tokens); };
  const double plain = std::max(0.0, count(usage.input_tokens) - count(usage.cached_tokens) -
                                         count(usage.cache_write_tokens));
  return (plain * prices.input + count(usage.cached_tokens) * prices.cached +
          count(usage.cache_write_tokens) * prices.cache_write +
          count(usage.output_tokens) * prices.output) /
         kPerTokens;
}

}  // namespace helve::llm
