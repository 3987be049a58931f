#include "helve/tools.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cstdlib>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/spill_space.h"
#include "base/utf8.h"
#include "helve/version.h"
#include "sources/store/live/local_factory.h"
#include "surfaces/api/state.h"
#include "surfaces/opening/open_audit.h"
#include "surfaces/opening/open_bank.h"
#include "toolkit/policy/gate.h"

namespace helve::api {

namespace {

helve::Result<std::shared_ptr<SharedTools>> make_shared_tools(const std::vector<Source>& sources,
                                                              const ToolsOptions& options) {
  auto shared = std::make_shared<SharedTools>();
  toolkit::ToolkitOptions made;
  made.handles.folder = options.session_folder;
  if (!options.policy_file.empty()) {
    HELVE_ASSIGN(shared->policies, opening::read_policies(options.policy_file, real_env()));
    std::vector<std::string> names;
    names.reserve(sources.size());
    for (const Source& source : sources) names.push_back(source.state().source().info().name);
    HELVE_TRY(shared->policies->check_sources(names));
    const std::string rules = shared->policies->visibility_of_sources();
    if (!rules.empty() && !made.handles.folder.empty()) {
      made.handles.folder /= digest_hex(DigestKind::Sha256, rules);
    }
  }
  made.handles.keeps_all_on_disk = !options.session_folder.empty();
  made.handles.memory_bytes_max = options.session_memory_bytes_max;
  made.handles.has_secret_keys = options.has_secret_handles;
  made.marks_data = options.marks_data;
  made.is_one_session = !options.has_many_sessions;
  made.worker_program = worker_command(options.worker_program);
  if (!options.bank.empty()) {
    opening::BankInput bank;
    bank.place = options.bank;
    bank.read_variable = [](const char* name) { return std::getenv(name); };
    HELVE_ASSIGN(made.bank, opening::open_bank(bank, real_env(), {}));
    made.has_memory_writes = true;  // the bank is named in the options
    made.trusts_judgments = options.trusts_judgments;
  }
  HELVE_ASSIGN(auto audit, opening::open_audit(
                               {options.audit_file, options.audit_key, options.audit_fingerprints},
                               real_env(), [](const char* name) { return std::getenv(name); }));
  shared->executor = shared_executor();
  shared->has_many_sessions = options.has_many_sessions;
  shared->events = options.events;
  HELVE_ASSIGN(shared->toolkit,
               toolkit::Toolkit::make(
                   std::move(made), real_env(),
                   store::make_local_factory(real_env(), {fmt::format("helve {}", version())}),
                   std::move(audit)));
  for (const Source& source : sources) {
    const Source::State& state = source.state();
    const auto policy =
        shared->policies ? shared->policies->of_source(state.source().info().name) : nullptr;
    HELVE_TRY(state.graph != nullptr ? shared->toolkit->add_source(state.graph, policy)
                                     : shared->toolkit->add_source(state.tables, policy));
  }
  return shared;
}

helve::Result<toolkit::Caller> make_caller(std::string identity, std::string session,
                                           const Policy& policy) {
  toolkit::Caller caller;
  caller.identity = std::move(identity);
  caller.session = std::move(session);
  HELVE_ASSIGN(auto checked, checked_policy(policy));
  caller.policy = std::make_shared<const toolkit::Policy>(std::move(checked));
  return caller;
}

// Of the policy file.
helve::Result<toolkit::Caller> make_caller(std::string identity, std::string session,
                                           const opening::Policies& policies) {
  toolkit::Caller caller;
  const bool is_usual = identity == caller.identity;
  HELVE_ASSIGN(auto policy, is_usual ? helve::Result<toolkit::Policy>(policies.of(identity))
                                     : policies.of_named(identity));
  caller.identity = std::move(identity);
  caller.session = std::move(session);
  caller.policy = std::make_shared<const toolkit::Policy>(std::move(policy));
  return caller;
}

// Opens the session now, so that a folder that cannot be had is told of before the first call.
helve::Result<std::shared_ptr<const Tools::State>> make_state(const std::vector<Source>& sources,
                                                              const Policy& policy,
                                                              const ToolsOptions& options) {
  auto state = std::make_shared<Tools::State>();
  HELVE_ASSIGN(state->shared, make_shared_tools(sources, options));
  const auto& policies = state->shared->policies;
  HELVE_ASSIGN(state->caller, policies ? make_caller(options.identity, options.session, *policies)
                                       : make_caller(options.identity, options.session, policy));
  if (options.confirm) {
    state->caller.ask_person = [confirm = options.confirm, asking = std::make_shared<std::mutex>()](
                                   const auto& request, const auto& /*op*/) {
      const std::lock_guard lock(*asking);
      return toolkit::PersonAnswer{confirm(request.question), {}};
    };
  }
  const OpContext context =
      context_of(options.lock_timeout, CancelToken(), state->shared->executor.get());
  HELVE_TRY(state->shared->toolkit->handles(state->caller, context));
  return state;
}

// Null where the answer has none.
const toolkit::Ref* find_handle(const toolkit::ToolAnswer& answer) {
  const auto* reply = std::get_if<toolkit::Reply>(&answer);
  return reply != nullptr && reply->handle ? &*reply->handle : nullptr;
}

std::string handle_of(const toolkit::ToolAnswer& answer) {
  const toolkit::Ref* const handle = find_handle(answer);
  return handle != nullptr ? handle->key : std::string();
}

LeakageLine to_public_line(const toolkit::LeakageLine& line) {
  return {line.tool,        line.calls,           line.errors,
          line.reply_chars, line.reply_chars_max, line.stored_chars};
}

Reply to_public_reply(toolkit::CallOutcome outcome) {
  Reply reply;
  if (const toolkit::Ref* const handle = find_handle(outcome.answer)) {
    reply.handle = handle->key;
    reply.is_complete = handle->complete;
  }
  reply.text = std::move(outcome.reply.text);
  reply.json = std::move(outcome.reply.json);
  reply.is_error = outcome.reply.is_error;
  reply.code = static_cast<ErrorCode>(outcome.reply.code);
  reply.source = std::move(outcome.source);
  reply.ms = outcome.ms;
  return reply;
}

toolkit::CallOutcome failed_call(std::string_view tool, helve::Error error,
                                 const toolkit::Policy& policy) {
  toolkit::ToolError answer(std::move(error));
  toolkit::ReplyFrame frame;
  frame.source = "session";
  frame.max_chars = std::min(frame.max_chars, policy.max_chars);
  auto rendered = toolkit::render(answer, frame);
  return {std::move(rendered), std::string(tool), 0, std::move(answer), frame.source};
}

void tell_begin(const Tools::State& state, std::uint64_t id, std::string_view tool,
                std::string_view arguments) {
  SharedTools& shared = *state.shared;
  if (!shared.events.on_begin) return;
  const std::lock_guard lock(shared.events_mutex);
  shared.events.on_begin({id, state.caller.identity, state.caller.session, tool, arguments});
}

void tell_end(const Tools::State& state, std::uint64_t id, const toolkit::CallOutcome& outcome) {
  SharedTools& shared = *state.shared;
  if (!shared.events.on_end) return;
  const std::string handle = handle_of(outcome.answer);
  CallEnd end{id,           state.caller.identity, state.caller.session,
              outcome.tool, outcome.source,        outcome.ms};
  end.reply_chars = utf8_length(outcome.reply.text);
  end.handle = handle;
  end.is_error = outcome.reply.is_error;
  end.code = static_cast<ErrorCode>(outcome.reply.code);
  const std::lock_guard lock(shared.events_mutex);
  shared.events.on_end(end);
}

}  // namespace

namespace {

// A process that was forked has none of the threads of its parent's pool and makes one of its own.
struct SharedPool {
  std::mutex mutex;
  std::weak_ptr<Executor> alive;
};

SharedPool& shared_pool() {
  static SharedPool* const pool = [] {
    ::pthread_atfork([] { shared_pool().mutex.lock(); }, [] { shared_pool().mutex.unlock(); },
                     [] {
                       shared_pool().alive.reset();
                       shared_pool().mutex.unlock();
                     });
    return new SharedPool;  // lives as long as the process
  }();
  return *pool;
}

}  // namespace

std::shared_ptr<Executor> shared_executor() {
  SharedPool& pool = shared_pool();
  const std::lock_guard lock(pool.mutex);
  auto executor = pool.alive.lock();
  // The calling thread takes part in the work.
  if (executor == nullptr && usable_cores() > 1) {
    executor = std::make_shared<Executor>(usable_cores() - 1);
    pool.alive = executor;
  }
  return executor;
}

namespace {

// For all sessions of the process.
SpillSpace& spill_space() {
  const char* const named = std::getenv("TMPDIR");
  static SpillSpace space(real_env().files(), named != nullptr && *named != '\0' ? named : "/tmp",
                          Limits().spill_bytes_max);
  return space;
}

}  // namespace

OpContext context_of(const std::optional<std::chrono::nanoseconds>& timeout,
                     const CancelToken& cancel, Executor* executor) {
  OpContext context;
  if (timeout) context.deadline = Deadline(real_env().clock(), *timeout);
  context.cancel = cancel.state().token;
  context.executor = executor;
  context.spill = &spill_space();
  return context;
}

toolkit::CallOutcome run_call(const Tools::State& state, std::string_view tool,
                              const JsonValue& arguments, std::string_view text,
                              const CallOptions& options) {
  return run_call(state, tool, arguments, text,
                  context_of(options.timeout, options.cancel, nullptr));
}

toolkit::CallOutcome run_call(const Tools::State& state, std::string_view tool,
                              const JsonValue& arguments, std::string_view text,
                              const OpContext& context) {
  SharedTools& shared = *state.shared;
  const std::uint64_t id = ++shared.calls;
  if (text.empty() && shared.events.on_begin) {
    tell_begin(state, id, tool, to_json(arguments));
  } else {
    tell_begin(state, id, tool, text);
  }
  OpContext within = context;
  if (within.executor == nullptr) within.executor = shared.executor.get();
  auto called = without_throwing([&]() -> helve::Result<toolkit::CallOutcome> {
    return shared.toolkit->call(tool, arguments, state.caller, within);
  });
  auto outcome = called ? *std::move(called)
                        : failed_call(tool, std::move(called).error(), *state.caller.policy);
  tell_end(state, id, outcome);
  return outcome;
}

Tools::Tools(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Reply Tools::call(std::string_view tool, std::string_view arguments,
                  const CallOptions& options) const {
  if (arguments.empty()) arguments = "{}";
  auto parsed = parse_json(arguments);
  if (parsed) return to_public_reply(run_call(*state_, tool, *parsed, arguments, options));
  // Nothing is run, but whoever counts calls sees it begin and end.
  const std::uint64_t id = ++state_->shared->calls;
  tell_begin(*state_, id, tool, arguments);
  helve::Error error = std::move(parsed).error();
  error.message = "the arguments are no JSON: " + error.message;
  if (error.hint.empty()) error.hint = R"(write an object: {"query": "..."})";
  auto outcome = failed_call(tool, std::move(error), *state_->caller.policy);
  tell_end(*state_, id, outcome);
  return to_public_reply(std::move(outcome));
}

std::vector<ToolInfo> Tools::list() const {
  std::vector<ToolInfo> tools;
  for (const toolkit::Tool& tool : state_->shared->toolkit->registry().tools()) {
    if (!toolkit::may_call(*state_->caller.policy, nature_of(tool))) continue;
    tools.push_back({tool.name, std::string(name_of(tool.category)), tool.purpose});
  }
  return tools;
}

std::vector<std::string> Tools::names() const {
  std::vector<std::string> names;
  for (ToolInfo& tool : list()) names.push_back(std::move(tool.name));
  return names;
}

Result<std::string> Tools::input_schema(std::string_view tool) const {
  const auto found = state_->shared->toolkit->registry().find(tool);
  if (!found) return api::to_public(found.error());
  return to_json(toolkit::input_schema(**found));
}

Result<std::string> Tools::output_schema(std::string_view tool) const {
  const auto found = state_->shared->toolkit->registry().find(tool);
  if (!found) return api::to_public(found.error());
  return to_json(toolkit::output_schema(**found));
}

std::vector<std::string> Tools::source_names() const {
  std::vector<std::string> names;
  for (const SourceInfo& info : state_->shared->toolkit->sources()) names.push_back(info.name);
  return names;
}

Leakage Tools::leakage() const {
  const toolkit::LeakageReport report = state_->shared->toolkit->leakage(state_->caller);
  Leakage leakage;
  for (const toolkit::LeakageLine& line : report.tools)
    leakage.tools.push_back(to_public_line(line));
  leakage.total = to_public_line(report.total);
  return leakage;
}

namespace {

Result<Tools> tools_of(const Tools::State& state, helve::Result<toolkit::Caller> caller) {
  if (!caller) return api::to_public(caller.error());
  const bool is_same =
      caller->identity == state.caller.identity && caller->session == state.caller.session;
  if (!is_same && !state.shared->has_many_sessions) {
    return Error{ErrorCode::InvalidInput,
                 "these tools have one session: other callers would see its results",
                 "set ToolsOptions::has_many_sessions, or call get_tools() again"};
  }
  caller->ask_person = state.caller.ask_person;
  return Tools(
      std::make_shared<const Tools::State>(Tools::State{state.shared, *std::move(caller)}));
}

}  // namespace

Result<Tools> Tools::as(std::string identity, std::string session, const Policy& policy) const {
  return tools_of(*state_, make_caller(std::move(identity), std::move(session), policy));
}

Result<Tools> Tools::as(std::string identity, std::string session) const {
  const auto& policies = state_->shared->policies;
  if (!policies) {
    return Error{ErrorCode::InvalidInput, "there is no policy file to take a policy from",
                 "set ToolsOptions::policy_file, or give a policy"};
  }
  return tools_of(*state_, make_caller(std::move(identity), std::move(session), *policies));
}

Result<Tools> get_tools(const Source& source, const Policy& policy, const ToolsOptions& options) {
  return get_tools(std::vector<Source>{source}, policy, options);
}

Result<Tools> get_tools(const std::vector<Source>& sources, const Policy& policy,
                        const ToolsOptions& options) {
  auto state = without_throwing([&] { return make_state(sources, policy, options); });
  if (!state) return to_public(state.error());
  return Tools(*std::move(state));
}

}  // namespace helve::api
