// BankIndex: which items of a bank's file have which words, and how often. Every item has a slot,
// a number that is given once. The words of the newest slots are looked up in the items themselves;
// those of older ones stand in lists, one for each word and span of slots: a short span when there
// are enough of the newest, a long one made of many short ones.
//
// A list is what search reads, and it is only ever added: an item that is gone or has other words
// leaves its slot, whose entries then lead nowhere, and `gone` counts them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sqlite_store.h"
#include "toolkit/memory/item.h"
#include "toolkit/memory/terms.h"

namespace helve::memory {

inline constexpr std::int64_t kShortSpan = 1'024;  // slots
inline constexpr std::int64_t kShortSpansMax = 32;
// More than a bank could come to: a number behind it is damage.
inline constexpr std::int64_t kSlotsMax = std::int64_t{1} << 28;

// Lists hold all that is in the file; one that cannot be read is damage. BankFile makes the index
// again then.
Error broken_index();

// Within a transaction of the caller.
class BankIndex {
 public:
  // The span is another one in tests alone, and the same as long as a file is used.
  explicit BankIndex(sqlite::Store& store, std::int64_t span = kShortSpan)
      : store_(store), span_(span) {}

  // A slot for an item of this length, which counts from now on.
  Result<std::int64_t> take_slot(std::uint64_t length);
  // The item with these words has left the slot.
  Result<void> leave_slot(std::int64_t slot, const ItemTerms& terms);
  // Makes lists of the newest slots where there are many; once before the commit.
  Result<void> settle();
  // Makes all of it again, of the items.
  Result<void> rebuild();

 private:
  Result<void> settle_span(std::int64_t first);
  Result<void> merge_short_spans();

  sqlite::Store& store_;
  const std::int64_t span_;
};

// What a list has: the place in its span, and the weight of the word in that item.
struct ListEntry {
  std::uint32_t place = 0;
  std::uint32_t weight = 0;
};

void append_entry(std::string& entries, std::uint32_t step, std::uint32_t weight);

// Calls `visit(place, weight)` for each entry, ascending. False: the bytes are no list of a span
// that has `places`; those before were visited.
template <typename Visit>
bool visit_entries(std::string_view entries, std::uint64_t places, const Visit& visit) {
  std::uint64_t place = 0;
  bool is_first = true;
  const auto* at = reinterpret_cast<const unsigned char*>(entries.data());
  const auto* const end = at + entries.size();
  const auto number = [&](std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; at != end && shift < 35; shift += 7) {
      const unsigned char byte = *at++;
      value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
      if ((byte & 0x80U) == 0) return true;
    }
    return false;
  };
  while (at != end) {
    std::uint64_t step = 0;
    std::uint64_t weight = 0;
    if (!number(step) || !number(weight)) return false;
    place += step + (is_first ? 0 : 1);
    is_first = false;
    if (place >= places || weight > UINT32_MAX) return false;
    visit(static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(weight));
  }
  return true;
}

// Words that no text has, for what filters ask: "/s1" for what an item was learnt from.
std::vector<std::string> filter_tokens(ItemSource source, std::string_view domain,
                                       const std::vector<std::string>& tags);
std::string source_token(ItemSource source);
std::string domain_token(std::string_view domain);
std::string tag_token(std::string_view tag);
// Of what is quarantined, superseded or retracted.
std::string inactive_token();

}  // namespace helve::memory
