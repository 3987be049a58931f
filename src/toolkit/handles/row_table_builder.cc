// RowTableBuilder: rows into columns of term numbers. A row is taken whole or not at all: all that
// can fail is done before anything changes.
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/handles/row_table_layout.h"

namespace helve::toolkit {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kSlotsMin = 64;
// What a qualifier costs beside its text: the string, its view and its place in the map.
constexpr std::size_t kQualifierBytes = 128;

// The memory of a table, and the charge for it.
struct TableMemory {
  std::vector<std::vector<std::uint32_t>> cells;
  std::vector<std::uint64_t> text_ends;
  std::vector<std::uint32_t> notes;
  std::string texts;
  std::deque<std::string> qualifiers;  // they stay where they are
  MemoryCharge charge;
};

template <typename Vector>
std::size_t capacity_bytes(const Vector& vector) {
  return vector.capacity() * sizeof(typename Vector::value_type);
}

}  // namespace

struct RowTableBuilder::State {
  State(const Limits& given, const OpContext& context)
      : limits(given),
        memory(std::make_shared<TableMemory>()),
        // Where it lies in memory is not known to who writes the data: no one can prepare terms
        // that meet in one slot.
        seed(reinterpret_cast<std::uintptr_t>(this) * 0x9E3779B97F4A7C15) {
    memory->charge = MemoryCharge(*context.memory, "storing rows");
  }

  Result<void> set_columns(const std::vector<std::string>& names);
  Result<void> take(Row cells);
  RowTablePtr finish();

 private:
  // What a row needs at most, or, when `knows_terms`, what it really adds.
  std::uint64_t bytes_of(Row cells, bool knows_terms) const;
  Result<void> make_room(Row cells);
  template <typename Vector>
  Result<void> reserve(Vector& vector, std::size_t more);
  Result<void> grow_slots(std::size_t terms_more);
  Result<void> check_row(Row cells) const;
  Error full(std::string_view what);

  std::uint64_t hash_of(const rdf::TermView& term) const;
  bool is_term(std::uint32_t index, const rdf::TermView& term, std::uint32_t note) const;
  std::uint32_t find(const rdf::TermView& term) const;  // kNone: not there
  std::uint32_t intern(const rdf::TermView& term);
  std::uint32_t note_of(const rdf::TermView& term);
  std::optional<std::uint32_t> find_note(const rdf::TermView& term) const;
  std::size_t place_of(std::uint64_t hash) const { return hash & (slots.size() - 1); }

 public:
  Limits limits;
  std::shared_ptr<TableMemory> memory;
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::uint32_t> languages;  // numbers of qualifiers
  std::unordered_map<std::string_view, std::uint32_t> datatypes;
  std::vector<std::uint32_t> slots;   // term numbers, open addressing
  std::vector<std::uint64_t> hashes;  // of the terms
  std::uint64_t seed;
  std::uint64_t rows = 0;
  std::uint64_t characters = 0;
  std::uint64_t size = sizeof(TableHeader);  // of the whole as bytes
  bool is_full = false;
  bool is_finished = false;
};

Result<void> RowTableBuilder::State::set_columns(const std::vector<std::string>& given) {
  HELVE_CHECK(names.empty() && rows == 0);
  if (given.size() > kTableColumnsMax) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the result has {} columns; at most {} can be stored", given.size(),
                             kTableColumnsMax),
                 "ask for fewer columns"};
  }
  for (const std::string& name : given) {
    if (utf8_valid_prefix(name) != name.size()) {
      return Error{ErrorCode::InvalidInput, "the name of a column is not valid UTF-8"};
    }
    size += name.size() + 4;
  }
  HELVE_TRY(memory->charge.add(size + given.size() * (sizeof(std::string) + sizeof(char*))));
  names = given;
  memory->cells.resize(names.size());
  return {};
}

Error RowTableBuilder::State::full(std::string_view what) {
  is_full = true;
  return Error{ErrorCode::LimitExceeded,
               fmt::format("the result has more than {}; what came before is stored", what),
               "narrow the query"};
}

Result<void> RowTableBuilder::State::check_row(Row cells) const {
  HELVE_CHECK(!is_finished && cells.size() == names.size());
  for (const auto& cell : cells) {
    if (cell && utf8_valid_prefix(cell->value) != cell->value.size()) {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("row {} has a term that is not valid UTF-8", rows + 1)};
    }
  }
  return {};
}

