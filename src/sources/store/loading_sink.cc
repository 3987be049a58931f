#include "sources/store/loading_sink.h"

#include <algorithm>

namespace helve::store {

namespace {

constexpr std::uint64_t kCountStep = 4'096;
constexpr std::uint64_t kFullStep = 64;  // statements between two looks at the bytes
constexpr std::size_t kPrefixesKept = 10'000;
constexpr std::size_t kPrefixBytesMax = 1'024;  // name and IRI; longer ones are for no reader

}  // namespace

LoadingSink::LoadingSink(MemoryBudget& budget, std::uint64_t hash_seed)
    : budget_(budget),
      hash_seed_(hash_seed),
      interner_(std::make_unique<TermInterner>(budget, hash_seed)),
      charge_(budget, "reading statements") {}

void LoadingSink::begin_batch() {
  interner_ = std::make_unique<TermInterner>(budget_, hash_seed_);
  interner_->set_stable_text(stable_text_);
  quads_ = {};
  charge_ = MemoryCharge(budget_, "reading statements");
  counted_ = 0;
  subject_ = {};
  predicate_ = {};
  graph_ = {};
}

Result<LocalTerm> LoadingSink::intern_resource(const rdf::TermView& term, Remembered& last) {
  if (last.is_set && last.kind == term.kind && last.text == term.value) return last.term;
  HELVE_ASSIGN(last.term, interner_->intern(term));
  last.text.assign(term.value);
  last.kind = term.kind;
  last.is_set = true;
  return last.term;
}

Result<void> LoadingSink::statement(const rdf::StatementView& statement) {
  CodedQuad quad;
  HELVE_ASSIGN(quad.subject, intern_resource(statement.subject, subject_));
  HELVE_ASSIGN(quad.predicate, intern_resource(statement.predicate, predicate_));
  HELVE_ASSIGN(quad.object, interner_->intern(statement.object));
  quad.graph = kDefaultGraph;
  if (!statement.in_default_graph()) {
    HELVE_ASSIGN(quad.graph, intern_resource(statement.graph, graph_));
  } else if (!default_graph_.empty()) {
    HELVE_ASSIGN(quad.graph, intern_resource(rdf::TermView::iri(default_graph_), graph_));
  }
  if (quads_.size() == quads_.capacity()) {
    const std::size_t capacity = std::max<std::size_t>(1'024, quads_.capacity() * 2);
    HELVE_TRY(charge_.add((capacity - quads_.capacity()) * sizeof(CodedQuad)));
    quads_.reserve(capacity);
  }
  quads_.push_back(quad);
  if (quads_.size() % kCountStep == 0) flush_progress();
  if (on_full_ && quads_.size() % kFullStep == 0 && bytes_used() >= bytes_max_) {
    flush_progress();
    return on_full_(*this);
  }
  return {};
}

void LoadingSink::flush_progress() {
  if (on_progress_) on_progress_(quads_.size() - counted_);
  counted_ = quads_.size();
}

void LoadingSink::prefix(std::string_view name, std::string_view iri) {
  if (name.size() + iri.size() > kPrefixBytesMax || prefixes_.size() == kPrefixesKept) return;
  if (!prefix_names_.emplace(name).second) return;
  prefixes_.emplace_back(name, iri);
}

}  // namespace helve::store
