// Interned terms in an arena, found through an open-addressing table; statements as their indexes.
#include "sources/rdf/quad_set.h"

#define XXH_INLINE_ALL
#include <fmt/core.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "sources/rdf/vocabulary.h"

namespace helve::rdf {

namespace {

constexpr std::size_t kTermsMax = std::size_t{1} << 31;
constexpr std::size_t kChunkBytesFirst = 4 * kKiB;
constexpr std::size_t kQuadChunkBytesMax = kMiB;
constexpr std::string_view kCollecting = "collecting statements in memory";

// A stored term: its value, then its datatype or language, at `text`.
struct Entry {
  const char* text = nullptr;
  std::uint32_t value_size = 0;
  std::uint32_t suffix_size = 0;
  TermKind kind = TermKind::Iri;
  Direction direction = Direction::None;
  bool has_language = false;
};

// Index 0 means free, so indexes are stored with one added.
struct Slot {
  std::uint32_t hash = 0;
  std::uint32_t index_plus_one = 0;
};

// A term in the one form that equal terms share: no explicit xsd:string or rdf:langString.
struct Key {
  TermKind kind;
  Direction direction;
  bool has_language;
  std::string_view value;
  std::string_view suffix;
};

Key key_of(const TermView& term) {
  if (!term.is_literal()) return {term.kind, Direction::None, false, term.value, {}};
  if (!term.language.empty()) {
    return {term.kind, term.direction, true, term.value, term.language};
  }
  const bool is_string = term.datatype == kXsdString;
  return {term.kind, Direction::None, false, term.value,
          is_string ? std::string_view{} : term.datatype};
}

std::uint32_t hash_of(const Key& key, std::uint64_t seed) {
  const auto mark = static_cast<std::uint64_t>(key.kind) * 2 + (key.has_language ? 1 : 0);
  std::uint64_t hash = XXH3_64bits_withSeed(key.value.data(), key.value.size(), seed + mark);
  if (!key.suffix.empty()) {
    hash = XXH3_64bits_withSeed(key.suffix.data(), key.suffix.size(), hash);
  }
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

bool matches(const Entry& entry, const Key& key) {
  return entry.value_size == key.value.size() && entry.suffix_size == key.suffix.size() &&
         entry.kind == key.kind && entry.has_language == key.has_language &&
         entry.direction == key.direction &&
         std::equal(key.value.begin(), key.value.end(), entry.text) &&
         std::equal(key.suffix.begin(), key.suffix.end(), entry.text + entry.value_size);
}

}  // namespace

struct QuadSet::Tables {
  explicit Tables(const OpContext& context)
      : charge(*context.memory, kCollecting), prefixes_max(context.limits.prefixes_max) {}

  Result<TermIndex> intern(const TermView& term);
  std::optional<TermIndex> find(const Key& key, std::uint32_t hash) const;
  Result<TermIndex> add(const Key& key, std::uint32_t hash);
  Result<char*> allocate(std::size_t bytes);
  Result<void> grow_slots();
  TermView term(TermIndex index) const;
  void set_prefix(std::string_view name, std::string_view iri);

  template <typename T>
  Result<void> make_room(std::vector<T>& items);

  // The table's own address differs from run to run, so nobody can prepare terms that collide.
  std::uint64_t seed = reinterpret_cast<std::uintptr_t>(this);
  MemoryCharge charge;
  std::vector<std::unique_ptr<char[]>> chunks;
  char* free_at = nullptr;
  std::size_t free_bytes = 0;
  std::size_t next_chunk_bytes = kChunkBytesFirst;
  std::vector<Entry> entries;
  std::vector<Slot> slots;
  std::vector<QuadIndexes> quads;

  std::size_t prefixes_max;
  std::vector<std::pair<std::string, std::string>> prefixes;
  std::unordered_map<std::string, std::size_t> prefix_places;
  std::optional<Error> prefix_error;  // prefix() cannot fail; the next statement does
};

template <typename T>
Result<void> QuadSet::Tables::make_room(std::vector<T>& items) {
  if (items.size() < items.capacity()) return {};
  const std::size_t before = items.capacity() * sizeof(T);
  const std::size_t capacity = std::max<std::size_t>(64, items.capacity() * 2);
  HELVE_TRY(charge.add(capacity * sizeof(T)));
  items.reserve(capacity);
  return charge.resize(charge.bytes() - before);
}

Result<char*> QuadSet::Tables::allocate(std::size_t bytes) {
  if (bytes > free_bytes) {
    const std::size_t chunk_bytes = std::max(bytes, next_chunk_bytes);
    HELVE_TRY(charge.add(chunk_bytes));
    chunks.push_back(std::make_unique_for_overwrite<char[]>(chunk_bytes));
    free_at = chunks.back().get();
    free_bytes = chunk_bytes;
    next_chunk_bytes = std::min(next_chunk_bytes * 2, kQuadChunkBytesMax);
  }
  char* const place = free_at;
  free_at += bytes;
  free_bytes -= bytes;
  return place;
}

Result<void> QuadSet::Tables::grow_slots() {
  const std::size_t count = std::max<std::size_t>(128, slots.size() * 2);
  const std::size_t before = slots.size() * sizeof(Slot);
  HELVE_TRY(charge.add(count * sizeof(Slot)));
  std::vector<Slot> grown(count);
  for (const Slot& slot : slots) {
    if (slot.index_plus_one == 0) continue;
    std::size_t at = slot.hash & (count - 1);
    while (grown[at].index_plus_one != 0) at = (at + 1) & (count - 1);
    grown[at] = slot;
  }
  slots = std::move(grown);
  return charge.resize(charge.bytes() - before);
}

Result<TermIndex> QuadSet::Tables::add(const Key& key, std::uint32_t hash) {
  constexpr std::size_t kSizeMax = std::numeric_limits<std::uint32_t>::max();
  if (entries.size() >= kTermsMax || key.value.size() > kSizeMax || key.suffix.size() > kSizeMax) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("{} holds at most {} distinct terms of at most 4 GiB", kCollecting, kTermsMax),
        "load the data into the store instead"};
  }
  HELVE_TRY(make_room(entries));
  HELVE_ASSIGN(char* const text, allocate(key.value.size() + key.suffix.size()));
  std::copy(key.value.begin(), key.value.end(), text);
  std::copy(key.suffix.begin(), key.suffix.end(), text + key.value.size());
  entries.push_back({text, static_cast<std::uint32_t>(key.value.size()),
                     static_cast<std::uint32_t>(key.suffix.size()), key.kind, key.direction,
                     key.has_language});
  const auto index = static_cast<TermIndex>(entries.size() - 1);
  std::size_t at = hash & (slots.size() - 1);
  while (slots[at].index_plus_one != 0) at = (at + 1) & (slots.size() - 1);
  slots[at] = {hash, index + 1};
  return index;
}

