// What a bank on a server does: the suite of all repositories, and the same as in a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/digest.h"
#include "tests/support/temp_directory.h"
#include "toolkit/memory/item_json.h"
#include "toolkit/memory/postgres/live/postgres_bank_testing.h"
#include "toolkit/memory/repository_suite_testing.h"
#include "toolkit/memory/sqlite_repository.h"

namespace helve::memory {
namespace {

INSTANTIATE_TEST_SUITE_P(Postgres, RepositorySuite,
                         ::testing::Values(MakePlace([]() -> std::unique_ptr<BankPlace> {
                           BankServer* const server = BankServer::get();
                           if (server == nullptr) return nullptr;
                           return std::make_unique<ServerPlace>(*server);
                         })));

// The same changes on both, and what each has to say.
class SameAsInAFile : public ::testing::Test {
 protected:
  void SetUp() override {
    BankServer* const server = BankServer::get();
    if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed";
    server_ = *ServerPlace(*server).open(true);
    file_ = *open_sqlite_repository({folder_ / "bank.db", true, 0}, real_env(), real_shared_files(),
                                    {});
  }

  static std::string outcome_of(const Result<ChangeReport>& report) {
    if (!report) return report.error().to_string();
    return fmt::format("{} {}", report->change, report->id);
  }
  static std::string outcome_of(const Result<AddReport>& report) {
    if (!report) return report.error().to_string();
    std::string text = fmt::format("{}", report->change.value_or(0));
    for (const AddOutcome& one : report->items) {
      text += fmt::format(" {}={}", one.id, static_cast<int>(one.state));
    }
    return text;
  }

  std::string word() { return fmt::format("w{}", std::min(chance_() % 60, chance_() % 60)); }
  Item any_item() {
    Item item = item_of(fmt::format("t{}", chance_() % 400), word() + " " + word() + " " + word(),
                        static_cast<ItemSource>(chance_() % kItemSources));
    if (chance_() % 3 == 0) item.tags = {word()};
    if (chance_() % 4 == 0) item.domain = "d" + std::to_string(chance_() % 3);
    item.quarantined = chance_() % 10 == 0;
    item.created_at = WallTime(std::chrono::seconds(1'700'000'000 + chance_() % 1'000));
    ids_.push_back(item.id);
    return item;
  }
  const std::string& any_id() { return ids_[chance_() % ids_.size()]; }

  // One change, on both.
  void change() {
    std::vector<Item> items;
    ItemEdit edit;
    switch (chance_() % 8) {
      case 0:
        edit.desc = "About " + word();
        break;
      case 1:
        edit.content = word() + " " + word();
        break;
      default:
        break;
    }
    const std::string id = ids_.empty() ? "0123456789ab" : any_id();
    const std::string by = ids_.empty() ? "0123456789ab" : any_id();
    const std::optional<std::uint64_t> number =
        chance_() % 2 == 0 ? std::nullopt : std::optional<std::uint64_t>(chance_() % 100);
    const std::uint64_t kind = chance_() % 10;
    if (kind < 5) items = {any_item(), any_item(), any_item()};
    const auto on = [&](MemoryRepository& bank) {
      if (kind < 5) return outcome_of(bank.add(items, {}));
      if (kind == 5) return outcome_of(bank.edit(id, edit, {}));
      if (kind == 6) return outcome_of(bank.supersede(id, by, {}));
      if (kind == 7) return outcome_of(bank.retract(id, {}));
      if (kind == 8) return outcome_of(bank.undo(number, {}));
      return std::string(
          bank.note_usage({{id, Usage::Helped, 2}, {by, Usage::Hurt, 1}}, {}) ? "noted" : "not");
    };
    EXPECT_EQ(on(*server_), on(*file_));
  }

