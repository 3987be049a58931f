#include "sources/sparql/engine/index_join.h"

#include <utility>

#include "sources/sparql/engine/batch_operator.h"

namespace helve::sparql {

namespace {

constexpr std::array<Part, 3> kJoinParts = {Part::Subject, Part::Predicate, Part::Object};

Schema joined_schema(const Schema& input, const std::vector<PatternSlots>& patterns,
                     const std::set<std::string>* kept) {
  Schema schema = input;
  for (const PatternSlots& slots : patterns) {
    for (const PatternSlot& slot : slots) {
      if (slot.is_variable()) schema.add(slot.variable);
    }
  }
  return kept_schema(schema, kept);
}

// A column of the input that the result has too.
struct KeptColumn {
  std::size_t from;
  std::size_t to;
};

// Most follow each other in both: that is tried before the search.
std::vector<KeptColumn> kept_columns(const Schema& input, const Schema& result) {
  std::vector<KeptColumn> kept;
  std::size_t next = 0;
  for (std::size_t to = 0; to < result.size(); ++to) {
    const std::string& name = result.names()[to];
    const bool is_next = next < input.size() && input.names()[next] == name;
    const auto from = is_next ? std::optional(next) : input.find(name);
    if (!from) continue;
    kept.push_back({*from, to});
    next = *from + 1;
  }
  return kept;
}

// The keys of one pattern: what the columns of a batch are for it.
class KeyColumns {
 public:
  KeyColumns(const PatternSlots& slots, const Schema& input) {
    for (std::size_t i = 0; i < kJoinParts.size(); ++i) {
      keys_.parts[i].constant = slots[i].constant;
      if (slots[i].constant.tag() == rdf::Tag::Local) is_impossible_ = true;
      if (slots[i].is_variable()) columns_[i] = input.find(slots[i].variable);
    }
  }

  bool is_impossible() const { return is_impossible_; }
  LookupKeys of(const Batch& batch, const GraphScope& scope, bool is_ascending) const {
    LookupKeys keys = keys_;
    keys.graph = choice_of(scope);
    keys.rows = batch.rows;
    keys.is_ascending = is_ascending;
    for (std::size_t i = 0; i < kJoinParts.size(); ++i) {
      if (columns_[i]) keys.parts[i].ids = batch.columns[*columns_[i]].data();
    }
    return keys;
  }

 private:
  LookupKeys keys_;
  std::array<std::optional<std::size_t>, 3> columns_;
  bool is_impossible_ = false;  // a term that the data does not have
};

// What both joins do with their input.
class LookupOperator : public BatchOperator {
 public:
  void restart() override {
    BatchOperator::restart();
    input_->restart();
    is_open_ = false;
  }

 protected:
  LookupOperator(OperatorPtr input, Schema schema, const GraphScope& scope, const RunState& run)
      : BatchOperator(std::move(schema), run),
        input_(std::move(input)),
        scope_(scope),
        kept_(kept_columns(input_->schema(), this->schema())) {}

  virtual bool is_impossible() const = 0;
  virtual void open(const Batch& batch) = 0;
  // Appends matches of the batch, `rows_max` at most; false: it is done.
  virtual Result<bool> look_up(Batch& out, std::size_t rows_max) = 0;

  Result<bool> fill(Batch& out) final {
    if (is_impossible()) return true;
    while (!is_full(out)) {
      if (!is_open_) {
        HELVE_ASSIGN(const bool has_rows, input_->next(batch_));
        if (!has_rows) return true;
        HELVE_TRY(pace(batch_.rows));
        open(batch_);
      }
      HELVE_ASSIGN(is_open_, look_up(out, rows_wanted() - out.rows));
      // It came back for the clock to be looked at.
      if (is_open_ && !is_full(out)) HELVE_TRY(pace(kSkippedMax));
    }
    return false;
  }

  void append_input(std::span<const std::uint32_t> rows, Batch& out) {
    for (const KeptColumn& column : kept_) {
      gather(batch_.columns[column.from], rows, out.columns[column.to]);
    }
    out.rows += rows.size();
  }

  const Schema& input_schema() const { return input_->schema(); }
  const GraphScope& scope() const { return scope_; }

 private:
  OperatorPtr input_;
  const GraphScope& scope_;
  std::vector<KeptColumn> kept_;
  Batch batch_;
  bool is_open_ = false;
};

class IndexJoin final : public LookupOperator {
 public:
  IndexJoin(OperatorPtr input, Schema schema, const PatternSlots& slots, const GraphScope& scope,
            const IndexJoinOptions& options, const RunState& run)
      : LookupOperator(std::move(input), std::move(schema), scope, run),
        keys_(slots, input_schema()),
        is_ascending_(options.is_ascending) {
    Parts wanted = 0;
    for (std::size_t i = 0; i < kJoinParts.size(); ++i) {
      if (!slots[i].is_variable() || input_schema().find(slots[i].variable)) continue;
      const auto column = this->schema().find(slots[i].variable);
      if (!column) continue;
      added_.push_back({i, *column});
      wanted |= bit(kJoinParts[i]);
    }
    lookup_ = run.data().lookup(options.kind, wanted);
  }