Result<void> RowTableBuilder::State::take(Row cells) {
  HELVE_TRY(check_row(cells));
  if (rows >= limits.rows_max || rows >= kTableRowsMax) {
    return full(format_count(limits.rows_max) + " rows");
  }
  if (size + bytes_of(cells, false) > limits.bytes_max &&
      size + bytes_of(cells, true) > limits.bytes_max) {
    return full(format_bytes(limits.bytes_max));
  }
  // What is told of a table is its text, in which equal terms count each time.
  std::uint64_t added = 0;
  for (const auto& cell : cells) added += cell ? utf8_length(cell->value) : 0;
  if (characters + added > limits.bytes_max) return full(format_bytes(limits.bytes_max));
  if (memory->notes.size() + cells.size() > kTableTermsMax ||
      memory->qualifiers.size() + cells.size() > kQualifiersMax) {
    return full("so many different terms as can be stored");
  }
  HELVE_TRY(make_room(cells));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::uint32_t number = 0;
    if (cells[i]) number = intern(*cells[i]) + 1;
    memory->cells[i].push_back(number);
  }
  characters += added;
  size += 4 * cells.size();
  ++rows;
  return {};
}

std::uint64_t RowTableBuilder::State::bytes_of(Row cells, bool knows_terms) const {
  std::uint64_t bytes = 4 * cells.size();
  for (const auto& cell : cells) {
    if (!cell || (knows_terms && find(*cell) != kNone)) continue;
    bytes += 12 + cell->value.size();
    if (knows_terms && find_note(*cell)) continue;
    bytes += 5 + cell->datatype.size() + cell->language.size();
  }
  return bytes;
}

// Room doubles; while it is copied, old and new are both there.
template <typename Vector>
Result<void> RowTableBuilder::State::reserve(Vector& vector, std::size_t more) {
  if (vector.capacity() - vector.size() >= more) return {};
  const std::size_t before = capacity_bytes(vector);
  const std::size_t wanted =
      std::max({vector.size() + more, 2 * vector.capacity(), std::size_t{64}});
  HELVE_TRY(memory->charge.add(wanted * sizeof(typename Vector::value_type)));
  vector.reserve(wanted);
  return memory->charge.resize(memory->charge.bytes() - before);
}

Result<void> RowTableBuilder::State::make_room(Row cells) {
  std::size_t text_bytes = 0;
  std::size_t qualifier_bytes = 0;
  for (const auto& cell : cells) {
    if (!cell) continue;
    text_bytes += cell->value.size();
    if (!find_note(*cell)) {
      qualifier_bytes += cell->datatype.size() + cell->language.size() + kQualifierBytes;
    }
  }
  TableMemory& table = *memory;
  for (auto& column : table.cells) HELVE_TRY(reserve(column, 1));
  HELVE_TRY(reserve(table.text_ends, cells.size()));
  HELVE_TRY(reserve(table.notes, cells.size()));
  HELVE_TRY(reserve(hashes, cells.size()));
  HELVE_TRY(reserve(table.texts, text_bytes));
  if (qualifier_bytes > 0) HELVE_TRY(table.charge.add(qualifier_bytes));
  return grow_slots(cells.size());
}

Result<void> RowTableBuilder::State::grow_slots(std::size_t terms_more) {
  const std::size_t terms = memory->notes.size() + terms_more;
  if (terms * 2 <= slots.size()) return {};
  std::size_t wanted = std::max(slots.size(), kSlotsMin);
  while (wanted < terms * 2) wanted *= 2;
  HELVE_TRY(memory->charge.add((wanted - slots.size()) * sizeof(std::uint32_t)));
  slots.assign(wanted, kNone);
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    std::size_t at = place_of(hashes[i]);
    while (slots[at] != kNone) at = (at + 1) & (slots.size() - 1);
    slots[at] = i;
  }
  return {};
}

std::uint64_t RowTableBuilder::State::hash_of(const rdf::TermView& term) const {
  return XXH3_64bits_withSeed(term.value.data(), term.value.size(),
                              seed ^ static_cast<std::uint64_t>(term.kind) ^
                                  (std::uint64_t{term.datatype.size()} << 8) ^
                                  (std::uint64_t{term.language.size()} << 32));
}

namespace {

std::uint32_t plain_note(const rdf::TermView& term) {
  const auto direction = term.language.empty() ? 0 : static_cast<std::uint32_t>(term.direction);
  return static_cast<std::uint32_t>(term.kind) | (direction << kDirectionShift);
}

bool has_qualifier(const rdf::TermView& term) {
  return term.is_literal() && (!term.language.empty() || !term.datatype.empty());
}

}  // namespace

std::optional<std::uint32_t> RowTableBuilder::State::find_note(const rdf::TermView& term) const {
  if (!has_qualifier(term)) return plain_note(term);
  const auto& known = term.language.empty() ? datatypes : languages;
  const auto found = known.find(term.language.empty() ? term.datatype : term.language);
  if (found == known.end()) return std::nullopt;
  return plain_note(term) | (found->second << kQualifierShift);
}

