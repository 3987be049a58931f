#include "sources/store/load_batch.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "sources/store/snapshot_layout.h"
#include "sources/store/string_sort.h"
#include "sources/store/term_run.h"

namespace helve::store {

namespace {

// SortString twice, a key of the sort, a number.
constexpr std::size_t kSortBytesPerTerm = 2 * sizeof(SortString) + 16 + sizeof(LocalTerm);

class BatchWriter {
 public:
  BatchWriter(LoadingSink& sink, const BuildPlace& place, const OpContext& context)
      : interner_(sink.take_interner()),
        quads_(sink.take_quads()),
        quads_charge_(sink.take_charge()),
        place_(place),
        context_(context),
        charge_(*place.memory, "sorting a part of the data") {}

  Result<LoadBatch> run() {
    interner_->forget_index();
    const std::size_t terms = interner_->terms().size();
    HELVE_TRY(charge_.resize(terms * kSortBytesPerTerm));
    HELVE_TRY(rank_qualifiers());
    ranks_.resize(terms);
    HELVE_TRY(write_terms());
    HELVE_TRY(write_inlined());
    interner_.reset();
    HELVE_TRY(charge_.resize(terms * 2 * sizeof(LocalTerm) + quads_.size() * sizeof(CodedQuad)));
    rank_quads();
    HELVE_TRY(sort_quads());
    HELVE_TRY(write_quads());
    return std::move(batch_);
  }

 private:
  Result<void> rank_qualifiers() {
    std::map<std::string_view, std::uint32_t> ranks;
    std::size_t bytes = 0;
    for (const auto& name : interner_->qualifiers()) {
      ranks.emplace(name, 0);
      bytes += name.size() + 2 * sizeof(std::string);
    }
    batch_.charge = MemoryCharge(*place_.memory, "languages and datatypes");
    HELVE_TRY(batch_.charge.resize(bytes));
    for (auto& [name, rank] : ranks) {
      rank = static_cast<std::uint32_t>(batch_.qualifiers.size());
      batch_.qualifiers.emplace_back(name);
    }
    for (const auto& name : interner_->qualifiers()) qualifier_ranks_.push_back(ranks[name]);
    return {};
  }

  Result<void> write_terms() {
    ScratchBytes out(place_);
    std::vector<SortString> strings;
    for (std::size_t section = 0; section < Dictionary::kSections; ++section) {
      strings.clear();
      gather(section, strings);
      HELVE_TRY(sort_strings(strings, context_));
      LoadBatch::Section& made = batch_.sections[section];
      made.first_byte = out.size();
      made.size = static_cast<std::uint32_t>(strings.size());
      TermRunWriter run(out, section_has_qualifiers(section));
      for (const SortString& string : strings) {
        ranks_[string.index] = next_rank_++;
        HELVE_TRY(run.add(string.text, string.tie));
      }
      made.last_byte = out.size();
    }
    HELVE_ASSIGN(batch_.terms, out.finish<char>());
    return {};
  }

  void gather(std::size_t section, std::vector<SortString>& strings) const {
    const auto tag = static_cast<Tag>(section + 1);
    const auto& terms = interner_->terms();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].tag != tag) continue;
      const std::uint32_t tie =
          section_has_qualifiers(section) ? qualifier_ranks_[terms[i].qualifier] : 0;
      strings.push_back({terms[i].text(), tie, static_cast<std::uint32_t>(i)});
    }
  }

  Result<void> write_inlined() {
    std::vector<std::pair<std::uint64_t, LocalTerm>> inlined;
    const auto& terms = interner_->terms();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].is_inlined()) {
        inlined.emplace_back(terms[i].inlined_bits, static_cast<LocalTerm>(i));
      }
    }
    std::sort(inlined.begin(), inlined.end());
    ScratchBytes out(place_);
    for (const auto& [bits, term] : inlined) {
      ranks_[term] = next_rank_++;
      HELVE_TRY(out.append(bytes_of(&bits, 1)));
    }
    HELVE_ASSIGN(batch_.inlined, out.finish<std::uint64_t>());
    return {};
  }

  void rank_quads() {
    for (CodedQuad& quad : quads_) {
      quad.subject = ranks_[quad.subject];
      quad.predicate = ranks_[quad.predicate];
      quad.object = ranks_[quad.object];
      if (quad.graph == LoadingSink::kDefaultGraph) continue;
      quad.graph = ranks_[quad.graph];
      batch_.has_named_graphs = true;
    }
  }

  // By subject, which is the number of an IRI or a blank node, in one pass; a subject's few
  // statements by themselves.
  Result<void> sort_quads() {
    HELVE_TRY(context_.check());
    std::vector<LocalTerm>& starts = ranks_;
    const std::size_t subjects = batch_.sections[0].size + std::size_t{batch_.sections[1].size};
    starts.assign(subjects + 1, 0);
    for (const CodedQuad& quad : quads_) ++starts[quad.subject + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    std::vector<CodedQuad> sorted(quads_.size());
    for (const CodedQuad& quad : quads_) sorted[starts[quad.subject]++] = quad;
    quads_.swap(sorted);
    HELVE_TRY(context_.check());
    std::size_t first = 0;
    for (std::size_t subject = 0; subject < subjects; ++subject) {
      const std::size_t last = starts[subject];
      std::sort(quads_.begin() + static_cast<std::ptrdiff_t>(first),
                quads_.begin() + static_cast<std::ptrdiff_t>(last),
                [](const CodedQuad& a, const CodedQuad& b) {
                  return std::tie(a.predicate, a.object, a.graph) <
                         std::tie(b.predicate, b.object, b.graph);
                });
      first = last;
    }
    return {};
  }

  Result<void> write_quads() {
    ScratchBytes out(place_);
    const std::size_t parts = batch_.row_parts();
    const CodedQuad* last = nullptr;
    for (const CodedQuad& quad : quads_) {
      const std::array<LocalTerm, 4> row{quad.subject, quad.predicate, quad.object, quad.graph};
      const bool is_repeat = last != nullptr && last->subject == quad.subject &&
                             last->predicate == quad.predicate && last->object == quad.object &&
                             last->graph == quad.graph;
      last = &quad;
      if (is_repeat) continue;
      HELVE_TRY(out.append(bytes_of(row.data(), parts)));
    }
    HELVE_ASSIGN(batch_.quads, out.finish<LocalTerm>());
    return {};
  }

  std::unique_ptr<TermInterner> interner_;
  std::vector<CodedQuad> quads_;
  MemoryCharge quads_charge_;
  const BuildPlace place_;
  const OpContext& context_;
  MemoryCharge charge_;
  std::vector<std::uint32_t> qualifier_ranks_;  // by qualifier of the interner
  std::vector<LocalTerm> ranks_;                // by term of the interner
  LocalTerm next_rank_ = 0;
  LoadBatch batch_;
};

}  // namespace

std::size_t batch_sort_bytes(const LoadingSink& sink) {
  return std::max(sink.terms() * kSortBytesPerTerm,
                  sink.terms() * 2 * sizeof(LocalTerm) + sink.quads() * sizeof(CodedQuad));
}

Result<LoadBatch> put_aside(LoadingSink& sink, const BuildPlace& place, const OpContext& context) {
  return BatchWriter(sink, place, context).run();
}

}  // namespace helve::store
