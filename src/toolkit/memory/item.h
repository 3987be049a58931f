// Item: one thing that is remembered, as a value. repository.h keeps them, item_json.h is their
// form outside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace helve::memory {

// What it was learnt from, which is also its polarity: Failure says what to avoid.
enum class ItemSource : std::uint8_t { Success, Failure, Seed, Contrastive, Pattern, Human };
inline constexpr std::size_t kItemSources = 6;
std::string_view name_of(ItemSource source);  // "success"
std::optional<ItemSource> source_of(std::string_view name);
std::string source_names();  // "success, failure, ..."

enum class ItemScope : std::uint8_t { General, Exception };
std::string_view name_of(ItemScope scope);
std::optional<ItemScope> scope_of(std::string_view name);

// Where it comes from. Empty: not known.
struct Provenance {
  std::string run;
  std::optional<std::int64_t> step;
  std::string verdict;     // of the judge
  std::string evidence;    // a handle
  std::string query_hash;  // of the query that was executed
  // Set by whoever stores it: "mem_add, caller local", "helve memory add".
  std::string added_by;

  friend bool operator==(const Provenance&, const Provenance&) = default;
};

// Change the rank, and nothing else.
struct Counters {
  std::uint64_t retrieved = 0;
  std::uint64_t helped = 0;
  std::uint64_t hurt = 0;

  friend bool operator==(const Counters&, const Counters&) = default;
};

struct Item {
  std::string id;     // id_of(); empty before it is stored
  std::string title;  // at most ten words
  std::string desc;   // one sentence: when to use it, and when not
  std::string content;
  ItemSource src = ItemSource::Human;
  std::vector<std::string> tags;
  ItemScope scope = ItemScope::General;
  std::string domain;  // a source or an ontology
  std::string schema_fingerprint;
  Provenance provenance;
  Counters counters;
  WallTime created_at{};  // to the second, as all times here
  std::optional<WallTime> last_used_at;
  std::optional<WallTime> verified_at;
  std::string superseded_by;             // an id; empty: it is the latest
  bool quarantined = false;              // not verified: shown on request only
  std::optional<WallTime> retracted_at;  // taken back: it never returns by itself

  // Whether it may be found without being asked for.
  bool is_active() const { return superseded_by.empty() && !quarantined && !retracted_at; }
  friend bool operator==(const Item&, const Item&) = default;
};

struct ItemLimits {
  std::size_t title_words_max = 10;
  std::size_t title_chars_max = 120;
  std::size_t desc_chars_max = 400;
  std::size_t content_chars_max = 8'000;
  std::size_t tags_max = 16;
  std::size_t tag_chars_max = 40;
  std::size_t domain_chars_max = 200;
  std::size_t word_chars_max = 200;  // fingerprint and words of the provenance
};

// The first 12 hexadecimal digits of sha256(title + "\n" + content).
std::string id_of(const Item& item);
bool is_id(std::string_view text);

// InvalidInput that names the field, what was met and what may be.
Result<void> check_item(const Item& item, const ItemLimits& limits = {});
Result<void> check_id(std::string_view id);

}  // namespace helve::memory
