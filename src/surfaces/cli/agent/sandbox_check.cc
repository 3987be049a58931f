// helve sandbox check.
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "agent/sandbox/sandbox.h"
#include "base/text.h"
#include "surfaces/cli/agent/escape_attempts.h"
#include "surfaces/cli/agent/layer_lines.h"
#include "surfaces/cli/agent/sandbox_command.h"

namespace helve::cli {

namespace {

struct CheckReport {
  sandbox::LayerStates layers;
  std::string interpreter;
  double start_ms = 0;
  bool has_user_namespaces = false;
  std::vector<AttemptOutcome> attempts;

  bool holds() const {
    return sandbox::all_hold(layers) &&
           std::all_of(attempts.begin(), attempts.end(),
                       [](const AttemptOutcome& attempt) { return attempt.is_refused; });
  }
};

// Tried in a child, which has one thread and ends with that.
bool has_user_namespaces() {
  const pid_t child = ::fork();
  if (child < 0) return false;
  if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return false;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string verdict_of(const CheckReport& report) {
  if (report.holds()) return "this machine holds the sandbox";
  std::string missing = missing_layers(report.layers);
  if (!missing.empty()) missing.insert(0, "missing ");
  std::string open;
  for (const AttemptOutcome& attempt : report.attempts) {
    if (attempt.is_refused) continue;
    open += fmt::format("{}{}", open.empty() ? "not refused: " : ", ", attempt.what);
  }
  return fmt::format("this machine does NOT hold the sandbox: {}{}{}", missing,
                     missing.empty() || open.empty() ? "" : "; ", open);
}

std::string check_text(const CheckReport& report) {
  std::string out;
  for (const sandbox::LayerState& state : report.layers) {
    std::string line = fmt::format("{:<13} {:<8} {}", name_of(state.layer),
                                   state.holds ? "holds" : "MISSING", purpose_of(state.layer));
    if (!state.detail.empty()) line += fmt::format(" ({})", escape_for_terminal(state.detail));
    out += line + "\n";
  }
  out += fmt::format("\n{}, started in {:.0f} ms\n", escape_for_terminal(report.interpreter),
                     report.start_ms);
  out += fmt::format(
      "user namespaces: {} (not needed: the system call filter closes network and "
      "processes)\n\n",
      report.has_user_namespaces ? "there" : "not there");
  for (const AttemptOutcome& attempt : report.attempts) {
    out += fmt::format("{:<11}  {} ({})\n", attempt.is_refused ? "refused" : "NOT REFUSED",
                       attempt.what, escape_for_terminal(attempt.detail));
  }
  return out + "\n" + verdict_of(report) + "\n";
}

std::string check_json(const CheckReport& report) {
  return json_object([&](JsonWriter& json) {
    json.member("holds", report.holds());
    json.member("interpreter", report.interpreter);
    write_layers(json, report.layers);
    write_objects(json, "attempts", report.attempts, [&json](const AttemptOutcome& attempt) {
      json.member("what", attempt.what);
      json.member("refused", attempt.is_refused);
      json.member("detail", attempt.detail);
    });
    json.member("user_namespaces", report.has_user_namespaces);
    json.member("start_ms", report.start_ms);
  });
}

}  // namespace

Result<void> run_sandbox_check(const SandboxCheckOptions& options, CommandContext& context) {
  sandbox::SandboxOptions wanted;
  wanted.python = options.python;
  wanted.limits.block_time = std::chrono::seconds(5);
  wanted.allows_missing_layers = true;  // to tell which
  const auto begun = context.env.clock().now();
  HELVE_ASSIGN(auto session, sandbox::Sandbox::start(wanted, context.op));
  CheckReport report;
  report.start_ms =
      std::chrono::duration<double, std::milli>(context.env.clock().now() - begun).count();
  report.layers = session->layers();
  report.interpreter = session->interpreter();
  report.has_user_namespaces = has_user_namespaces();
  HELVE_ASSIGN(report.attempts, try_to_escape(std::move(session), wanted, context.op));
  HELVE_TRY(context.show(options.is_json ? check_json(report) : check_text(report)));
  if (report.holds()) return {};
  context.is_failure_reported = true;
  return Error{ErrorCode::Denied, verdict_of(report)};
}

}  // namespace helve::cli
