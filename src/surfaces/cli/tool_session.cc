#include "surfaces/cli/tool_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/digest.h"
#include "base/env.h"
#include "base/file_identity.h"
#include "base/read_whole.h"
#include "base/stdio.h"
#include "sources/store/live/local_factory.h"
#include "surfaces/cli/any_source.h"
#include "surfaces/cli/confirm_prompt.h"
#include "surfaces/cli/memory_command.h"
#include "surfaces/cli/open_skills.h"
#include "surfaces/cli/state_folder.h"
#include "surfaces/cli/worker_program.h"

namespace helve::cli {

namespace {

const char* session_variable(const char* name) { return std::getenv(name); }

// Values without a name beside some with one: they are for the parameters that are left, in order.
Result<void> name_the_rest(JsonValue::Array values, const toolkit::Tool* tool,
                           JsonValue::Object& named) {
  const auto is_named = [&named](const std::string& name) {
    return std::any_of(named.begin(), named.end(),
                       [&](const JsonMember& member) { return member.key == name; });
  };
  std::size_t at = 0;
  for (JsonValue& value : values) {
    while (tool != nullptr && at < tool->parameters.size() && is_named(tool->parameters[at].name)) {
      ++at;
    }
    if (tool == nullptr || at == tool->parameters.size()) {
      const std::string* text = value.if_string();
      return Error{ErrorCode::InvalidInput,
                   fmt::format("'{}' has no name, and no parameter is left for it",
                               text != nullptr ? *text : ""),
                   "write it as key=value; quote what has blanks"};
    }
    named.push_back({tool->parameters[at].name, std::move(value)});
  }
  return {};
}

}  // namespace

std::filesystem::path default_session_folder() {
  if (const char* const chosen = std::getenv("HELVE_SESSION"); chosen != nullptr && *chosen != 0) {
    return chosen;
  }
  const std::filesystem::path folder = user_state_folder();
  if (folder.empty()) return {};
  return folder / "sessions" / fmt::format("terminal-{}", ::getsid(0));
}

Result<std::unique_ptr<ToolSession>> ToolSession::open(const ToolSessionOptions& options,
                                                       CommandContext& context) {
  std::unique_ptr<ToolSession> session(new ToolSession(context));
  HELVE_TRY(session->settle_caller(options));
  HELVE_TRY(session->open_toolkit(options));
  std::vector<opening::NamedSource> sources;
  for (const std::string& text : options.sources) {
    sources.push_back(opening::read_source(text, context.env.files()));
  }
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const opening::NamedSource& source : sources) names.push_back(source.name);
  HELVE_TRY(session->policies_.check_sources(names));
  for (const opening::NamedSource& source : sources) {
    HELVE_TRY(session->open_source(source, options));
  }
  return session;
}

Result<void> ToolSession::settle_caller(const ToolSessionOptions& options) {
  if (options.is_confirmed) {
    caller_.ask_person = [](const auto& /*request*/, const auto& /*op*/) {
      return toolkit::PersonAnswer{true, {}};
    };
    caller_.confirmed_by = "--yes";
  } else if (can_ask_person(context_)) {
    caller_.ask_person = [this](const toolkit::ConfirmationRequest& request, const OpContext& op) {
      const std::lock_guard lock(asking_);
      return ask_on_terminal(request, op, context_);
    };
  }
  if (!options.caller.empty()) caller_.identity = options.caller;
  HELVE_ASSIGN(SessionPolicy policy, read_session_policy(options, context_));
  policies_ = std::move(policy.policies);
  caller_.policy = std::move(policy.own);
  return {};
}

// What was stored by other callers, or under other rules for sources, is not seen.
std::filesystem::path ToolSession::session_folder(const ToolSessionOptions& options) const {
  if (!options.is_kept) return {};
  std::filesystem::path folder =
      options.session.empty() ? default_session_folder() : std::filesystem::path(options.session);
  const std::string rules = policies_.visibility_of_sources();
  const bool is_common = rules.empty() && options.caller.empty();
  if (folder.empty() || is_common) return folder;
  // The folder itself is made private, and so must be what is in it.
  static_cast<void>(make_private_folder(folder));
  return folder / digest_hex(DigestKind::Sha256, caller_.identity + '\0' + rules);
}

