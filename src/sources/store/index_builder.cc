// Codes are dense, so every order comes from stable counting sorts, one linear pass for each part.
// A sorted order is one pass away from the next: SPO stably sorted by P is PSO, by O is OSP. Two
// chains of passes run side by side, each between two buffers of its own:
//
//   (G) O P S -> SPO -> PSO, OSP        (G) S O P -> POS -> OPS -> SOP
//
// Named graphs add a first pass by G, and GSPO, GOSP, GPOS from SPO, OSP and POS sorted by G.
#include "sources/store/index_builder.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/executor.h"
#include "sources/store/packed_column_builder.h"

namespace helve::store {

namespace {

constexpr std::size_t place_of_part(Part part) { return static_cast<std::size_t>(part); }

// Subject, predicate, object and, with named graphs, graph.
template <std::size_t kParts>
using Row = std::array<Code, kParts>;

// Rows in memory that is never cleared: every pass overwrites all of it.
template <std::size_t kParts>
class RowBuffer {
 public:
  explicit RowBuffer(std::size_t capacity)
      : rows_(std::make_unique_for_overwrite<Row<kParts>[]>(capacity)) {}

  Row<kParts>* begin() { return rows_.get(); }
  Row<kParts>* end() { return rows_.get() + size_; }
  const Row<kParts>* begin() const { return rows_.get(); }
  const Row<kParts>* end() const { return rows_.get() + size_; }
  const Row<kParts>& operator[](std::size_t i) const { return rows_[i]; }
  Row<kParts>& operator[](std::size_t i) { return rows_[i]; }
  std::size_t size() const { return size_; }
  void set_size(std::size_t size) { size_ = size; }

 private:
  std::unique_ptr<Row<kParts>[]> rows_;
  std::size_t size_ = 0;
};

// The quads as they were read, piece by piece.
template <std::size_t kParts>
class Unsorted {
 public:
  explicit Unsorted(const std::vector<std::vector<CodedQuad>>& pieces) : pieces_(pieces) {
    for (const auto& piece : pieces_) size_ += piece.size();
  }
  std::size_t size() const { return size_; }

  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& piece : pieces_) {
      for (const CodedQuad& quad : piece) {
        if constexpr (kParts == 4) {
          visit(Row<4>{quad.subject, quad.predicate, quad.object, quad.graph});
        } else {
          visit(Row<3>{quad.subject, quad.predicate, quad.object});
        }
      }
    }
  }

 private:
  const std::vector<std::vector<CodedQuad>>& pieces_;
  std::size_t size_ = 0;
};

// The codes of a part that has few different ones, and where each stands in the list of them.
struct NamedCodes {
  Column<Code> list;         // empty: there are too many
  std::vector<Code> places;  // by code
};
using NamesByPart = std::array<NamedCodes, 4>;  // by Part

template <std::size_t kParts>
NamedCodes name_codes(const Unsorted<kParts>& quads, Part part, Code code_count) {
  NamedCodes names;
  names.places.resize(std::size_t{code_count} + 1);
  quads.for_each([&](const Row<kParts>& row) { names.places[row[place_of_part(part)]] = 1; });
  std::vector<Code> list;
  for (std::size_t code = 0; code < names.places.size(); ++code) {
    if (names.places[code] == 0) continue;
    if (list.size() == CodeColumn::kNamesMax) return {};
    names.places[code] = static_cast<Code>(list.size());
    list.push_back(static_cast<Code>(code));
  }
  names.list = Column<Code>::own(std::move(list));
  return names;
}

// One chain of passes: two buffers and the counters of a counting sort.
template <std::size_t kParts>
class Chain {
 public:
  using Buffer = RowBuffer<kParts>;

  Chain(std::size_t rows, Code code_count, const NamesByPart& names, const OpContext& context)
      : first_(rows),
        second_(rows),
        starts_(std::size_t{code_count} + 2),
        names_(names),
        context_(context) {}

  Buffer& sorted() { return first_; }

