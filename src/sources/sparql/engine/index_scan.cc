#include "sources/sparql/engine/index_scan.h"

#include <utility>
#include <vector>

#include "sources/sparql/engine/batch_operator.h"

namespace helve::sparql {

namespace {

constexpr std::array<Part, 3> kScanParts = {Part::Subject, Part::Predicate, Part::Object};

Schema scan_schema(const PatternSlots& slots, const std::set<std::string>* kept) {
  Schema schema;
  for (const PatternSlot& slot : slots) {
    if (slot.is_variable()) schema.add(slot.variable);
  }
  return kept_schema(schema, kept);
}

class IndexScan final : public BatchOperator {
 public:
  IndexScan(const PatternSlots& slots, const GraphScope& scope, std::optional<Order> preferred,
            Schema schema, const RunState& run, const ScanPart* part)
      : BatchOperator(std::move(schema), run),
        data_(run.data()),
        scope_(scope),
        preferred_(preferred),
        part_(part),
        pattern_{slots[0].constant, slots[1].constant, slots[2].constant, {}} {
    for (std::size_t i = 0; i < kScanParts.size(); ++i) {
      const auto column = this->schema().find(slots[i].variable);
      if (slots[i].constant.tag() == rdf::Tag::Local) is_empty_ = true;
      if (!slots[i].is_variable() || !column) continue;
      columns_.push_back({kScanParts[i], *column});
      wanted_ |= bit(kScanParts[i]);
    }
  }

  void restart() override {
    BatchOperator::restart();
    is_started_ = false;
  }

 protected:
  Result<bool> fill(Batch& out) override {
    if (is_empty_) return true;
    if (!is_started_) start();
    if (!scan_->next(found_, rows_wanted())) return true;
    HELVE_TRY(pace(found_.rows));
    for (const auto& [part, column] : columns_) {
      std::swap(out.columns[column], found_.columns[static_cast<std::size_t>(part)]);
    }
    out.rows = found_.rows;
    return false;
  }

 private:
  struct OutColumn {
    Part part;
    std::size_t column;
  };

  void start() {
    pattern_.graph = choice_of(scope_);
    if (scan_ == nullptr) {
      scan_ = data_.scan(pattern_, preferred_, wanted_);
    } else if (part_ == nullptr) {
      scan_->restart(pattern_);
    }
    if (part_ != nullptr) scan_->restart_part(pattern_, part_->part, part_->parts);
    is_started_ = true;
  }

  const Snapshot& data_;
  const GraphScope& scope_;
  std::optional<Order> preferred_;
  const ScanPart* part_;
  QuadPattern pattern_;
  std::vector<OutColumn> columns_;
  Parts wanted_ = 0;
  bool is_empty_ = false;
  bool is_started_ = false;
  std::unique_ptr<Scan> scan_;
  QuadBatch found_;
};

}  // namespace

bool is_one_graph(const GraphScope& scope) { return scope.kind != GraphScope::Kind::Merged; }

GraphChoice choice_of(const GraphScope& scope) {
  using Kind = GraphChoice::Kind;
  if (scope.kind == GraphScope::Kind::Default) return {Kind::Default, {}};
  if (scope.kind == GraphScope::Kind::Union) return {Kind::Union, {}};
  return {Kind::One, scope.graph};
}

OperatorPtr make_index_scan(const PatternSlots& slots, const GraphScope& scope,
                            std::optional<Order> preferred, const std::set<std::string>* kept,
                            const RunState& run, const ScanPart* part) {
  return std::make_unique<IndexScan>(slots, scope, preferred, scan_schema(slots, kept), run, part);
}

std::optional<GraphChoice> shown_choice(const GraphScope& scope, const Snapshot& data) {
  GraphChoice choice = choice_of(scope);
  if (choice.kind == GraphChoice::Kind::One && !choice.graph.is_defined()) {
    const std::vector<Id> named = data.named_graphs();
    if (named.empty()) return std::nullopt;
    choice.graph = named.front();
  }
  return choice;
}

std::optional<Order> scanned_order(const PatternSlots& slots, const GraphScope& scope,
                                   std::optional<Order> preferred, const Snapshot& data) {
  for (const PatternSlot& slot : slots) {
    if (slot.constant.tag() == rdf::Tag::Local) return std::nullopt;
  }
  const auto choice = shown_choice(scope, data);
  if (!choice) return std::nullopt;
  return data.scan({slots[0].constant, slots[1].constant, slots[2].constant, *choice}, preferred)
      ->order();
}

}  // namespace helve::sparql
