#include "sources/store/local_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/executor.h"
#include "sources/store/largest_first.h"
#include "sources/store/local_declarations.h"
#include "sources/store/local_properties.h"
#include "sources/store/namespace_of.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_rows.h"
#include "sources/store/text_index_fields.h"

namespace helve::store {

namespace {

constexpr std::size_t kTermsAtOnce = 512;  // of one task
constexpr std::uint64_t kIrisAtOnce = 65'536;

// Those of the codes, which ascend, that are not found yet.
template <typename Value>
void add_unseen(const std::vector<Code>& codes, std::vector<std::pair<Code, Value>>& found) {
  std::vector<Code> seen;
  seen.reserve(found.size());
  for (const auto& [code, value] : found) seen.push_back(code);
  std::sort(seen.begin(), seen.end());
  for (const Code code : codes) {
    if (!std::binary_search(seen.begin(), seen.end(), code)) found.emplace_back(code, Value());
  }
}

class SchemaMaker {
 public:
  SchemaMaker(const Snapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot),
        dictionary_(snapshot.dictionary()),
        context_(context),
        labels_(find_label_predicates(snapshot)),
        charge_(*context.memory, "the schema of the graph") {}

  Result<GraphSchema> run() {
    const Statistics& statistics = snapshot_.statistics();
    schema_.triples = statistics.triples;
    schema_.subjects = statistics.distinct_subjects;
    schema_.objects = statistics.distinct_objects;
    HELVE_ASSIGN(declared_, find_declared_terms(snapshot_, context_));
    HELVE_TRY(add_classes());
    HELVE_TRY(add_properties());
    HELVE_TRY(add_namespaces());
    add_graphs();
    if (auto failure = snapshot_.failure()) return *std::move(failure);
    return std::move(schema_);
  }

 private:
  std::string iri_of(Code code) const {
    std::string iri;
    dictionary_.section(Tag::Iri).strings.get(code, iri);
    return iri;
  }

  std::string label_of(Code code) const {
    const auto labels = labels_of(snapshot_, labels_, code, kLabelsOfSchema);
    const LabelText* const label = preferred_label(labels);
    return label != nullptr ? label->text : std::string();
  }

  bool is_iri(Code code) const { return code < dictionary_.section_size(Tag::Iri); }

  // Calls fill(i) for all of `size` terms, on all cores.
  template <typename Fill>
  Result<void> for_all(std::size_t size, Fill&& fill) {
    return parallel_for((size + kTermsAtOnce - 1) / kTermsAtOnce, context_,
                        [&](std::size_t task) -> Result<void> {
                          const std::size_t last = std::min(size, (task + 1) * kTermsAtOnce);
                          for (std::size_t i = task * kTermsAtOnce; i < last; ++i) fill(i);
                          return {};
                        });
  }

  Result<void> add_classes() {
    // By code, whose order is that of IRIs: sorted before the texts are there to be moved.
    using Counted = std::pair<Code, std::uint64_t>;
    std::vector<Counted> found;
    for (const ClassStatistics& type : snapshot_.statistics().classes) {
      const auto code = dictionary_.code_of(type.type);
      if (!code || !is_iri(*code)) continue;
      found.emplace_back(*code, type.instances);
    }
    add_unseen(declared_.classes(), found);
    sort_largest_first(found, &Counted::second, &Counted::first);
    HELVE_TRY(charge_.add(found.size() * (sizeof(ClassInfo) + 128)));
    auto& classes = schema_.classes;
    classes.resize(found.size());
    HELVE_TRY(for_all(found.size(), [&](std::size_t i) {
      const auto [code, instances] = found[i];
      classes[i] = {iri_of(code), label_of(code), instances, declared_.of(code).is_class()};
    }));
    return {};
  }

