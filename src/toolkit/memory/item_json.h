// Items as JSON: the plain list [{id, title, desc, content, src, tags}] that others exchange, and
// the full form with everything that is known of them.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "toolkit/memory/item.h"

namespace helve::memory {

enum class ItemForm : std::uint8_t { Plain, Full };

void write_item(const Item& item, ItemForm form, JsonWriter& json);
std::string to_json(const Item& item, ItemForm form, JsonStyle style = JsonStyle::Compact);

struct ReadItem {
  Item item;  // with the id that belongs to it, whatever was given
  // Of members that are not known, or an id that is not that of the item.
  std::vector<std::string> warnings;
};

// Either form; checked. InvalidInput names the member.
Result<ReadItem> read_item(const JsonValue& json, const ItemLimits& limits = {});

}  // namespace helve::memory
