#include "sources/store/live/live_merge.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/executor.h"
#include "sources/store/live/changed_terms.h"
#include "sources/store/snapshot_stream.h"

namespace helve::store {

namespace {

constexpr Code kNone = CodeReader::kNone;
constexpr std::uint64_t kRowsAtOnce = 4'096;

bool has_qualifiers(Tag tag) { return tag == Tag::LangString || tag == Tag::TypedLiteral; }

class Merge {
 public:
  Merge(const LiveSnapshot& from, const BuildPlace& place, const OpContext& context)
      : from_(from),
        base_(*from.base()),
        dictionary_(base_.dictionary()),
        context_(context),
        charge_(*context.memory, "merging the changes"),
        stream_(place, context) {}

  Result<std::shared_ptr<const Snapshot>> run() {
    HELVE_TRY(charge_.add(dictionary_.size() * sizeof(Code) +
                          from_.delta().changes() * (sizeof(Quad) + 2 * sizeof(OrderRow) + 64)));
    HELVE_TRY(find_terms());
    HELVE_TRY(merge_terms());
    if (auto failure = from_.failure()) return *std::move(failure);
    HELVE_TRY(plan_orders());
    const std::size_t orders = has_named_graphs_ ? kOrders : kTripleOrders;
    HELVE_TRY(parallel_for(orders, context_,
                           [this](std::size_t i) { return merge_order(static_cast<Order>(i)); }));
    if (auto failure = from_.failure()) return *std::move(failure);
    return stream_.finish(from_.prefixes());
  }

 private:
  Result<void> find_terms() {
    HELVE_ASSIGN(ChangedTerms changed, find_changed_terms(from_, context_));
    for (const Id id : changed.gone) dropped_.insert(*dictionary_.code_of(id));
    new_terms_ = std::move(changed.come);
    std::uint64_t steps = 0;
    for (auto at = from_.delta()[Order::Spo].begin(); at.entry() != nullptr; at.next()) {
      if (++steps % kRowsAtOnce == 0) HELVE_TRY(context_.check());
      if (at.entry()->presence != Presence::Added) continue;
      added_.push_back(quad_of(at.entry()->key, Order::Spo));
    }
    return {};
  }

  struct NewTerm {
    Id id;
    std::string_view text;
    std::string_view qualifier;
  };

  std::vector<NewTerm> new_terms_of(Tag tag) const {
    std::vector<NewTerm> terms;
    for (const Id id : new_terms_) {
      if (id.tag() != tag) continue;
      const DeltaTerms& all = *from_.delta().terms;
      terms.push_back(
          {id, all.term(id).value, has_qualifiers(tag) ? all.qualifier(id) : std::string_view()});
    }
    std::sort(terms.begin(), terms.end(), [](const NewTerm& a, const NewTerm& b) {
      return a.text != b.text ? a.text < b.text : a.qualifier < b.qualifier;
    });
    return terms;
  }

  // Languages and datatypes that are still in use, and where those of the base went.
  Result<void> find_qualifiers() {
    std::vector<bool> is_used(dictionary_.qualifier_names().size());
    std::set<std::string> names;
    for (const Tag tag : {Tag::LangString, Tag::TypedLiteral}) {
      const auto& qualifiers = dictionary_.section(tag).qualifiers;
      const Code first = dictionary_.codes_of(tag).first;
      std::vector<std::uint32_t> step;
      for (std::uint64_t at = 0; at < qualifiers.size(); at += kRowsAtOnce) {
        HELVE_TRY(context_.check());
        const std::uint64_t last = std::min(at + kRowsAtOnce, qualifiers.size());
        step.resize(last - at);
        qualifiers.read(at, last, step.data());
        for (std::uint64_t i = at; i < last; ++i) {
          if (step[i - at] < is_used.size() && dropped_.count(first + static_cast<Code>(i)) == 0) {
            is_used[step[i - at]] = true;
          }
        }
      }
      for (const NewTerm& term : new_terms_of(tag)) names.emplace(term.qualifier);
    }
    for (std::size_t i = 0; i < is_used.size(); ++i) {
      if (is_used[i]) names.insert(dictionary_.qualifier_names()[i]);
    }
    qualifier_names_.assign(names.begin(), names.end());
    return {};
  }

  std::uint32_t qualifier_place(std::string_view name) const {
    const auto found = std::lower_bound(qualifier_names_.begin(), qualifier_names_.end(), name);
    return static_cast<std::uint32_t>(found - qualifier_names_.begin());
  }

  Result<void> merge_terms() {
    HELVE_TRY(find_qualifiers());
    codes_.assign(dictionary_.size(), kNone);
    Code next = 0;
    for (std::size_t i = 1; i <= Dictionary::kSections; ++i) {
      HELVE_TRY(merge_section(static_cast<Tag>(i), next));
    }
    HELVE_TRY(merge_inlined(next));
    return stream_.finish_terms(qualifier_names_);
  }

