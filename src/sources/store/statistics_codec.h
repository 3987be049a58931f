// Statistics as bytes: what snapshots on disk hold of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sources/store/statistics.h"

namespace helve::store {

// All but the characteristic sets.
std::string encode_statistics(const Statistics& statistics);
std::string encode_characteristic_sets(const CharacteristicSets& sets);

// nullopt for what makes no sense: every id must be one of the dictionary.
std::optional<Statistics> decode_statistics(std::string_view bytes, const Dictionary& dictionary);
std::optional<CharacteristicSets> decode_characteristic_sets(std::string_view bytes);

}  // namespace helve::store
