#include "sources/store/live/live_schema.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "sources/rdf/vocabulary.h"
#include "sources/store/largest_first.h"
#include "sources/store/live/changed_terms.h"
#include "sources/store/live/live_rows.h"
#include "sources/store/live/schema_changes.h"
#include "sources/store/local_properties.h"
#include "sources/store/namespace_of.h"
#include "sources/store/text_index_fields.h"

namespace helve::store {

namespace {

constexpr std::size_t kSchemaTermsAtOnce = 256;

// Where a list has an IRI.
using Places = std::unordered_map<std::string, std::size_t>;

template <typename Info>
Places places_of(const std::vector<Info>& infos) {
  Places places;
  places.reserve(infos.size());
  for (std::size_t i = 0; i < infos.size(); ++i) places.emplace(infos[i].iri, i);
  return places;
}

// Of an IRI that may be new.
template <typename Info>
std::size_t place_in(std::vector<Info>& infos, Places& places, std::string iri) {
  const auto [place, is_new] = places.emplace(iri, infos.size());
  if (is_new) infos.emplace_back().iri = std::move(iri);
  return place->second;
}

class LiveSchemaMaker {
 public:
  LiveSchemaMaker(const GraphSchema& base, const LiveSnapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot),
        rows_(snapshot),
        context_(context),
        base_samples_(samples_of_each(base.properties.size())),
        type_(rows_.find_iri(rdf::kRdfType)),
        charge_(*context.memory, "the schema of the graph"),
        schema_(base) {
    for (const DeclaringClass& one : declaring_classes()) {
      const Id id = rows_.find_iri(one.iri);
      if (type_.is_defined() && id.is_defined()) declaring_.emplace_back(id, one.kind);
    }
  }

  Result<GraphSchema> run() {
    const Statistics statistics = snapshot_.statistics();
    schema_.triples = statistics.triples;
    schema_.subjects = statistics.distinct_subjects;
    schema_.objects = statistics.distinct_objects;
    HELVE_ASSIGN(changes_, find_schema_changes(snapshot_, context_));
    HELVE_TRY(charge_.add(changes_.memory_bytes() +
                          schema_.classes.size() * (sizeof(ClassInfo) + 128) +
                          schema_.properties.size() * (sizeof(PropertyInfo) + 512)));
    find_label_predicates();
    HELVE_TRY(update_classes());
    HELVE_TRY(update_properties());
    HELVE_TRY(update_namespaces());
    set_graphs();
    if (auto failure = snapshot_.failure()) return *std::move(failure);
    return std::move(schema_);
  }

 private:
  std::string iri_of(Id id) const {
    std::string scratch;
    return std::string(rows_.term(id, scratch).value);
  }

  std::string label_of(Id id) const {
    const auto labels = labels_of(rows_, labels_, id, kLabelsOfSchema);
    const LabelText* const label = preferred_label(labels);
    return label != nullptr ? label->text : std::string();
  }

  Declaration declaration_of(Id id) const {
    Declaration declaration;
    for (const auto& [declaring, kind] : declaring_) {
      if (snapshot_.quads({id, type_, declaring, kAllGraphs}) > 0) declaration.add(kind);
    }
    return declaration;
  }

  Result<void> check() {
    if (++steps_ % kSchemaTermsAtOnce == 0) HELVE_TRY(context_.check());
    return {};
  }

  bool is_predicate_of_base(Id id) const {
    const auto& rows = snapshot_.base()->statistics().predicates;
    const auto found = std::lower_bound(
        rows.begin(), rows.end(), id,
        [](const PredicateStatistics& row, Id wanted) { return row.predicate < wanted; });
    return found != rows.end() && found->predicate == id;
  }

  void find_label_predicates() {
    std::vector<std::tuple<LabelRank, std::string, Id>> found;
    std::size_t ranked = 0;
    const auto look_at = [&](Id predicate) {
      std::string iri = iri_of(predicate);
      const auto rank = label_rank(iri);
      if (!rank) return;
      ++ranked;
      if (!snapshot_.predicate_counts(predicate)) return;
      found.emplace_back(*rank, std::move(iri), predicate);
    };
    for (const PredicateStatistics& row : snapshot_.base()->statistics().predicates) {
      look_at(row.predicate);
    }
    for (const Id predicate : changes_.properties) {
      if (!is_predicate_of_base(predicate)) look_at(predicate);
    }
    std::sort(found.begin(), found.end());
    if (found.size() > kLabelPredicatesMax) found.resize(kLabelPredicatesMax);
    for (const auto& [rank, iri, predicate] : found) labels_.push_back({predicate, rank.field});
    // Then one may have taken the place of another.
    may_rename_all_ = ranked > kLabelPredicatesMax;
  }

  // What is told of these may have changed.
  std::vector<Id> touched_of(const SchemaChanges::Ids& changed, const Places& known) const {
    std::vector<Id> touched(changed.begin(), changed.end());
    const auto add = [&](Id id) {
      if (changed.count(id) == 0) touched.push_back(id);
    };
    if (may_rename_all_) {
      for (const auto& [iri, place] : known) add(rows_.find_iri(iri));
      return touched;
    }
    for (const Id id : changes_.described) {
      if (known.count(iri_of(id)) > 0) add(id);
    }
    return touched;
  }

