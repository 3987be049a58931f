#include "sources/sparql/engine/path_join.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "sources/sparql/engine/path_walk.h"
#include "sources/sparql/engine/triple_join.h"

namespace helve::sparql {

namespace {

// The two ends of a path, and rows that say what they are.
struct Ends {
  Slot subject;
  Slot object;

  bool have_same_column() const { return subject.column && subject.column == object.column; }
  bool are_variables() const { return subject.column && object.column; }
};

void set_if_free(Batch& out, const Slot& slot, Id id) {
  if (slot.column) out.columns[*slot.column].back() = id;
}

class ClosureJoin final : public RowExpander {
 public:
  ClosureJoin(OperatorPtr input, Schema schema, Ends ends, ResolvedPath path,
              const GraphScope& scope, const RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        ends_(ends),
        path_(std::move(path)),
        scope_(scope),
        walk_(scope, run),
        nodes_(run.memory(), "path closure"),
        found_(1, run.memory(), "path closure"),
        cached_(run.memory(), "path closure") {}

  void restart() override {
    RowExpander::restart();
    if (scope_.graph == cached_graph_) return;
    cached_graph_ = scope_.graph;
    cache_.clear();
    cached_.reset();
    nodes_.clear();
  }

 protected:
  Result<void> begin_row() override {
    subject_ = ends_.subject.value(input(), row(), input_columns());
    object_ = ends_.object.value(input(), row(), input_columns());
    at_ = 0;
    reached_ = {};
    start_ = 0;
    is_searching_all_ = !subject_.is_defined() && !object_.is_defined();
    if (is_searching_all_) {
      if (nodes_.table().rows() == 0) HELVE_TRY(walk_.add_nodes(nodes_));
      return {};
    }
    way_ = subject_.is_defined() ? Way::Forward : Way::Backward;
    from_ = subject_.is_defined() ? subject_ : object_;
    return reach();
  }

  Result<bool> produce(Batch& out) override {
    const bool is_to_bound = subject_.is_defined() && object_.is_defined();
    for (; at_ < reached_.size() && !is_full(out); ++at_) {
      if (is_to_bound && reached_[at_] != object_) continue;
      if (is_searching_all_ && ends_.have_same_column() && reached_[at_] != from_) continue;
      append(out, reached_[at_]);
    }
    HELVE_TRY(pace(1 + reached_.size() / 64));
    if (at_ < reached_.size()) return false;
    if (!is_searching_all_ || start_ == nodes_.table().rows()) return true;
    way_ = Way::Forward;
    from_ = nodes_.table().at(start_++, 0);
    at_ = 0;
    HELVE_TRY(reach());
    return false;
  }

 private:
  static constexpr std::size_t kCachedBytesMax = 32 * kMiB;

  void append(Batch& out, Id reached) const {
    append_input(out);
    set_if_free(out, ends_.subject, way_ == Way::Forward ? from_ : reached);
    set_if_free(out, ends_.object, way_ == Way::Forward ? reached : from_);
  }

  // A path of no length is a match where a term was written, or where the graph has the node.
  Result<void> reach() {
    reached_ = {};
    if (ends_.are_variables() && !is_searching_all_ && !walk_.is_node(from_)) return {};
    const std::uint64_t key = from_.bits();
    auto& cache = cache_[static_cast<std::size_t>(way_)];
    if (const auto known = cache.find(key); known != cache.end()) {
      reached_ = known->second;
      return {};
    }
    found_.clear();
    HELVE_TRY(walk_.step(path_, from_, way_, found_));
    reached_ = found_.ids();
    const std::size_t bytes = 64 + reached_.size() * sizeof(Id);
    if (is_searching_all_ || cached_.bytes() + bytes > kCachedBytesMax) return {};
    HELVE_TRY(cached_.add(bytes));
    cache.emplace(key, std::vector<Id>(reached_.begin(), reached_.end()));
    return {};
  }

  struct Caches : std::array<std::unordered_map<std::uint64_t, std::vector<Id>>, 2> {
    void clear() {
      for (auto& cache : *this) cache.clear();
    }
  };

  Ends ends_;
  ResolvedPath path_;
  const GraphScope& scope_;
  PathWalk walk_;
  NodeSet nodes_;   // of the graph, when both ends are free
  RowTable found_;  // by the last walk
  Caches cache_;    // by way: what was reached from a node
  MemoryCharge cached_;
  Id cached_graph_;

  Id subject_;
  Id object_;
  Id from_;
  Way way_ = Way::Forward;
  bool is_searching_all_ = false;
  std::uint32_t start_ = 0;
  std::span<const Id> reached_;  // in found_, or in the cache
  std::size_t at_ = 0;
};

// Triples whose predicate is none of the set; each of them is a match.
class NegatedJoin final : public RowExpander {
 public:
  NegatedJoin(OperatorPtr input, Schema schema, Ends ends, ResolvedPath path,
              const GraphScope& scope, const RunState& run)
      : RowExpander(std::move(input), std::move(schema), run),
        ends_(ends),
        path_(std::move(path)),
        scan_(run.data(), scope) {}

