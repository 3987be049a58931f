#include "toolkit/memory/vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "base/text.h"

namespace helve::memory {

namespace {

constexpr std::size_t kValueBytes = 4;

void keep_best(std::vector<Ranked>& ranked, std::size_t count) {
  const auto is_better = [](const Ranked& left, const Ranked& right) {
    return left.score != right.score ? left.score > right.score : left.id < right.id;
  };
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(count),
                    ranked.end(), is_better);
  ranked.resize(count);
}

}  // namespace

std::string vector_bytes(const std::vector<float>& values) {
  std::string bytes;
  bytes.reserve(values.size() * kValueBytes);
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (std::uint32_t shift = 0; shift < 32; shift += 8) {
      bytes += static_cast<char>((bits >> shift) & 0xFFU);
    }
  }
  return bytes;
}

bool append_vector(std::string_view bytes, std::size_t dims, std::vector<float>& values) {
  if (dims == 0 || bytes.size() != dims * kValueBytes) return false;
  for (std::size_t at = 0; at < bytes.size(); at += kValueBytes) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kValueBytes; ++i) {
      bits |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    values.push_back(std::bit_cast<float>(bits));
  }
  return true;
}

Result<void> check_dims(const std::string& model, std::size_t dims,
                        const std::vector<ItemVector>& vectors) {
  for (const ItemVector& one : vectors) {
    if (dims == 0) dims = one.values.size();
    if (!one.values.empty() && one.values.size() == dims) continue;
    return Error{ErrorCode::InvalidInput,
                 fmt::format("a vector of {} has {} values, and others have {}",
                             escape_for_terminal(model), one.values.size(), dims),
                 "another model has another name: a bank keeps the vectors of each apart"};
  }
  return {};
}

Result<void> add_vector(std::string_view id, std::size_t dims, std::string_view bytes,
                        const VectorRequest& request, VectorTable& table) {
  if (table.dims == 0) table.dims = dims;
  if (table.values.size() + dims > request.values_max) {
    return Error{ErrorCode::LimitExceeded,
                 fmt::format("the vectors of the bank have more than {} values together",
                             format_count(request.values_max)),
                 "rank by words alone"};
  }
  if (dims != table.dims || !append_vector(bytes, dims, table.values)) return {};
  table.ids.emplace_back(id);
  return {};
}

std::vector<Ranked> rank_by_vector(const VectorTable& table, const std::vector<float>& wanted,
                                   std::size_t count) {
  std::vector<Ranked> ranked;
  if (table.dims != wanted.size()) return ranked;
  ranked.reserve(table.ids.size());
  const float* row = table.values.data();
  for (const std::string& id : table.ids) {
    float nearness = 0;
    for (std::size_t i = 0; i < table.dims; ++i) nearness += row[i] * wanted[i];
    ranked.push_back({id, nearness});
    row += table.dims;
  }
  keep_best(ranked, count);
  return ranked;
}

std::vector<Ranked> fuse(const std::vector<std::vector<Ranked>>& lists, std::size_t count) {
  constexpr double kSmoothing = 60;
  std::map<std::string, double> scores;
  for (const std::vector<Ranked>& list : lists) {
    double place = 0;
    for (const Ranked& one : list) scores[one.id] += 1 / (kSmoothing + ++place);
  }
  std::vector<Ranked> fused;
  for (const auto& [id, score] : scores) fused.push_back({id, score});
  keep_best(fused, count);
  return fused;
}

}  // namespace helve::memory
