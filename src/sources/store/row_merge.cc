#include "sources/store/row_merge.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/executor.h"
#include "sources/store/run_merge.h"
#include "sources/store/snapshot_layout.h"

namespace helve::store {

namespace {

constexpr std::uint64_t kRowStep = 65'536;  // rows between two checks

// The codes that are marked, if they are few enough to be named.
std::vector<Code> marked(const std::vector<bool>& is_used, const std::vector<Code>& codes) {
  std::vector<Code> used;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (!is_used[i]) continue;
    used.push_back(codes[i]);
    if (used.size() > CodeColumn::kNamesMax) break;
  }
  return used;
}

PartNames united(const std::vector<std::vector<Code>>& by_batch) {
  std::set<Code> all;
  for (const auto& codes : by_batch) {
    all.insert(codes.begin(), codes.end());
    if (all.size() > CodeColumn::kNamesMax) return {};
  }
  return PartNames(std::vector<Code>(all.begin(), all.end()));
}

}  // namespace

Result<void> RowMerge::run(SnapshotStream& stream, std::atomic<std::uint64_t>& done) {
  for (const LoadBatch& batch : batches_) parts_ = std::max(parts_, batch.row_parts());
  rows_.resize(batches_.size());
  predicates_.resize(batches_.size());
  graphs_.resize(batches_.size());
  HELVE_TRY(parallel_for(batches_.size(), context_, [&](std::size_t i) {
    return code_batch(i, stream.default_graph(), done);
  }));
  stream.start_orders(plan());
  OrderStream& spo = stream.order(Order::Spo);
  HELVE_TRY(parts_ == 4 ? merge<4>(spo, done) : merge<3>(spo, done));
  rows_.clear();
  return stream.finish_order(Order::Spo);
}

OrderPlan RowMerge::plan() const {
  const bool has_named_graphs = parts_ == 4;
  return {has_named_graphs, united(predicates_), has_named_graphs ? united(graphs_) : PartNames()};
}

Result<void> RowMerge::code_batch(std::size_t index, Code default_graph,
                                  std::atomic<std::uint64_t>& done) {
  LoadBatch& batch = batches_[index];
  MemoryCharge charge(*place_.memory, "numbering statements");
  HELVE_TRY(charge.resize(batch.term_count() * (sizeof(Code) + 1)));
  const std::vector<Code> codes = terms_.codes(index);
  std::vector<bool> is_predicate(codes.size());
  std::vector<bool> is_graph(parts_ == 4 ? codes.size() : 0);
  bool has_default = false;
  ScratchBytes out(place_);
  const std::size_t parts = batch.row_parts();
  const LocalTerm* row = batch.quads.begin();
  const std::uint64_t rows = batch.rows();
  for (std::uint64_t i = 0; i < rows; ++i, row += parts) {
    std::array<Code, 4> coded{codes[row[0]], codes[row[1]], codes[row[2]], default_graph};
    is_predicate[row[1]] = true;
    if (parts == 4 && row[3] != LoadingSink::kDefaultGraph) {
      coded[3] = codes[row[3]];
      is_graph[row[3]] = true;
    } else {
      has_default = true;
    }
    HELVE_TRY(out.append(bytes_of(coded.data(), parts_)));
    if ((i + 1) % kRowStep == 0) {
      done.fetch_add(kRowStep, std::memory_order_relaxed);
      HELVE_TRY(context_.check());
    }
  }
  HELVE_ASSIGN(rows_[index], out.finish<Code>());
  predicates_[index] = marked(is_predicate, codes);
  if (parts_ == 4) graphs_[index] = marked(is_graph, codes);
  if (parts_ == 4 && has_default) graphs_[index].push_back(default_graph);
  batch.quads = {};
  return {};
}

template <std::size_t kParts>
Result<void> RowMerge::merge(OrderStream& out, std::atomic<std::uint64_t>& done) {
  using Row = std::array<Code, kParts>;
  const auto row_at = [](const Code* at) {
    Row row;
    std::copy_n(at, kParts, row.begin());
    return row;
  };
  std::vector<const Code*> at;
  for (const auto& rows : rows_) at.push_back(rows.begin());
  RunQueue queue([&](std::size_t a, std::size_t b) {
    return std::lexicographical_compare(at[a], at[a] + kParts, at[b], at[b] + kParts);
  });
  for (std::size_t run = 0; run < rows_.size(); ++run) {
    if (!rows_[run].empty()) queue.push(run);
  }
  Row last{};
  bool is_first = true;
  for (std::uint64_t taken = 1; !queue.empty(); ++taken) {
    const std::size_t run = queue.top();
    const Row row = row_at(at[run]);
    if (is_first || row != last) {
      OrderRow added{};
      std::copy(row.begin(), row.end(), added.begin());
      HELVE_TRY(out.add(added));
      last = row;
      is_first = false;
    }
    at[run] += kParts;
    queue.move_on(at[run] != rows_[run].end());
    if (taken % kRowStep == 0) done.fetch_add(kRowStep, std::memory_order_relaxed);
  }
  return {};
}

}  // namespace helve::store
