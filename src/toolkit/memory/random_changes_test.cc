// Random changes of a bank in a file, beside a map that knows the rules: after any of them both
// have the same items, and search finds and counts the same. Spans are short, so that many are
// settled and merged.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/real_env.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/bank_place_testing.h"
#include "toolkit/memory/sqlite_repository.h"

namespace helve::memory {
namespace {

constexpr std::int64_t kSpan = 8;
constexpr int kChanges = 400;

// Without what the clock decides.
Item timeless(Item item) {
  item.created_at = {};
  if (item.retracted_at) item.retracted_at = WallTime{};
  return item;
}

using Items = std::map<std::string, Item>;

class RandomChanges : public ::testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    random_.seed(GetParam());
    reopen();
  }
  void reopen() {
    bank_.reset();
    BankFileOptions options;
    options.path = folder_ / "bank.db";
    options.index_span = kSpan;
    auto opened = open_sqlite_repository(options, real_env(), real_shared_files(), {});
    ASSERT_TRUE(opened) << opened.error().to_string();
    bank_ = *std::move(opened);
  }

  unsigned below(std::size_t count) { return static_cast<unsigned>(random_() % count); }
  // One that no item has (any more) now and then.
  std::string some_id() {
    if (model_.empty() || below(20) == 0) return "0123456789ab";
    return std::next(model_.begin(), static_cast<std::ptrdiff_t>(below(model_.size())))->first;
  }
  std::string words(unsigned count) {
    std::string text;
    // The last two are what filters might be looked up by.
    for (unsigned i = 0; i < count; ++i) text += fmt::format("w{} ", below(12));
    return text + (below(9) == 0 ? "0s0 s0" : "end");
  }
  Item some_item() {
    Item item = item_of(fmt::format("title {}", below(150)), words(below(3)));
    item.desc = words(2);
    if (below(3) == 0) item.domain = "d";
    if (below(3) == 0) item.tags = {"w1", "t"};
    if (below(5) == 0) item.quarantined = true;
    if (below(2) == 0) item.src = ItemSource::Failure;
    return item;
  }

  // What the model says of an error, and what the bank says.
  template <typename Report>
  bool agree(const Result<Report>& done, std::optional<ErrorCode> expected) {
    EXPECT_EQ(done.has_value(), !expected) << (done ? "" : done.error().to_string());
    if (!done && expected) {
      EXPECT_EQ(done.error().code, *expected);
    }
    return done.has_value() && !expected;
  }
  void change() {
    Items before = model_;
    bool is_change = false;
    switch (below(8)) {
      case 0:
        is_change = edit();
        break;
      case 1:
        is_change = supersede();
        break;
      case 2:
        is_change = retract();
        break;
      case 3:
        is_change = evict();
        break;
      case 4:
        undo();
        return;
      default:
        is_change = add();
    }
    if (is_change) states_.push_back(std::move(before));
  }

  bool add() {
    std::vector<Item> items;
    for (unsigned i = 0; i <= below(6); ++i) items.push_back(some_item());
    const auto report = bank_->add(items, {});
    EXPECT_TRUE(report) << report.error().to_string();
    bool is_any_new = false;
    for (const Item& item : items) is_any_new |= model_.emplace(item.id, item).second;
    EXPECT_EQ(report->change.has_value(), is_any_new);
    return is_any_new;
  }

  bool edit() {
    ItemEdit edit;
    if (below(2) == 0) edit.desc = words(2);
    if (below(2) == 0) edit.domain = below(2) == 0 ? "d" : "";
    if (below(4) == 0) edit.content = words(1);
    if (below(4) == 0) edit.quarantined = below(2) == 0;
    const std::string id = some_id();
    const auto done = bank_->edit(id, edit, {});
    const auto old = model_.find(id);
    if (old == model_.end()) return agree(done, ErrorCode::NotFound);
    if (old->second.retracted_at) return agree(done, ErrorCode::Denied);
    const Item item = edited(old->second, edit);
    if (!old->second.superseded_by.empty() || item == old->second ||
        (item.id != id && model_.contains(item.id))) {
      return agree(done, ErrorCode::InvalidInput);
    }
    if (item.id != id) old->second.superseded_by = item.id;
    model_[item.id] = item;
    return agree(done, std::nullopt);
  }

