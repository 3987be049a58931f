#include "sources/store/snapshot_stream.h"

#include <limits>

#include "base/check.h"
#include "sources/store/statistics.h"

namespace helve::store {

namespace {

constexpr std::size_t place_of(Order order) { return static_cast<std::size_t>(order); }

bool has_qualifiers(Tag tag) { return tag == Tag::LangString || tag == Tag::TypedLiteral; }

}  // namespace

SnapshotStream::SnapshotStream(const BuildPlace& place, const OpContext& context)
    : place_(place),
      context_(context),
      sections_{Section(place), Section(place), Section(place), Section(place), Section(place)},
      inlined_(place) {}

Result<void> SnapshotStream::add_term(Tag tag, std::string_view text, std::uint32_t qualifier) {
  Section& section = sections_[static_cast<std::size_t>(tag) - 1];
  HELVE_TRY(section.strings.add(text));
  return has_qualifiers(tag) ? section.qualifiers.add(qualifier) : Result<void>();
}

Result<void> SnapshotStream::finish_terms(std::vector<std::string> qualifier_names) {
  std::array<DictionarySection, Dictionary::kSections> sections;
  std::uint64_t terms = inlined_.size();
  for (std::size_t i = 0; i < sections.size(); ++i) {
    HELVE_ASSIGN(sections[i].strings, sections_[i].strings.finish());
    HELVE_ASSIGN(sections[i].qualifiers, sections_[i].qualifiers.finish());
    terms += sections[i].strings.size();
  }
  if (terms >= std::numeric_limits<Code>::max()) {
    return Error{ErrorCode::LimitExceeded, "the data has more than 4,294,967,294 different terms"};
  }
  HELVE_ASSIGN(auto inlined, inlined_.finish());
  dictionary_ = Dictionary(std::move(sections), std::move(qualifier_names), std::move(inlined));
  indexes_.default_graph = static_cast<Code>(dictionary_.size());
  return {};
}

void SnapshotStream::start_orders(OrderPlan plan) {
  plan_ = std::move(plan);
  indexes_.has_named_graphs = plan_.has_named_graphs;
  const std::size_t orders = plan_.has_named_graphs ? kOrders : kTripleOrders;
  for (std::size_t i = 0; i < orders; ++i) {
    streams_[i] = std::make_unique<OrderStream>(static_cast<Order>(i), plan_, place_, context_);
  }
}

OrderStream& SnapshotStream::order(Order order) {
  HELVE_CHECK(streams_[place_of(order)] != nullptr);
  return *streams_[place_of(order)];
}

Result<void> SnapshotStream::finish_order(Order which) {
  OrderStream& stream = order(which);
  if (which == Order::Spo) indexes_.repeated_triples = stream.repeated_triples();
  HELVE_ASSIGN(indexes_.orders[place_of(which)], stream.finish());
  streams_[place_of(which)].reset();
  return {};
}

// Orders with the same leading part have equal directories: keep one of each.
void SnapshotStream::share_directories() {
  const auto share = [this](Order from, Order to) {
    indexes_.orders[place_of(to)].share_directory(indexes_[from]);
  };
  share(Order::Spo, Order::Sop);
  share(Order::Pso, Order::Pos);
  share(Order::Osp, Order::Ops);
  if (!plan_.has_named_graphs) return;
  share(Order::Gspo, Order::Gpos);
  share(Order::Gspo, Order::Gosp);
}

Result<std::shared_ptr<const Snapshot>> SnapshotStream::finish(
    std::vector<std::pair<std::string, std::string>> prefixes) {
  share_directories();
  HELVE_ASSIGN(Statistics statistics, compute_statistics(dictionary_, indexes_, context_));
  MemoryCharge charge(*place_.memory, "the statistics of a graph");
  HELVE_TRY(charge.add(statistics.memory_bytes()));
  return std::make_shared<const Snapshot>(std::move(dictionary_), std::move(indexes_),
                                          std::move(statistics), std::move(prefixes),
                                          std::move(charge));
}

}  // namespace helve::store
