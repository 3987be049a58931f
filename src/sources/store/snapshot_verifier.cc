// Verifying a snapshot: first every checksum, then that what they protect makes sense. Orders are
// compared by a sum of hashes of their statements, with a seed that no file can know.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <tuple>
#include <vector>

#include "base/executor.h"
#include "sources/store/snapshot_file.h"
#include "sources/store/snapshot_guards.h"
#include "sources/store/snapshot_layout.h"
#include "sources/store/statistics_codec.h"

namespace helve::store {

namespace {

constexpr std::uint64_t kVerifyStep = 4'096;

// A quad in the order of its parts, as far as there are any.
using Key = std::array<Code, 4>;

class SnapshotVerifier {
 public:
  SnapshotVerifier(const Snapshot& snapshot, std::string file, std::uint64_t seed,
                   const OpContext& context)
      : snapshot_(snapshot), file_(std::move(file)), seed_(seed | 1), context_(context) {}

  Result<void> run() {
    HELVE_TRY(check_checksums());
    HELVE_TRY(check_dictionary());
    HELVE_TRY(check_orders());
    HELVE_ASSIGN(const Statistics counted,
                 compute_statistics(snapshot_.dictionary(), snapshot_.indexes(), context_));
    if (encode_statistics(counted) != encode_statistics(snapshot_.statistics())) {
      return wrong("the statistics are not those of the statements");
    }
    return {};
  }

 private:
  Error wrong(const std::string& what) const { return damaged_snapshot(file_, what); }

  // Goes on to the end of a section, but not into the next, after damage.
  Result<void> check_checksums() const {
    const auto outcome = [this](bool is_sound) -> Result<void> {
      HELVE_TRY(context_.check());
      if (is_sound) return {};
      return snapshot_.failure().value_or(wrong("a checksum is wrong"));
    };
    for (std::size_t tag = 1; tag <= Dictionary::kSections; ++tag) {
      const DictionarySection& section = snapshot_.dictionary().section(static_cast<Tag>(tag));
      HELVE_TRY(outcome(section.strings.is_sound()));
      HELVE_TRY(outcome(section.qualifiers.is_sound()));
    }
    HELVE_TRY(outcome(snapshot_.dictionary().inlined().is_sound()));
    for (const Permutation& order : snapshot_.indexes().orders) {
      HELVE_TRY(outcome(order.starts().is_sound()));
      for (std::size_t depth = 1; depth <= 3; ++depth) {
        HELVE_TRY(outcome(order.column(depth).values().is_sound()));
      }
    }
    return {};
  }

  Result<void> check_dictionary() const {
    const Dictionary& dictionary = snapshot_.dictionary();
    const auto& names = dictionary.qualifier_names();
    for (std::size_t i = 1; i < names.size(); ++i) {
      if (names[i] <= names[i - 1]) return wrong("languages and datatypes are not sorted");
    }
    for (std::size_t tag = 1; tag <= Dictionary::kSections; ++tag) {
      HELVE_TRY(check_strings(static_cast<Tag>(tag)));
    }
    const auto& inlined = dictionary.inlined();
    for (std::uint64_t i = 1; i < inlined.size(); ++i) {
      if (i % kVerifyStep == 0) HELVE_TRY(context_.check());
      if (inlined[i] <= inlined[i - 1]) return wrong("inlined values are not sorted");
    }
    return {};
  }

  Result<void> check_strings(Tag tag) const {
    const DictionarySection& section = snapshot_.dictionary().section(tag);
    std::string last;
    std::uint32_t last_qualifier = 0;
    bool is_sorted = true;
    for (std::uint64_t first = 0; first < section.strings.size() && is_sorted;
         first += kVerifyStep) {
      HELVE_TRY(context_.check());
      const std::uint64_t end = std::min(first + kVerifyStep, section.strings.size());
      section.strings.for_each(first, end, [&](std::uint64_t index, std::string_view text) {
        const std::uint32_t qualifier = section.qualifiers.empty() ? 0 : section.qualifiers[index];
        const bool is_greater =
            text > last || (text == last && qualifier > last_qualifier) || index == 0;
        is_sorted = is_sorted && is_greater;
        last = text;
        last_qualifier = qualifier;
      });
    }
    if (is_sorted) return {};
    return wrong(fmt::format("'{}' is not sorted", strings_section(tag, "text")));
  }

