#include "sources/sparql/engine/index_counts.h"

#include <utility>

#include "sources/sparql/engine/batch_operator.h"

namespace helve::sparql {

namespace {

Schema counts_schema(const std::string* key, const std::vector<IndexCount>& counts) {
  Schema schema;
  if (key != nullptr) schema.add(*key);
  for (const IndexCount& count : counts) schema.add(count.name);
  return schema;
}

Id number(std::uint64_t n, RunState& run) {
  return run.expressions.to_id(rdf::XsdValue::integer(static_cast<std::int64_t>(n)));
}

class IndexGroups final : public BatchOperator {
 public:
  IndexGroups(const QuadPattern& pattern, Part by, Schema schema, std::vector<IndexCount> counts,
              RunState& run)
      : BatchOperator(std::move(schema), run),
        run_(run),
        pattern_(pattern),
        by_(by),
        counts_(std::move(counts)) {}

  void restart() override {
    BatchOperator::restart();
    scan_.reset();
  }

 protected:
  Result<bool> fill(Batch& out) override {
    if (scan_ == nullptr) scan_ = run_.data().groups(pattern_, by_);
    if (!scan_->next(found_, rows_wanted())) return true;
    HELVE_TRY(pace(found_.values.size()));
    out.columns[0] = found_.values;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      for (std::size_t row = 0; row < found_.values.size(); ++row) {
        out.columns[i + 1].push_back(number(value(counts_[i], row), run_));
      }
    }
    out.rows = found_.values.size();
    return false;
  }

 private:
  std::uint64_t value(const IndexCount& count, std::size_t row) const {
    using Kind = IndexCount::Kind;
    if (count.kind == Kind::One) return 1;
    if (count.kind == Kind::Triples) return found_.counts[row];
    const auto of = run_.data().predicate_counts(found_.values[row]);
    if (!of) return 0;
    return count.kind == Kind::DistinctSubjects ? of->distinct_subjects : of->distinct_objects;
  }

  RunState& run_;
  QuadPattern pattern_;
  Part by_;
  std::vector<IndexCount> counts_;
  std::unique_ptr<GroupScan> scan_;
  GroupBatch found_;
};

class IndexCounts final : public BatchOperator {
 public:
  IndexCounts(const QuadPattern& pattern, Schema schema, std::vector<IndexCount> counts,
              RunState& run)
      : BatchOperator(std::move(schema), run),
        run_(run),
        pattern_(pattern),
        counts_(std::move(counts)) {}

 protected:
  Result<bool> fill(Batch& out) override {
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      HELVE_ASSIGN(const std::uint64_t n, value(counts_[i]));
      out.columns[i].push_back(number(n, run_));
    }
    out.rows = 1;
    return true;
  }

 private:
  Result<std::uint64_t> value(const IndexCount& count) {
    const Snapshot& data = run_.data();
    if (count.kind == IndexCount::Kind::Triples) return data.count(pattern_).n;
    std::uint64_t distinct = 0;
    const auto scan = data.groups(pattern_, count.part);
    GroupBatch found;
    while (scan->next(found, Batch::kRows)) {
      HELVE_TRY(pace(found.values.size()));
      distinct += found.values.size();
    }
    return distinct;
  }

  RunState& run_;
  QuadPattern pattern_;
  std::vector<IndexCount> counts_;
};

}  // namespace

OperatorPtr make_index_groups(const QuadPattern& pattern, Part by, const std::string& key,
                              std::vector<IndexCount> counts, RunState& run) {
  Schema schema = counts_schema(&key, counts);
  return std::make_unique<IndexGroups>(pattern, by, std::move(schema), std::move(counts), run);
}

OperatorPtr make_index_counts(const QuadPattern& pattern, std::vector<IndexCount> counts,
                              RunState& run) {
  Schema schema = counts_schema(nullptr, counts);
  return std::make_unique<IndexCounts>(pattern, std::move(schema), std::move(counts), run);
}

}  // namespace helve::sparql
