#include "sources/store/term_merge.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/executor.h"
#include "sources/store/run_merge.h"
#include "sources/store/term_run.h"

namespace helve::store {

namespace {

constexpr std::uint64_t kTermStep = 16'384;  // terms between two checks

}  // namespace

TermMerge::TermMerge(const std::vector<LoadBatch>& batches, const BuildPlace& place,
                     const OpContext& context)
    : batches_(batches), context_(context) {
  for (std::size_t i = 0; i < kKinds; ++i) {
    places_.push_back(std::make_unique<ScratchStreams>(place, batches.size()));
  }
}

std::vector<std::string> TermMerge::merge_qualifiers() {
  std::map<std::string_view, std::uint32_t> ranks;
  for (const LoadBatch& batch : batches_) {
    for (const auto& name : batch.qualifiers) ranks.emplace(name, 0);
  }
  std::vector<std::string> names;
  for (auto& [name, rank] : ranks) {
    rank = static_cast<std::uint32_t>(names.size());
    names.emplace_back(name);
  }
  for (const LoadBatch& batch : batches_) {
    auto& of_batch = qualifiers_.emplace_back();
    for (const auto& name : batch.qualifiers) of_batch.push_back(ranks[name]);
  }
  return names;
}

Result<void> TermMerge::run(SnapshotStream& stream, std::atomic<std::uint64_t>& done) {
  std::vector<std::string> names = merge_qualifiers();
  const auto merge = [&](std::size_t kind) -> Result<void> {
    HELVE_TRY(places_[kind]->start());
    HELVE_TRY(kind < Dictionary::kSections ? merge_section(kind, stream, done)
                                           : merge_inlined(stream, done));
    return places_[kind]->finish();
  };
  HELVE_TRY(parallel_for(kKinds, context_, merge));
  HELVE_TRY(stream.finish_terms(std::move(names)));
  for (std::size_t kind = 1; kind < kKinds; ++kind) {
    starts_[kind] =
        starts_[kind - 1] + stream.dictionary().section(static_cast<Tag>(kind)).strings.size();
  }
  return {};
}

Result<void> TermMerge::merge_section(std::size_t section, SnapshotStream& stream,
                                      std::atomic<std::uint64_t>& done) {
  const bool has_qualifiers = section_has_qualifiers(section);
  std::vector<TermRunReader> readers;
  std::vector<std::uint32_t> ties(batches_.size());  // qualifiers of what comes next
  const auto advance = [&](std::size_t run) {
    if (!readers[run].next()) return false;
    if (has_qualifiers) ties[run] = qualifiers_[run][readers[run].qualifier()];
    return true;
  };
  RunQueue queue([&](std::size_t a, std::size_t b) {
    const int order = readers[a].text().compare(readers[b].text());
    return order != 0 ? order < 0 : ties[a] < ties[b];
  });
  for (const LoadBatch& batch : batches_) readers.emplace_back(batch.run(section), has_qualifiers);
  for (std::size_t run = 0; run < readers.size(); ++run) {
    if (advance(run)) queue.push(run);
  }
  const auto tag = static_cast<Tag>(section + 1);
  std::string last;
  std::uint32_t last_tie = 0;
  std::uint64_t count = 0;  // different terms
  for (std::uint64_t taken = 1; !queue.empty(); ++taken) {
    const std::size_t run = queue.top();
    const std::string_view text = readers[run].text();
    if (count == 0 || ties[run] != last_tie || text != last) {
      HELVE_TRY(stream.add_term(tag, text, ties[run]));
      last.assign(text);
      last_tie = ties[run];
      ++count;
    }
    HELVE_TRY(places_[section]->add(run, static_cast<Code>(count - 1)));
    queue.move_on(advance(run));
    if (taken % kTermStep == 0) {
      done.fetch_add(kTermStep, std::memory_order_relaxed);
      HELVE_TRY(context_.check());
    }
  }
  return {};
}

Result<void> TermMerge::merge_inlined(SnapshotStream& stream, std::atomic<std::uint64_t>& done) {
  std::vector<std::size_t> at(batches_.size());
  RunQueue queue([&](std::size_t a, std::size_t b) {
    return batches_[a].inlined[at[a]] < batches_[b].inlined[at[b]];
  });
  for (std::size_t run = 0; run < batches_.size(); ++run) {
    if (!batches_[run].inlined.empty()) queue.push(run);
  }
  std::uint64_t last = 0;
  std::uint64_t count = 0;
  for (std::uint64_t taken = 1; !queue.empty(); ++taken) {
    const std::size_t run = queue.top();
    const std::uint64_t bits = batches_[run].inlined[at[run]];
    if (count == 0 || bits != last) {
      HELVE_TRY(stream.add_inlined(bits));
      last = bits;
      ++count;
    }
    HELVE_TRY(places_.back()->add(run, static_cast<Code>(count - 1)));
    queue.move_on(++at[run] < batches_[run].inlined.size());
    if (taken % kTermStep == 0) {
      done.fetch_add(kTermStep, std::memory_order_relaxed);
      HELVE_TRY(context_.check());
    }
  }
  return {};
}

std::vector<Code> TermMerge::codes(std::size_t batch) const {
  std::vector<Code> codes;
  codes.reserve(batches_[batch].term_count());
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const auto start = static_cast<Code>(starts_[kind]);
    places_[kind]->for_each(batch, [&](std::span<const Code> places) {
      for (const Code place : places) codes.push_back(start + place);
    });
  }
  return codes;
}

}  // namespace helve::store
