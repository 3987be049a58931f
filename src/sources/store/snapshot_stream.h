// SnapshotStream: makes a Snapshot of what comes sorted already, without keeping it in memory: of
// terms, and of the rows of every order. For what is merged: the runs of a load that does not fit
// into memory, or a store and its changes. The result is the one that load_documents() makes of the
// same statements.
//
//   SnapshotStream stream({.scratch = &scratch, .memory = context.memory}, context);
//   stream.add_term(Tag::Iri, "http://...");                   // each section ascending
//   stream.finish_terms({"en", "http://...#date"});            // now there are codes
//   stream.start_orders({.has_named_graphs = false, .predicates = PartNames({17, 21})});
//   stream.order(Order::Spo).add({4, 17, 9});                  // each order ascending
//   stream.finish_order(Order::Spo);                           // now it can be read
//   ...
//   stream.finish(prefixes);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "sources/store/front_coded_stream.h"
#include "sources/store/order_stream.h"
#include "sources/store/snapshot.h"

namespace helve::store {

// Different sections may be filled by different threads at once, and so may different orders; all
// else is for one thread. The context and what the place names must outlive it; the snapshot needs
// no more than the memory budget.
class SnapshotStream {
 public:
  SnapshotStream(const BuildPlace& place, const OpContext& context);

  // Terms of the five sections, each section ascending by text and then by qualifier, none twice.
  // `qualifier`: for LangString and TypedLiteral, the place in what finish_terms() is given. The
  // place of a term in its section is the number of terms added to it before.
  Result<void> add_term(Tag tag, std::string_view text, std::uint32_t qualifier = 0);
  // Bits of inlined ids, ascending, none twice.
  Result<void> add_inlined(std::uint64_t bits) { return inlined_.add(bits); }
  // `qualifier_names`: languages and datatypes, ascending, none twice. Error: LimitExceeded when
  // there are more terms than codes.
  Result<void> finish_terms(std::vector<std::string> qualifier_names);
  // REQUIRES: finish_terms() was called.
  const Dictionary& dictionary() const { return dictionary_; }
  // The graph code of statements in the default graph: behind all terms.
  Code default_graph() const { return indexes_.default_graph; }

  // `plan` has the codes of all predicates and, with named graphs, of all graphs in use, the
  // default graph too if it has statements. REQUIRES: there are named graphs exactly when one has a
  // statement.
  void start_orders(OrderPlan plan);
  // Takes the rows of an order: the six orders of triples and, with named graphs, those of graphs.
  OrderStream& order(Order order);
  Result<void> finish_order(Order order);
  // Those that are finished can be read.
  const Indexes& indexes() const { return indexes_; }

  // Counts what the statistics tell. REQUIRES: all orders are finished. `prefixes` ascend.
  Result<std::shared_ptr<const Snapshot>> finish(
      std::vector<std::pair<std::string, std::string>> prefixes);

 private:
  struct Section {
    explicit Section(const BuildPlace& place) : strings(place), qualifiers(place) {}
    FrontCodedStream strings;
    PackedColumnStream<std::uint32_t> qualifiers;
  };

  void share_directories();

  const BuildPlace place_;
  const OpContext& context_;
  std::array<Section, Dictionary::kSections> sections_;
  PackedColumnStream<std::uint64_t> inlined_;
  Dictionary dictionary_;
  OrderPlan plan_;
  std::array<std::unique_ptr<OrderStream>, kOrders> streams_;
  Indexes indexes_;
};

}  // namespace helve::store
