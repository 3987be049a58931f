#include "toolkit/memory/bank_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "toolkit/memory/item_row.h"
#include "toolkit/memory/terms.h"

namespace helve::memory {

namespace {

using sqlite::StoreStatement;

struct Word {
  std::uint32_t term;
  std::uint32_t place;
  std::uint32_t weight;
};

void append_number(std::string& bytes, std::uint32_t value) {
  while (value >= 0x80U) {
    bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  bytes += static_cast<char>(value);
}

// Puts entries together that come in the order of their places.
class ListMaker {
 public:
  void add(std::uint32_t place, std::uint32_t weight) {
    append_entry(entries_, count_ == 0 ? place : place - last_ - 1, weight);
    last_ = place;
    ++count_;
  }
  bool is_empty() const { return count_ == 0; }
  Result<void> store(sqlite::Store& store, std::string_view sql, std::uint32_t term,
                     std::int64_t first) {
    HELVE_TRY(store.run(sql, {std::int64_t{term}, first, count_, sqlite::Blob{entries_}}));
    entries_.clear();
    count_ = 0;
    return {};
  }

 private:
  std::string entries_;
  std::int64_t count_ = 0;
  std::uint32_t last_ = 0;
};

void append_length(std::string& lengths, std::uint64_t length) {
  length = std::min<std::uint64_t>(length, UINT16_MAX);
  lengths += static_cast<char>(length & 0xFFU);
  lengths += static_cast<char>(length >> 8U);
}

constexpr std::string_view kPutShort = "INSERT INTO short_list VALUES (?, ?, ?, ?)";
constexpr std::string_view kPutLong = "INSERT INTO long_list VALUES (?, ?, ?, ?)";

}  // namespace

Error broken_index() {
  return Error(ErrorCode::Unavailable, "the index of the memory bank is damaged",
               "try again: it is made anew of the items")
      .because(ErrorReason::Corrupt);
}

void append_entry(std::string& entries, std::uint32_t step, std::uint32_t weight) {
  append_number(entries, step);
  append_number(entries, weight);
}

std::string source_token(ItemSource source) {
  return fmt::format("/s{}", static_cast<int>(source));
}
std::string domain_token(std::string_view domain) { return fmt::format("/d{}", domain); }
std::string tag_token(std::string_view tag) { return fmt::format("/t{}", tag); }
std::string inactive_token() { return "/i"; }

std::vector<std::string> filter_tokens(ItemSource source, std::string_view domain,
                                       const std::vector<std::string>& tags) {
  std::vector<std::string> tokens{source_token(source)};
  if (!domain.empty()) tokens.push_back(domain_token(domain));
  for (const std::string& tag : tags) tokens.push_back(tag_token(tag));
  return tokens;
}

Result<std::int64_t> BankIndex::take_slot(std::uint64_t length) {
  HELVE_ASSIGN(const std::int64_t slot, store_.number("SELECT next_slot FROM total"));
  HELVE_TRY(store_.run(
      "UPDATE total SET next_slot = next_slot + 1, items = items + 1, length = length + ?",
      {static_cast<std::int64_t>(length)}));
  return slot;
}

Result<void> BankIndex::leave_slot(std::int64_t slot, const ItemTerms& terms) {
  HELVE_TRY(store_.run("UPDATE total SET items = items - 1, length = length - ?",
                       {static_cast<std::int64_t>(terms.length)}));
  HELVE_ASSIGN(const std::int64_t settled, store_.number("SELECT settled FROM total"));
  if (slot >= settled) return {};
  for (const std::string& term : terms.distinct) {
    HELVE_TRY(
        store_.run("INSERT INTO gone VALUES (?, 1) ON CONFLICT(term) DO UPDATE SET "
                   "items = items + 1",
                   {std::int64_t{Bag::hash_of(term)}}));
  }
  return {};
}

Result<void> BankIndex::settle() {
  while (true) {
    HELVE_ASSIGN(const std::int64_t settled, store_.number("SELECT settled FROM total"));
    HELVE_ASSIGN(const std::int64_t next, store_.number("SELECT next_slot FROM total"));
    if (settled < 0 || settled > next || next > kSlotsMax) return broken_index();
    if (next - settled < span_) return {};
    HELVE_TRY(settle_span(settled));
    HELVE_TRY(store_.run("UPDATE total SET settled = settled + ?", {span_}));
    HELVE_ASSIGN(const std::int64_t spans,
                 store_.number("SELECT count(*) FROM span WHERE is_short = 1"));
    if (spans >= kShortSpansMax) HELVE_TRY(merge_short_spans());
  }
}

Result<void> BankIndex::rebuild() {
  HELVE_TRY(store_.execute(
      "DELETE FROM long_list; DELETE FROM short_list; DELETE FROM span; DELETE FROM gone; "
      "UPDATE total SET items = 0, length = 0, next_slot = 0, settled = 0; "
      // Out of the way of those that are given now.
      "UPDATE item SET slot = -1 - n"));
  static const std::string sql =
      fmt::format("SELECT {} FROM item WHERE n > ? ORDER BY n LIMIT 1", kItemColumns);
  for (std::int64_t last = -1;;) {
    StoredItem stored;
    {
      HELVE_ASSIGN(StoreStatement row, store_.prepare(sql));
      HELVE_TRY(row.bind({last}));
      HELVE_ASSIGN(const bool has_row, row.step());
      if (!has_row) break;
      last = row.integer(0);
      auto read = read_row(row);
      if (!read) continue;  // damaged: it is not found, and the others are
      stored = *std::move(read);
    }
    const ItemTerms terms = item_terms(stored.item);
    const std::string bag = terms.bag.bytes();
    HELVE_ASSIGN(const std::int64_t slot, take_slot(terms.length));
    HELVE_TRY(store_.run("UPDATE item SET slot = ?, length = ?, bag = ? WHERE n = ?",
                         {slot, static_cast<std::int64_t>(terms.length), sqlite::Blob{bag}, last}));
  }
  HELVE_TRY(store_.run("UPDATE total SET terms_version = ?", {std::int64_t{kTermsVersion}}));
  return settle();
}

Result<void> BankIndex::settle_span(std::int64_t first) {
  std::vector<Word> words;
  std::string lengths;
  {
    HELVE_ASSIGN(StoreStatement rows,
                 store_.prepare("SELECT slot, src, domain, tags, length, bag, quarantined <> 0 OR "
                                "superseded_by <> '' OR retracted_at IS NOT NULL FROM item "
                                "WHERE slot >= ? AND slot < ? ORDER BY slot"));
    HELVE_TRY(rows.bind({first, first + span_}));
    std::int64_t slot = first;
    while (true) {
      HELVE_ASSIGN(const bool has_row, rows.step());
      if (!has_row) break;
      for (; slot < rows.integer(0); ++slot) append_length(lengths, 0);  // it was left
      ++slot;
      append_length(lengths, count_at(rows, 4));
      const auto place = static_cast<std::uint32_t>(rows.integer(0) - first);
      Bag::from_bytes(rows.text(5)).visit([&](std::uint32_t term, std::uint32_t weight) {
        words.push_back({term, place, weight});
      });
      const auto source =
          static_cast<ItemSource>(std::clamp<std::int64_t>(rows.integer(1), 0, kItemSources - 1));
      if (rows.integer(6) != 0) words.push_back({Bag::hash_of(inactive_token()), place, 1});
      for (const std::string& token : filter_tokens(source, rows.text(2), tags_of(rows.text(3)))) {
        words.push_back({Bag::hash_of(token), place, 1});
      }
    }
    for (; slot < first + span_; ++slot) append_length(lengths, 0);
  }
  std::sort(words.begin(), words.end(), [](const Word& left, const Word& right) {
    return std::tie(left.term, left.place) < std::tie(right.term, right.place);
  });
  ListMaker list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    // A token and a word with the same hash are one.
    const bool is_again =
        i > 0 && words[i].term == words[i - 1].term && words[i].place == words[i - 1].place;
    if (!is_again) list.add(words[i].place, words[i].weight);
    if (i + 1 == words.size() || words[i + 1].term != words[i].term) {
      HELVE_TRY(list.store(store_, kPutShort, words[i].term, first));
    }
  }
  return store_.run("INSERT INTO span VALUES (?, ?, 1, ?)", {first, span_, sqlite::Blob{lengths}});
}

Result<void> BankIndex::merge_short_spans() {
  std::int64_t first = -1;
  std::int64_t slots = 0;
  std::string lengths;
  {
    HELVE_ASSIGN(StoreStatement spans,
                 store_.prepare("SELECT first, slots, lengths FROM span WHERE is_short = 1 "
                                "ORDER BY first"));
    while (true) {
      HELVE_ASSIGN(const bool has_row, spans.step());
      if (!has_row) break;
      if (first < 0) first = spans.integer(0);
      // They follow each other, as they were settled.
      if (spans.integer(0) != first + slots || spans.integer(1) != span_) return broken_index();
      slots += spans.integer(1);
      lengths += spans.text(2);
    }
  }
  {
    HELVE_ASSIGN(
        StoreStatement lists,
        store_.prepare("SELECT term, first, entries FROM short_list ORDER BY term, first"));
    ListMaker list;
    std::uint32_t term = 0;
    while (true) {
      HELVE_ASSIGN(const bool has_row, lists.step());
      const auto next = has_row ? static_cast<std::uint32_t>(lists.integer(0)) : 0U;
      if ((!has_row || next != term) && !list.is_empty()) {
        HELVE_TRY(list.store(store_, kPutLong, term, first));
      }
      if (!has_row) break;
      term = next;
      const std::int64_t offset = lists.integer(1) - first;
      if (offset < 0 || offset >= slots || offset % span_ != 0) return broken_index();
      if (!visit_entries(lists.text(2), static_cast<std::uint64_t>(span_),
                         [&](std::uint32_t place, std::uint32_t weight) {
                           list.add(static_cast<std::uint32_t>(offset) + place, weight);
                         })) {
        return broken_index();
      }
    }
  }
  HELVE_TRY(store_.execute("DELETE FROM short_list; DELETE FROM span WHERE is_short = 1"));
  return store_.run("INSERT INTO span VALUES (?, ?, 0, ?)", {first, slots, sqlite::Blob{lengths}});
}

}  // namespace helve::memory
