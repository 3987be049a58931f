#include "sources/store/live/vicinity.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "sources/rdf/vocabulary.h"
#include "sources/store/loading_sink.h"
#include "sources/store/snapshot_assembly.h"
#include "sources/store/text_index_fields.h"

namespace helve::store {

namespace {

constexpr std::size_t kNamesOfOne = 200;  // of a thing by one predicate
constexpr std::size_t kKindsOfOne = 16;
constexpr std::size_t kStatementsMax = 10'000'000;

// Predicates whose objects are classes or properties by that.
constexpr auto kTellingPredicates = std::to_array<std::string_view>(
    {rdf::kRdfType, "http://www.w3.org/2000/01/rdf-schema#subClassOf",
     "http://www.w3.org/2000/01/rdf-schema#subPropertyOf"});

class VicinityMaker {
 public:
  VicinityMaker(const LiveSnapshot& from, const OpContext& context, std::size_t touched_max)
      : from_(from),
        context_(context),
        touched_max_(touched_max),
        sink_(std::make_unique<LoadingSink>(*context.memory, 0x76696369)) {
    for (const std::string_view iri : kTellingPredicates) {
      if (const auto id = from.find(rdf::TermView::iri(iri))) telling_.push_back(*id);
    }
    find_naming();
  }

  Result<Vicinity> run() {
    find_touched();
    for (const auto& [name, iri] : from_.prefixes()) sink_->prefix(name, iri);
    for (std::size_t i = 0; i < touched_.size() && vicinity_.is_complete; ++i) {
      if (i % 256 == 0) HELVE_TRY(context_.check());
      HELVE_TRY(add_thing(touched_[i]));
    }
    if (auto failure = from_.failure()) return *std::move(failure);
    std::vector<std::unique_ptr<LoadingSink>> sinks;
    sinks.push_back(std::move(sink_));
    SnapshotAssembly assembly(std::move(sinks), context_);
    HELVE_TRY(assembly.number_terms());
    HELVE_TRY(assembly.sort());
    HELVE_ASSIGN(vicinity_.snapshot, assembly.count());
    return std::move(vicinity_);
  }

 private:
  // The predicates that the index of names reads, the preferred ones first.
  void find_naming() {
    std::vector<std::pair<LabelRank, Id>> ranked;
    std::string scratch;
    for (const sparql::PredicateCounts& one : from_.all_predicate_counts()) {
      const auto rank = label_rank(from_.term(one.predicate, scratch).value);
      if (rank) ranked.emplace_back(*rank, one.predicate);
    }
    std::sort(ranked.begin(), ranked.end());
    if (ranked.size() > kLabelPredicatesMax) ranked.resize(kLabelPredicatesMax);
    for (const auto& [rank, predicate] : ranked) naming_.push_back(predicate);
  }

  void touch(Id id) {
    if (id.tag() != Tag::Iri || !known_.insert(id).second) return;
    if (touched_.size() == touched_max_) {
      vicinity_.is_complete = false;
      return;
    }
    touched_.push_back(id);
  }

  void find_touched() {
    for (const auto& [predicate, change] : from_.delta().statistics.predicates) touch(predicate);
    for (const auto& [type, change] : from_.delta().statistics.classes) touch(type);
    for (auto at = from_.delta()[Order::Spo].begin(); at.entry() != nullptr; at.next()) {
      const Quad quad = quad_of(at.entry()->key, Order::Spo);
      touch(quad.subject);
      if (!from_.base()->dictionary().has(quad.object)) touch(quad.object);
      if (!vicinity_.is_complete) break;
    }
  }

  Result<void> add(const QuadPattern& pattern, std::size_t most) {
    if (from_.quads(pattern) == 0) return {};
    QuadBatch batch;
    const auto scan = from_.scan(pattern, std::nullopt, sparql::kTripleParts);
    for (std::size_t left = most; left > 0 && scan->next(batch, left); left -= batch.rows) {
      HELVE_TRY(add_rows(batch));
    }
    return {};
  }

  Result<void> add_rows(const QuadBatch& batch) {
    statements_ += batch.rows;
    if (statements_ > kStatementsMax) vicinity_.is_complete = false;
    std::array<std::string, 3> scratch;
    rdf::StatementView statement;
    for (std::size_t row = 0; row < batch.rows; ++row) {
      statement.subject = from_.term(batch[Part::Subject][row], scratch[0]);
      statement.predicate = from_.term(batch[Part::Predicate][row], scratch[1]);
      statement.object = from_.term(batch[Part::Object][row], scratch[2]);
      HELVE_TRY(sink_->statement(statement));
    }
    return {};
  }

  Result<void> add_thing(Id thing) {
    std::string scratch;
    vicinity_.touched.emplace(from_.term(thing, scratch).value);
    HELVE_TRY(add({thing, {}, {}, kAllGraphs}, 1));  // its own IRI is a name
    for (const Id predicate : naming_) {
      HELVE_TRY(add({thing, predicate, {}, kAllGraphs}, kNamesOfOne));
    }
    // That it is a class or a property is seen from its own statements, or from one of another.
    HELVE_TRY(add({{}, thing, {}, kAllGraphs}, 1));
    for (const Id predicate : telling_) {
      HELVE_TRY(add({thing, predicate, {}, kAllGraphs}, kKindsOfOne));
      HELVE_TRY(add({{}, predicate, thing, kAllGraphs}, 1));
    }
    return {};
  }

  const LiveSnapshot& from_;
  const OpContext& context_;
  const std::size_t touched_max_;
  std::size_t statements_ = 0;
  std::unique_ptr<LoadingSink> sink_;
  std::vector<Id> telling_;
  std::vector<Id> naming_;
  std::unordered_set<Id, IdHash> known_;
  std::vector<Id> touched_;
  Vicinity vicinity_;
};

}  // namespace

Result<Vicinity> make_vicinity(const LiveSnapshot& from, const OpContext& context,
                               std::size_t touched_max) {
  return VicinityMaker(from, context, touched_max).run();
}

}  // namespace helve::store
