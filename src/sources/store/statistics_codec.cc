// Numbers in the order of the structures; whatever is read is checked, for its checksum says only
// that it is as it was written.
#include "sources/store/statistics_codec.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "sources/store/byte_stream.h"

namespace helve::store {

namespace {

using Numbers = Column<std::uint32_t>;

void write_column(ByteWriter& out, const Numbers& column) {
  out.bytes({reinterpret_cast<const char*>(column.data()), column.bytes()});
}

Numbers read_column(ByteReader& in) {
  const std::string_view bytes = in.bytes();
  std::vector<std::uint32_t> values(bytes.size() / sizeof(std::uint32_t));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(values[0]));
  return Numbers::own(std::move(values));
}

bool are_all_below(const Numbers& values, std::size_t limit) {
  return std::all_of(values.begin(), values.end(), [limit](auto value) { return value < limit; });
}

// What star_counts() relies on.
bool is_sound(const CharacteristicSets& sets) {
  const std::size_t predicates = sets.predicates.size();
  const auto is_absent_or_whole = [predicates](const Numbers& column) {
    return column.empty() || column.size() == predicates;
  };
  if (!std::is_sorted(sets.predicates.begin(), sets.predicates.end()) ||
      !std::is_sorted(sets.starts.begin(), sets.starts.end()) ||
      !is_absent_or_whole(sets.other_subjects_with) || !is_absent_or_whole(sets.other_triples) ||
      sets.other_subjects_with.size() != sets.other_triples.size() ||
      sets.sets.size() != sets.triples.size() ||
      std::find(sets.subjects.begin(), sets.subjects.end(), 0U) != sets.subjects.end() ||
      !are_all_below(sets.sets, sets.subjects.size())) {
    return false;
  }
  if (sets.starts.empty()) return predicates == 0 && sets.sets.empty();
  return sets.starts.size() == predicates + 1 && sets.starts[predicates] <= sets.sets.size();
}

}  // namespace

std::string encode_statistics(const Statistics& statistics) {
  ByteWriter out;
  out.number(statistics.statements);
  out.number(statistics.triples);
  out.number(statistics.distinct_subjects);
  out.number(statistics.distinct_objects);
  out.number(statistics.predicates.size());
  for (const PredicateStatistics& predicate : statistics.predicates) {
    out.number(predicate.predicate.bits());
    out.number(predicate.triples);
    out.number(predicate.distinct_subjects);
    out.number(predicate.distinct_objects);
  }
  out.number(statistics.classes.size());
  for (const ClassStatistics& type : statistics.classes) {
    out.number(type.type.bits());
    out.number(type.instances);
  }
  out.number(statistics.graphs.size());
  for (const GraphStatistics& graph : statistics.graphs) {
    out.number(graph.graph.bits());
    out.number(graph.statements);
  }
  return out.take();
}

std::optional<Statistics> decode_statistics(std::string_view bytes, const Dictionary& dictionary) {
  ByteReader in(bytes);
  bool are_ids_known = true;
  const auto read_id = [&] {
    const Id id = Id::from_bits(in.number());
    are_ids_known = are_ids_known && dictionary.has(id);
    return id;
  };
  Statistics out;
  out.statements = in.number();
  out.triples = in.number();
  out.distinct_subjects = in.number();
  out.distinct_objects = in.number();
  out.predicates.resize(in.count(4 * sizeof(std::uint64_t)));
  for (PredicateStatistics& predicate : out.predicates) {
    predicate.predicate = read_id();
    predicate.triples = in.number();
    predicate.distinct_subjects = in.number();
    predicate.distinct_objects = in.number();
  }
  out.classes.resize(in.count(2 * sizeof(std::uint64_t)));
  for (ClassStatistics& type : out.classes) {
    type.type = read_id();
    type.instances = in.number();
  }
  out.graphs.resize(in.count(2 * sizeof(std::uint64_t)));
  for (GraphStatistics& graph : out.graphs) {
    graph.graph = Id::from_bits(in.number());
    are_ids_known = are_ids_known && (!graph.graph.is_defined() || dictionary.has(graph.graph));
    graph.statements = in.number();
  }
  if (!in.is_done() || !are_ids_known) return std::nullopt;
  return out;
}

std::string encode_characteristic_sets(const CharacteristicSets& sets) {
  ByteWriter out;
  out.number(sets.other_subjects);
  for (const Numbers* column : {&sets.subjects, &sets.predicates, &sets.starts, &sets.sets,
                                &sets.triples, &sets.other_subjects_with, &sets.other_triples}) {
    write_column(out, *column);
  }
  return out.take();
}

std::optional<CharacteristicSets> decode_characteristic_sets(std::string_view bytes) {
  ByteReader in(bytes);
  CharacteristicSets sets;
  sets.other_subjects = in.number();
  for (Numbers* column : {&sets.subjects, &sets.predicates, &sets.starts, &sets.sets, &sets.triples,
                          &sets.other_subjects_with, &sets.other_triples}) {
    *column = read_column(in);
  }
  if (!in.is_done() || !is_sound(sets)) return std::nullopt;
  return sets;
}

}  // namespace helve::store
