// The seam between the evaluator and whoever holds the data: what a query asks of a dataset. The
// store implements it; tests/support has a small one of its own.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sources/rdf/id.h"
#include "sources/rdf/term.h"

namespace helve::sparql {

using rdf::Id;

// The column of a quad.
enum class Part : std::uint8_t { Subject, Predicate, Object, Graph };

// A set of parts, one bit each.
using Parts = std::uint8_t;
constexpr Parts bit(Part part) { return static_cast<Parts>(1U << static_cast<unsigned>(part)); }
inline constexpr Parts kTripleParts = bit(Part::Subject) | bit(Part::Predicate) | bit(Part::Object);
inline constexpr Parts kAllParts = kTripleParts | bit(Part::Graph);

// Sorted by these parts in turn; the first six have the graph, if there are named graphs, last.
enum class Order : std::uint8_t { Spo, Sop, Pso, Pos, Osp, Ops, Gspo, Gpos, Gosp };

// Which graphs a pattern looks into.
struct GraphChoice {
  enum class Kind : std::uint8_t {
    Default,  // the default graph alone
    Union,    // all graphs as one, a triple once
    Named,    // every named graph; the graph is part of the result
    One,      // the named graph `graph`
  };
  Kind kind = Kind::Default;
  Id graph;

  friend bool operator==(const GraphChoice&, const GraphChoice&) = default;
};
inline constexpr GraphChoice kAllGraphs{GraphChoice::Kind::Union, {}};

// Undefined ids match anything.
struct QuadPattern {
  Id subject;
  Id predicate;
  Id object;
  GraphChoice graph;
};

struct Count {
  std::uint64_t n = 0;
  bool is_exact = true;  // false: n is an upper bound
};

// Rows as columns of ids. The graph column is filled for GraphChoice::Named only.
struct QuadBatch {
  static constexpr std::size_t kRows = 2'048;
  std::array<std::vector<Id>, 4> columns;  // by Part
  std::size_t rows = 0;

  const std::vector<Id>& operator[](Part part) const {
    return columns[static_cast<std::size_t>(part)];
  }
};

// Delivers the rows of a pattern in batches, in the order of order(). The snapshot must outlive it.
class Scan {
 public:
  virtual ~Scan() = default;
  // Starts again with another pattern, without a new allocation: what a nested loop calls.
  virtual void restart(const QuadPattern& pattern) = 0;
  // The same with one of `parts` equal stretches of the rows, so that several scans can share the
  // work. REQUIRES: Snapshot::can_scan_in_parts().
  virtual void restart_part(const QuadPattern& pattern, std::uint32_t part, std::uint32_t parts);
  // At most `rows_max` rows (and QuadBatch::kRows). False, and an empty batch, at the end.
  virtual bool next(QuadBatch& batch, std::size_t rows_max) = 0;
  virtual Order order() const = 0;
};

// One part of many look-ups at once: a value for each of them, one for all, or free.
struct KeyPart {
  const Id* ids = nullptr;  // one for each look-up, all defined
  Id constant;              // where `ids` is null; undefined: free

  bool is_free() const { return ids == nullptr && !constant.is_defined(); }
};

// `rows` look-ups of one shape.
struct LookupKeys {
  std::array<KeyPart, 3> parts;  // subject, predicate, object
  GraphChoice graph;             // not Named
  std::size_t rows = 0;
  bool is_ascending = false;  // the ids of the only column of keys never fall: neighbours are near
};

// What look-ups found, as columns.
struct Matches {
  std::vector<std::uint32_t> rows;         // which look-up
  std::array<std::vector<Id>, 3> columns;  // of the wanted parts; the others are not touched