  // From the unsorted quads, least significant part first; repeats fall together.
  Result<void> sort(const Unsorted<kParts>& quads, std::array<Part, 3> parts) {
    if constexpr (kParts == 4) {
      HELVE_TRY(pass(quads, Part::Graph, first_));
      HELVE_TRY(pass(parts[0]));
    } else {
      HELVE_TRY(pass(quads, parts[0], first_));
    }
    HELVE_TRY(pass(parts[1]));
    HELVE_TRY(pass(parts[2]));
    first_.set_size(
        static_cast<std::size_t>(std::unique(first_.begin(), first_.end()) - first_.begin()));
    return {};
  }

  // Sorts what is sorted() once more; afterwards sorted() is the result.
  Result<void> pass(Part part) {
    HELVE_TRY(pass(first_, part, second_));
    std::swap(first_, second_);
    return {};
  }

  // The order made by one more pass, leaving sorted() as it is.
  Result<Permutation> derive(Part part, Order order) {
    HELVE_TRY(pass(first_, part, second_));
    return permutation(order, second_);
  }

  Permutation permutation(Order order) const { return permutation(order, first_); }

 private:
  static void for_each(const Buffer& rows, auto&& visit) {
    for (const auto& row : rows) visit(row);
  }
  static void for_each(const Unsorted<kParts>& quads, auto&& visit) { quads.for_each(visit); }

  template <typename From>
  Result<void> pass(const From& from, Part part, Buffer& to) {
    HELVE_TRY(context_.check());
    const std::size_t at = place_of_part(part);
    std::fill(starts_.begin(), starts_.end(), 0);
    for_each(from, [&](const Row<kParts>& row) { ++starts_[row[at] + 1]; });
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
    for_each(from, [&](const Row<kParts>& row) { to[starts_[row[at]]++] = row; });
    to.set_size(from.size());
    return {};
  }

  Permutation permutation(Order order, const Buffer& rows) const {
    const auto parts = order_parts(order);
    std::array<CodeColumn, 3> columns;
    for (std::size_t depth = 1; depth < kParts; ++depth) {
      const std::size_t at = place_of_part(parts[depth]);
      const NamedCodes& names = names_[at];
      columns[depth - 1] =
          names.list.empty()
              ? CodeColumn(pack_column<Code>(rows.size(), [&](auto i) { return rows[i][at]; }))
              : CodeColumn(pack_column<Code>(rows.size(),
                                             [&](auto i) { return names.places[rows[i][at]]; }),
                           names.list);
    }
    return with_directory(place_of_part(parts[0]), rows, std::move(columns));
  }

  static Permutation with_directory(std::size_t at, const Buffer& rows,
                                    std::array<CodeColumn, 3> columns) {
    if (rows.size() == 0) return {0, {}, std::move(columns)};
    const Code first = rows[0][at];
    std::vector<std::uint32_t> starts(rows[rows.size() - 1][at] - first + 2);
    for (const auto& row : rows) ++starts[row[at] - first + 1];
    for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    return {first, pack_column<std::uint32_t>(starts), std::move(columns)};
  }

  Buffer first_;
  Buffer second_;
  std::vector<std::uint32_t> starts_;
  const NamesByPart& names_;
  const OpContext& context_;
};

template <std::size_t kParts>
class IndexBuilder {
 public:
  IndexBuilder(const std::vector<std::vector<CodedQuad>>& quads, Code code_count,
               const OpContext& context)
      : quads_(quads), code_count_(code_count), context_(context) {}

  Result<Indexes> run() {
    for (const Part part : {Part::Predicate, Part::Graph}) {
      if (place_of_part(part) < kParts)
        names_[place_of_part(part)] = name_codes(quads_, part, code_count_);
    }
    HELVE_TRY(parallel_for(2, context_, [this](std::size_t chain) {
      return chain == 0 ? subject_chain() : predicate_chain();
    }));
    share_directories();
    indexes_.has_named_graphs = kParts == 4;
    indexes_.default_graph = code_count_;
    return std::move(indexes_);
  }

 private:
  Permutation& order(Order order) { return indexes_.orders[static_cast<std::size_t>(order)]; }