  Result<void> add_properties() {
    using Counted = std::pair<Code, const PredicateStatistics*>;
    std::vector<Counted> found;
    for (const PredicateStatistics& predicate : snapshot_.statistics().predicates) {
      const auto code = dictionary_.code_of(predicate.predicate);
      if (!code || !is_iri(*code)) continue;
      found.emplace_back(*code, &predicate);
    }
    add_unseen(declared_.properties(), found);
    sort_largest_first(
        found, [](const Counted& one) { return one.second != nullptr ? one.second->triples : 0; },
        &Counted::first);
    HELVE_TRY(charge_.add(found.size() * (sizeof(PropertyInfo) + 512)));
    auto& properties = schema_.properties;
    properties.resize(found.size());
    const SnapshotRows rows(snapshot_);
    const EndsReader reader(rows, samples_of_each(found.size()));
    HELVE_TRY(for_all(found.size(), [&](std::size_t i) {
      const auto [code, statistics] = found[i];
      PropertyInfo& info = properties[i];
      info.iri = iri_of(code);
      info.label = label_of(code);
      const Id property = dictionary_.id_of(code);
      const Declaration declaration = declared_.of(code);
      info.kind = property_kind(rows, property, declaration);
      info.is_declared = declaration.is_property();
      EndsReader::Ends ends = reader.read(property);
      info.domains = std::move(ends.domains);
      info.ranges = std::move(ends.ranges);
      if (statistics == nullptr) return;
      info.triples = statistics->triples;
      info.subjects = statistics->distinct_subjects;
      info.objects = statistics->distinct_objects;
    }));
    return {};
  }

  // IRIs of one namespace mostly stand side by side.
  Result<void> add_namespaces() {
    std::unordered_map<std::string, std::uint64_t> counts;
    std::uint64_t* count = nullptr;
    std::string space;
    const std::uint64_t iris = dictionary_.section_size(Tag::Iri);
    for (std::uint64_t first = 0; first < iris; first += kIrisAtOnce) {
      HELVE_TRY(context_.check());
      dictionary_.section(Tag::Iri).strings.for_each(
          first, std::min(first + kIrisAtOnce, iris), [&](std::uint64_t, std::string_view iri) {
            const std::string_view here = namespace_of(iri);
            if (count == nullptr || here != space) {
              space = here;
              count = &counts[space];
            }
            ++*count;
          });
      HELVE_TRY(charge_.resize(std::max(charge_.bytes(), counts.size() * 256)));
    }
    std::unordered_map<std::string_view, std::string_view> prefixes;
    for (const auto& [name, iri] : snapshot_.prefixes()) prefixes.emplace(iri, name);
    for (const auto& [iri, n] : counts) {
      const auto prefix = prefixes.find(iri);
      schema_.namespaces.push_back(
          {prefix != prefixes.end() ? std::string(prefix->second) : std::string(), iri, n});
    }
    sort_largest_first(schema_.namespaces, &NamespaceInfo::terms, &NamespaceInfo::iri);
    return {};
  }

  void add_graphs() {
    std::string scratch;
    for (const GraphStatistics& graph : snapshot_.statistics().graphs) {
      if (!graph.graph.is_defined()) continue;
      const rdf::TermView term = dictionary_.term(graph.graph, scratch);
      schema_.graphs.emplace_back(term.is_iri() ? std::string(term.value) : rdf::to_ntriples(term),
                                  graph.statements);
    }
    using Counted = std::pair<std::string, std::uint64_t>;
    sort_largest_first(schema_.graphs, &Counted::second, &Counted::first);
  }

  const Snapshot& snapshot_;
  const Dictionary& dictionary_;
  const OpContext& context_;
  std::vector<LabelPredicate> labels_;
  MemoryCharge charge_;
  DeclaredTerms declared_;
  GraphSchema schema_;
};

}  // namespace

Result<GraphSchema> make_schema(const Snapshot& snapshot, const OpContext& context) {
  return SchemaMaker(snapshot, context).run();
}

std::string fingerprint_of(const Snapshot& snapshot) {
  const auto sum = compute_content_checksum(snapshot, {});
  // Of a damaged snapshot nothing is known, but that it is none of the good ones.
  return sum ? fmt::format("{:016x}", *sum) : std::string("damaged");
}

bool occurs(const sparql::Snapshot& data, const rdf::TermView& term) {
  const auto id = data.find(term);
  if (!id) return false;
  const sparql::GraphChoice all{sparql::GraphChoice::Kind::Union, {}};
  for (const sparql::QuadPattern& pattern :
       {sparql::QuadPattern{*id, {}, {}, all}, sparql::QuadPattern{{}, {}, *id, all},
        sparql::QuadPattern{{}, *id, {}, all}}) {
    if (data.count(pattern).n > 0) return true;
  }
  for (const sparql::Id graph : data.named_graphs()) {
    if (graph == *id) return true;
  }
  return false;
}

}  // namespace helve::store