std::uint32_t RowTableBuilder::State::note_of(const rdf::TermView& term) {
  if (const auto note = find_note(term)) return *note;
  const bool is_datatype = term.language.empty();
  const std::string& added = memory->qualifiers.emplace_back(
      is_datatype ? "^" + std::string(term.datatype) : "@" + std::string(term.language));
  const auto number = static_cast<std::uint32_t>(memory->qualifiers.size());
  (is_datatype ? datatypes : languages).emplace(std::string_view(added).substr(1), number);
  size += 4 + added.size();
  return plain_note(term) | (number << kQualifierShift);
}

bool RowTableBuilder::State::is_term(std::uint32_t index, const rdf::TermView& term,
                                     std::uint32_t note) const {
  const std::uint64_t start = index == 0 ? 0 : memory->text_ends[index - 1];
  return memory->notes[index] == note && memory->text_ends[index] - start == term.value.size() &&
         std::string_view(memory->texts).substr(start, term.value.size()) == term.value;
}

std::uint32_t RowTableBuilder::State::find(const rdf::TermView& term) const {
  const auto note = find_note(term);
  if (!note || slots.empty()) return kNone;
  const std::uint64_t hash = hash_of(term);
  for (std::size_t at = place_of(hash); slots[at] != kNone; at = (at + 1) & (slots.size() - 1)) {
    if (hashes[slots[at]] == hash && is_term(slots[at], term, *note)) return slots[at];
  }
  return kNone;
}

std::uint32_t RowTableBuilder::State::intern(const rdf::TermView& term) {
  const std::uint32_t note = note_of(term);
  const std::uint64_t hash = hash_of(term);
  std::size_t at = place_of(hash);
  for (; slots[at] != kNone; at = (at + 1) & (slots.size() - 1)) {
    if (hashes[slots[at]] == hash && is_term(slots[at], term, note)) return slots[at];
  }
  const auto index = static_cast<std::uint32_t>(memory->notes.size());
  slots[at] = index;
  hashes.push_back(hash);
  memory->notes.push_back(note);
  memory->texts += term.value;
  memory->text_ends.push_back(memory->texts.size());
  size += 12 + term.value.size();
  return index;
}

// The charge moves from the budget of the call, which ends, to that of the process. Should another
// take the bytes in between, the table goes uncharged: the memory is there.
RowTablePtr RowTableBuilder::State::finish() {
  HELVE_CHECK(!is_finished);
  is_finished = true;
  TableMemory& table = *memory;
  slots = {};
  hashes = {};
  languages = {};
  datatypes = {};
  std::size_t bytes = sizeof(TableMemory) + sizeof(TableParts);
  for (auto& column : table.cells) {
    column.shrink_to_fit();
    bytes += capacity_bytes(column) + sizeof(std::vector<std::uint32_t>);
  }
  table.text_ends.shrink_to_fit();
  table.notes.shrink_to_fit();
  table.texts.shrink_to_fit();
  bytes +=
      capacity_bytes(table.text_ends) + capacity_bytes(table.notes) + capacity_bytes(table.texts);
  for (const std::string& name : names) bytes += sizeof(std::string) + sizeof(char*) + name.size();
  for (const std::string& one : table.qualifiers) bytes += kQualifierBytes + one.size();
  table.charge = MemoryCharge(process_memory(), "storing rows");
  (void)table.charge.resize(bytes);

  TableParts parts;
  parts.columns = std::move(names);
  for (const std::string& one : table.qualifiers) parts.qualifiers.emplace_back(one);
  parts.rows = rows;
  parts.characters = characters;
  parts.terms = static_cast<std::uint32_t>(table.notes.size());
  for (const auto& column : table.cells) {
    parts.cells.push_back(reinterpret_cast<const char*>(column.data()));
  }
  parts.text_ends = reinterpret_cast<const char*>(table.text_ends.data());
  parts.notes = reinterpret_cast<const char*>(table.notes.data());
  parts.texts = table.texts;
  parts.memory_bytes = bytes;
  return make_table(std::move(parts), memory);
}

RowTableBuilder::RowTableBuilder(Limits limits, const OpContext& context)
    : state_(std::make_unique<State>(limits, context)) {}
RowTableBuilder::~RowTableBuilder() = default;

Result<void> RowTableBuilder::columns(const std::vector<std::string>& names) {
  return state_->set_columns(names);
}
Result<void> RowTableBuilder::row(Row cells) { return state_->take(cells); }
bool RowTableBuilder::is_full() const { return state_->is_full; }
std::uint64_t RowTableBuilder::rows() const { return state_->rows; }
RowTablePtr RowTableBuilder::finish() { return state_->finish(); }

}  // namespace helve::toolkit
