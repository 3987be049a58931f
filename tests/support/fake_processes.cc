// Scripted children.
#include "tests/support/fake_processes.h"

#include <fmt/core.h>

namespace helve {

namespace {

class FakeProcess final : public WorkerProcess {
 public:
  FakeProcess(ProcessScript script, std::shared_ptr<ProcessRecord> record)
      : script_(std::move(script)), record_(std::move(record)) {}
  FakeProcess(const FakeProcess&) = delete;
  FakeProcess& operator=(const FakeProcess&) = delete;
  ~FakeProcess() override { record_->was_destroyed = true; }

  Result<void> write_stdin(std::string_view bytes, const OpContext& context) override {
    HELVE_TRY(context.check());
    if (record_->is_stdin_closed || record_->was_killed) {
      return Error{ErrorCode::Unavailable, "FakeProcess: its input is closed"};
    }
    record_->input += bytes;
    return {};
  }

  void close_stdin() override {
    if (record_->is_stdin_closed) return;
    record_->is_stdin_closed = true;
    if (script_.answer) script_.out.push_back(script_.answer(record_->input));
  }

  Result<bool> read_output(std::string& out, std::string& err, const OpContext& context) override {
    HELVE_TRY(context.check());
    if (record_->was_killed) return false;
    const bool has_output = next_out_ < script_.out.size() || next_err_ < script_.err.size();
    if (!has_output) return script_.hangs ? stuck(context) : Result<bool>(false);
    HELVE_TRY(hand_out(script_.out, next_out_, out_bytes_, out, context.limits));
    HELVE_TRY(hand_out(script_.err, next_err_, err_bytes_, err, context.limits));
    return true;
  }

  Result<ExitStatus> wait(const OpContext& context) override {
    constexpr int kSigkill = 9;
    if (record_->was_killed) return ExitStatus{0, kSigkill};
    auto outcome = context.check();
    if (outcome && script_.hangs) outcome = stuck(context).error();
    if (!outcome) {
      kill();
      return std::move(outcome).error();
    }
    return script_.exit;
  }

  void kill() override { record_->was_killed = true; }

 private:
  static Result<void> hand_out(const std::vector<std::string>& pieces, std::size_t& next,
                               std::size_t& total, std::string& into, const Limits& limits) {
    if (next == pieces.size()) return {};
    total += pieces[next].size();
    if (total > limits.pipe_bytes_max) {
      return Error{ErrorCode::LimitExceeded, "FakeProcess: more output than pipe_bytes_max"};
    }
    into += pieces[next++];
    return {};
  }

  // Time in tests moves by hand, so waiting for the deadline would never end.
  static Result<bool> stuck(const OpContext& context) {
    if (context.deadline.is_never()) {
      return Error{ErrorCode::Internal, "FakeProcess hangs and nothing would end the wait"};
    }
    return Error{ErrorCode::LimitExceeded, "the deadline has passed",
                 "allow more time or ask for less"};
  }

  ProcessScript script_;
  std::shared_ptr<ProcessRecord> record_;
  std::size_t next_out_ = 0;
  std::size_t next_err_ = 0;
  std::size_t out_bytes_ = 0;
  std::size_t err_bytes_ = 0;
};

}  // namespace

Result<std::unique_ptr<WorkerProcess>> FakeProcesses::start(const ProcessOptions& options) {
  const std::lock_guard lock(mutex_);
  if (scripts_.empty()) {
    return Error{ErrorCode::NotFound,
                 fmt::format("FakeProcesses has no script for '{}'",
                             options.arguments.empty() ? "" : options.arguments[0])};
  }
  ProcessScript script = std::move(scripts_.front());
  scripts_.pop_front();
  auto record = std::make_shared<ProcessRecord>();
  record->options = options;
  records_.push_back(record);
  if (script.start_error) return *std::move(script.start_error);
  return std::make_unique<FakeProcess>(std::move(script), std::move(record));
}

void FakeProcesses::script(ProcessScript script) {
  const std::lock_guard lock(mutex_);
  scripts_.push_back(std::move(script));
}

std::vector<std::shared_ptr<const ProcessRecord>> FakeProcesses::records() const {
  const std::lock_guard lock(mutex_);
  return records_;
}

}  // namespace helve
