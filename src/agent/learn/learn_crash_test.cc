// A closed loop that ends at any point, and goes on: nothing is lost, and nothing is there twice.
#include "agent/learn/learn_testing.h"

namespace helve::agent {
namespace {

using ::testing::Not;

// A repository whose process ends at its k-th call, before or after what the call does.
class MortalRepository final : public memory::MemoryRepository {
 public:
  MortalRepository(memory::MemoryBank& inner, std::uint64_t dies_at, bool dies_after,
                   std::function<void()> on_death)
      : inner_(inner.repository()),
        dies_at_(dies_at),
        dies_after_(dies_after),
        on_death_(std::move(on_death)) {}

  Result<memory::AddReport> add(std::vector<memory::Item> items,
                                const OpContext& context) override {
    return mortal<memory::AddReport>([&] { return inner_.add(std::move(items), context); });
  }
  Result<std::vector<memory::Item>> get(const std::vector<std::string>& ids,
                                        const OpContext& context) override {
    return mortal<std::vector<memory::Item>>([&] { return inner_.get(ids, context); });
  }
  Result<memory::Candidates> candidates(const memory::CandidateRequest& request,
                                        const OpContext& context) override {
    return mortal<memory::Candidates>([&] { return inner_.candidates(request, context); });
  }
  Result<memory::ChangeReport> edit(const std::string& id, const memory::ItemEdit& edit,
                                    const OpContext& context) override {
    return mortal<memory::ChangeReport>([&] { return inner_.edit(id, edit, context); });
  }
  Result<memory::ChangeReport> supersede(const std::string& id, const std::string& by,
                                         const OpContext& context) override {
    return mortal<memory::ChangeReport>([&] { return inner_.supersede(id, by, context); });
  }
  Result<memory::ChangeReport> retract(const std::string& id, const OpContext& context) override {
    return mortal<memory::ChangeReport>([&] { return inner_.retract(id, context); });
  }
  Result<memory::ChangeReport> evict(const std::vector<std::string>& ids,
                                     const OpContext& context) override {
    return mortal<memory::ChangeReport>([&] { return inner_.evict(ids, context); });
  }
  Result<void> note_usage(const std::vector<memory::UsageNote>& notes,
                          const OpContext& context) override {
    return mortal<void>([&] { return inner_.note_usage(notes, context); });
  }
  Result<void> put_vectors(const std::string& model, const std::vector<memory::ItemVector>& vectors,
                           const OpContext& context) override {
    return inner_.put_vectors(model, vectors, context);
  }
  Result<std::optional<memory::VectorTable>> vectors(const memory::VectorRequest& request,
                                                     const OpContext& context) override {
    return inner_.vectors(request, context);
  }
  Result<std::vector<memory::Item>> without_vectors(const std::string& model, std::size_t most,
                                                    const OpContext& context) override {
    return inner_.without_vectors(model, most, context);
  }
  Result<std::vector<memory::ChangeEntry>> history(const std::optional<std::string>& id,
                                                   std::size_t limit,
                                                   const OpContext& context) override {
    return inner_.history(id, limit, context);
  }
  Result<memory::ChangeReport> undo(std::optional<std::uint64_t> change,
                                    const OpContext& context) override {
    return inner_.undo(change, context);
  }
  Result<void> visit(const memory::ItemFilter& filter, const Visitor& visitor,
                     const OpContext& context) override {
    return mortal<void>([&] { return inner_.visit(filter, visitor, context); });
  }
  Result<memory::BankStats> stats(const OpContext& context) override {
    return inner_.stats(context);
  }
  Result<void> back_up(const std::filesystem::path& path, const OpContext& context) override {
    return inner_.back_up(path, context);
  }
  std::vector<std::string> take_warnings() override { return {}; }

  std::uint64_t calls() const { return calls_; }

 private:
  template <typename T, typename Work>
  Result<T> mortal(const Work& work) {
    const Error dead{ErrorCode::Unavailable, "the process has ended"};
    ++calls_;
    if (dies_at_ != 0 && calls_ > dies_at_) return dead;
    if (calls_ != dies_at_) return work();
    if (dies_after_) static_cast<void>(work());
    on_death_();
    return dead;
  }

  memory::MemoryRepository& inner_;
  const std::uint64_t dies_at_;
  const bool dies_after_;
  const std::function<void()> on_death_;
  std::uint64_t calls_ = 0;
};

class LearnCrashTest : public LearnTest {
 protected:
  LearnCrashTest() {
    options_.rollouts = 2;
    seed_.reset();
    // As little work beside as there can be: the loop is run hundreds of times.
    tasks_.cases.pop_back();
    options_.request.context.layers.reset();
    options_.request.context.layers.set(static_cast<std::size_t>(context::Layer::Procedures));
  }

  struct Outcome {
    std::vector<std::string> items;  // without counts
    std::uint64_t helped = 0;
    std::uint64_t hurt = 0;
    std::uint64_t successes = 0;
    std::uint64_t items_added = 0;
    std::size_t done = 0;
  };

