#include "toolkit/memory/postgres/postgres_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "toolkit/memory/item_row.h"
#include "toolkit/memory/vectors.h"

namespace helve::memory {

namespace {

PgParameter seconds(const std::optional<WallTime>& time) {
  return time ? PgParameter(seconds_of(*time)) : PgParameter();
}

PgParameter optional_text(const std::string& text) {
  return text.empty() ? PgParameter() : PgParameter(text);
}

template <typename Number>
std::int64_t signed_of(Number number) {
  return static_cast<std::int64_t>(number);
}

std::vector<std::string> only_in(const std::vector<std::string>& these,
                                 const std::vector<std::string>& others) {
  std::vector<std::string> left = these;
  std::vector<std::string> right = others;
  std::sort(left.begin(), left.end());
  std::sort(right.begin(), right.end());
  std::vector<std::string> found;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(found));
  return found;
}

}  // namespace

Result<BankNumbers> read_bank_numbers(const sql::ResultPtr& answer) {
  if (rows_of(answer) != 1) {
    return Error{ErrorCode::Unavailable, "the bank is damaged: its table bank has not one row",
                 "restore it from a backup"};
  }
  const PgRow row(answer, 0);
  BankNumbers numbers;
  numbers.version = static_cast<int>(row.integer(0));
  numbers.items = count_at(row, 1);
  numbers.length = count_at(row, 2);
  numbers.last_item = row.integer(3);
  numbers.last_change = count_at(row, 4);
  if (numbers.version > kPostgresSchemaVersion) {
    return Error{ErrorCode::Unavailable,
                 fmt::format("the bank has version {}, and this program knows {} at most",
                             numbers.version, kPostgresSchemaVersion),
                 "use the newer Helve that made it"};
  }
  return numbers;
}

Result<sql::ResultPtr> PostgresRows::ask(const std::string& sql,
                                         std::vector<PgParameter> parameters) {
  session_.add(sql, std::move(parameters));
  HELVE_ASSIGN(auto answers, session_.run(context_));
  return std::move(answers.back());
}

Result<std::uint64_t> PostgresRows::number(const std::string& sql,
                                           std::vector<PgParameter> parameters) {
  HELVE_ASSIGN(const sql::ResultPtr answer, ask(sql, std::move(parameters)));
  return rows_of(answer) == 0 ? 0 : count_at(PgRow(answer, 0), 0);
}

Result<void> PostgresRows::know(const std::vector<std::string>& ids, const sql::ResultPtr& answer) {
  for (const std::string& id : ids) known_.try_emplace(id);
  for (int row = 0; row < rows_of(answer); ++row) {
    HELVE_ASSIGN(StoredItem stored, read_row(PgRow(answer, row)));
    known_[stored.item.id] = std::move(stored);
  }
  return {};
}

Result<void> PostgresRows::expect(const std::vector<std::string>& ids) {
  std::vector<std::string> unknown;
  for (const std::string& id : ids) {
    if (!known_.contains(id)) unknown.push_back(id);
  }
  if (unknown.empty()) return {};
  HELVE_ASSIGN(const sql::ResultPtr answer, ask(sql_.find_items, {unknown}));
  return know(unknown, answer);
}

Result<std::optional<StoredItem>> PostgresRows::find(std::string_view id) {
  HELVE_TRY(expect({std::string(id)}));
  return known_[std::string(id)];
}

void PostgresRows::index(std::int64_t row, const std::vector<std::string>& terms, int sign) {
  if (terms.empty()) return;
  session_.add(sign > 0 ? sql_.add_postings : sql_.delete_postings, {terms, row});
  for (const std::string& term : terms) terms_[term] += sign;
}

void PostgresRows::count(int sign, std::uint64_t length) {
  items_ += sign;
  length_ += sign * signed_of(length);
  is_changed_ = true;
}

Result<void> PostgresRows::insert(const Item& item) {
  std::vector<std::string> terms;
  const std::string bag = Bag::of(item, terms).bytes();
  const std::uint64_t length = length_of(item);
  const std::int64_t row = ++numbers_.last_item;
  session_.add(sql_.insert_item, {row,
                                  item.id,
                                  signed_of(item.src),
                                  signed_of(item.scope),
                                  signed_of(item.quarantined),
                                  item.superseded_by,
                                  seconds(item.retracted_at),
                                  item.domain,
                                  tags_text(item),
                                  signed_of(item.counters.retrieved),
                                  signed_of(item.counters.helped),
                                  signed_of(item.counters.hurt),
                                  seconds_of(item.created_at),
                                  seconds(item.last_used_at),
                                  seconds(item.verified_at),
                                  signed_of(length),
                                  PgParameter::bytes(bag),
                                  item.title,
                                  item.desc,
                                  item.content,
                                  item.schema_fingerprint,
                                  provenance_text(item)});
  index(row, terms, 1);
  count(1, length);
  known_[item.id] = StoredItem{row, item};
  return {};
}