  Result<void> merge_section(Tag tag, Code& next) {
    const std::vector<NewTerm> news = new_terms_of(tag);
    const DictionarySection& section = dictionary_.section(tag);
    const Code first = dictionary_.codes_of(tag).first;
    std::size_t at = 0;
    Result<void> outcome;
    const auto add_new = [&] {
      const NewTerm& term = news[at++];
      new_codes_[term.id] = next++;
      return stream_.add_term(tag, term.text,
                              has_qualifiers(tag) ? qualifier_place(term.qualifier) : 0);
    };
    for (std::uint64_t from = 0; from < section.strings.size(); from += kRowsAtOnce) {
      HELVE_TRY(context_.check());
      const std::uint64_t last = std::min(from + kRowsAtOnce, section.strings.size());
      section.strings.for_each(from, last, [&](std::uint64_t i, std::string_view text) {
        const Code code = first + static_cast<Code>(i);
        if (!outcome || dropped_.count(code) > 0) return;
        const std::string_view qualifier =
            has_qualifiers(tag) ? dictionary_.qualifier(Id(tag, i)) : std::string_view();
        while (
            outcome && at < news.size() &&
            (news[at].text < text || (news[at].text == text && news[at].qualifier < qualifier))) {
          outcome = add_new();
        }
        if (!outcome) return;
        codes_[code] = next++;
        outcome = stream_.add_term(tag, text, has_qualifiers(tag) ? qualifier_place(qualifier) : 0);
      });
      HELVE_TRY(outcome);
    }
    while (at < news.size()) HELVE_TRY(add_new());
    return {};
  }

  Result<void> merge_inlined(Code& next) {
    std::vector<Id> news;
    std::copy_if(new_terms_.begin(), new_terms_.end(), std::back_inserter(news),
                 [](Id id) { return id.is_inlined(); });
    std::sort(news.begin(), news.end());
    const PackedColumn<std::uint64_t>& old = dictionary_.inlined();
    const Code first = static_cast<Code>(dictionary_.size() - old.size());
    std::size_t at = 0;
    const auto add_new = [&] {
      new_codes_[news[at]] = next++;
      return stream_.add_inlined(news[at++].bits());
    };
    for (std::uint64_t i = 0; i < old.size(); ++i) {
      if (i % kRowsAtOnce == 0) HELVE_TRY(context_.check());
      const Code code = first + static_cast<Code>(i);
      if (dropped_.count(code) > 0) continue;
      const std::uint64_t bits = old[i];
      while (at < news.size() && news[at].bits() < bits) HELVE_TRY(add_new());
      codes_[code] = next++;
      HELVE_TRY(stream_.add_inlined(bits));
    }
    while (at < news.size()) HELVE_TRY(add_new());
    return {};
  }

  Code code_of(Id id) const {
    if (!id.is_defined()) return stream_.default_graph();
    const auto found = new_codes_.find(id);
    if (found != new_codes_.end()) return found->second;
    const auto old = dictionary_.code_of(id);
    return old ? codes_[*old] : kNone;
  }

  // A base whose checksums are right may still have been made by anybody.
  Error unsound() const {
    return from_.failure().value_or(
        Error{ErrorCode::Unavailable, "the index is not sound: its statements make no sense",
              "restore the folder from a copy, or make it again from its documents"});
  }

  Result<void> plan_orders() {
    const Statistics statistics = from_.statistics();
    std::vector<Code> predicates;
    for (const PredicateStatistics& row : statistics.predicates) {
      predicates.push_back(code_of(row.predicate));
    }
    std::vector<Code> graphs;
    for (const GraphStatistics& row : statistics.graphs) {
      has_named_graphs_ = has_named_graphs_ || row.graph.is_defined();
      graphs.push_back(code_of(row.graph));
    }
    // What a log says of itself is not relied on for what is written.
    for (const Quad& quad : added_) {
      has_named_graphs_ = has_named_graphs_ || quad.graph.is_defined();
      predicates.push_back(code_of(quad.predicate));
      graphs.push_back(code_of(quad.graph));
    }
    for (std::vector<Code>* const codes : {&predicates, &graphs}) {
      std::sort(codes->begin(), codes->end());
      codes->erase(std::unique(codes->begin(), codes->end()), codes->end());
    }
    OrderPlan plan;
    plan.has_named_graphs = has_named_graphs_;
    plan.predicates = PartNames(std::move(predicates));
    if (has_named_graphs_) plan.graphs = PartNames(std::move(graphs));
    stream_.start_orders(std::move(plan));
    return {};
  }

  // The order of the base with the same statements in the same sequence.
  Order source_of(Order order) const {
    if (base_.indexes().has_named_graphs) return order;
    if (order == Order::Gspo) return Order::Spo;
    if (order == Order::Gpos) return Order::Pos;
    return order == Order::Gosp ? Order::Osp : order;
  }

