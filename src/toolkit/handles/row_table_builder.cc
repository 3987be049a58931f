// RowTableBuilder: rows into columns of term numbers. A row is taken whole or not at all: all that
// can fail is done before anything changes.
#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "base/text.h"
#include "base/utf8.h"
#include "toolkit/handles/growing_array.h"
#include "toolkit/handles/row_table_layout.h"

namespace helve::toolkit {

namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::uint32_t kSlotBitsMin = 6;
constexpr std::size_t kBuiltTermsMax = std::min(std::size_t{kTableTermsMax}, std::size_t{1} << 31);
// What a qualifier costs beside its text: the string, its view and its place in the map.
constexpr std::size_t kQualifierBytes = 128;

// What a column costs beside its cells.
constexpr std::size_t kColumnBytes = sizeof(std::string) + sizeof(char*) + 64;

// The memory of a table, and the charge for it.
struct TableMemory {
  std::vector<GrowingArray<std::uint32_t>> cells;
  GrowingArray<std::uint64_t> text_ends;
  GrowingArray<std::uint32_t> notes;
  GrowingArray<char> texts;
  std::deque<std::string> qualifiers;  // they stay where they are
  MemoryCharge charge;
};

// A place in the table of terms: open addressing, in the order of the hashes, so that a larger
// table is filled from one end to the other.
struct Slot {
  std::uint32_t hash = 0;
  std::uint32_t term = kNone;
};

// What is known of a cell of the row under way.
struct Coming {
  std::uint32_t hash = 0;
  std::optional<std::uint32_t> note;  // nullopt: its qualifier is new
};

// The qualifier that a column had last; it is likely to come again.
struct LastQualifier {
  std::string_view text;
  bool is_language = false;
  std::uint32_t number = 0;  // 0: none yet
};

template <typename Array>
std::size_t capacity_bytes(const Array& array) {
  return array.capacity() * sizeof(array[0]);
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
  std::uint64_t bytes_of(Row cells) const;               // what a row needs at most
  std::uint64_t new_bytes_of(Row cells) const;           // what it really adds
  Result<std::uint64_t> characters_of(Row cells) const;  // an error for what is not UTF-8
  Result<void> make_room(Row cells);
  template <typename Array>
  Result<void> reserve(Array& array, std::size_t more);
  Result<void> grow_slots(std::size_t terms_more);
  Error full(std::string_view what);

  void look_at(Row cells);
  std::uint32_t hash_of(const rdf::TermView& term) const;
  bool is_term(std::uint32_t index, const rdf::TermView& term, std::uint32_t note) const;
  std::uint32_t find(const rdf::TermView& term, const Coming& coming) const;  // kNone: not there
  std::uint32_t intern(const rdf::TermView& term, const Coming& coming);
  std::uint32_t add_qualifier(const rdf::TermView& term);
  std::optional<std::uint32_t> find_note(const rdf::TermView& term, LastQualifier& last) const;
  std::size_t place_of(std::uint32_t hash) const { return hash >> (32 - slot_bits); }
  // The slot of a term, or the free one that it would have.
  std::size_t slot_of(const rdf::TermView& term, std::uint32_t hash, std::uint32_t note) const;

 public:
  Limits limits;
  std::shared_ptr<TableMemory> memory;
  std::vector<std::string> names;
  std::unordered_map<std::string_view, std::uint32_t> languages;  // numbers of qualifiers
  std::unordered_map<std::string_view, std::uint32_t> datatypes;
  std::vector<Slot> slots;
  std::uint32_t slot_bits = 0;  // slots.size() is a power of two
  std::vector<Coming> coming;   // of each column
  std::vector<LastQualifier> last;
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
  HELVE_TRY(memory->charge.add(size + given.size() * kColumnBytes));
  names = given;
  memory->cells.resize(names.size());
  coming.resize(names.size());
  last.resize(names.size());
  return {};
}

Error RowTableBuilder::State::full(std::string_view what) {
  is_full = true;
  return Error{ErrorCode::LimitExceeded,
               fmt::format("the result has more than {}; what came before is stored", what),
               "narrow the query"};
}

Result<std::uint64_t> RowTableBuilder::State::characters_of(Row cells) const {
  std::uint64_t count = 0;
  for (const auto& cell : cells) {
    if (!cell) continue;
    if (is_ascii(cell->value)) {
      count += cell->value.size();
    } else if (utf8_valid_prefix(cell->value) == cell->value.size()) {
      count += utf8_length(cell->value);
    } else {
      return Error{ErrorCode::InvalidInput,
                   fmt::format("row {} has a term that is not valid UTF-8", rows + 1)};
    }
  }
  return count;
}

Result<void> RowTableBuilder::State::take(Row cells) {
  HELVE_CHECK(!is_finished && cells.size() == names.size());
  // What is told of a table is its text, in which equal terms count each time.
  HELVE_ASSIGN(const std::uint64_t added, characters_of(cells));
  if (rows >= limits.rows_max || rows >= kTableRowsMax) {
    return full(format_count(limits.rows_max) + " rows");
  }
  look_at(cells);
  if (size + bytes_of(cells) > limits.bytes_max && size + new_bytes_of(cells) > limits.bytes_max) {
    return full(format_bytes(limits.bytes_max));
  }
  if (characters + added > limits.bytes_max) return full(format_bytes(limits.bytes_max));
  if (memory->notes.size() + cells.size() > kBuiltTermsMax ||
      memory->qualifiers.size() + cells.size() > kQualifiersMax) {
    return full("so many different terms as can be stored");
  }
  HELVE_TRY(make_room(cells));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    memory->cells[i].push_back(cells[i] ? intern(*cells[i], coming[i]) + 1 : 0);
  }
  characters += added;
  size += 4 * cells.size();
  ++rows;
  return {};
}

