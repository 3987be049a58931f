// Counting what the indexes and the dictionary already know.
#include "sources/store/live/summary.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sources/rdf/vocabulary.h"
#include "sources/store/live/changed_terms.h"
#include "sources/store/namespace_of.h"

namespace helve::store {

namespace {

void sort_by_count(std::vector<NamedCount>& counts) {
  std::sort(counts.begin(), counts.end(), [](const NamedCount& a, const NamedCount& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
}

// Those that are there.
template <typename Counts>
std::vector<NamedCount> sorted_counts(const Counts& counts) {
  std::vector<NamedCount> sorted;
  for (const auto& [name, count] : counts) {
    if (count > 0) sorted.push_back({std::string(name), count});
  }
  sort_by_count(sorted);
  return sorted;
}

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class Summarizer {
 public:
  Summarizer(const LiveSnapshot& data, const OpContext& context)
      : data_(data), dictionary_(data.base()->dictionary()), context_(context) {}

  Result<Summary> run() {
    HELVE_ASSIGN(changes_, find_changed_terms(data_, context_));
    add_statistics();
    count_terms();
    HELVE_TRY(add_namespaces());
    HELVE_TRY(add_literals());
    HELVE_TRY(add_declarations());
    return std::move(out_);
  }

 private:
  // The term as text: an IRI plain, anything else in N-Triples syntax.
  std::string name_of(Id id) {
    const rdf::TermView term = data_.term(id, scratch_);
    return term.is_iri() ? std::string(term.value) : rdf::to_ntriples(term);
  }

  void add_statistics() {
    const Statistics statistics = data_.statistics();
    for (const auto& graph : statistics.graphs) {
      out_.graphs.push_back(
          {graph.graph.is_defined() ? name_of(graph.graph) : "", graph.statements});
    }
    for (const auto& type : statistics.classes) {
      out_.classes.push_back({name_of(type.type), type.instances});
    }
    for (const auto& p : statistics.predicates) {
      out_.properties.push_back(
          {name_of(p.predicate), p.triples, p.distinct_subjects, p.distinct_objects});
    }
    sort_by_count(out_.graphs);
    sort_by_count(out_.classes);
    std::sort(out_.properties.begin(), out_.properties.end(), [](const auto& a, const auto& b) {
      return a.triples != b.triples ? a.triples > b.triples : a.iri < b.iri;
    });
  }

  std::uint64_t& count_of(Id id) {
    if (id.tag() == Tag::Iri) return out_.iris;
    return id.tag() == Tag::Blank ? out_.blank_nodes : out_.literals;
  }

  void count_terms() {
    out_.iris = dictionary_.section_size(Tag::Iri);
    out_.blank_nodes = dictionary_.section_size(Tag::Blank);
    out_.literals = dictionary_.size() - out_.iris - out_.blank_nodes;
    for (const Id id : changes_.come) ++count_of(id);
    for (const Id id : changes_.gone) --count_of(id);
  }

  Result<void> add_namespaces() {
    MemoryCharge charge(*context_.memory, "counting namespaces");
    std::unordered_map<std::string, std::uint64_t, StringHash, std::equal_to<>> counts;
    const auto count_in = [&](std::string_view iri) -> std::uint64_t& {
      const std::string_view space = namespace_of(iri);
      const auto found = counts.find(space);
      return found != counts.end() ? found->second : counts.emplace(space, 0).first->second;
    };
    constexpr std::uint64_t kStep = 65'536;
    const std::uint64_t iris = dictionary_.section_size(Tag::Iri);
    for (std::uint64_t first = 0; first < iris; first += kStep) {
      HELVE_TRY(context_.check());
      HELVE_TRY(charge.resize(counts.size() * 160));
      dictionary_.section(Tag::Iri).strings.for_each(
          first, std::min(first + kStep, iris),
          [&](std::uint64_t, std::string_view iri) { ++count_in(iri); });
    }
    for (const Id id : changes_.come) {
      if (id.tag() == Tag::Iri) ++count_in(data_.term(id, scratch_).value);
    }
    for (const Id id : changes_.gone) {
      if (id.tag() == Tag::Iri) --count_in(data_.term(id, scratch_).value);
    }
    out_.namespaces = sorted_counts(counts);
    return {};
  }

  // Statements by the language or datatype of their object: the directory of objects knows how many
  // rows each has.
  Result<void> add_literals() {
    const Permutation& osp = data_.base()->indexes()[Order::Osp];
    std::map<std::string_view, std::uint64_t> languages;
    std::map<std::string_view, std::uint64_t> datatypes;
    const auto statements_like = [&](Id id, std::string_view qualifier) -> std::uint64_t& {
      return (id.tag() == Tag::LangString ? languages : datatypes)[qualifier];
    };
    const auto [first, last] = osp.leading_codes();
    const Code literals_from = dictionary_.codes_of(Tag::String).first;
    for (Code code = std::max(first, literals_from); code < last; ++code) {
      if (code % 65'536 == 0) HELVE_TRY(context_.check());
      const std::uint64_t rows = osp.rows_of(code).size();
      if (rows == 0) continue;
      const Id id = dictionary_.id_of(code);
      statements_like(id, dictionary_.qualifier(id)) += rows;
    }
    for (auto at = data_.delta()[Order::Spo].begin(); at.entry() != nullptr; at.next()) {
      const Id object = quad_of(at.entry()->key, Order::Spo).object;
      if (!object.is_literal()) continue;
      std::uint64_t& statements = statements_like(object, data_.qualifier(object));
      statements = at.entry()->presence == Presence::Added ? statements + 1 : statements - 1;
    }
    out_.languages = sorted_counts(languages);
    out_.datatypes = sorted_counts(datatypes);
    return {};
  }

  using Things = std::unordered_set<Id, IdHash>;

  // Adds the subjects whose rdf:type is this class.
  Result<void> add_instances(std::string_view vocabulary, std::string_view name, Things& to) {
    const auto type = data_.find(rdf::TermView::iri(rdf::kRdfType));
    const auto wanted = data_.find(rdf::TermView::iri(std::string(vocabulary) + std::string(name)));
    if (!type || !wanted) return {};
    const auto scan = data_.scan({{}, *type, *wanted, {GraphChoice::Kind::Union, {}}}, Order::Pos,
                                 sparql::bit(Part::Subject));
    QuadBatch batch;
    while (scan->next(batch, QuadBatch::kRows)) {
      HELVE_TRY(context_.check());
      const auto& subjects = batch[Part::Subject];
      to.insert(subjects.begin(), subjects.begin() + static_cast<std::ptrdiff_t>(batch.rows));
    }
    return {};
  }

  Result<void> add_declarations() {
    Things classes;
    HELVE_TRY(add_instances(rdf::kOwl, "Class", classes));
    HELVE_TRY(add_instances(rdf::kRdfs, "Class", classes));
    out_.declared.classes = classes.size();
    out_.declared.named_classes = static_cast<std::uint64_t>(
        std::count_if(classes.begin(), classes.end(), [](Id id) { return id.tag() == Tag::Iri; }));
    Things objects;
    Things datatypes;
    Things annotations;
    Things properties;
    HELVE_TRY(add_instances(rdf::kOwl, "ObjectProperty", objects));
    HELVE_TRY(add_instances(rdf::kOwl, "DatatypeProperty", datatypes));
    HELVE_TRY(add_instances(rdf::kOwl, "AnnotationProperty", annotations));
    HELVE_TRY(add_instances(rdf::kRdf, "Property", properties));
    out_.declared.object_properties = objects.size();
    out_.declared.datatype_properties = datatypes.size();
    out_.declared.annotation_properties = annotations.size();
    for (const Id id : annotations) properties.erase(id);
    properties.insert(objects.begin(), objects.end());
    properties.insert(datatypes.begin(), datatypes.end());
    out_.declared.properties = properties.size();
    return {};
  }

  const LiveSnapshot& data_;
  const Dictionary& dictionary_;  // of its base
  const OpContext& context_;
  ChangedTerms changes_;
  std::string scratch_;
  Summary out_;
};

}  // namespace

Result<Summary> summarize(const LiveSnapshot& data, const OpContext& context) {
  return Summarizer(data, context).run();
}

}  // namespace helve::store
