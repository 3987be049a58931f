#include "agent/experiment/frozen_bank.h"

#include <utility>

namespace helve::agent {

namespace {

using namespace memory;

Error refused() { return {ErrorCode::Denied, "this bank is only read"}; }

class FrozenRepository final : public MemoryRepository {
 public:
  explicit FrozenRepository(std::shared_ptr<MemoryBank> bank) : bank_(std::move(bank)) {}

  Result<std::vector<Item>> get(const std::vector<std::string>& ids,
                                const OpContext& context) override {
    return below().get(ids, context);
  }
  Result<Candidates> candidates(const CandidateRequest& request,
                                const OpContext& context) override {
    return below().candidates(request, context);
  }
  std::size_t candidates_wanted() const override { return below().candidates_wanted(); }
  Result<std::optional<VectorTable>> vectors(const VectorRequest& request,
                                             const OpContext& context) override {
    return below().vectors(request, context);
  }
  Result<std::vector<Item>> without_vectors(const std::string& model, std::size_t most,
                                            const OpContext& context) override {
    return below().without_vectors(model, most, context);
  }
  Result<std::vector<ChangeEntry>> history(const std::optional<std::string>& id, std::size_t limit,
                                           const OpContext& context) override {
    return below().history(id, limit, context);
  }
  Result<void> visit(const ItemFilter& filter, const Visitor& visitor,
                     const OpContext& context) override {
    return below().visit(filter, visitor, context);
  }
  Result<BankStats> stats(const OpContext& context) override { return below().stats(context); }
  Result<void> back_up(const std::filesystem::path& path, const OpContext& context) override {
    return below().back_up(path, context);
  }
  std::vector<std::string> take_warnings() override { return below().take_warnings(); }

  // Counted nowhere; nobody is told that it failed.
  Result<void> note_usage(const std::vector<UsageNote>& /*notes*/,
                          const OpContext& /*context*/) override {
    return {};
  }

  Result<AddReport> add(std::vector<Item> /*items*/, const OpContext& /*context*/) override {
    return refused();
  }
  Result<ChangeReport> edit(const std::string& /*id*/, const ItemEdit& /*edit*/,
                            const OpContext& /*context*/) override {
    return refused();
  }
  Result<ChangeReport> supersede(const std::string& /*id*/, const std::string& /*by*/,
                                 const OpContext& /*context*/) override {
    return refused();
  }
  Result<ChangeReport> retract(const std::string& /*id*/, const OpContext& /*context*/) override {
    return refused();
  }
  Result<void> put_vectors(const std::string& /*model*/, const std::vector<ItemVector>& /*vectors*/,
                           const OpContext& /*context*/) override {
    return refused();
  }
  Result<ChangeReport> undo(std::optional<std::uint64_t> /*change*/,
                            const OpContext& /*context*/) override {
    return refused();
  }

 private:
  MemoryRepository& below() const { return bank_->repository(); }

  const std::shared_ptr<MemoryBank> bank_;
};

}  // namespace

std::shared_ptr<MemoryBank> frozen(std::shared_ptr<MemoryBank> bank, const Clock& clock) {
  const std::string name = bank->name();
  return std::make_shared<MemoryBank>(std::make_unique<FrozenRepository>(std::move(bank)), clock,
                                      name);
}

}  // namespace helve::agent