  // Of a loop that has run to its end.
  Outcome outcome_of(memory::MemoryBank& bank, const LearnReport& report) {
    Outcome outcome;
    outcome.items = items_of(bank, false);
    static_cast<void>(bank.repository().visit(memory::whole_bank(),
                                              [&](const memory::Item& item) {
                                                outcome.helped += item.counters.helped;
                                                outcome.hurt += item.counters.hurt;
                                                return Result<void>();
                                              },
                                              {}));
    outcome.successes = report.successes;
    outcome.items_added = report.items_added;
    outcome.done = count_lines("done");
    return outcome;
  }

  Outcome whole() {
    env_ = std::make_unique<FakeEnv>();
    const auto bank = open_bank("whole.db");
    const auto report = run(bank);
    EXPECT_TRUE(report) << (report ? "" : report.error().to_string());
    return outcome_of(*bank, *report);
  }

  // What is there after a restart that runs to the end is what a loop without a crash leaves.
  void expect_recovered(const Outcome& wanted, const std::shared_ptr<memory::MemoryBank>& bank,
                        const std::string& where) {
    const auto report = run(bank);
    ASSERT_TRUE(report) << where << ": " << report.error().to_string();
    const Outcome now = outcome_of(*bank, *report);
    EXPECT_EQ(now.items, wanted.items) << where;
    EXPECT_EQ(now.successes, wanted.successes) << where;
    EXPECT_EQ(now.items_added, wanted.items_added) << where;
    EXPECT_EQ(now.done, wanted.done) << where;
    // At most once for each task.
    EXPECT_LE(now.helped, wanted.helped) << where;
    EXPECT_LE(now.hurt, wanted.hurt) << where;
    EXPECT_GE(now.helped + now.hurt + kLessonsOfTask, wanted.helped + wanted.hurt) << where;
    // And a third start has nothing to do.
    ASSERT_TRUE(run(bank)) << where;
    EXPECT_EQ(rollouts_->made(), 0U) << where;
    EXPECT_EQ(items_of(*bank, false), wanted.items) << where;
  }

  static constexpr std::uint64_t kLessonsOfTask = 3;  // counts of one task may be lost
};

// The machine stops at every single operation on files: of the journal, of trajectories.
TEST_F(LearnCrashTest, EveryOperationOnFilesMayBeTheLast) {
  const Outcome wanted = whole();
  const std::uint64_t operations = env_->files().operations();
  ASSERT_THAT(wanted.items, Not(::testing::IsEmpty()));
  ASSERT_GT(operations, 50U);
  for (std::uint64_t k = 1; k <= operations; ++k) {
    env_ = std::make_unique<FakeEnv>();
    const auto bank = open_bank("files-" + std::to_string(k) + ".db");
    env_->files().fail_from_operation(k);
    const auto cut = run(bank);
    EXPECT_FALSE(cut) << k;
    env_->files().crash();
    expect_recovered(wanted, bank, "operation " + std::to_string(k));
    if (HasFailure()) return;
  }
}

// The process ends at every call of the bank, before and after what it does. What was written to
// files and not synced is there: it is no power failure.
TEST_F(LearnCrashTest, EveryCallOfTheBankMayBeTheLast) {
  options_.consolidates = true;
  const Outcome wanted = whole();
  for (const bool dies_after : {false, true}) {
    for (std::uint64_t k = 1;; ++k) {
      env_ = std::make_unique<FakeEnv>();
      const auto place = std::to_string(k) + (dies_after ? "after" : "before");
      const auto inner = open_bank("bank-" + place + ".db");
      const auto mortal = std::make_shared<memory::MemoryBank>(
          std::make_unique<MortalRepository>(*inner, k, dies_after,
                                             [this] { env_->files().fail_from_operation(1); }),
          real_env().clock(), "mortal");
      const auto cut = run(mortal);
      rollouts_.reset();  // it has the bank
      if (cut) {          // no call was the last
        EXPECT_GT(k, 10U);
        break;
      }
      env_->files().crash();
      expect_recovered(wanted, inner, "call " + place);
      if (HasFailure()) return;
    }
  }
}

// A journal that ends anywhere, in a line or behind one, beside a bank that is further.
TEST_F(LearnCrashTest, AJournalThatIsCutAnywhereIsGoneOnFrom) {
  const Outcome wanted = whole();
  const std::string text = journal();
  const auto bank = open_bank("whole.db");
  for (std::size_t end = 0; end < text.size();) {
    for (const std::size_t length : {end, end + 1, end + (text.find('\n', end) - end) / 2}) {
      env_ = std::make_unique<FakeEnv>();
      env_->files().put("/learn/journal.jsonl", text.substr(0, length));
      const auto report = run(bank);
      ASSERT_TRUE(report) << length << ": " << report.error().to_string();
      EXPECT_EQ(items_of(*bank, false), wanted.items) << length;
      EXPECT_EQ(count_lines("done"), tasks_.cases.size()) << length;
      EXPECT_EQ(journal().back(), '\n');
    }
    end = text.find('\n', end) + 1;
  }
}

}  // namespace
}  // namespace helve::agent
