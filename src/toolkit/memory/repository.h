// MemoryRepository: where items are kept, with their history. What there is is decided here; which
// of it is best for a question is decided by bank.h. sqlite_repository.h is one in a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/op_context.h"
#include "base/result.h"
#include "toolkit/memory/item.h"
#include "toolkit/memory/terms.h"

namespace helve::memory {

// Items that are superseded, quarantined or retracted are left out unless asked for.
struct ItemFilter {
  std::optional<ItemSource> polarity;
  std::string domain;             // exactly; empty: any
  std::vector<std::string> tags;  // all of them, exactly
  bool with_quarantined = false;
  bool with_superseded = false;
  bool with_retracted = false;

  bool lets_through(const Item& item) const;
};
// One that lets everything through.
ItemFilter whole_bank();

struct CandidateRequest {
  std::vector<std::string> terms;  // query_terms()
  ItemFilter filter;
  std::size_t candidates_max = 150;
};

// What ranking needs of an item.
struct Candidate {
  std::string id;
  Bag bag;
  std::uint64_t length = 0;
  Counters counters;
  WallTime created_at{};
  std::optional<WallTime> last_used_at;
};

struct Candidates {
  std::vector<Candidate> items;  // in no order that means anything
  // Of the whole bank, whatever the filter.
  std::uint64_t documents = 0;
  std::uint64_t total_length = 0;
  std::vector<std::uint64_t> frequencies;  // items that have a term, in the order of the terms
  // Whether they are all items that have one of the terms. Otherwise those with the rarest terms.
  bool is_complete = true;
};

enum class AddState : std::uint8_t {
  Added,
  Exists,     // the same title and content is there; nothing was changed
  Retracted,  // it was, and was taken back; nothing was changed
};

struct AddOutcome {
  std::string id;
  AddState state = AddState::Added;
};

struct AddReport {
  std::vector<AddOutcome> items;        // in the order of what was given
  std::optional<std::uint64_t> change;  // its number; none where nothing was added
};

// What is to be other. Another title or content is another item: it supersedes the old one.
struct ItemEdit {
  std::optional<std::string> title;
  std::optional<std::string> desc;
  std::optional<std::string> content;
  std::optional<ItemSource> src;
  std::optional<std::vector<std::string>> tags;
  std::optional<ItemScope> scope;
  std::optional<std::string> domain;
  std::optional<std::string> schema_fingerprint;
  std::optional<bool> quarantined;
  std::optional<WallTime> verified_at;
  std::optional<Provenance> provenance;
};
Item edited(const Item& item, const ItemEdit& edit);  // its id too

struct ChangeReport {
  std::uint64_t change = 0;
  std::string id;  // of the item that is the latest now
};

enum class ChangeKind : std::uint8_t { Add, Edit, Supersede, Retract, Undo, Evict };
std::string_view name_of(ChangeKind kind);

// One item of one change.
struct ChangeEntry {
  std::uint64_t change =
      0;  // all entries of a change have the same number, and are undone together
  WallTime at{};
  ChangeKind kind = ChangeKind::Add;
  std::string item;
  std::optional<std::uint64_t> undoes;     // the change that was undone
  std::optional<std::uint64_t> undone_by;  // the change that undid it
  std::optional<Item> before;              // none: it was not there
};

enum class Usage : std::uint8_t { Retrieved, Helped, Hurt };
struct UsageNote {
  std::string id;
  Usage usage = Usage::Retrieved;
  std::uint64_t times = 1;
};

struct ItemVector {
  std::string id;
  std::vector<float> values;
};

// All vectors of one model, one behind the other.
struct VectorTable {
  std::uint64_t stamp = 0;  // another one after any vector was changed
  std::size_t dims = 0;
  std::vector<std::string> ids;
  std::vector<float> values;  // `dims` for each id
};

struct VectorRequest {
  std::string model;
  std::size_t values_max = 50'000'000;  // of all vectors together
  std::optional<std::uint64_t> known_stamp;
};

struct BankStats {
  std::uint64_t items = 0;
  std::uint64_t active = 0;
  std::uint64_t quarantined = 0;
  std::uint64_t superseded = 0;
  std::uint64_t retracted = 0;
  std::vector<std::pair<std::string, std::uint64_t>> sources;  // active ones
  std::vector<std::pair<std::string, std::uint64_t>> domains;  // active ones, the largest first
  std::uint64_t changes = 0;
  std::uint64_t bytes = 0;
  int schema_version = 0;
};

// Thread-safe, and several processes may have the same one open. What a function that changes has
// acknowledged stays, whatever happens to the process. Errors: NotFound (no such item or change),
// InvalidInput, Denied (what is retracted), Unavailable (cannot be read or written now).
class MemoryRepository {
 public:
  virtual ~MemoryRepository() = default;