void RowTableBuilder::State::look_at(Row cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    coming[i].hash = hash_of(*cells[i]);
    // Slots lie anywhere in memory: those of a row are waited for together.
    if (!slots.empty()) __builtin_prefetch(&slots[place_of(coming[i].hash)]);
    coming[i].note = find_note(*cells[i], last[i]);
  }
}

std::uint64_t RowTableBuilder::State::bytes_of(Row cells) const {
  std::uint64_t bytes = 4 * cells.size();
  for (const auto& cell : cells) {
    if (cell) bytes += 17 + cell->value.size() + cell->datatype.size() + cell->language.size();
  }
  return bytes;
}

std::uint64_t RowTableBuilder::State::new_bytes_of(Row cells) const {
  std::uint64_t bytes = 4 * cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i] || find(*cells[i], coming[i]) != kNone) continue;
    bytes += 12 + cells[i]->value.size();
    if (!coming[i].note) bytes += 5 + cells[i]->datatype.size() + cells[i]->language.size();
  }
  return bytes;
}

// Room doubles. Where memory cannot be moved, old and new are both there for a moment.
template <typename Array>
Result<void> RowTableBuilder::State::reserve(Array& array, std::size_t more) {
  if (array.capacity() - array.size() >= more) return {};
  const std::size_t before = capacity_bytes(array);
  const std::size_t wanted = std::max({array.size() + more, 2 * array.capacity(), std::size_t{64}});
  HELVE_TRY(memory->charge.add(wanted * sizeof(array[0])));
  array.set_capacity(wanted);
  return memory->charge.resize(memory->charge.bytes() - before);
}

Result<void> RowTableBuilder::State::make_room(Row cells) {
  std::size_t text_bytes = 0;
  std::size_t qualifier_bytes = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    text_bytes += cells[i]->value.size();
    if (!coming[i].note) {
      qualifier_bytes += cells[i]->datatype.size() + cells[i]->language.size() + kQualifierBytes;
    }
  }
  TableMemory& table = *memory;
  for (auto& column : table.cells) HELVE_TRY(reserve(column, 1));
  HELVE_TRY(reserve(table.text_ends, cells.size()));
  HELVE_TRY(reserve(table.notes, cells.size()));
  HELVE_TRY(reserve(table.texts, text_bytes));
  if (qualifier_bytes > 0) HELVE_TRY(table.charge.add(qualifier_bytes));
  return grow_slots(cells.size());
}