  bool supersede() {
    const std::string id = some_id();
    const std::string by = some_id();
    const auto done = bank_->supersede(id, by, {});
    if (!model_.contains(id) || !model_.contains(by)) return agree(done, ErrorCode::NotFound);
    if (!model_[id].superseded_by.empty()) return agree(done, ErrorCode::InvalidInput);
    if (model_[by].retracted_at) return agree(done, ErrorCode::Denied);
    std::string later = by;
    while (later != id && !model_[later].superseded_by.empty()) {
      later = model_[later].superseded_by;
      // It may have been evicted.
      if (!model_.contains(later)) return agree(done, ErrorCode::NotFound);
    }
    if (later == id) return agree(done, ErrorCode::InvalidInput);
    model_[id].superseded_by = by;
    return agree(done, std::nullopt);
  }

  bool retract() {
    const std::string id = some_id();
    const auto done = bank_->retract(id, {});
    if (!model_.contains(id)) return agree(done, ErrorCode::NotFound);
    if (model_[id].retracted_at) return agree(done, ErrorCode::InvalidInput);
    model_[id].retracted_at = WallTime{};
    return agree(done, std::nullopt);
  }

  bool evict() {
    const std::set<std::string> ids{some_id(), some_id()};
    const auto done = bank_->evict({ids.begin(), ids.end()}, {});
    for (const std::string& id : ids) {
      if (!model_.contains(id)) return agree(done, ErrorCode::NotFound);
      if (model_[id].retracted_at) return agree(done, ErrorCode::Denied);
    }
    for (const std::string& id : ids) model_.erase(id);
    return agree(done, std::nullopt);
  }

  void undo() {
    const auto done = bank_->undo(std::nullopt, {});
    if (states_.empty()) {
      agree(done, ErrorCode::NotFound);
      return;
    }
    if (!agree(done, std::nullopt)) return;
    model_ = std::move(states_.back());
    states_.pop_back();
  }

  void compare() {
    Items stored;
    ASSERT_TRUE(bank_->visit(whole_bank(),
                             [&](const Item& item) -> Result<void> {
                               stored[item.id] = timeless(item);
                               return {};
                             },
                             {}));
    ASSERT_EQ(stored.size(), model_.size());
    for (const auto& [id, item] : model_) ASSERT_EQ(stored[id], timeless(item)) << id;
    for (int i = 0; i < 6; ++i) ask();
  }

  void ask() {
    CandidateRequest request;
    request.terms = {fmt::format("w{}", below(12)), below(3) == 0 ? "0s0" : "title"};
    if (below(2) == 0) request.terms.pop_back();
    request.candidates_max = 10'000;
    if (below(3) == 0) request.filter = whole_bank();
    if (below(4) == 0) request.filter.domain = "d";
    if (below(4) == 0) request.filter.tags = {"t"};
    if (below(4) == 0) request.filter.polarity = ItemSource::Failure;
    std::vector<std::uint64_t> frequencies(request.terms.size());
    std::uint64_t length = 0;
    std::set<std::string> expected;
    for (const auto& [id, item] : model_) {
      const ItemTerms terms = item_terms(item);
      length += terms.length;
      for (std::size_t i = 0; i < request.terms.size(); ++i) {
        if (terms.bag.weight_of(request.terms[i]) == 0) continue;
        ++frequencies[i];
        if (request.filter.lets_through(item)) expected.insert(id);
      }
    }
    const auto found = bank_->candidates(request, {});
    ASSERT_TRUE(found) << found.error().to_string();
    EXPECT_EQ(found->documents, model_.size());
    EXPECT_EQ(found->total_length, length);
    EXPECT_EQ(found->frequencies, frequencies) << fmt::format("{}", fmt::join(request.terms, " "));
    std::set<std::string> ids;
    for (const Candidate& one : found->items) ids.insert(one.id);
    EXPECT_EQ(ids, expected);
  }

  std::int64_t spans(const char* which) {
    const auto store =
        sqlite::Store::open({(folder_ / "bank.db").native(), sqlite::StoreUse::Read, 0});
    return *(*store)->number(fmt::format("SELECT count(*) FROM span WHERE {}", which));
  }

  TempDirectory folder_;
  std::mt19937 random_;
  std::unique_ptr<MemoryRepository> bank_;
  Items model_;
  std::vector<Items> states_;  // before each change that can be undone
};

TEST_P(RandomChanges, LeaveWhatTheRulesSay) {
  for (int i = 0; i < kChanges; ++i) {
    SCOPED_TRACE(i);
    change();
    if (i % 10 == 0) compare();
    if (i % 100 == 50) reopen();
    if (HasFailure()) return;
  }
  compare();
  EXPECT_GT(spans("is_short = 1"), 0);
  EXPECT_GT(spans("is_short = 0"), 0) << "none were merged";
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomChanges, ::testing::Values(1U, 2U, 3U));

}  // namespace
}  // namespace helve::memory