  Result<void> merge_order(Order order) {
    std::vector<OrderRow> added;
    added.reserve(added_.size());
    const auto parts = order_parts(order);
    for (const Quad& quad : added_) {
      OrderRow row{};
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = code_of(quad[parts[i]]);
      if (has_none(row)) return unsound();
      if (!has_named_graphs_) row[3] = 0;
      added.push_back(row);
    }
    std::sort(added.begin(), added.end());
    OrderStream& out = stream_.order(order);
    std::size_t next = 0;
    const auto merge_row = [&](const OrderRow& row) -> Result<void> {
      while (next < added.size() && added[next] < row) HELVE_TRY(out.add(added[next++]));
      return out.add(row);
    };
    HELVE_TRY(read_base(order, merge_row));
    while (next < added.size()) HELVE_TRY(out.add(added[next++]));
    return stream_.finish_order(order);
  }

  static bool has_none(const OrderRow& row) {
    return std::find(row.begin(), row.end(), kNone) != row.end();
  }

  // Rows of the base that are still there, in new codes.
  template <typename Visit>
  Result<void> read_base(Order order, const Visit& visit) const {
    const Order source = source_of(order);
    const Permutation& rows = base_.indexes()[source];
    const auto source_parts = order_parts(source);
    const auto parts = order_parts(order);
    std::array<std::size_t, 4> from{};  // by depth of the order: the depth of the source
    for (std::size_t i = 0; i < 4; ++i) {
      from[i] = static_cast<std::size_t>(
          std::find(source_parts.begin(), source_parts.end(), parts[i]) - source_parts.begin());
    }
    const Code old_default = base_.indexes().default_graph;
    const auto map = [&](Code code) {
      if (code == old_default) return stream_.default_graph();
      return code < codes_.size() ? codes_[code] : kNone;
    };
    const bool has_graph = rows.has_column(3);
    Removals removals(*this, source);
    std::array<std::vector<Code>, 3> columns;
    std::pair<Code, std::uint64_t> leading{0, 0};
    std::optional<OrderRow> before;
    for (std::uint64_t first = 0; first < rows.rows(); first += kRowsAtOnce) {
      HELVE_TRY(context_.check());
      const std::uint64_t last = std::min(first + kRowsAtOnce, rows.rows());
      for (std::size_t depth = 1; depth < 4 && rows.has_column(depth); ++depth) {
        columns[depth - 1].resize(last - first);
        rows.read({first, last}, depth, columns[depth - 1].data());
      }
      if (auto failure = from_.failure()) return *std::move(failure);
      for (std::uint64_t row = first; row < last; ++row) {
        if (row >= leading.second) leading = rows.leading_until(row);
        const std::size_t at = row - first;
        const OrderRow old = {leading.first, columns[0][at], columns[1][at],
                              has_graph ? columns[2][at] : old_default};
        if (removals.skip(old)) continue;
        OrderRow out{};
        for (std::size_t i = 0; i < 4; ++i) out[i] = map(old[from[i]]);
        if (has_none(out)) return unsound();
        if (!has_named_graphs_) out[3] = 0;
        if (before && !(*before < out)) return unsound();
        before = out;
        HELVE_TRY(visit(out));
      }
      if (auto failure = from_.failure()) return *std::move(failure);
    }
    return {};
  }

  // Statements that are removed, in the codes and the order of the base.
  class Removals {
   public:
    Removals(const Merge& merge, Order order) {
      const auto parts = order_parts(order);
      const Dictionary& dictionary = merge.dictionary_;
      const Code default_graph = merge.base_.indexes().default_graph;
      // From the order that is there in any case.
      for (auto at = merge.from_.delta()[Order::Spo].begin(); at.entry() != nullptr; at.next()) {
        if (at.entry()->presence != Presence::Removed) continue;
        const Quad quad = quad_of(at.entry()->key, Order::Spo);
        OrderRow row{};
        for (std::size_t i = 0; i < 4; ++i) {
          const Id id = quad[parts[i]];
          row[i] = id.is_defined() ? dictionary.code_of(id).value_or(kNone) : default_graph;
        }
        rows_.push_back(row);
      }
      std::sort(rows_.begin(), rows_.end());
    }
    bool skip(const OrderRow& row) {
      if (at_ == rows_.size() || rows_[at_] != row) return false;
      ++at_;
      return true;
    }

   private:
    std::vector<OrderRow> rows_;
    std::size_t at_ = 0;
  };

  const LiveSnapshot& from_;
  const Snapshot& base_;
  const Dictionary& dictionary_;
  const OpContext& context_;
  MemoryCharge charge_;
  SnapshotStream stream_;
  std::vector<Quad> added_;
  std::unordered_set<Code> dropped_;  // of the base
  std::vector<Id> new_terms_;         // inlined ones too
  std::vector<std::string> qualifier_names_;
  std::vector<Code> codes_;  // by code of the base
  std::unordered_map<Id, Code, IdHash> new_codes_;
  bool has_named_graphs_ = false;
};

}  // namespace

Result<std::shared_ptr<const Snapshot>> merge_changes(const LiveSnapshot& from,
                                                      const BuildPlace& place,
                                                      const OpContext& context) {
  return Merge(from, place, context).run();
}

}  // namespace helve::store
