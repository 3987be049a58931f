// ToolSession: the tools with the sources, the session folder and the policy of one call of the
// command line. For `helve call`, `tools` and `explore`.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "surfaces/cli/command.h"
#include "surfaces/cli/open_graph.h"
#include "surfaces/opening/open_audit.h"
#include "surfaces/opening/policies.h"
#include "surfaces/opening/source_uri.h"
#include "toolkit/tools/toolkit.h"

namespace helve::cli {

struct ToolSessionOptions {
  std::vector<std::string> sources;  // NAME=URI or URI: files, index folders
  std::string session;               // folder; empty: one for each terminal
  std::string policy_file;           // JSON or TOML; empty: the default policy
  std::string caller;                // a name of the policy file; empty: "local"
  std::string skills;                // folder of skills; empty: those of the program
  std::string bank;                  // of the memory, for writing; empty: HELVE_BANK, for reading
  bool is_bank_read_only = false;    // although it is named
  std::vector<std::string> allowed_paths;  // folders from which tools may load files
  // A person types each call, and may read what the person may read. Not with a policy file.
  bool reads_any_file = false;
  bool trusts_judgments = false;  // that the caller calls verified
  opening::AuditInput audit;
  bool uses_cache = true;
  bool is_confirmed = false;  // every change counts as confirmed by a person: for scripts
  bool is_kept = true;        // false: handles live in memory and end with the process
  bool is_lasting = false;    // further calls come in this process
  bool marks_data = false;    // for readers that obey texts: ToolkitOptions::marks_data
};

// HELVE_SESSION, or a folder in the user's state folder for this terminal; empty: there is no place
// for one, and handles end with the process.
std::filesystem::path default_session_folder();

// A file that was opened, as the cache wants to hear of it at the end.
class ToolSession {
 public:
  static Result<std::unique_ptr<ToolSession>> open(const ToolSessionOptions& options,
                                                   CommandContext& context);

  // In the time that the command has, or that the tool asks for.
  toolkit::CallOutcome call(std::string_view tool, const JsonValue& arguments);
  toolkit::Toolkit& toolkit() { return *toolkit_; }
  const toolkit::Caller& caller() const { return caller_; }
  // Keeps what was loaded in the cache. Call it once, when the answers are out.
  void finish();

 private:
  explicit ToolSession(CommandContext& context) : context_(context) {}
  Result<void> settle_caller(const ToolSessionOptions& options);
  std::filesystem::path session_folder(const ToolSessionOptions& options) const;
  Result<void> open_toolkit(const ToolSessionOptions& options);
  Result<void> open_source(const opening::NamedSource& source, const ToolSessionOptions& options);

  CommandContext& context_;
  std::unique_ptr<toolkit::Toolkit> toolkit_;
  opening::Policies policies_;
  toolkit::Caller caller_;
  std::mutex asking_;  // one question at a time
  std::vector<OpenedGraph> opened_;
};

// The policy of a caller, and the policies of the file that it comes from.
struct SessionPolicy {
  opening::Policies policies;
  std::shared_ptr<const toolkit::Policy> own;
};
Result<SessionPolicy> read_session_policy(const ToolSessionOptions& options,
                                          CommandContext& context);

// Words of a command line as the arguments of a tool: one JSON value, or key=value and values in
// the order of the parameters. "-" as a value is standard input.
Result<JsonValue> read_tool_arguments(const std::vector<std::string>& words,
                                      const toolkit::Tool* tool, const CommandContext& context);

}  // namespace helve::cli