Result<void> PostgresRows::update(const StoredItem& old, const Item& item) {
  HELVE_CHECK(old.item.id == item.id);
  std::vector<std::string> terms_before;
  std::vector<std::string> terms;
  (void)Bag::of(old.item, terms_before);
  const std::string bag = Bag::of(item, terms).bytes();
  const std::uint64_t length = length_of(item);
  session_.add(sql_.update_item,
               {old.row, signed_of(item.src), signed_of(item.scope), signed_of(item.quarantined),
                item.superseded_by, seconds(item.retracted_at), item.domain, tags_text(item),
                seconds(item.verified_at), signed_of(length), PgParameter::bytes(bag), item.desc,
                item.schema_fingerprint, provenance_text(item)});
  if (item.desc != old.item.desc) session_.add(sql_.drop_vectors, {old.row});
  index(old.row, only_in(terms_before, terms), -1);
  index(old.row, only_in(terms, terms_before), 1);
  count(-1, length_of(old.item));
  count(1, length);
  Item now = item;
  now.counters = old.item.counters;
  now.last_used_at = old.item.last_used_at;
  known_[item.id] = StoredItem{old.row, std::move(now)};
  return {};
}

Result<void> PostgresRows::remove(const StoredItem& old) {
  std::vector<std::string> terms;
  (void)Bag::of(old.item, terms);
  session_.add(sql_.drop_vectors, {old.row});
  session_.add(sql_.delete_item, {old.row});
  index(old.row, terms, -1);
  count(-1, length_of(old.item));
  known_[old.item.id] = std::nullopt;
  return {};
}

Result<void> PostgresRows::put_change(const ChangeRow& row) {
  if (row.change != numbers_.last_change) place_ = 0;
  numbers_.last_change = row.change;
  session_.add(sql_.insert_change,
               {signed_of(row.change), place_++, seconds_of(now()), signed_of(row.kind), row.item,
                row.undoes ? PgParameter(signed_of(*row.undoes)) : PgParameter(),
                optional_text(row.before), optional_text(row.after)});
  is_changed_ = true;
  return {};
}

Result<std::vector<ChangeRow>> PostgresRows::entries_of(std::uint64_t change) {
  HELVE_ASSIGN(const sql::ResultPtr answer, ask(sql_.entries_of, {signed_of(change)}));
  std::vector<ChangeRow> entries;
  for (int i = 0; i < rows_of(answer); ++i) {
    const PgRow row(answer, i);
    ChangeRow entry;
    entry.item = row.text(0);
    entry.before = row.text(1);
    entry.after = row.text(2);
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::uint64_t> PostgresRows::latest_change() { return number(sql_.latest_change, {}); }

Result<std::uint64_t> PostgresRows::undone_by(std::uint64_t change) {
  return number(sql_.undone_by, {signed_of(change)});
}

void PostgresRows::note_usage(const UsageNote& note) {
  const auto times = [&](Usage usage) {
    return note.usage == usage ? signed_of(note.times) : std::int64_t{0};
  };
  session_.add(sql_.note_usage, {note.id, times(Usage::Retrieved), times(Usage::Helped),
                                 times(Usage::Hurt), seconds_of(now())});
}

Result<void> PostgresRows::put_vectors(const std::string& model,
                                       const std::vector<ItemVector>& vectors) {
  if (vectors.empty()) return {};
  HELVE_ASSIGN(const std::uint64_t dims, number(sql_.vector_dims, {model}));
  HELVE_TRY(check_dims(model, dims, vectors));
  for (const ItemVector& one : vectors) {
    session_.add(sql_.put_vector, {one.id, model, signed_of(one.values.size()),
                                   PgParameter::bytes(vector_bytes(one.values))});
  }
  session_.add(sql_.count_vectors);
  return {};
}

void PostgresRows::flush() {
  std::vector<std::string> changed;
  std::vector<std::int64_t> by;
  std::vector<std::string> fewer;
  for (const auto& [term, change] : terms_) {
    if (change == 0) continue;
    changed.push_back(term);
    by.push_back(change);
    if (change < 0) fewer.push_back(term);
  }
  if (!changed.empty()) session_.add(sql_.count_terms, {changed, by});
  if (!fewer.empty()) session_.add(sql_.delete_terms, {fewer});
  if (!is_changed_) return;
  session_.add(sql_.update_bank,
               {items_, length_, numbers_.last_item, signed_of(numbers_.last_change)});
}

}  // namespace helve::memory
