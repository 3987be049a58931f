// Transactions as bytes: new terms with the ids they got, then edits, then what these change in the
// statistics, then graphs. Ids of terms of
// the base are those of that base alone, to which the log is bound.
#include <algorithm>

#include "sources/store/byte_stream.h"
#include "sources/store/live/change_log.h"

namespace helve::store {

namespace {

Error not_a_transaction() {
  return {ErrorCode::Unavailable, "a transaction in the log makes no sense",
          "restore the folder from a copy"};
}

bool is_known(Id id, const Dictionary& base, const DeltaTerms& terms) {
  return id.is_inlined() ? is_inlined_id(id.bits()) : base.has(id) || terms.has(id);
}

bool is_resource(Id id) { return id.tag() == Tag::Iri || id.tag() == Tag::Blank; }

bool is_graph(Id id, const Dictionary& base, const DeltaTerms& terms) {
  return !id.is_defined() || (is_resource(id) && is_known(id, base, terms));
}

bool is_statement(const Quad& quad, const Dictionary& base, const DeltaTerms& terms) {
  return is_resource(quad.subject) && quad.predicate.tag() == Tag::Iri &&
         is_known(quad.subject, base, terms) && is_known(quad.predicate, base, terms) &&
         is_known(quad.object, base, terms) && is_graph(quad.graph, base, terms);
}

template <typename Map>
std::vector<Id> sorted_ids(const Map& map) {
  std::vector<Id> ids;
  ids.reserve(map.size());
  for (const auto& one : map) ids.push_back(one.first);
  std::sort(ids.begin(), ids.end());
  return ids;
}

// What cannot be told by looking at the edits.
void encode_statistics(const StatisticsChange& change, ByteWriter& out) {
  const auto number = [&](std::int64_t value) { out.number(static_cast<std::uint64_t>(value)); };
  number(change.subjects);
  number(change.objects);
  out.number(change.predicates.size());
  for (const Id id : sorted_ids(change.predicates)) {
    const StatisticsChange::Predicate& predicate = change.predicates.at(id);
    out.number(id.bits());
    number(predicate.triples);
    number(predicate.subjects);
    number(predicate.objects);
  }
  out.number(change.classes.size());
  for (const Id id : sorted_ids(change.classes)) {
    out.number(id.bits());
    number(change.classes.at(id));
  }
}

// False where it cannot be that of so many edits.
bool decode_statistics(ByteReader& in, std::uint64_t edits, StatisticsChange& to) {
  bool is_good = true;
  const auto number = [&] {
    const auto value = static_cast<std::int64_t>(in.number());
    const auto most = static_cast<std::int64_t>(edits);
    is_good = is_good && value >= -most && value <= most;
    return value;
  };
  Id last;
  const auto next_id = [&] {
    const Id id = Id::from_bits(in.number());
    is_good = is_good && last < id;
    return last = id;
  };
  to.subjects = number();
  to.objects = number();
  const std::uint64_t predicates = in.count(4 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < predicates; ++i) {
    StatisticsChange::Predicate& predicate = to.predicates[next_id()];
    predicate.triples = number();
    predicate.subjects = number();
    predicate.objects = number();
  }
  last = {};
  const std::uint64_t classes = in.count(2 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < classes; ++i) {
    std::int64_t& count = to.classes[next_id()];
    count = number();
  }
  return is_good && in.is_good();
}

}  // namespace

std::string encode_transaction(const LoggedTransaction& transaction, const DeltaTerms& terms) {
  ByteWriter out;
  out.number(transaction.new_terms.size());
  for (const Id id : transaction.new_terms) {
    out.number(id.bits());
    out.text(terms.term(id).value);
    out.text(id.tag() == Tag::String ? std::string_view() : terms.qualifier(id));
  }
  out.number(transaction.edits.size());
  for (const QuadEdit& edit : transaction.edits) {
    out.number(edit.is_added ? 1 : 0);
    out.number(edit.quad.subject.bits());
    out.number(edit.quad.predicate.bits());
    out.number(edit.quad.object.bits());
    out.number(edit.quad.graph.bits());
  }
  encode_statistics(transaction.statistics, out);
  out.number(transaction.has_kept_graphs ? 1 : 0);
  out.number(transaction.kept_graphs.size());
  for (const Id graph : transaction.kept_graphs) out.number(graph.bits());
  return out.take();
}

// `out` has the terms that were put, after an error too.
static Result<void> decode_into(std::string_view payload, const Dictionary& base, DeltaTerms& terms,
                                LoggedTransaction& out) {
  ByteReader in(payload);
  const std::uint64_t term_count = in.count(3 * sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < term_count; ++i) {
    const Id id = Id::from_bits(in.number());
    DictionaryTerm term;
    term.tag = id.tag();
    term.text = in.text();
    term.qualifier = in.text();
    if (!in.is_good() || !terms.put(id, term)) return not_a_transaction();
    out.new_terms.push_back(id);
  }
  const std::uint64_t edit_count = in.count(5 * sizeof(std::uint64_t));
  out.edits.reserve(edit_count);
  for (std::uint64_t i = 0; i < edit_count; ++i) {
    QuadEdit edit;
    edit.is_added = in.number() != 0;
    edit.quad.subject = Id::from_bits(in.number());
    edit.quad.predicate = Id::from_bits(in.number());
    edit.quad.object = Id::from_bits(in.number());
    edit.quad.graph = Id::from_bits(in.number());
    const bool is_sorted = out.edits.empty() || out.edits.back().quad < edit.quad;
    if (!is_sorted || !is_statement(edit.quad, base, terms)) return not_a_transaction();
    out.edits.push_back(edit);
  }
  if (!decode_statistics(in, edit_count, out.statistics)) return not_a_transaction();
  out.has_kept_graphs = in.number() != 0;
  const std::uint64_t graph_count = in.count(sizeof(std::uint64_t));
  for (std::uint64_t i = 0; i < graph_count; ++i) {
    const Id graph = Id::from_bits(in.number());
    const bool is_sorted = out.kept_graphs.empty() || out.kept_graphs.back() < graph;
    if (!is_sorted || !is_resource(graph) || !is_known(graph, base, terms)) {
      return not_a_transaction();
    }
    out.kept_graphs.push_back(graph);
  }
  if (!in.is_done()) return not_a_transaction();
  return {};
}

Result<LoggedTransaction> decode_transaction(std::string_view payload, std::uint64_t version,
                                             const Dictionary& base, DeltaTerms& terms) {
  LoggedTransaction out;
  out.version = version;
  if (auto decoded = decode_into(payload, base, terms, out); !decoded) {
    terms.remove(out.new_terms);
    return decoded.error();
  }
  return out;
}

}  // namespace helve::store
