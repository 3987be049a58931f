// Counting what the indexes and the dictionary already know.
#include "sources/store/summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sources/rdf/vocabulary.h"

namespace helve::store {

namespace {

void sort_by_count(std::vector<NamedCount>& counts) {
  std::sort(counts.begin(), counts.end(), [](const NamedCount& a, const NamedCount& b) {
    return a.count != b.count ? a.count > b.count : a.name < b.name;
  });
}

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class Summarizer {
 public:
  Summarizer(const Snapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot), dictionary_(snapshot.dictionary()), context_(context) {}

  Result<Summary> run() {
    add_statistics();
    HELVE_TRY(add_namespaces());
    HELVE_TRY(add_literals());
    add_declarations();
    return std::move(out_);
  }

 private:
  // The term as text: an IRI plain, anything else in N-Triples syntax.
  std::string name_of(Id id) {
    const rdf::TermView term = dictionary_.term(id, scratch_);
    return term.is_iri() ? std::string(term.value) : rdf::to_ntriples(term);
  }

  void add_statistics() {
    const Statistics& statistics = snapshot_.statistics();
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
    out_.iris = dictionary_.section_size(Tag::Iri);
    out_.blank_nodes = dictionary_.section_size(Tag::Blank);
    out_.literals = dictionary_.size() - out_.iris - out_.blank_nodes;
  }

  Result<void> add_namespaces() {
    MemoryCharge charge(*context_.memory, "counting namespaces");
    std::unordered_map<std::string, std::uint64_t, StringHash, std::equal_to<>> counts;
    constexpr std::uint64_t kStep = 65'536;
    for (std::uint64_t first = 0; first < out_.iris; first += kStep) {
      HELVE_TRY(context_.check());
      HELVE_TRY(charge.resize(counts.size() * 160));
      dictionary_.section(Tag::Iri).strings.for_each(
          first, std::min(first + kStep, out_.iris), [&](std::uint64_t, std::string_view iri) {
            const std::string_view space = namespace_of(iri);
            const auto found = counts.find(space);
            if (found != counts.end()) {
              ++found->second;
            } else {
              counts.emplace(space, 1);
            }
          });
    }
    for (auto& [name, count] : counts) out_.namespaces.push_back({name, count});
    sort_by_count(out_.namespaces);
    return {};
  }

  // Statements by the language or datatype of their object: the directory of objects knows how many
  // rows each has.
  Result<void> add_literals() {
    const Permutation& osp = snapshot_.indexes()[Order::Osp];
    std::map<std::string_view, std::uint64_t> languages;
    std::map<std::string_view, std::uint64_t> datatypes;
    const auto [first, last] = osp.leading_codes();
    const Code literals_from = dictionary_.codes_of(Tag::String).first;
    for (Code code = std::max(first, literals_from); code < last; ++code) {
      if (code % 65'536 == 0) HELVE_TRY(context_.check());
      const std::uint64_t rows = osp.rows_of(code).size();
      if (rows == 0) continue;
      const Id id = dictionary_.id_of(code);
      (id.tag() == Tag::LangString ? languages : datatypes)[dictionary_.qualifier(id)] += rows;
    }
    for (const auto& [name, count] : languages)
      out_.languages.push_back({std::string(name), count});
    for (const auto& [name, count] : datatypes)
      out_.datatypes.push_back({std::string(name), count});
    sort_by_count(out_.languages);
    sort_by_count(out_.datatypes);
    return {};
  }

  // Codes of the subjects whose rdf:type is this class.
  std::vector<Code> instances_of(std::string_view vocabulary, std::string_view name) {
    const auto type = dictionary_.find(rdf::TermView::iri(rdf::kRdfType));
    const auto wanted =
        dictionary_.find(rdf::TermView::iri(std::string(vocabulary) + std::string(name)));
    if (!type || !wanted) return {};
    const std::array<Code, 2> prefix = {*dictionary_.code_of(*type), *dictionary_.code_of(*wanted)};
    const Permutation& pos = snapshot_.indexes()[Order::Pos];
    const RowRange rows = pos.find(prefix);
    std::vector<Code> subjects(rows.size());
    pos.read(rows, 2, subjects.data());
    subjects.erase(std::unique(subjects.begin(), subjects.end()), subjects.end());
    return subjects;
  }

  void add_declarations() {
    std::unordered_set<Code> classes;
    for (const std::string_view vocabulary : {rdf::kOwl, rdf::kRdfs}) {
      for (const Code code : instances_of(vocabulary, "Class")) classes.insert(code);
    }
    const Code iris_to = dictionary_.codes_of(Tag::Iri).second;
    out_.declared.classes = classes.size();
    out_.declared.named_classes = static_cast<std::uint64_t>(
        std::count_if(classes.begin(), classes.end(), [&](Code code) { return code < iris_to; }));
    const auto objects = instances_of(rdf::kOwl, "ObjectProperty");
    const auto datatypes = instances_of(rdf::kOwl, "DatatypeProperty");
    const auto annotations = instances_of(rdf::kOwl, "AnnotationProperty");
    const auto plain = instances_of(rdf::kRdf, "Property");
    out_.declared.object_properties = objects.size();
    out_.declared.datatype_properties = datatypes.size();
    out_.declared.annotation_properties = annotations.size();
    std::unordered_set<Code> properties(plain.begin(), plain.end());
    for (const Code code : annotations) properties.erase(code);
    properties.insert(objects.begin(), objects.end());
    properties.insert(datatypes.begin(), datatypes.end());
    out_.declared.properties = properties.size();
  }

  const Snapshot& snapshot_;
  const Dictionary& dictionary_;
  const OpContext& context_;
  std::string scratch_;
  Summary out_;
};

}  // namespace

// From the end, by hand: find_last_of() calls a function for each character.
std::string_view namespace_of(std::string_view iri) {
  for (std::size_t end = iri.size(); end > 0; --end) {
    if (iri[end - 1] == '#' || iri[end - 1] == '/') return iri.substr(0, end);
  }
  const std::size_t colon = iri.rfind(':');
  return colon == std::string_view::npos ? iri : iri.substr(0, colon + 1);
}

Result<Summary> summarize(const Snapshot& snapshot, const OpContext& context) {
  return Summarizer(snapshot, context).run();
}

}  // namespace helve::store