  // One change for all of them; all or none. REQUIRES: checked items with their ids.
  virtual Result<AddReport> add(std::vector<Item> items, const OpContext& context) = 0;
  // In the order of the ids, whatever their state; NotFound where one is not there.
  virtual Result<std::vector<Item>> get(const std::vector<std::string>& ids,
                                        const OpContext& context) = 0;
  virtual Result<Candidates> candidates(const CandidateRequest& request,
                                        const OpContext& context) = 0;
  // That a question needs, so that the best are among them.
  virtual std::size_t candidates_wanted() const { return CandidateRequest{}.candidates_max; }
  virtual Result<ChangeReport> edit(const std::string& id, const ItemEdit& edit,
                                    const OpContext& context) = 0;
  // Both have to be there; `by` must not be superseded by `id` in turn.
  virtual Result<ChangeReport> supersede(const std::string& id, const std::string& by,
                                         const OpContext& context) = 0;
  virtual Result<ChangeReport> retract(const std::string& id, const OpContext& context) = 0;
  // Takes items out of the bank, to make room: one change, all or none. Unlike what is retracted
  // they may be added again; undoing brings them back as they were. Denied where one is retracted:
  // it stays, so that it does not return. Unavailable where a repository cannot do that.
  virtual Result<ChangeReport> evict(const std::vector<std::string>& ids, const OpContext& context);
  // Counters alone: no change that could be undone. Items that are not there are passed over.
  virtual Result<void> note_usage(const std::vector<UsageNote>& notes,
                                  const OpContext& context) = 0;

  // Vectors that a model gave for items; each replaces the one that was there. Those of items that
  // are not there are passed over; an item loses its own when its text is changed. No change that
  // could be undone. InvalidInput where the model had vectors of another size.
  virtual Result<void> put_vectors(const std::string& model, const std::vector<ItemVector>& vectors,
                                   const OpContext& context) = 0;
  // nullopt: they are those of the known stamp. LimitExceeded where there are too many.
  virtual Result<std::optional<VectorTable>> vectors(const VectorRequest& request,
                                                     const OpContext& context) = 0;
  // Items that could be found and have no vector of the model, in the order in which they came.
  virtual Result<std::vector<Item>> without_vectors(const std::string& model, std::size_t most,
                                                    const OpContext& context) = 0;

  // The latest first; of one item or of all.
  virtual Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id,
                                                   std::size_t limit, const OpContext& context) = 0;
  // Of the latest change that is neither undone nor an undoing, where no number is given.
  // InvalidInput where its items were changed since.
  virtual Result<ChangeReport> undo(std::optional<std::uint64_t> change,
                                    const OpContext& context) = 0;

  // Items in the order in which they were added, as of about one moment.
  using Visitor = std::function<Result<void>(const Item& item)>;
  virtual Result<void> visit(const ItemFilter& filter, const Visitor& visitor,
                             const OpContext& context) = 0;
  virtual Result<BankStats> stats(const OpContext& context) = 0;
  // Into a new file.
  virtual Result<void> back_up(const std::filesystem::path& path, const OpContext& context) = 0;

  // What its owner should know, e.g. a damaged file that was set aside; each once.
  virtual std::vector<std::string> take_warnings() = 0;
};

}  // namespace helve::memory