  void clear() {
    rows.clear();
    for (auto& column : columns) column.clear();
  }
};

// Work that finds nothing, after which look-ups come back to be asked again: callers look at the
// clock in between.
inline constexpr std::size_t kSkippedMax = 8'192;

// Looks up many keys, one batch after the other, without an allocation for each. The snapshot must
// outlive it.
class Lookup {
 public:
  virtual ~Lookup() = default;
  // A new batch of keys, whose columns must stay until it is done.
  virtual void start(const LookupKeys& keys) = 0;
  // Appends matches, in the order of the keys, until there are `rows_max` more or no more keys, or
  // until it has passed over kSkippedMax rows and keys without any; the triples of one key come in
  // the order of an index. False: the batch is done.
  virtual bool next(Matches& matches, std::size_t rows_max) = 0;
  // The order of the index that the batch is looked up in, where there is one.
  virtual std::optional<Order> order() const { return std::nullopt; }
};

enum class LookupKind : std::uint8_t {
  All,    // every match
  First,  // one match for each key that has any: what EXISTS asks
};

// The values of one free part that several patterns have in common, for many keys at once: one list
// is not walked where another one skips. The snapshot must outlive it.
class Intersection {
 public:
  virtual ~Intersection() = default;
  // REQUIRES: as many patterns as there were parts, in that order, each with just that part free,
  // and all with the same number of rows. Their columns must stay until the batch is done.
  virtual void start(std::span<const LookupKeys> patterns) = 0;
  // Appends until there are `rows_max` more or no more keys, or until it has passed over
  // kSkippedMax values and keys; the values of a key are ascending. False: the batch is done.
  virtual bool next(std::vector<std::uint32_t>& rows, std::vector<Id>& values,
                    std::size_t rows_max) = 0;
};

// The different values of one part, ascending, and how many triples have each.
struct GroupBatch {
  std::vector<Id> values;
  std::vector<std::uint64_t> counts;
};
class GroupScan {
 public:
  virtual ~GroupScan() = default;
  // Replaces the batch by the next values, `rows_max` at most; false, and an empty batch, at the
  // end.
  virtual bool next(GroupBatch& batch, std::size_t rows_max) = 0;
};

// Numbers about a predicate, over all graphs as one.
struct PredicateCounts {
  Id predicate;
  std::uint64_t triples = 0;
  std::uint64_t distinct_subjects = 0;
  std::uint64_t distinct_objects = 0;
};

// Subjects that have every one of some predicates, over all graphs as one.
struct StarCounts {
  double subjects = 0;
  double rows = 0;  // of the join: a subject counts once for each combination of its objects
};

// One immutable state of a dataset. Thread-safe. Ids mean something for this snapshot alone; those
// of inlined values (rdf/inline_value.h) are the same everywhere.
class Snapshot {
 public:
  virtual ~Snapshot() = default;

  // The id of a term; nullopt when no statement has it. An inlinable literal always has its id.
  // Language tags that differ only in case are the same tag, spelt as in rdf/language_tag.h.
  virtual std::optional<Id> find(const rdf::TermView& term) const = 0;
  // REQUIRES: an id of this snapshot, or an inlined one. `scratch` holds the text.
  virtual rdf::TermView term(Id id, std::string& scratch) const = 0;
  // Language tag or datatype IRI of a literal, without its text; empty for a plain string.
  virtual std::string_view qualifier(Id id) const = 0;
  // True when ids of this tag (Iri, Blank, String ...) are in the order of their strings.
  virtual bool is_in_string_order(rdf::Tag tag) const = 0;

  // Rows of the pattern, without enumerating them.
  virtual Count count(const QuadPattern& pattern) const = 0;
  // `preferred` is used when its leading parts are those the pattern binds. Columns that are not
  // wanted may stay empty.
  virtual std::unique_ptr<Scan> scan(const QuadPattern& pattern,
                                     std::optional<Order> preferred = std::nullopt,
                                     Parts wanted = kAllParts) const = 0;
  virtual bool can_scan_in_parts() const { return false; }
  // Some rows of the pattern, from all over it where that is cheap; at most `rows_max`.
  virtual void sample(const QuadPattern& pattern, std::size_t rows_max, QuadBatch& batch) const;

  // The default implementation asks a scan for each key.
  virtual std::unique_ptr<Lookup> lookup(LookupKind kind, Parts wanted) const;
  // Null where the dataset has no sorted lists; then look-ups must do.
  virtual std::unique_ptr<Intersection> intersect(std::span<const Part> /*free*/) const {
    return nullptr;
  }
  // Without looking at every triple; null where it would take that.
  virtual std::unique_ptr<GroupScan> groups(const QuadPattern& /*pattern*/, Part /*by*/) const {
    return nullptr;
  }

  // Ids of the named graphs, ascending.
  virtual std::vector<Id> named_graphs() const = 0;
  // nullopt for what is no predicate.
  virtual std::optional<PredicateCounts> predicate_counts(Id predicate) const = 0;
  // Of all predicates, by id.
  virtual std::vector<PredicateCounts> all_predicate_counts() const = 0;
  // How many subjects have all of these different predicates, exactly or nearly so; nullopt where
  // nothing is known of it.
  virtual std::optional<StarCounts> star_counts(std::span<const Id> /*predicates*/) const {
    return std::nullopt;
  }
  // All triples, over all graphs as one.
  virtual std::uint64_t triples() const = 0;
  // Declared by the data: name and IRI.
  virtual const std::vector<std::pair<std::string, std::string>>& prefixes() const = 0;
  // Set once a part of the data was met that is damaged: what was read since must not be used.
  virtual std::optional<Error> failure() const { return std::nullopt; }
};

// A source of snapshots: each query works on one, whatever happens meanwhile.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual std::shared_ptr<const Snapshot> snapshot() const = 0;
};

}  // namespace helve::sparql
