// What models cost: a TOML file with a table for each model.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/llm/provider.h"
#include "agent/llm/provider_settings.h"
#include "base/result.h"
#include "base/toml.h"

namespace helve::llm {

// By name; one that ends in '*' is of all names that begin so.
using PriceList = std::vector<std::pair<std::string, Prices>>;

// ["gpt-5*"]
// input = 1.25        # per million tokens
// cached = 0.125      # read from a cache; as input where it is left out
// cache_write = 1.25  # written into one; as input where it is left out
// output = 10
// InvalidInput with the place of what is wrong.
Result<PriceList> read_prices(std::string_view text, std::string name);

// The prices of one model: a table with these keys, at `pointer` of the document.
Result<Prices> read_price_table(const TomlDocument& document, const std::string& pointer,
                                const JsonValue& table);

// The exact name, or else the longest beginning.
std::optional<Prices> find_prices(const PriceList& list, std::string_view model);

double cost_of(const Usage& usage, const Prices& prices);

}  // namespace helve::llm