 protected:
  Result<void> begin_row() override {
    subject_ = ends_.subject.value(input(), row(), input_columns());
    object_ = ends_.object.value(input(), row(), input_columns());
    found_.rows = 0;
    at_ = 0;
    next_way_ = 0;
    return {};
  }

  Result<bool> produce(Batch& out) override {
    for (; at_ < found_.rows && !is_full(out); ++at_) append_match(out);
    if (at_ < found_.rows) return false;
    at_ = 0;
    found_.rows = 0;
    if (next_way_ > 0 && scan_.next(found_)) {
      HELVE_TRY(pace(found_.rows));
      return false;
    }
    found_.rows = 0;
    return !start_next_way();
  }

 private:
  bool start_next_way() {
    if (next_way_ == 0) {
      ++next_way_;
      way_ = Way::Forward;
      if (path_.goes_forward) {
        scan_.start(subject_, {}, object_);
        return true;
      }
    }
    if (next_way_ == 1) {
      ++next_way_;
      way_ = Way::Backward;
      if (path_.goes_backward) {
        scan_.start(object_, {}, subject_);
        return true;
      }
    }
    return false;
  }

  void append_match(Batch& out) const {
    const bool is_forward = way_ == Way::Forward;
    const auto& excluded = is_forward ? path_.not_forward : path_.not_backward;
    const Id predicate = found_[Part::Predicate][at_];
    if (std::find(excluded.begin(), excluded.end(), predicate) != excluded.end()) return;
    const Id from = found_[is_forward ? Part::Subject : Part::Object][at_];
    const Id to = found_[is_forward ? Part::Object : Part::Subject][at_];
    if (ends_.have_same_column() && from != to) return;
    append_input(out);
    set_if_free(out, ends_.subject, from);
    set_if_free(out, ends_.object, to);
  }

  Ends ends_;
  ResolvedPath path_;
  TripleScan scan_;
  Id subject_;
  Id object_;
  QuadBatch found_;
  std::size_t at_ = 0;
  int next_way_ = 0;
  Way way_ = Way::Forward;
};

}  // namespace

Result<OperatorPtr> make_path_join(OperatorPtr input, const TermPattern& subject, const Path& path,
                                   const TermPattern& object, const GraphScope& scope,
                                   RunState& run) {
  Schema schema = input->schema();
  Ends ends;
  HELVE_ASSIGN(ends.subject, make_slot(subject, schema, run));
  HELVE_ASSIGN(ends.object, make_slot(object, schema, run));
  HELVE_ASSIGN(ResolvedPath resolved, resolve_path(path, run));
  if (path.kind == Path::Kind::NegatedSet) {
    return OperatorPtr(std::make_unique<NegatedJoin>(std::move(input), std::move(schema), ends,
                                                     std::move(resolved), scope, run));
  }
  return OperatorPtr(std::make_unique<ClosureJoin>(std::move(input), std::move(schema), ends,
                                                   std::move(resolved), scope, run));
}

}  // namespace helve::sparql