  Result<void> subject_chain() {
    Chain<kParts> chain(quads_.size(), code_count_, names_, context_);
    HELVE_TRY(chain.sort(quads_, {Part::Object, Part::Predicate, Part::Subject}));
    order(Order::Spo) = chain.permutation(Order::Spo);
    HELVE_ASSIGN(order(Order::Pso), chain.derive(Part::Predicate, Order::Pso));
    if constexpr (kParts == 4) {
      count_repeated_triples(chain.sorted());
      HELVE_ASSIGN(order(Order::Gspo), chain.derive(Part::Graph, Order::Gspo));
    }
    HELVE_TRY(chain.pass(Part::Object));
    order(Order::Osp) = chain.permutation(Order::Osp);
    if constexpr (kParts == 4) {
      HELVE_ASSIGN(order(Order::Gosp), chain.derive(Part::Graph, Order::Gosp));
    }
    return {};
  }

  Result<void> predicate_chain() {
    Chain<kParts> chain(quads_.size(), code_count_, names_, context_);
    HELVE_TRY(chain.sort(quads_, {Part::Subject, Part::Object, Part::Predicate}));
    order(Order::Pos) = chain.permutation(Order::Pos);
    if constexpr (kParts == 4) {
      HELVE_ASSIGN(order(Order::Gpos), chain.derive(Part::Graph, Order::Gpos));
    }
    HELVE_TRY(chain.pass(Part::Object));
    order(Order::Ops) = chain.permutation(Order::Ops);
    HELVE_ASSIGN(order(Order::Sop), chain.derive(Part::Subject, Order::Sop));
    return {};
  }

  void count_repeated_triples(const RowBuffer<kParts>& spo) {
    for (std::size_t i = 1; i < spo.size(); ++i) {
      if (std::equal(spo[i].begin(), spo[i].begin() + 3, spo[i - 1].begin())) {
        ++indexes_.repeated_triples;
      }
    }
  }

  // Orders with the same leading part have equal directories: keep one of each.
  void share_directories() {
    const auto share = [this](Order from, Order to) { order(to).share_directory(order(from)); };
    share(Order::Spo, Order::Sop);
    share(Order::Pos, Order::Pso);
    share(Order::Osp, Order::Ops);
    if constexpr (kParts == 4) {
      share(Order::Gspo, Order::Gpos);
      share(Order::Gspo, Order::Gosp);
    }
  }

  const Unsorted<kParts> quads_;
  const Code code_count_;
  NamesByPart names_;
  const OpContext& context_;
  Indexes indexes_;
};

}  // namespace

std::size_t Indexes::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& order : orders) bytes += order.column_bytes();
  for (const Order leading : {Order::Spo, Order::Pos, Order::Osp, Order::Gspo}) {
    bytes += (*this)[leading].starts().bytes();
  }
  return bytes;
}

// Two chains of two buffers, and the columns they fill.
std::size_t build_indexes_bytes(std::size_t quads, std::size_t codes, bool has_named_graphs) {
  const std::size_t row_bytes = (has_named_graphs ? 4 : 3) * sizeof(Code);
  const std::size_t column_bytes = has_named_graphs ? 6 * 12 + 3 * 12 : 6 * 8;
  return quads * (4 * row_bytes + column_bytes) + codes * 24;
}

Result<Indexes> build_indexes(const std::vector<std::vector<CodedQuad>>& quads, Code code_count,
                              const OpContext& context) {
  std::size_t count = 0;
  bool has_named_graphs = false;
  for (const auto& piece : quads) {
    count += piece.size();
    has_named_graphs = has_named_graphs ||
                       std::any_of(piece.begin(), piece.end(), [code_count](const CodedQuad& quad) {
                         return quad.graph != code_count;
                       });
  }
  if (count > context.limits.quads_max) {
    return Error{
        ErrorCode::LimitExceeded,
        fmt::format("{} statements are more than the limit of {}", count, context.limits.quads_max),
        "load less at once"};
  }
  MemoryCharge charge(*context.memory, "sorting the indexes");
  HELVE_TRY(charge.add(build_indexes_bytes(count, code_count, has_named_graphs)));
  if (has_named_graphs) return IndexBuilder<4>(quads, code_count, context).run();
  return IndexBuilder<3>(quads, code_count, context).run();
}

}  // namespace helve::store