Result<void> RowTableBuilder::State::grow_slots(std::size_t terms_more) {
  const std::size_t terms = memory->notes.size() + terms_more;
  if (terms * 2 <= slots.size()) return {};
  std::uint32_t bits = std::max(slot_bits, kSlotBitsMin);
  while ((std::size_t{1} << bits) < terms * 2) ++bits;
  HELVE_TRY(memory->charge.add((std::size_t{1} << bits) * sizeof(Slot)));
  std::vector<Slot> larger(std::size_t{1} << bits);
  slot_bits = bits;
  for (const Slot& slot : slots) {
    if (slot.term == kNone) continue;
    std::size_t at = place_of(slot.hash);
    while (larger[at].term != kNone) at = (at + 1) & (larger.size() - 1);
    larger[at] = slot;
  }
  const std::size_t before = slots.size() * sizeof(Slot);
  slots = std::move(larger);
  return memory->charge.resize(memory->charge.bytes() - before);
}

std::uint32_t RowTableBuilder::State::hash_of(const rdf::TermView& term) const {
  const std::uint64_t hash = XXH3_64bits_withSeed(term.value.data(), term.value.size(),
                                                  seed ^ static_cast<std::uint64_t>(term.kind) ^
                                                      (std::uint64_t{term.datatype.size()} << 8) ^
                                                      (std::uint64_t{term.language.size()} << 32));
  return static_cast<std::uint32_t>(hash >> 32);
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

std::optional<std::uint32_t> RowTableBuilder::State::find_note(const rdf::TermView& term,
                                                               LastQualifier& last_one) const {
  if (!has_qualifier(term)) return plain_note(term);
  const bool is_language = !term.language.empty();
  const std::string_view text = is_language ? term.language : term.datatype;
  if (last_one.number == 0 || last_one.is_language != is_language || last_one.text != text) {
    const auto& known = is_language ? languages : datatypes;
    const auto found = known.find(text);
    if (found == known.end()) return std::nullopt;
    last_one = {found->first, is_language, found->second};
  }
  return plain_note(term) | (last_one.number << kQualifierShift);
}

// The note of a term whose qualifier was not known when the row came; another cell of the row may
// have brought it meanwhile.
std::uint32_t RowTableBuilder::State::add_qualifier(const rdf::TermView& term) {
  LastQualifier none;
  if (const auto note = find_note(term, none)) return *note;
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
  const std::uint64_t bytes = memory->text_ends[index] - start;
  return memory->notes[index] == note && bytes == term.value.size() &&
         std::string_view(memory->texts.data() + start, bytes) == term.value;
}

std::size_t RowTableBuilder::State::slot_of(const rdf::TermView& term, std::uint32_t hash,
                                            std::uint32_t note) const {
  std::size_t at = place_of(hash);
  while (slots[at].term != kNone &&
         (slots[at].hash != hash || !is_term(slots[at].term, term, note))) {
    at = (at + 1) & (slots.size() - 1);
  }
  return at;
}

std::uint32_t RowTableBuilder::State::find(const rdf::TermView& term, const Coming& known) const {
  if (!known.note || slots.empty()) return kNone;
  return slots[slot_of(term, known.hash, *known.note)].term;
}

std::uint32_t RowTableBuilder::State::intern(const rdf::TermView& term, const Coming& known) {
  const std::uint32_t note = known.note ? *known.note : add_qualifier(term);
  Slot& slot = slots[slot_of(term, known.hash, note)];
  if (slot.term != kNone) return slot.term;
  slot = {known.hash, static_cast<std::uint32_t>(memory->notes.size())};
  memory->notes.push_back(note);
  memory->texts.append(term.value.data(), term.value.size());
  memory->text_ends.push_back(memory->texts.size());
  size += 12 + term.value.size();
  return slot.term;
}

// The charge moves from the budget of the call, which ends, to that of the process. Should another
// take the bytes in between, the table goes uncharged: the memory is there.
RowTablePtr RowTableBuilder::State::finish() {
  HELVE_CHECK(!is_finished);
  is_finished = true;
  TableMemory& table = *memory;
  slots = {};
  coming = {};
  last = {};
  languages = {};
  datatypes = {};
  std::size_t bytes = sizeof(TableMemory) + sizeof(TableParts);
  for (auto& column : table.cells) {
    column.set_capacity(column.size());
    bytes += capacity_bytes(column) + sizeof(column);
  }
  table.text_ends.set_capacity(table.text_ends.size());
  table.notes.set_capacity(table.notes.size());
  table.texts.set_capacity(table.texts.size());
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
  parts.texts = {table.texts.data(), table.texts.size()};
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