  // Of items in the order in which they are there; times of use and change may differ by a second.
  static std::vector<std::string> all_of(MemoryRepository& bank) {
    std::vector<std::string> all;
    EXPECT_TRUE(bank.visit(whole_bank(),
                           [&](Item item) -> Result<void> {
                             item.last_used_at.reset();
                             if (item.retracted_at) item.retracted_at = WallTime{};
                             if (item.superseded_by.empty()) item.created_at = WallTime{};
                             all.push_back(to_json(item, ItemForm::Full));
                             return {};
                           },
                           {}));
    return all;
  }
  static std::vector<std::string> history_of(MemoryRepository& bank) {
    std::vector<std::string> all;
    const auto history = bank.history(std::nullopt, 10'000, {});
    for (const ChangeEntry& entry : *history) {
      all.push_back(fmt::format("{} {} {} {} {} {}", entry.change, name_of(entry.kind), entry.item,
                                entry.undoes.value_or(0), entry.undone_by.value_or(0),
                                entry.before ? entry.before->desc : "-"));
    }
    return all;
  }
  struct Answer {
    std::string numbers;             // of the whole bank
    std::vector<std::string> items;  // in no order that means anything
    bool is_complete = false;
  };
  static Answer answer_of(MemoryRepository& bank, const CandidateRequest& request) {
    const auto found = bank.candidates(request, {});
    EXPECT_TRUE(found) << found.error().to_string();
    Answer answer;
    answer.is_complete = found->is_complete;
    answer.numbers = fmt::format("{} {} {}", found->documents, found->total_length,
                                 fmt::join(found->frequencies, ","));
    for (const Candidate& one : found->items) {
      answer.items.push_back(fmt::format("{} {} {} {} {}", one.id, one.length, one.counters.helped,
                                         one.counters.hurt,
                                         digest_hex(DigestKind::Sha256, one.bag.bytes())));
    }
    std::sort(answer.items.begin(), answer.items.end());
    return answer;
  }

  TempDirectory folder_;
  std::unique_ptr<MemoryRepository> server_;
  std::unique_ptr<MemoryRepository> file_;
  std::minstd_rand chance_{7};
  std::vector<std::string> ids_;
};

TEST_F(SameAsInAFile, WhateverIsDoneAndAsked) {
  for (int i = 0; i < 250 && !HasFailure(); ++i) change();
  EXPECT_EQ(all_of(*server_), all_of(*file_));
  EXPECT_GT(all_of(*server_).size(), 150U);
  EXPECT_EQ(history_of(*server_), history_of(*file_));
  std::size_t complete = 0;
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    CandidateRequest request;
    const std::size_t words = 1 + chance_() % 6;
    for (std::size_t k = 0; k < words; ++k) request.terms.push_back(word());
    std::sort(request.terms.begin(), request.terms.end());
    request.terms.erase(std::unique(request.terms.begin(), request.terms.end()),
                        request.terms.end());
    request.candidates_max = 1 + chance_() % (i % 2 == 0 ? 40 : 800);
    if (chance_() % 3 == 0) request.filter.tags = {word()};
    if (chance_() % 4 == 0) request.filter.domain = "d1";
    if (chance_() % 4 == 0) request.filter.polarity = ItemSource::Failure;
    request.filter.with_superseded = chance_() % 2 == 0;
    request.filter.with_retracted = chance_() % 2 == 0;
    const Answer on_server = answer_of(*server_, request);
    const Answer in_file = answer_of(*file_, request);
    EXPECT_EQ(on_server.numbers, in_file.numbers);
    // Where not all can be candidates, a file takes the best and a server those with rare words.
    if (!on_server.is_complete || !in_file.is_complete) continue;
    ++complete;
    EXPECT_EQ(on_server.items, in_file.items) << fmt::format("{}", fmt::join(request.terms, " "));
  }
  // Both kinds of searches were among them.
  EXPECT_GT(complete, 20U);
  EXPECT_LT(complete, 180U);
  const auto on_server = server_->stats({});
  const auto in_file = file_->stats({});
  EXPECT_EQ(on_server->active, in_file->active);
  EXPECT_EQ(on_server->changes, in_file->changes);
  EXPECT_EQ(on_server->sources, in_file->sources);
  EXPECT_EQ(on_server->domains, in_file->domains);
}

}  // namespace
}  // namespace helve::memory