  Result<void> update_classes() {
    auto& classes = schema_.classes;
    Places places = places_of(classes);
    for (const Id id : touched_of(changes_.classes, places)) {
      HELVE_TRY(check());
      ClassInfo& info = classes[place_in(classes, places, iri_of(id))];
      info.label = label_of(id);
      info.instances = snapshot_.instances_of(id);
      info.is_declared = declaration_of(id).is_class();
    }
    std::erase_if(classes, [](const ClassInfo& info) { return !is_there(info); });
    sort_largest_first(classes, &ClassInfo::instances, &ClassInfo::iri);
    return {};
  }

  static bool is_there(const ClassInfo& info) { return info.instances > 0 || info.is_declared; }
  static bool is_there(const PropertyInfo& info) { return info.triples > 0 || info.is_declared; }

  Result<void> update_properties() {
    auto& properties = schema_.properties;
    Places places = places_of(properties);
    std::unordered_map<std::size_t, Id> touched;  // by place
    for (const Id id : touched_of(changes_.properties, places)) {
      HELVE_TRY(check());
      const std::size_t place = place_in(properties, places, iri_of(id));
      touched.emplace(place, id);
      const Declaration declaration = declaration_of(id);
      const auto counts = snapshot_.predicate_counts(id).value_or(sparql::PredicateCounts{});
      PropertyInfo& info = properties[place];
      info.label = label_of(id);
      info.kind = property_kind(rows_, id, declaration);
      info.is_declared = declaration.is_property();
      info.triples = counts.triples;
      info.subjects = counts.distinct_subjects;
      info.objects = counts.distinct_objects;
    }
    HELVE_TRY(update_ends(touched));
    std::erase_if(properties, [](const PropertyInfo& info) { return !is_there(info); });
    sort_largest_first(properties, &PropertyInfo::triples, &PropertyInfo::iri);
    return {};
  }

  // Those that are not declared change with the classes of what is looked at too.
  Result<void> update_ends(const std::unordered_map<std::size_t, Id>& touched) {
    auto& properties = schema_.properties;
    const auto left = std::count_if(properties.begin(), properties.end(),
                                    [](const PropertyInfo& info) { return is_there(info); });
    const std::size_t samples = samples_of_each(static_cast<std::size_t>(left));
    const EndsReader reader(rows_, samples);
    const bool is_any_touched = samples != base_samples_ || !changes_.typed.empty();
    for (std::size_t i = 0; i < properties.size(); ++i) {
      const auto found = touched.find(i);
      if ((found == touched.end() && !is_any_touched) || !is_there(properties[i])) continue;
      HELVE_TRY(check());
      const Id id = found != touched.end() ? found->second : rows_.find_iri(properties[i].iri);
      if (found == touched.end() && samples == base_samples_ && !has_typed(id, samples)) continue;
      EndsReader::Ends ends = reader.read(id);
      properties[i].domains = std::move(ends.domains);
      properties[i].ranges = std::move(ends.ranges);
    }
    return {};
  }

  bool has_typed(Id property, std::size_t samples) const {
    const auto ends = rows_.sample(property, samples);
    return std::any_of(ends.begin(), ends.end(), [this](const SchemaRows::Ends& one) {
      return changes_.typed.count(one.subject) > 0 || changes_.typed.count(one.object) > 0;
    });
  }

  Result<void> update_namespaces() {
    HELVE_ASSIGN(const ChangedTerms changed, find_changed_terms(snapshot_, context_, Tag::Iri));
    auto& spaces = schema_.namespaces;
    Places places = places_of(spaces);
    const auto space_of = [&](Id id) -> NamespaceInfo& {
      return spaces[place_in(spaces, places, std::string(namespace_of(iri_of(id))))];
    };
    const std::size_t known = spaces.size();
    for (const Id id : changed.come) ++space_of(id).terms;
    for (const Id id : changed.gone) --space_of(id).terms;
    std::unordered_map<std::string_view, std::string_view> prefixes;
    for (const auto& [name, iri] : snapshot_.prefixes()) prefixes.emplace(iri, name);
    for (std::size_t i = known; i < spaces.size(); ++i) {
      const auto prefix = prefixes.find(spaces[i].iri);
      if (prefix != prefixes.end()) spaces[i].prefix = prefix->second;
    }
    std::erase_if(spaces, [](const NamespaceInfo& space) { return space.terms == 0; });
    sort_largest_first(spaces, &NamespaceInfo::terms, &NamespaceInfo::iri);
    return {};
  }

  void set_graphs() {
    schema_.graphs.clear();
    std::string scratch;
    for (const Id graph : snapshot_.named_graphs()) {
      const rdf::TermView term = snapshot_.term(graph, scratch);
      schema_.graphs.emplace_back(term.is_iri() ? std::string(term.value) : rdf::to_ntriples(term),
                                  snapshot_.statements_of(graph));
    }
    using Counted = std::pair<std::string, std::uint64_t>;
    sort_largest_first(schema_.graphs, &Counted::second, &Counted::first);
  }

  const LiveSnapshot& snapshot_;
  const LiveRows rows_;
  const OpContext& context_;
  const std::size_t base_samples_;
  const Id type_;
  std::vector<std::pair<Id, DeclaredKind>> declaring_;
  std::size_t steps_ = 0;
  MemoryCharge charge_;
  SchemaChanges changes_;
  std::vector<NamingPredicate<Id>> labels_;
  bool may_rename_all_ = false;
  GraphSchema schema_;
};

}  // namespace

Result<GraphSchema> make_live_schema(const GraphSchema& base, const LiveSnapshot& snapshot,
                                     const OpContext& context) {
  return LiveSchemaMaker(base, snapshot, context).run();
}

}  // namespace helve::store
