// Each interner's terms are sorted by section on their own, then the sorted runs are merged,
// repeats falling together, while the front-coded section is written.
#include "sources/store/dictionary_builder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "base/executor.h"
#include "sources/store/packed_column_builder.h"
#include "sources/store/string_sort.h"

namespace helve::store {

namespace {

constexpr std::size_t kSections = Dictionary::kSections;

std::size_t section_of(Tag tag) { return static_cast<std::size_t>(tag) - 1; }

// The sorted terms of one section in one interner.
using Run = std::vector<SortString>;

class DictionaryBuilder {
 public:
  DictionaryBuilder(std::vector<std::unique_ptr<TermInterner>>& interners, const OpContext& context)
      : interners_(interners),
        context_(context),
        charge_(*context.memory, "sorting the dictionary"),
        runs_(interners.size() * kSections) {}

  Result<BuiltDictionary> run() {
    std::size_t terms = 0;
    for (const auto& interner : interners_) terms += interner->terms().size();
    HELVE_TRY(charge_.add(build_dictionary_bytes(terms)));

    rank_qualifiers();
    collect();
    HELVE_TRY(parallel_for(runs_.size(), context_,
                           [this](std::size_t i) { return sort_strings(runs_[i], context_); }));
    built_.codes.resize(interners_.size());
    for (std::size_t i = 0; i < interners_.size(); ++i) {
      built_.codes[i].resize(interners_[i]->terms().size());
    }
    HELVE_TRY(parallel_for(kSections + 1, context_, [this](std::size_t i) -> Result<void> {
      return i < kSections ? merge_section(i) : merge_inlined();
    }));
    return finish();
  }

 private:
  // Gives every qualifier its place in the sorted list of all of them.
  void rank_qualifiers() {
    std::map<std::string_view, std::uint32_t> ranks;
    for (const auto& interner : interners_) {
      for (const auto& name : interner->qualifiers()) ranks.emplace(name, 0);
    }
    for (auto& [name, rank] : ranks) {
      rank = static_cast<std::uint32_t>(qualifier_names_.size());
      qualifier_names_.emplace_back(name);
    }
    for (const auto& interner : interners_) {
      std::vector<std::uint32_t> local;
      for (const auto& name : interner->qualifiers()) local.push_back(ranks[name]);
      for (InternedTerm& term : interner->terms()) {
        if (term.tag == Tag::LangString || term.tag == Tag::TypedLiteral) {
          term.qualifier = local[term.qualifier];
        }
      }
    }
  }

  void collect() {
    for (std::size_t i = 0; i < interners_.size(); ++i) {
      const auto& terms = interners_[i]->terms();
      for (std::size_t k = 0; k < terms.size(); ++k) {
        const InternedTerm& term = terms[k];
        if (term.is_inlined()) {
          inlined_.push_back(term.inlined_bits);
        } else {
          runs_[i * kSections + section_of(term.tag)].push_back(
              {term.text(), term.qualifier, static_cast<std::uint32_t>(k)});
        }
      }
    }
  }

  static bool is_less(const SortString& a, const SortString& b) {
    const int order = a.text.compare(b.text);
    return order != 0 ? order < 0 : a.tie < b.tie;
  }

  // Merges the runs of one section. Codes are places within the section until finish() shifts them.
  Result<void> merge_section(std::size_t section) {
    struct Head {
      std::size_t interner;
      std::size_t at;
    };
    const auto string_at = [&](const Head& head) -> const SortString& {
      return runs_[head.interner * kSections + section][head.at];
    };
    const auto later = [&](const Head& a, const Head& b) {
      return is_less(string_at(b), string_at(a));
    };
    std::priority_queue<Head, std::vector<Head>, decltype(later)> heads(later);
    for (std::size_t i = 0; i < interners_.size(); ++i) {
      if (!runs_[i * kSections + section].empty()) heads.push({i, 0});
    }
    FrontCodedBuilder strings;
    std::vector<std::uint32_t> qualifiers;
    const SortString* last = nullptr;
    std::uint64_t count = 0;
    while (!heads.empty()) {
      Head head = heads.top();
      heads.pop();
      // As long as this run stays ahead of the others there is no need to go through the queue.
      while (true) {
        const SortString& string = string_at(head);
        if (last == nullptr || is_less(*last, string)) {
          strings.add(string.text);
          if (has_qualifiers(section)) qualifiers.push_back(string.tie);
          if (count++ % 65'536 == 0) HELVE_TRY(context_.check());
          last = &string;
        }
        built_.codes[head.interner][string.index] = static_cast<Code>(count - 1);
        if (++head.at == runs_[head.interner * kSections + section].size()) break;
        if (!heads.empty() && later(head, heads.top())) {
          heads.push(head);
          break;
        }
      }
    }
    sections_[section] = {strings.finish(), pack_column<std::uint32_t>(qualifiers)};
    return {};
  }

  static bool has_qualifiers(std::size_t section) {
    return section == section_of(Tag::LangString) || section == section_of(Tag::TypedLiteral);
  }

  Result<void> merge_inlined() {
    std::sort(inlined_.begin(), inlined_.end());
    inlined_.erase(std::unique(inlined_.begin(), inlined_.end()), inlined_.end());
    return {};
  }

  Result<BuiltDictionary> finish() {
    std::array<std::uint64_t, kSections + 1> starts{};
    for (std::size_t i = 0; i < kSections; ++i) {
      starts[i + 1] = starts[i] + sections_[i].strings.size();
    }
    if (starts[kSections] + inlined_.size() >= std::numeric_limits<Code>::max()) {
      return Error{ErrorCode::LimitExceeded,
                   "the data has more than 4,294,967,294 different terms"};
    }
    HELVE_TRY(parallel_for(interners_.size(), context_, [&](std::size_t i) -> Result<void> {
      const auto& terms = interners_[i]->terms();
      for (std::size_t k = 0; k < terms.size(); ++k) {
        Code& code = built_.codes[i][k];
        if (!terms[k].is_inlined()) {
          code += static_cast<Code>(starts[section_of(terms[k].tag)]);
        } else {
          const auto place =
              std::lower_bound(inlined_.begin(), inlined_.end(), terms[k].inlined_bits);
          code = static_cast<Code>(starts[kSections] +
                                   static_cast<std::uint64_t>(place - inlined_.begin()));
        }
      }
      return {};
    }));
    built_.dictionary = Dictionary(std::move(sections_), std::move(qualifier_names_),
                                   pack_column<std::uint64_t>(inlined_));
    return std::move(built_);
  }

  std::vector<std::unique_ptr<TermInterner>>& interners_;
  const OpContext& context_;
  MemoryCharge charge_;
  std::vector<Run> runs_;  // by interner, then by section
  std::vector<std::uint64_t> inlined_;
  std::vector<std::string> qualifier_names_;
  std::array<DictionarySection, kSections> sections_;
  BuiltDictionary built_;
};

}  // namespace

std::size_t build_dictionary_bytes(std::size_t terms) {
  return terms * (2 * sizeof(SortString) + sizeof(Code) + 16);
}

Result<BuiltDictionary> build_dictionary(std::vector<std::unique_ptr<TermInterner>>& interners,
                                         const OpContext& context) {
  return DictionaryBuilder(interners, context).run();
}

}  // namespace helve::store