  Result<void> check_orders() const {
    const Indexes& indexes = snapshot_.indexes();
    std::array<std::uint64_t, kOrders> sums{};
    const std::size_t orders = indexes.has_named_graphs ? kOrders : kTripleOrders;
    HELVE_TRY(parallel_for(orders, context_, [&](std::size_t i) -> Result<void> {
      HELVE_ASSIGN(sums[i], check_order(static_cast<Order>(i)));
      return {};
    }));
    for (std::size_t i = 1; i < orders; ++i) {
      if (sums[i] == sums[0]) continue;
      return wrong(fmt::format("{} and {} have different statements",
                               column_section(static_cast<Order>(i), 1),
                               column_section(Order::Spo, 1)));
    }
    return {};
  }

  // Sorted, complete, every row of exactly one leading code. Gives the sum of the hashes.
  Result<std::uint64_t> check_order(Order order) const {
    const Permutation& rows = snapshot_.indexes()[order];
    const auto [first, last] = rows.leading_codes();
    std::uint64_t sum = 0;
    std::uint64_t repeats = 0;
    std::uint64_t row = 0;
    for (Code code = first; code < last; ++code) {
      if (code % kVerifyStep == 0) HELVE_TRY(context_.check());
      const RowRange range = rows.rows_of(code);
      if (range.first != row) return wrong_order(order);
      row = range.last;
      std::optional<Key> before;
      for (RowRange step{range.first, range.first}; step.first < range.last;
           step.first = step.last) {
        step.last = std::min(step.first + kVerifyStep, range.last);
        if (!check_rows(order, code, step, before, sum, repeats)) return wrong_order(order);
      }
    }
    if (row != rows.rows()) return wrong_order(order);
    if (order < Order::Gspo && repeats != snapshot_.indexes().repeated_triples) {
      return wrong("the number of triples that several graphs state is not right");
    }
    return sum;
  }

  Error wrong_order(Order order) const {
    const std::string name = column_section(order, 1);
    return wrong(fmt::format("the order '{}' is not sorted", name.substr(0, name.find('.'))));
  }

  // Adds to the hashes and to the triples that are those of the row before; false when the rows do
  // not ascend.
  bool check_rows(Order order, Code leading, RowRange range, std::optional<Key>& before,
                  std::uint64_t& sum, std::uint64_t& repeats) const {
    const Permutation& rows = snapshot_.indexes()[order];
    const auto parts = order_parts(order);
    std::array<std::vector<Code>, 3> columns;
    for (std::size_t depth = 1; depth <= 3; ++depth) {
      columns[depth - 1].resize(range.size());
      if (rows.has_column(depth)) rows.read(range, depth, columns[depth - 1].data());
    }
    for (std::uint64_t i = 0; i < range.size(); ++i) {
      const Key key = {leading, columns[0][i], columns[1][i], columns[2][i]};
      if (before && key <= *before) return false;
      if (before && std::equal(key.begin(), key.begin() + 3, before->begin())) ++repeats;
      before = key;
      Key quad{};
      for (std::size_t k = 0; k < 4; ++k) quad[static_cast<std::size_t>(parts[k])] = key[k];
      sum += checksum(bytes_of(quad.data(), quad.size()), seed_);
    }
    return true;
  }

  const Snapshot& snapshot_;
  const std::string file_;
  const std::uint64_t seed_;
  const OpContext& context_;
};

}  // namespace

Result<void> verify_snapshot(const std::filesystem::path& folder, const OpContext& context,
                             Env& env) {
  HELVE_ASSIGN(const auto snapshot, open_snapshot(folder, context, env));
  return SnapshotVerifier(*snapshot, (folder / kSnapshotFileName).string(), env.random().next_u64(),
                          context)
      .run();
}

}  // namespace helve::store
