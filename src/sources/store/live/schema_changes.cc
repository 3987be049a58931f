#include "sources/store/live/schema_changes.h"

#include <string>
#include <unordered_map>

#include "sources/rdf/vocabulary.h"
#include "sources/store/local_properties.h"
#include "sources/store/text_index_fields.h"

namespace helve::store {

namespace {

constexpr std::size_t kEntriesAtOnce = 4'096;

class ChangeReader {
 public:
  ChangeReader(const LiveSnapshot& snapshot, const OpContext& context)
      : snapshot_(snapshot),
        context_(context),
        charge_(*context.memory, "changes of the schema"),
        at_(snapshot.delta()[Order::Pso].begin()) {
    for (const DeclaringClass& one : declaring_classes()) {
      if (const auto id = snapshot.find(rdf::TermView::iri(one.iri))) {
        declaring_.emplace(*id, one.kind);
      }
    }
  }

  Result<SchemaChanges> run() {
    std::string scratch;
    while (at_.entry() != nullptr) {
      const Id predicate = at_.entry()->key.parts[0];
      const std::string_view iri = snapshot_.term(predicate, scratch).value;
      changes_.properties.insert(predicate);
      if (iri == rdf::kRdfType) {
        HELVE_TRY(read(predicate, [this](Id subject, Id object) { add_type(subject, object); }));
      } else if (declares_ends(iri) || label_rank(iri)) {
        HELVE_TRY(read(predicate, [this](Id subject, Id) { add(subject, changes_.described); }));
      } else {
        at_ = snapshot_.delta()[Order::Pso].seek(KeyRange::of_prefix({&predicate, 1}).last);
      }
    }
    return std::move(changes_);
  }

 private:
  template <typename Visit>
  Result<void> read(Id predicate, const Visit& visit) {
    std::size_t steps = 0;
    for (; at_.entry() != nullptr && at_.entry()->key.parts[0] == predicate; at_.next()) {
      if (++steps % kEntriesAtOnce == 0) {
        HELVE_TRY(context_.check());
        HELVE_TRY(charge_.resize(changes_.memory_bytes()));
      }
      visit(at_.entry()->key.parts[1], at_.entry()->key.parts[2]);
    }
    return {};
  }

  static void add(Id id, SchemaChanges::Ids& to) {
    if (id.tag() == Tag::Iri) to.insert(id);
  }

  void add_type(Id subject, Id type) {
    changes_.typed.insert(subject);
    add(type, changes_.classes);
    const auto declares = declaring_.find(type);
    if (declares == declaring_.end()) return;
    const bool is_class = declares->second == DeclaredKind::Class;
    add(subject, is_class ? changes_.classes : changes_.properties);
  }

  const LiveSnapshot& snapshot_;
  const OpContext& context_;
  MemoryCharge charge_;
  QuadTree::Cursor at_;
  std::unordered_map<Id, DeclaredKind, IdHash> declaring_;
  SchemaChanges changes_;
};

}  // namespace

std::size_t SchemaChanges::memory_bytes() const {
  constexpr std::size_t kBytesOfOne = 4 * sizeof(void*);
  return (classes.size() + properties.size() + described.size() + typed.size()) * kBytesOfOne;
}

Result<SchemaChanges> find_schema_changes(const LiveSnapshot& snapshot, const OpContext& context) {
  return ChangeReader(snapshot, context).run();
}

}  // namespace helve::store
