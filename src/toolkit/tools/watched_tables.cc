#include "toolkit/tools/watched_tables.h"

#include <utility>

namespace helve::toolkit {

namespace {

class WatchedTables final : public TableSource {
 public:
  WatchedTables(std::shared_ptr<const TableSource> source, std::shared_ptr<TablesWatch> watch,
                Env& env)
      : source_(std::move(source)), watch_(std::move(watch)), env_(env) {}

  const SourceInfo& info() const override { return source_->info(); }
  std::string fingerprint() const override { return source_->fingerprint(); }
  SqlDialect dialect() const override { return source_->dialect(); }
  TableRun run(const TableQuery& query, RowSink& sink, const OpContext& context) const override {
    TableRun done = source_->run(query, sink, context);
    note(done.error ? &*done.error : nullptr);
    return done;
  }
  PlanOutcome explain(const TableQuery& query, const OpContext& context) const override {
    PlanOutcome done = source_->explain(query, context);
    note(done.error ? &*done.error : nullptr);
    return done;
  }
  Result<std::shared_ptr<const Catalogue>> catalogue(const OpContext& context,
                                                     bool is_fresh) const override {
    auto read = source_->catalogue(context, is_fresh);
    note(read ? nullptr : &read.error(), ErrorCode::Denied);
    return read;
  }
  Result<SourceRights> rights(const OpContext& context) const override {
    auto read = source_->rights(context);
    note(read ? nullptr : &read.error(), ErrorCode::Denied);
    return read;
  }
  std::string setup_script() const override { return source_->setup_script(); }
  Result<PolicyRights> policy_rights(const TableRules& rules,
                                     const OpContext& context) const override {
    return source_->policy_rights(rules, context);
  }
  const TableWriter* writer() const override { return source_->writer(); }

 private:
  // `also`: a code that speaks of the connection too, where no statement can be what is denied.
  void note(const Error* error, ErrorCode also = ErrorCode::Unavailable) const {
    if (error == nullptr) {
      watch_->answered(env_.clock().wall());
    } else if (error->code == ErrorCode::Unavailable || error->code == also) {
      watch_->failed(*error, env_.clock().wall());
    }
  }

  std::shared_ptr<const TableSource> source_;
  std::shared_ptr<TablesWatch> watch_;
  Env& env_;
};

}  // namespace

void TablesWatch::answered(WallTime at) {
  const std::lock_guard lock(mutex_);
  if (state_.answered_at && !state_.failure) return;
  state_ = {at, std::nullopt, std::nullopt};
}

void TablesWatch::failed(Error error, WallTime at) {
  const std::lock_guard lock(mutex_);
  if (!state_.failed_at) state_.failed_at = at;
  state_.answered_at.reset();
  state_.failure = std::move(error);
}

TablesState TablesWatch::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

std::shared_ptr<const TableSource> watch_tables(std::shared_ptr<const TableSource> source,
                                                std::shared_ptr<TablesWatch> watch, Env& env) {
  return std::make_shared<const WatchedTables>(std::move(source), std::move(watch), env);
}

}  // namespace helve::toolkit
