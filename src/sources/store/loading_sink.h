// LoadingSink: takes the statements of one loading thread and keeps them as local terms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/memory_budget.h"
#include "sources/rdf/reader.h"
#include "sources/store/index_builder.h"
#include "sources/store/term_interner.h"

namespace helve::store {

// Not thread-safe.
class LoadingSink final : public rdf::StatementSink {
 public:
  // Stands for the default graph among local terms.
  static constexpr LocalTerm kDefaultGraph = 0xFFFFFFFF;

  LoadingSink(MemoryBudget& budget, std::uint64_t hash_seed);

  // Called every few thousand statements, and by flush_progress(), with their number since then.
  void set_on_progress(std::function<void(std::uint64_t)> on_progress) {
    on_progress_ = std::move(on_progress);
  }

  // Called when what was taken since the last begin_batch() passes so many bytes; must take it away
  // and call begin_batch().
  void set_on_full(std::size_t bytes_max, std::function<Result<void>(LoadingSink&)> on_full) {
    bytes_max_ = bytes_max;
    on_full_ = std::move(on_full);
  }
  // Starts anew; the prefixes stay.
  void begin_batch();
  std::size_t bytes_used() const {
    return interner_->bytes_used() + quads_.size() * sizeof(CodedQuad);
  }
  std::size_t terms() const { return interner_->terms().size(); }
  std::size_t quads() const { return quads_.size(); }
  const TermInterner& interner() const { return *interner_; }
  bool has_named_graphs() const { return graph_.is_set; }

  // Text of a document that outlives the load: its terms are not copied.
  void set_stable_text(std::string_view text) {
    stable_text_ = text;
    interner_->set_stable_text(text);
  }

  // Where statements of the default graph go: the graph with this IRI, which must outlive its use;
  // empty: the default graph.
  void set_default_graph(std::string_view iri) { default_graph_ = iri; }

  Result<void> statement(const rdf::StatementView& statement) override;
  void prefix(std::string_view name, std::string_view iri) override;
  void flush_progress();

  std::unique_ptr<TermInterner> take_interner() { return std::move(interner_); }
  // Local terms, not yet codes; take_charge() accounts for them.
  std::vector<CodedQuad> take_quads() { return std::move(quads_); }
  MemoryCharge take_charge() { return std::move(charge_); }
  const std::vector<std::pair<std::string, std::string>>& prefixes() const { return prefixes_; }

 private:
  // The term of the last statement in one place: neighbours mostly share subject or graph.
  struct Remembered {
    std::string text;
    rdf::TermKind kind = rdf::TermKind::Iri;
    LocalTerm term = kDefaultGraph;
    bool is_set = false;
  };
  Result<LocalTerm> intern_resource(const rdf::TermView& term, Remembered& last);

  MemoryBudget& budget_;
  const std::uint64_t hash_seed_;
  std::unique_ptr<TermInterner> interner_;
  MemoryCharge charge_;
  std::size_t bytes_max_ = 0;
  std::function<Result<void>(LoadingSink&)> on_full_;
  std::string_view stable_text_;
  std::function<void(std::uint64_t)> on_progress_;
  std::string_view default_graph_;
  std::uint64_t counted_ = 0;
  std::vector<CodedQuad> quads_;
  std::vector<std::pair<std::string, std::string>> prefixes_;
  std::unordered_set<std::string> prefix_names_;
  Remembered subject_;
  Remembered predicate_;
  Remembered graph_;
};

}  // namespace helve::store