Result<void> ToolSession::open_toolkit(const ToolSessionOptions& options) {
  toolkit::ToolkitOptions made;
  made.handles.folder = session_folder(options);
  made.handles.keeps_all_on_disk = !made.handles.folder.empty();
  // What is asked and answered is nobody else's business. Where that fails, opening it tells why.
  if (!made.handles.folder.empty()) static_cast<void>(make_private_folder(made.handles.folder));
  made.worker_program = worker_program();
  made.has_lasting_sessions = options.is_lasting;
  made.marks_data = options.marks_data;
  HELVE_ASSIGN(made.skills, open_skills(options.skills, context_));
  HELVE_ASSIGN(SessionBank bank,
               open_session_bank(options.bank, options.is_bank_read_only, context_));
  made.bank = std::move(bank.bank);
  made.has_memory_writes = bank.is_writable;
  made.trusts_judgments = options.trusts_judgments;
  HELVE_ASSIGN(auto audit, opening::open_audit(options.audit, context_.env, session_variable));
  HELVE_ASSIGN(toolkit_,
               toolkit::Toolkit::make(std::move(made), context_.env,
                                      store::make_local_factory(context_.env), std::move(audit)));
  return {};
}

Result<void> ToolSession::open_source(const opening::NamedSource& source,
                                      const ToolSessionOptions& options) {
  const AnySourceChoice choice{options.uses_cache,
                               policies_.lets_write(*caller_.policy, source.name)};
  HELVE_ASSIGN(AnySource opened, open_any_source(source, choice, context_));
  auto policy = policies_.of_source(source.name);
  if (opened.tables != nullptr) {
    return toolkit_->add_source(std::move(opened.tables), std::move(policy));
  }
  if (opened.opened) opened_.push_back(*std::move(opened.opened));
  return toolkit_->add_source(std::move(opened.graph), std::move(policy));
}

toolkit::CallOutcome ToolSession::call(std::string_view tool, const JsonValue& arguments) {
  return toolkit_->call(tool, arguments, caller_, context_.op);
}

void ToolSession::finish() {
  for (const OpenedGraph& graph : opened_) {
    graph.finish(graph.data->failure().has_value(), context_.op);
  }
}

Result<SessionPolicy> read_session_policy(const ToolSessionOptions& options,
                                          CommandContext& context) {
  SessionPolicy session;
  toolkit::Policy policy;
  if (!options.policy_file.empty()) {
    HELVE_ASSIGN(session.policies, opening::read_policies(options.policy_file, context.env));
    HELVE_ASSIGN(policy, options.caller.empty()
                             ? Result<toolkit::Policy>(session.policies.of("local"))
                             : session.policies.of_named(options.caller));
  } else if (options.reads_any_file) {
    policy.allowed_paths.reset();
  }
  if (policy.allowed_paths) {
    policy.allowed_paths->insert(policy.allowed_paths->end(), options.allowed_paths.begin(),
                                 options.allowed_paths.end());
  }
  session.own = std::make_shared<const toolkit::Policy>(std::move(policy));
  return session;
}

Result<JsonValue> read_tool_arguments(const std::vector<std::string>& words,
                                      const toolkit::Tool* tool, const CommandContext& context) {
  const auto whole = [&context](const std::string& text) -> Result<std::string> {
    if (text != "-") return text;
    const auto source = stdin_source(context.op.cancel);
    return read_whole(*source, "standard input", context.op.limits.query_bytes_max);
  };
  if (words.size() == 1 && (words[0].starts_with('{') || words[0].starts_with('['))) {
    auto parsed = parse_json(words[0], context.op.limits);
    if (parsed) return parsed;
    Error error = std::move(parsed).error();
    error.document = "the arguments";
    if (error.hint.empty()) error.hint = "write key=value, or one JSON object in quotes";
    return error;
  }
  JsonValue::Object named;
  JsonValue::Array listed;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string_view key = std::string_view(word).substr(0, std::min(equals, word.size()));
    const bool is_name =
        equals != std::string::npos && !key.empty() &&
        key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
            std::string_view::npos;
    if (!is_name) {
      HELVE_ASSIGN(std::string value, whole(word));
      listed.emplace_back(std::move(value));
      continue;
    }
    for (const JsonMember& member : named) {
      if (member.key == key) {
        return Error{ErrorCode::InvalidInput, fmt::format("{} is given twice", key)};
      }
    }
    HELVE_ASSIGN(std::string value, whole(word.substr(equals + 1)));
    // A list or an object is JSON; anything else is text, which the tool reads as it needs it.
    auto json = value.starts_with('[') || value.starts_with('{')
                    ? parse_json(value, context.op.limits)
                    : Result<JsonValue>(JsonValue(value));
    named.push_back({std::string(key), json ? *std::move(json) : JsonValue(std::move(value))});
  }
  if (named.empty()) return JsonValue(std::move(listed));
  HELVE_TRY(name_the_rest(std::move(listed), tool, named));
  return JsonValue(std::move(named));
}

}  // namespace helve::cli