 protected:
  bool is_impossible() const override { return keys_.is_impossible(); }
  void open(const Batch& batch) override {
    lookup_->start(keys_.of(batch, scope(), is_ascending_));
  }

  Result<bool> look_up(Batch& out, std::size_t rows_max) override {
    matches_.clear();
    const bool has_more = lookup_->next(matches_, rows_max);
    HELVE_TRY(pace(matches_.rows.size()));
    const bool is_first = out.rows == 0;
    append_input(matches_.rows, out);
    for (const KeptColumn& column : added_) {
      auto& found = matches_.columns[column.from];
      auto& to = out.columns[column.to];
      if (is_first) {
        std::swap(to, found);
      } else {
        to.insert(to.end(), found.begin(), found.end());
      }
    }
    return has_more;
  }

 private:
  KeyColumns keys_;
  bool is_ascending_;
  std::vector<KeptColumn> added_;  // from a part of the pattern
  std::unique_ptr<Lookup> lookup_;
  Matches matches_;
};

class LeapfrogJoin final : public LookupOperator {
 public:
  LeapfrogJoin(OperatorPtr input, Schema schema, const std::string& variable,
               const std::vector<PatternSlots>& patterns, const GraphScope& scope,
               std::unique_ptr<Intersection> intersection, const RunState& run)
      : LookupOperator(std::move(input), std::move(schema), scope, run),
        column_(this->schema().find(variable)),
        intersection_(std::move(intersection)) {
    for (const PatternSlots& slots : patterns) columns_.emplace_back(slots, input_schema());
  }

 protected:
  bool is_impossible() const override {
    return std::any_of(columns_.begin(), columns_.end(),
                       [](const KeyColumns& keys) { return keys.is_impossible(); });
  }
  void open(const Batch& batch) override {
    keys_.clear();
    for (const KeyColumns& keys : columns_) keys_.push_back(keys.of(batch, scope(), false));
    intersection_->start(keys_);
  }

  Result<bool> look_up(Batch& out, std::size_t rows_max) override {
    rows_.clear();
    values_.clear();
    const bool has_more = intersection_->next(rows_, values_, rows_max);
    HELVE_TRY(pace(rows_.size()));
    append_input(rows_, out);
    if (column_) {
      auto& to = out.columns[*column_];
      to.insert(to.end(), values_.begin(), values_.end());
    }
    return has_more;
  }

 private:
  std::vector<KeyColumns> columns_;
  std::optional<std::size_t> column_;
  std::unique_ptr<Intersection> intersection_;
  std::vector<LookupKeys> keys_;
  std::vector<std::uint32_t> rows_;
  std::vector<Id> values_;
};

}  // namespace

OperatorPtr make_index_join(OperatorPtr input, const PatternSlots& slots, const GraphScope& scope,
                            const IndexJoinOptions& options, const RunState& run) {
  Schema schema = joined_schema(input->schema(), {slots}, options.kept);
  return std::make_unique<IndexJoin>(std::move(input), std::move(schema), slots, scope, options,
                                     run);
}

std::optional<Order> looked_up_order(const PatternSlots& slots, const Schema& input,
                                     const GraphScope& scope, const IndexJoinOptions& options,
                                     const Snapshot& data) {
  const std::unique_ptr<Lookup> lookup = data.lookup(options.kind, 0);
  Batch none;
  none.columns.resize(input.size(), {Id()});
  const KeyColumns keys(slots, input);
  const auto choice = shown_choice(scope, data);
  if (lookup == nullptr || keys.is_impossible() || !choice) return std::nullopt;
  LookupKeys shape = keys.of(none, scope, options.is_ascending);
  shape.graph = *choice;
  lookup->start(shape);
  return lookup->order();
}

OperatorPtr make_leapfrog_join(OperatorPtr& input, const std::string& variable,
                               const std::vector<PatternSlots>& patterns, const GraphScope& scope,
                               const std::set<std::string>* kept, const RunState& run) {
  std::vector<Part> free;
  for (const PatternSlots& slots : patterns) {
    for (std::size_t i = 0; i < kJoinParts.size(); ++i) {
      if (slots[i].variable == variable) free.push_back(kJoinParts[i]);
    }
  }
  std::unique_ptr<Intersection> intersection = run.data().intersect(free);
  if (intersection == nullptr) return nullptr;
  Schema schema = joined_schema(input->schema(), patterns, kept);
  return std::make_unique<LeapfrogJoin>(std::move(input), std::move(schema), variable, patterns,
                                        scope, std::move(intersection), run);
}

}  // namespace helve::sparql