std::optional<TermIndex> QuadSet::Tables::find(const Key& key, std::uint32_t hash) const {
  if (slots.empty()) return std::nullopt;
  for (std::size_t at = hash & (slots.size() - 1);; at = (at + 1) & (slots.size() - 1)) {
    const Slot& slot = slots[at];
    if (slot.index_plus_one == 0) return std::nullopt;
    if (slot.hash == hash && matches(entries[slot.index_plus_one - 1], key)) {
      return slot.index_plus_one - 1;
    }
  }
}

Result<TermIndex> QuadSet::Tables::intern(const TermView& term) {
  if (entries.size() * 2 >= slots.size()) HELVE_TRY(grow_slots());
  const Key key = key_of(term);
  const std::uint32_t hash = hash_of(key, seed);
  if (const auto found = find(key, hash)) return *found;
  return add(key, hash);
}

TermView QuadSet::Tables::term(TermIndex index) const {
  const Entry& entry = entries[index];
  const std::string_view value(entry.text, entry.value_size);
  const std::string_view suffix(entry.text + entry.value_size, entry.suffix_size);
  if (entry.has_language) return {entry.kind, entry.direction, value, {}, suffix};
  return {entry.kind, entry.direction, value, suffix, {}};
}

void QuadSet::Tables::set_prefix(std::string_view name, std::string_view iri) {
  const auto [place, is_new] = prefix_places.try_emplace(std::string(name), prefixes.size());
  if (!is_new) {
    prefixes[place->second].second = iri;
    return;
  }
  if (prefixes.size() >= prefixes_max) {
    prefix_places.erase(place);
    prefix_error = Error{ErrorCode::LimitExceeded,
                         fmt::format("more than {} prefixes are declared", prefixes_max),
                         "raise prefixes_max"};
    return;
  }
  prefixes.emplace_back(name, iri);
}

QuadSet::QuadSet(const OpContext& context) : tables_(std::make_unique<Tables>(context)) {}
QuadSet::~QuadSet() = default;
QuadSet::QuadSet(QuadSet&&) noexcept = default;
QuadSet& QuadSet::operator=(QuadSet&&) noexcept = default;

Result<void> QuadSet::statement(const StatementView& statement) {
  Tables& tables = *tables_;
  if (tables.prefix_error) [[unlikely]]
    return *tables.prefix_error;
  HELVE_TRY(tables.make_room(tables.quads));
  HELVE_ASSIGN(const TermIndex subject, tables.intern(statement.subject));
  HELVE_ASSIGN(const TermIndex predicate, tables.intern(statement.predicate));
  HELVE_ASSIGN(const TermIndex object, tables.intern(statement.object));
  HELVE_ASSIGN(const TermIndex graph, tables.intern(statement.graph));
  tables.quads.push_back({subject, predicate, object, graph});
  return {};
}

void QuadSet::prefix(std::string_view name, std::string_view iri) {
  Tables& tables = *tables_;
  if (tables.prefix_error) return;
  // Twice the text and some 150 bytes of nodes and string headers.
  if (auto charged = tables.charge.add(name.size() * 2 + iri.size() + 150); !charged) {
    tables.prefix_error = std::move(charged).error();
    return;
  }
  tables.set_prefix(name, iri);
}

Result<TermIndex> QuadSet::intern(const TermView& term) { return tables_->intern(term); }

std::optional<TermIndex> QuadSet::find(const TermView& term) const {
  const Key key = key_of(term);
  return tables_->find(key, hash_of(key, tables_->seed));
}

TermView QuadSet::term(TermIndex index) const {
  HELVE_CHECK(index < tables_->entries.size());
  return tables_->term(index);
}

std::size_t QuadSet::term_count() const { return tables_->entries.size(); }

const std::vector<QuadIndexes>& QuadSet::quads() const { return tables_->quads; }

void QuadSet::deduplicate() {
  auto& quads = tables_->quads;
  std::sort(quads.begin(), quads.end());
  quads.erase(std::unique(quads.begin(), quads.end()), quads.end());
}

StatementView QuadSet::view(const QuadIndexes& quad) const {
  return {term(quad[0]), term(quad[1]), term(quad[2]), term(quad[3])};
}

const std::vector<std::pair<std::string, std::string>>& QuadSet::prefixes() const {
  return tables_->prefixes;
}

}  // namespace helve::rdf
